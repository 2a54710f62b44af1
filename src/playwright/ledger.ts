// What the processes of a run share. The ledger says how each trial ended and what it cost: a folder with one file per trial, so that
// trials that end at once don't disturb each other. If a command of ours started the run (`taskproof confirm` runs candidates again,
// `taskproof probe` runs every spec without its agent), an environment variable names a file with its settings.
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
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
import { sumOf } from '../data/collections';
import type { Policy, TrialResult } from '../data/verdict';
import { answerOf } from '../verdicts/confirm';
import { verdictOf } from '../verdicts/verdict';

/** Set by the reporter in the main process, inherited by the workers. */
const ENV = 'TASKPROOF_LEDGER';
const JUDGED = 'judged';
const PREFIX = 'taskproof-';

const entrySchema = z.object({
  index: z.number(),
  /** Null while the trial runs: its cost is reserved. */
  outcome: z.enum(['passed', 'failed', 'error']).nullable(),
  costUsd: z.number().nullable(),
});
type LedgerEntry = z.infer<typeof entrySchema>;
type EndedEntry = LedgerEntry & { outcome: string };

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
  // Renamed into place, so that no worker reads half a file.
  const half = join(run, randomUUID());
  writeFileSync(half, JSON.stringify(entry));
  renameSync(half, fileOf(run, project, spec, entry.index));
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
  const trials = entriesOf(project, spec).map(asTrial);
  const { verdict, passes, failures, errors } = verdictOf(policy, trials);
  if (verdict === 'undecided') return undefined;
  const ran = passes + failures + errors;
  return `early stop: the verdict is settled (${verdict}, ${passes} of ${ran} passed, needs ${policy.minPasses} of ${policy.k})`;
}

/** How many ended trials of the spec did not pass. */
export function lostTrials(project: string, spec: string): number {
  return entriesOf(project, spec).filter(({ outcome }) => outcome !== 'passed').length;
}

/** US dollars that the ended trials of the run cost, as far as prices are known. */
export function spentUsd(): number {
  return sumOf(entries().filter(hasEnded), costOf);
}

/**
 * Why a confirmation does not need this trial, or can't afford it. Otherwise undefined, and the trial's cost is reserved until it
 * ends.
 */
export function needlessReason({ project, spec, ...rule }: Wanted, index: number): string | undefined {
  const run = process.env[ENV];
  if (!run) return undefined;
  const ended = entriesOf(project, spec);
  const count = (outcome: string) => ended.filter(entry => entry.outcome === outcome).length;
  const answer = answerOf(rule, { passes: count('passed'), failures: count('failed') });
  if (answer !== 'open') return `the answer is clear: ${answer}`;
  const cap = checkRun()?.maxCostUsd;
  if (cap === undefined) return undefined;
  const isOver = ended.some(entry => entry.index === index);
  if (!isOver) enter(project, spec, { index, outcome: null, costUsd: rule.trialUsd });
  if (sumOf(entries(), costOf) <= cap + 1e-9) return undefined;
  if (!isOver) rmSync(fileOf(run, project, spec, index));
  return `another trial could cost more than the $${cap} of --max-cost`;
}

const costOf = ({ costUsd }: LedgerEntry) => costUsd ?? 0;

const hasEnded = (entry: LedgerEntry): entry is EndedEntry => entry.outcome !== null;

/** The ended trials of a spec. */
function entriesOf(project: string, spec: string): EndedEntry[] {
  return entries(prefixOf(project, spec)).filter(hasEnded);
}

function entries(prefix = ''): LedgerEntry[] {
  const run = process.env[ENV];
  const files = run ? readdirSync(run) : [];
  return files
    .filter(name => name.startsWith(prefix) && name.endsWith('.json'))
    .flatMap(name => {
      try {
        return entrySchema.parse(JSON.parse(readFileSync(join(run!, name), 'utf8')));
      } catch {
        // Another worker gave its reservation up meanwhile.
        return [];
      }
    });
}

function fileOf(run: string, project: string, spec: string, index: number): string {
  return join(run, `${prefixOf(project, spec)}${index}.json`);
}

function prefixOf(project: string, spec: string): string {
  const hash = createHash('sha256').update(JSON.stringify([project, spec]));
  return `${hash.digest('hex').slice(0, 32)}-`;
}

function asTrial({ index, outcome, costUsd }: EndedEntry): TrialResult {
  return { index, outcome, status: outcome, reason: null, turns: 0, costUsd, durationMs: 0, finalUrl: null };
}

/** Names the file with a CheckRun. */
export const CHECK_RUN = 'TASKPROOF_CHECK_RUN';

const wantedSchema = z.object({
  project: z.string(),
  /** Its name, as `nameOf` returns it. */
  spec: z.string(),
  /** So many failures settle the answer; null if no number does. */
  enough: z.number().nullable(),
  /** Most fresh trials: if so many failures can't be reached any more, that settles the answer, too. */
  trials: z.number(),
  /** US dollars that a trial costs at most, as far as known. */
  trialUsd: z.number(),
});

const checkRunSchema = z.object({
  purpose: z.enum(['confirm', 'probe']),
  /** Gets the results. The reporter writes nothing else. */
  outputFile: z.string(),
  /** The specs to run. Default: all. */
  wanted: z.array(wantedSchema).optional(),
  /** US dollars; a trial that might exceed it does not start. */
  maxCostUsd: z.number().optional(),
});

export type CheckRun = z.infer<typeof checkRunSchema>;
export type Wanted = z.infer<typeof wantedSchema>;

let known: { file: string; run: CheckRun } | undefined;

/** Undefined in an ordinary run. */
export function checkRun(): CheckRun | undefined {
  const file = process.env[CHECK_RUN];
  if (!file) return undefined;
  if (known?.file !== file)
    known = { file, run: checkRunSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  return known.run;
}

/** What a confirmation asks about this spec. */
export function wantedOf(project: string, spec: string): Wanted | undefined {
  return checkRun()?.wanted?.find(one => one.project === project && one.spec === spec);
}

/** @returns what to add to a trial's index for its seed: fresh trials must not repeat those of the earlier run. */
export function seedOffset(): number {
  return checkRun()?.purpose === 'confirm' ? 1_000_000 : 0;
}

/** A trial's options in this run. A probe's agent does nothing, and a probe has neither judge nor recordings. */
export function checkedOptions(options: unknown): unknown {
  const run = checkRun();
  if (!run || typeof options !== 'object' || options === null) return options;
  const own = { ...options, earlyStop: false, record: false };
  if (run.purpose === 'confirm') return own;
  // Nothing is typed, so no secret is missing.
  return { ...own, agent: { name: 'nothing', run: async () => {} }, judge: undefined, secrets: undefined };
}
