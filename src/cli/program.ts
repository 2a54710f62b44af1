// The command line: its commands, and how errors become exit codes.
import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { RecordingError } from '../data/recording';
import { ResultsFileError, StaleResultsError } from '../data/results';
import { TaskSpecError } from '../spec/errors';
import { printable } from '../text/print';
import { addBaseline, addTrend } from './baseline';
import { addConfirm } from './confirm';
import { addAa, addDiff } from './diff';
import { addInit } from './init';
import { CommandError, type Io } from './io';
import { addJudge } from './judge';
import { addProbe } from './probe';
import { addRecord } from './record';
import { addRegrade, addResume } from './resume';
import { addSchema, addValidate } from './validate';

class HelpedCommand extends Command {
  override createCommand = (name?: string) => new HelpedCommand(name);

  /** What its help says below the options. */
  helpEnd = (text: string) => this.addHelpText('after', text);
}

/** Adds a command; its action calls `exit` if the exit code is not 0. */
export type AddCommand = (program: HelpedCommand, io: Io, exit: (code: number) => void) => void;

const COMMANDS: readonly AddCommand[] = [
  addInit,
  addValidate,
  addSchema,
  addBaseline,
  addDiff,
  addConfirm,
  addResume,
  addRegrade,
  addTrend,
  addAa,
  addJudge,
  addProbe,
  addRecord,
];

/** Commands that run Playwright, and pass it the arguments after `--`. */
const PLAYING = ['confirm', 'probe', 'resume', 'regrade', 'judge'];
const AFTER_DASHES =
  " Arguments for Playwright stand after --, which PowerShell needs in quotes: '--' --grep checkout";
/** Commands whose exit code 1 is an answer, so that errors have exit code 2. */
const ANSWERING = ['diff', ...PLAYING];

/** Runs one command line. @returns its exit code @param args without `node` and the script */
export async function run(args: readonly string[], given: Io): Promise<number> {
  const dashes = PLAYING.includes(args[0]!) ? args.indexOf('--') : -1;
  const io: Io = {
    ...given,
    playwrightArgs: dashes < 0 ? [] : args.slice(dashes + 1),
    out: text => given.out(printable(text, given.colour)),
    err: text => given.err(printable(text)),
  };
  let code = 0;
  const needsDashes = dashes < 0 && PLAYING.includes(args[0]!);
  const program = new HelpedCommand('taskproof')
    .description(
      'Task specs for AI agents in a Playwright suite: write them, check them, compare their verdicts.',
    )
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: text => io.out(text.trimEnd()),
      writeErr: text => io.err(text.trimEnd()),
      getOutHasColors: () => io.colour,
    })
    .showHelpAfterError(`Run it with --help to see its usage.${needsDashes ? AFTER_DASHES : ''}`)
    .helpEnd(`
To run the specs: npx playwright test.
For help on a command: taskproof <command> --help.`);
  for (const add of COMMANDS)
    add(program, io, given => {
      code = given;
    });
  try {
    await program.parseAsync(dashes < 0 ? args : args.slice(0, dashes), { from: 'user' });
    return code;
  } catch (error) {
    return report(error, io, ANSWERING.includes(args[0]!) ? 2 : 1);
  }
}

function report(error: unknown, io: Io, failure: number): number {
  // Commander has already printed it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : failure;
  const types = [CommandError, RecordingError, ResultsFileError, TaskSpecError];
  const known = types.some(type => error instanceof type);
  io.err(known ? (error as Error).message : `taskproof failed: ${(error as Error)?.stack ?? error}`);
  return error instanceof StaleResultsError ? 3 : failure;
}
