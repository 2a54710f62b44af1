// Runs the suite with Playwright for a command of ours, and reads the results.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Results, readResults } from '../data/results';
import { CHECK_RUN, type CheckRun } from '../playwright/run/settings';
import { CommandError, type Io } from './io';

/**
 * Runs what `check` asks for, with the suite's config and environment. Playwright's output goes to standard error, so that
 * programs can read ours.
 *
 * @param args for `playwright test`, before the user's own
 * @throws CommandError if Playwright is not installed, or nothing ran: a broken config, no tests.
 */
export async function playChecked(
  io: Io,
  check: Omit<CheckRun, 'outputFile'>,
  args: readonly string[],
): Promise<Results> {
  const folder = await mkdtemp(join(tmpdir(), 'taskproof-check-'));
  try {
    const [planFile, outputFile] = [join(folder, 'check.json'), join(folder, 'results.json')];
    await writeFile(planFile, JSON.stringify({ ...check, outputFile } satisfies CheckRun));
    const given = [...args, ...withReporter(io.playwrightArgs ?? [])];
    const code = await start(io, [playwrightCli(io.cwd), 'test', ...given], { [CHECK_RUN]: planFile });
    const text = await readFile(outputFile, 'utf8').catch(() => undefined);
    if (text === undefined)
      throw new CommandError(
        `Playwright ended with exit code ${code} before any trial ran; see its output above. To check the suite: npx playwright test --list`,
      );
    return readResults(text, outputFile);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds our reporter to those that the user names. Without it, the suite's own reporters would overwrite their reports. */
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

function start(io: Io, args: string[], env: Record<string, string>): Promise<number | string> {
  const child = spawn(process.execPath, args, {
    cwd: io.cwd,
    env: { ...process.env, PLAYWRIGHT_HTML_OPEN: 'never', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => io.playwright?.(text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
}
