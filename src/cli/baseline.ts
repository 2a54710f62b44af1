import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { plural } from '../report/format';
import { DEFAULT_BASELINE_FILE, DEFAULT_RESULTS_FILE, type Results, readResults } from '../report/results';
import { keyOf } from '../verdicts/diff';
import { CommandError, type Io, readRun, writeOutput } from './io';
import type { AddCommand } from './program';

interface SaveOptions {
  output: string;
  force?: boolean;
}

export const addBaseline: AddCommand = (program, io) => {
  program
    .command('baseline')
    .description('Keep the verdicts of a run, to compare later runs with.')
    .command('save')
    .description('Save the verdicts of a results file as the baseline.')
    .argument('[results]', 'the results file of a whole run', DEFAULT_RESULTS_FILE)
    .option(
      '-o, --output <file>',
      'where to save them; an earlier baseline is replaced',
      DEFAULT_BASELINE_FILE,
    )
    .option('--force', 'save an incomplete run too, and one that lacks specs of the earlier baseline')
    .addHelpText(
      'after',
      `
The baseline holds verdicts without their trials, small enough to be committed.

Examples:
  taskproof baseline save
  taskproof baseline save out/taskproof-results.json --output baselines/main.json
Then compare a later run with it:
  taskproof diff ${DEFAULT_BASELINE_FILE}`,
    )
    .action((file: string, options: SaveOptions) => save(io, file, options));
};

async function save(io: Io, file: string, { output, force }: SaveOptions): Promise<void> {
  const results = await readRun(io, file);
  if (!results.complete && !force) throw new CommandError(`${file} ${incomplete(results)}`);
  if (!force) await refuseToForget(io, output, results);
  // The comparison follows from the verdicts.
  const { comparison, ...run } = results;
  const baseline = {
    ...run,
    verdicts: results.verdicts.map(({ recording, ...row }) => ({ ...row, trials: [] })),
  };
  await writeOutput(io, output, `${JSON.stringify(baseline, null, 2)}\n`);
  const replayed = results.verdicts.filter(row => row.replayed).length;
  io.out(
    `Saved ${plural(results.verdicts.length, 'verdict')}${replayed ? ` (${replayed} replayed)` : ''} of ${results.startedAt} to ${output}`,
  );
}

/** A run of a few specs (`--grep`) is complete, too; that it takes the place of all the others is rarely meant. */
async function refuseToForget(io: Io, output: string, results: Results): Promise<void> {
  const text = await readFile(resolve(io.cwd, output), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const kept = new Set(results.verdicts.map(keyOf));
  const lost = readResults(text, output).verdicts.filter(row => !kept.has(keyOf(row)));
  if (!lost.length) return;
  const names = [...new Set(lost.map(row => row.spec))];
  throw new CommandError(
    `${output} holds ${plural(lost.length, 'verdict')} that this run does not have: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' and others' : ''}. Was it a part of the suite (--grep, --project)? Run the whole suite, or save it as it is with --force.`,
  );
}

function incomplete({ verdicts }: Results): string {
  const open = verdicts.filter(row => row.verdict === 'undecided').map(row => row.spec);
  const named = open.length
    ? ` Trials are missing of: ${open.slice(0, 5).join(', ')}${open.length > 5 ? ' and others' : ''}.`
    : '';
  return `is of an incomplete run (a shard, or a run that was interrupted).${named} Merge the shards' reports or run again; --force saves it as it is.`;
}
