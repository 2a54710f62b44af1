// What the processes of a run share: how each trial ended and what it cost. A folder has a file for each trial, so that trials that end
// at the same time don't disturb each other.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { sumOf } from '../../data/collections';
import { keyIn } from '../../data/plan';
import { moveOver, removeFolder } from '../../text/file';
import { messageOf } from '../../text/line';
import { print } from '../../text/print';
import { isWorker } from '../inside/command-line';
import { runError } from '../inside/errors';
import type { LedgerState } from './decide';

/** Set by the reporter in the main process, inherited by the workers. */
const ENV = 'TASKPROOF_LEDGER';
const JUDGED = 'judged';
const NOT_WRITTEN = 'not-written';
const noteOf = (run: string, what: string) => join(run, `said-${what}`);
const PREFIX = 'taskproof-';
const OWN = `${PREFIX}${process.pid}-`;

const entrySchema = z.object({
  index: z.number(),
  /** Null until the main process knows how its test ended, which a worker can't: its cost is reserved. */
  outcome: z.enum(['passed', 'failed', 'error']).nullable(),
  costUsd: z.number().nullable(),
  /** What a running trial has cost so far. It counts even if the worker dies. */
  spentUsd: z.number().optional(),
});
export type LedgerEntry = z.infer<typeof entrySchema>;

/** Begins a run in the main process. @param judged false in UI mode and in editors. @returns the ledger's folder */
export function openLedger({ judged }: { judged: boolean }): string {
  closeLedger();
  const run = mkdtempSync(join(tmpdir(), OWN));
  if (judged) writeFileSync(join(run, JUDGED), '');
  process.env[ENV] = run;
  return run;
}

/** Opens a ledger in a run without our reporter, to share costs and the warnings that were printed. */
export function openLedgerWithoutReporter(): void {
  if (isWorker() || process.env[ENV] !== undefined || !process.argv.includes('test')) return;
  const run = openLedger({ judged: false });
  let supersede: (() => void) | undefined;
  import('./earlier-results.js')
    .then(async ({ supersedingHere }) => {
      supersede = await supersedingHere();
    })
    // Playwright reports a config that can't be loaded.
    .catch(() => undefined);
  process.once('exit', () => {
    try {
      // Our reporter would have closed it.
      if (existsSync(noteOf(run, NOT_WRITTEN))) supersede?.();
    } catch (error) {
      print(process.stderr, messageOf(error));
    }
    closeLedger();
  });
}

/** Called in a worker of such a run that plays trials: nobody writes their results. */
export function noteUnjudged(): void {
  isFirstToSay(NOT_WRITTEN);
}

/** Removes the ledger that this process opened. An inherited one belongs to a run that started this run. */
export function closeLedger(): void {
  const folder = process.env[ENV];
  if (folder?.startsWith(join(tmpdir(), OWN))) removeFolder(folder);
  delete process.env[ENV];
}

/** Whether our reporter gives verdicts in this run. */
export function isJudged(): boolean {
  const run = process.env[ENV];
  return run !== undefined && existsSync(join(run, JUDGED));
}

const processId = randomUUID().slice(0, 8);

/** Makes `{{unique}}` differ between runs; without a ledger, between workers. `TASKPROOF_RUN_ID` brings a record's values back. */
export function runId(): string {
  const { TASKPROOF_RUN_ID, [ENV]: run } = process.env;
  // It is a part of a folder's name.
  if (TASKPROOF_RUN_ID && !/^[\w-]{1,64}$/.test(TASKPROOF_RUN_ID))
    throw runError(
      `taskproof: TASKPROOF_RUN_ID is ${JSON.stringify(TASKPROOF_RUN_ID)}: set it to the \`runId\` of a record.`,
    );
  return TASKPROOF_RUN_ID || (run ? basename(run).slice(PREFIX.length) : processId);
}

/** Notes how a trial ended. Without a ledger, does nothing. */
export function enter(project: string, spec: string, entry: LedgerEntry): void {
  const run = process.env[ENV];
  if (!run) return;
  // If a worker died, the trial's record is lost, but not what it spent.
  const costUsd = entry.costUsd ?? spentOf(noted(project, spec, entry.index));
  // Renamed into place, so that nobody reads half a file.
  const half = join(run, randomUUID());
  writeFileSync(half, JSON.stringify({ ...entry, costUsd }));
  moveOver(half, fileOf(run, project, spec, entry.index));
}

/** A trial does not fail because of the ledger: only early stop and the run's cost caps need it. */
export function orWarn(name: string, use: () => void): void {
  try {
    use();
  } catch (error) {
    print(process.stderr, `taskproof: ${name}: can't write the run's ledger: ${messageOf(error)}`);
  }
}

/** Adds an amount in US dollars to what a running trial has spent. */
export function spend(project: string, spec: string, index: number, costUsd: number): void {
  const earlier = noted(project, spec, index);
  if (earlier && earlier.outcome !== null) {
    // The cost of an answer that was broken off comes after the trial's end.
    enter(project, spec, { ...earlier, costUsd: (earlier.costUsd ?? 0) + costUsd });
    return;
  }
  const spentUsd = (earlier?.spentUsd ?? 0) + costUsd;
  const reservedUsd = earlier?.costUsd ?? 0;
  enter(project, spec, { index, outcome: null, costUsd: Math.max(reservedUsd, spentUsd), spentUsd });
}

const said = new Set<string>();

/** True for the first caller in the run (without a ledger, in the worker). For warnings that are printed once. */
export function isFirstToSay(what: string): boolean {
  if (said.has(what)) return false;
  said.add(what);
  const run = process.env[ENV];
  if (!run) return true;
  try {
    writeFileSync(noteOf(run, what), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** True for the first passing trial of a spec in the run. False without verdicts: then there is no diagnosis that needs it. */
export const isFirstToPass = (project: string, spec: string) =>
  isJudged() && isFirstToSay(`${prefixOf(project, spec)}passed`);

/** What is known of the run and this spec. Read on access: most trials run whatever it says, even if it can't be read. */
export function readLedger(project: string, spec: string): LedgerState {
  const hasEnded = ({ outcome }: LedgerEntry) => outcome !== null;
  return {
    get ended() {
      return entries(prefixOf(project, spec)).filter(hasEnded);
    },
    get spentUsd() {
      return sumOf(entries(), entry => spentOf(entry) ?? 0);
    },
    get committedUsd() {
      return sumOf(entries(), costOf);
    },
  };
}

/** Reserves the cost of a trial, so that two workers don't both start the last affordable one. @returns a function that gives it back */
export function reserve(project: string, spec: string, index: number, costUsd: number): () => void {
  const run = process.env[ENV];
  if (!run || existsSync(fileOf(run, project, spec, index))) return () => undefined;
  enter(project, spec, { index, outcome: null, costUsd });
  return () => rmSync(fileOf(run, project, spec, index), { force: true });
}

/** The cost of an ended trial, or what a running one has spent, without its reservation. */
const spentOf = (entry: LedgerEntry | undefined) =>
  (entry?.outcome === null ? entry.spentUsd : entry?.costUsd) ?? null;

function noted(project: string, spec: string, index: number): LedgerEntry | undefined {
  const run = process.env[ENV];
  return run === undefined ? undefined : entryIn(fileOf(run, project, spec, index));
}

const costOf = ({ costUsd }: LedgerEntry) => costUsd ?? 0;

function entries(prefix = ''): LedgerEntry[] {
  const run = process.env[ENV];
  const files = run ? readdirSync(run) : [];
  const own = files.filter(name => name.startsWith(prefix) && name.endsWith('.json'));
  return own.flatMap(name => entryIn(join(run!, name)) ?? []);
}

function entryIn(file: string): LedgerEntry | undefined {
  try {
    return entrySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // There is none, or another worker has given its reservation back in the meantime.
    return undefined;
  }
}

const fileOf = (run: string, project: string, spec: string, index: number) =>
  join(run, `${prefixOf(project, spec)}${index}.json`);

const prefixOf = (project: string, spec: string) =>
  `${createHash('sha256').update(keyIn(project, spec)).digest('hex')}-`;
