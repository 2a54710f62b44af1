// What commands share: input and output, files, and runs of Playwright.
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Command, Option } from 'commander';
import { type HistoryRun, readHistory, SAVE_ONE } from '../data/baseline';
import { DEFAULT_BASELINE_FILE, DEFAULT_RESULTS_FILE, type Results, readResults } from '../data/results';
import { CHECK_RUN, type CheckRun } from '../playwright/run/settings';
import { STORE_FOLDER, storedRun, storedRuns } from '../report/kept/stored-run';
import type { Document } from '../report/render/document';
import { commentWriter } from '../report/render/markdown-writer';
import { terminalWriter } from '../report/render/terminal-writer';
import { removeFolder, writeText } from '../text/file';
import { unlessBroken } from '../text/line';
import { printableJson, useColour } from '../text/print';

export interface Io {
  /** The folder that the user's paths are relative to. */
  cwd: string;
  out(text: string): void;
  err(text: string): void;
  /** Whether `out` writes to a terminal with colours. */
  colour: boolean;
  /** Arguments for `playwright test`, after `--`. */
  playwrightArgs?: readonly string[];
  /** Undefined if no one can answer. */
  ask?: ((question: string) => Promise<string>) | undefined;
}

/** An error that the user can fix: shown without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
}

export function processIo(): Io {
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI;
  return {
    cwd: process.cwd(),
    out: text => void process.stdout.write(`${text}\n`),
    err: text => void process.stderr.write(`${text}\n`),
    colour: useColour(process.stdout),
    ask: interactive ? askOn(process.stdin, process.stdout) : undefined,
  };
}

export const askOn = (input: NodeJS.ReadableStream, output: NodeJS.WritableStream) => (question: string) => {
  const terminal = createInterface({ input, output });
  return terminal.question(question).finally(() => terminal.close());
};

/** In bytes. Results files may come from elsewhere. */
const MAX_INPUT = 200_000_000;

/** @throws CommandError */
export async function readInput(io: Io, file: string, remedy: string): Promise<string> {
  const path = resolve(io.cwd, file);
  try {
    if ((await stat(path)).size > MAX_INPUT) throw new Error(`more than ${MAX_INPUT / 1e6} MB`);
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    const problem = code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`;
    throw new CommandError(`${file} ${problem}. ${remedy}`);
  }
}

/** @throws CommandError, ResultsFileError */
export async function readBaseline(io: Io, file: string, more = ''): Promise<HistoryRun[]> {
  return readHistory(await readInput(io, file, `${SAVE_ONE}${more}`), file);
}

const GO_ON =
  'The last run has not ended. If it was interrupted, its trials are kept: npx taskproof resume, or npx taskproof regrade for those alone.';

/** @throws CommandError, ResultsFileError */
export async function readRun(io: Io, file: string): Promise<Results> {
  const remedy = 'Run `npx playwright test` with the reporter first, or name the results file.';
  const last = existsSync(resolve(io.cwd, file)) ? undefined : storedRuns(io.cwd).at(-1);
  const isCut = file === DEFAULT_RESULTS_FILE && last && storedRun(last)?.ungraded === undefined;
  return readResults(await readInput(io, file, isCut ? GO_ON : remedy), file);
}

/** Writes a file and the folders above it. @throws CommandError */
export async function writeOutput(io: Io, file: string, text: string): Promise<void> {
  try {
    writeText(resolve(io.cwd, file), text);
  } catch (error) {
    throw new CommandError(`${file} can't be written (${codeOf(error)}).`);
  }
}

export const addSides = <Given extends Command>(command: Given) =>
  command
    .argument('[before]', 'a baseline, or the results file of an earlier run', DEFAULT_BASELINE_FILE)
    .argument('[after]', 'the results file of the later run', DEFAULT_RESULTS_FILE);

export type TellOptions = { markdown?: boolean; json?: boolean; output?: string };

export function addTellOptions<Given extends Command>(
  command: Given,
  markdown = 'as a pull-request comment',
) {
  return command
    .addOption(new Option('--markdown', markdown).conflicts('json'))
    .option('--json', 'as JSON')
    .option('-o, --output <file>', 'write it to a file');
}

/** @param as.lines the result in sentences, for standard error if the result itself is not for people, or is in a file */
export async function tell(
  io: Io,
  { markdown, json, output }: TellOptions,
  as: { json(): object; document: Document; lines?: readonly string[] },
): Promise<void> {
  const writer = markdown ? commentWriter : terminalWriter({ colour: io.colour && output === undefined });
  const text = json ? printableJson(as.json()) : as.document(writer).trimEnd();
  if (output === undefined) io.out(text);
  else await writeOutput(io, output, `${text}\n`);
  if (as.lines && (markdown || json || output !== undefined)) io.err(as.lines.join('\n'));
}

/** Where the config is: `--config` names a file or a folder. */
export function configFolder(io: Io): string {
  const config = configArgument(io) ?? io.cwd;
  const isFolder = statSync(config, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? config : dirname(config);
}

export function configArgument(io: Io): string | undefined {
  const config = argument(io, /^(?:-c|--config)$/);
  return config && resolve(io.cwd, config);
}

/** The value of one of the arguments for Playwright. */
export function argument({ playwrightArgs = [] }: Io, name: RegExp): string | undefined {
  const at = playwrightArgs.findLastIndex(arg => name.test(arg.split('=')[0]!));
  return at < 0 ? undefined : (playwrightArgs[at]!.split('=')[1] ?? playwrightArgs[at + 1]);
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

/** @param interrupted what the user still has if the run is interrupted @throws CommandError if nothing ran: a broken config, no tests */
export async function playChecked<Outcome>(
  io: Io,
  check: Omit<CheckRun, 'outputFile'>,
  args: readonly string[],
  read: (text: string, file: string) => Outcome,
  interrupted = '',
): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'taskproof-check-'));
  try {
    const [planFile, outputFile] = [join(folder, 'check.json'), join(folder, 'results.json')];
    await writeFile(planFile, JSON.stringify({ ...check, outputFile } satisfies CheckRun));
    const given = [...args, ...ownOutput(io, check), ...withReporter(io.playwrightArgs ?? [])];
    const code = await play(io, given, { [CHECK_RUN]: planFile });
    const text = await readFile(outputFile, 'utf8').catch(() => undefined);
    if (text === undefined && (code === 130 || typeof code === 'string'))
      throw new CommandError(`Interrupted. ${interrupted}`.trim());
    if (text === undefined)
      throw new CommandError(
        `Playwright ended with exit code ${code} before any trial ran; see its output above. To check the suite: npx playwright test --list`,
      );
    return read(text, outputFile);
  } finally {
    removeFolder(folder);
  }
}

/** What an earlier run left, such as its traces and what `--last-failed` reads, stays. */
function ownOutput(io: Io, { purpose }: Pick<CheckRun, 'purpose'>): string[] {
  if (argument(io, /^--output$/) !== undefined) return [];
  const folder = join(configFolder(io), STORE_FOLDER);
  const isWritten = unlessBroken(() => {
    writeText(join(folder, '.gitignore'), '*\n');
    return true;
  });
  return isWritten ? [`--output=${join(folder, purpose)}`] : [];
}

/** Adds our reporter to those that the user names; the suite's own would overwrite their reports. */
function withReporter(args: readonly string[]): string[] {
  const ours = join(__dirname, '../reporter.js');
  const given = args.flatMap((arg, index) =>
    arg.startsWith('--reporter=') ? arg.slice(11) : arg === '--reporter' ? (args[index + 1] ?? []) : [],
  );
  return [...args, `--reporter=${[...given, ours].join(',')}`];
}

function playwrightCli(cwd: string): string {
  try {
    const found = createRequire(join(cwd, 'package.json')).resolve('@playwright/test/package.json');
    return join(dirname(found), 'cli.js');
  } catch {
    throw new CommandError(
      `@playwright/test is not installed here (${cwd}). Run this in the folder of the Playwright suite.`,
    );
  }
}

/** Runs `playwright test` in the suite. @returns its exit code, or the signal that ended it */
export function play(
  io: Io,
  args: readonly string[],
  env: Record<string, string>,
): Promise<number | NodeJS.Signals> {
  const child = spawn(process.execPath, [playwrightCli(io.cwd), 'test', ...args], {
    cwd: io.cwd,
    env: { ...process.env, PLAYWRIGHT_HTML_OPEN: 'never', ...env },
    // Programs read our output, so Playwright's goes to standard error.
    stdio: ['ignore', 2, 2],
  });
  // Passes the signal on to Playwright, so that its run ends properly. In a terminal it gets SIGINT by itself. On Windows
  // there are no signals: `kill` would end it at once.
  const pass = (signal: NodeJS.Signals) => void (process.platform !== 'win32' && child.kill(signal));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, pass);
  return new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1));
  }).finally(() => {
    for (const signal of signals) process.off(signal, pass);
  });
}
