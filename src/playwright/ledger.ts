// Shares between the workers of a run how each trial ended and what it cost: a folder with one file per trial, so that trials
// that end at once don't disturb each other.
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { answerOf } from '../verdicts/confirm';
import { EARLY_STOP, type Policy, type TrialResult, verdictOf } from '../verdicts/verdict';
import { checkRun, type Wanted } from './check-run';

/** Set by the reporter in the main process, inherited by the workers. */
const ENV = 'TASKPROOF_LEDGER';
const JUDGED = 'judged';
const PREFIX = 'taskproof-';

const entrySchema = z.object({
  index: z.number(),
  outcome: z.enum(['passed', 'failed', 'error']),
  costUsd: z.number().nullable(),
});
export type LedgerEntry = z.infer<typeof entrySchema>;

/**
 * Begins a run. Call it in the main process, before workers start.
 *
 * @param judged whether the run has verdicts; in UI mode and in editors it has none
 */
export function openLedger({ judged }: { judged: boolean }): void {
  closeLedger();
  const run = mkdtempSync(join(tmpdir(), PREFIX));
  if (judged) writeFileSync(join(run, JUDGED), '');
  process.env[ENV] = run;
}

/** Opens a ledger in a run without our reporter, to share costs and which warnings were printed. */
export function openLedgerWithoutReporter(argv: readonly string[] = process.argv): void {
  const { TEST_WORKER_INDEX, [ENV]: opened } = process.env;
  if (TEST_WORKER_INDEX !== undefined || opened !== undefined || !argv.includes('test')) return;
  openLedger({ judged: false });
  process.once('exit', closeLedger);
}

export function closeLedger(): void {
  const folder = process.env[ENV];
  if (folder) rmSync(folder, { recursive: true, force: true });
  delete process.env[ENV];
}

/** Whether our reporter gives verdicts in this run. */
export function isJudged(): boolean {
  const run = process.env[ENV];
  return run !== undefined && existsSync(join(run, JUDGED));
}

const processId = randomUUID().slice(0, 8);

/**
 * Identifies the run in the values of `{{unique}}`. Without a ledger, each worker has its own. Set `TASKPROOF_RUN_ID` to the id in
 * a record to get its values again.
 */
export function runId(): string {
  const { TASKPROOF_RUN_ID, [ENV]: run } = process.env;
  return TASKPROOF_RUN_ID || (run ? basename(run).slice(PREFIX.length) : processId);
}

/** Without a ledger, does nothing. */
export function enter(project: string, spec: string, entry: LedgerEntry): void {
  const run = process.env[ENV];
  if (!run) return;
  const folder = specFolder(run, project, spec);
  mkdirSync(folder, { recursive: true });
  // Renamed into place, so that no worker reads half a file.
  const half = join(run, randomUUID());
  writeFileSync(half, JSON.stringify(entry));
  renameSync(half, join(folder, `${entry.index}.json`));
}

const said = new Set<string>();

/** True for the first caller in the run; without a ledger, in the worker. For warnings that are printed once. */
export function isFirstToSay(what: string): boolean {
  if (said.has(what)) return false;
  said.add(what);
  const run = process.env[ENV];
  if (!run) return true;
  try {
    writeFileSync(join(run, `said-${what}`), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** Why the spec needs no further trial, in one line; undefined while its verdict is open. */
export function settledReason(project: string, spec: string, policy: Policy): string | undefined {
  const run = process.env[ENV];
  if (!run || !isJudged()) return undefined;
  const { verdict, passes, failures, errors } = verdictOf(
    policy,
    entriesIn(specFolder(run, project, spec)).map(asTrial),
  );
  if (verdict === 'undecided') return undefined;
  const ran = passes + failures + errors;
  return `${EARLY_STOP}the verdict is settled (${verdict}, ${passes} of ${ran} passed, needs ${policy.minPasses} of ${policy.k})`;
}

/** How many ended trials of the spec did not pass. */
export function lostTrials(project: string, spec: string): number {
  const run = process.env[ENV];
  if (!run) return 0;
  return entriesIn(specFolder(run, project, spec)).filter(({ outcome }) => outcome !== 'passed').length;
}

/** US dollars that the ended trials of the run cost, as far as prices are known. */
export function spentUsd(): number {
  const run = process.env[ENV];
  if (!run) return 0;
  return specFolders(run)
    .flatMap(entriesIn)
    .reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
}

/**
 * Why a confirmation does not need this trial, or can't afford it. Otherwise undefined, and the trial's cost is reserved until it
 * ends.
 */
export function needlessReason({ project, spec, ...rule }: Wanted, index: number): string | undefined {
  const run = process.env[ENV];
  if (!run) return undefined;
  const folder = specFolder(run, project, spec);
  const entries = entriesIn(folder);
  const count = (outcome: string) => entries.filter(entry => entry.outcome === outcome).length;
  const answer = answerOf(rule, { passes: count('passed'), failures: count('failed') });
  if (answer !== 'open') return `the answer is clear: ${answer}`;
  const cap = checkRun()?.maxCostUsd;
  if (cap === undefined) return undefined;
  const reserved = join(folder, `${index}.reserved`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(reserved, String(rule.trialUsd));
  if (spentUsd() + reservedUsd(run) <= cap + 1e-9) return undefined;
  rmSync(reserved);
  return `another trial could cost more than the $${cap} of --max-cost`;
}

/** US dollars reserved for trials that are running. */
function reservedUsd(run: string): number {
  const open = specFolders(run).flatMap(folder => {
    const files = readdirSync(folder);
    return files
      .filter(file => file.endsWith('.reserved') && !files.includes(file.replace('.reserved', '.json')))
      .map(file => join(folder, file));
  });
  return open.reduce((sum, file) => sum + readReserved(file), 0);
}

function readReserved(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    // Its worker removed it meanwhile.
    return 0;
  }
}

function specFolders(run: string): string[] {
  const entries = readdirSync(run, { withFileTypes: true });
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => join(run, name));
}

function specFolder(run: string, project: string, spec: string): string {
  return join(
    run,
    createHash('sha256')
      .update(JSON.stringify([project, spec]))
      .digest('hex')
      .slice(0, 32),
  );
}

function entriesIn(folder: string): LedgerEntry[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // No trial of this spec has ended yet.
  }
  return names
    .filter(name => name.endsWith('.json'))
    .flatMap(name => {
      const { data } = entrySchema.safeParse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
      return data ? [data] : [];
    });
}

function asTrial({ index, outcome, costUsd }: LedgerEntry): TrialResult {
  return { index, outcome, status: outcome, reason: null, turns: 0, costUsd, durationMs: 0, finalUrl: null };
}
