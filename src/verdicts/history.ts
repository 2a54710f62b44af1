// What a baseline remembers: the counts of earlier runs, and what they come to together.
import { type Diff, diffVerdicts, keyOf } from './diff';
import type { ResultRow, VerdictRow, Way } from './shapes';
import { EARLY_STOP, isSettled } from './verdict';

/** One earlier run. */
export interface HistoryRun {
  /** ISO time; names the run. */
  startedAt: string;
  /** Not all specs or trials of its projects: what it lacks is not gone. */
  partial: boolean;
  verdicts: readonly VerdictRow[];
}

/**
 * Earlier trials of one spec in one project, of one text of the spec, one agent and one model: their counts summed, all else of
 * the newest run.
 */
export type BaselineRow = VerdictRow & {
  /** Runs that the counts are from. */
  runs: number;
};

type WaySubject = Pick<VerdictRow, 'spec' | 'describe' | 'project' | 'replayed' | 'specHash'>;

/** @returns what the last passing trial of a spec did, as far as its text is the same; undefined if none is kept. */
export function lastWays(runs: readonly HistoryRun[]): (subject: WaySubject) => Way | undefined {
  const newestFirst = [...runs].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  const kept = new Map<string, VerdictRow[]>();
  for (const row of newestFirst.flatMap(({ verdicts }) => verdicts))
    if (row.way) kept.set(keyOf(row), [...(kept.get(keyOf(row)) ?? []), row]);
  return subject =>
    kept
      .get(keyOf(subject))
      ?.find(({ specHash }) => !specHash || !subject.specHash || specHash === subject.specHash)?.way;
}

/** The same runs, with the last way of each spec alone: one passing trial is enough to compare with. */
export function withLastWays(oldestFirst: readonly HistoryRun[]): HistoryRun[] {
  const seen = new Set<string>();
  return [...oldestFirst]
    .reverse()
    .map(run => ({
      ...run,
      verdicts: run.verdicts.map(({ way, ...row }) => {
        if (!way || seen.has(keyOf(row))) return row;
        seen.add(keyOf(row));
        return { ...row, way };
      }),
    }))
    .reverse();
}

/**
 * The counts of all runs, a row for each spec and project. A changed spec, agent or model begins a history of its own: of
 * several histories the one that fits `later` is taken, else the newest. What the newest whole run of a project no longer has
 * was taken out of the suite, and is left out.
 *
 * @param later the run to be compared; it decides between histories only
 */
export function pooledBaseline(runs: readonly HistoryRun[], later: readonly VerdictRow[]): BaselineRow[] {
  const newestFirst = [...runs].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  const wanted = new Map(later.map(row => [keyOf(row), row]));
  const histories = new Map<string, VerdictRow[]>();
  const closed = new Set<string>();
  for (const { partial, verdicts } of newestFirst) {
    for (const row of verdicts) {
      const key = keyOf(row);
      if (histories.has(key)) histories.get(key)!.push(row);
      else if (!closed.has(row.project)) histories.set(key, [row]);
    }
    if (!partial) for (const { project } of verdicts) closed.add(project);
  }
  return [...histories].map(([key, rows]) => pooled(rows, wanted.get(key)));
}

/** A run compared with what the baseline remembers. */
export function diffWithBaseline(runs: readonly HistoryRun[], verdicts: readonly ResultRow[]): Diff {
  const later = verdicts.map(countedRow);
  return diffVerdicts(pooledBaseline(runs, later), later);
}

function pooled(newestFirst: readonly VerdictRow[], later: VerdictRow | undefined): BaselineRow {
  const newest = newestFirst[0]!;
  const fitting = later && newestFirst.filter(row => isSame(row, later));
  const history = fitting?.length ? fitting : newestFirst.filter(row => isSame(row, newest));
  const sum = (what: 'passes' | 'failures' | 'errors') =>
    history.reduce((total, row) => total + row[what], 0);
  const shown = history.find(row => isSettled(row.verdict)) ?? history[0]!;
  return {
    ...shown,
    passes: sum('passes'),
    failures: sum('failures'),
    errors: sum('errors'),
    runs: history.length,
  };
}

/** An older file may not know the hash. */
function isSame(a: VerdictRow, b: VerdictRow): boolean {
  const sameSpec = !a.specHash || !b.specHash || a.specHash === b.specHash;
  return sameSpec && a.agent === b.agent && a.model === b.model;
}

/**
 * A verdict's row with counts that may be pooled and tested. With `earlyStop` only the trials that would have
 * run in any case count, the first min(minPasses, k - minPasses + 1): how many more ran depended on how they ended, and their
 * pass rate is biased. None counts if those were not the first to run.
 */
export function countedRow(row: ResultRow): VerdictRow {
  const { spec, titlePath, describe, project, agent, model, replayed, specHash } = row;
  const { verdict, k, minPasses, turns, costUsd, reason } = row;
  const subject = {
    ...{ spec, project, agent, model, replayed },
    ...(titlePath ? { titlePath } : {}),
    ...(describe ? { describe } : {}),
    ...(specHash ? { specHash } : {}),
    ...(row.way ? { way: row.way } : {}),
  };
  const rest = { verdict, k, minPasses, turns, costUsd, reason };
  const { passes, failures, errors } = row;
  if (!stopsEarly(row)) return { ...subject, ...rest, passes, failures, errors };
  const sure = Math.min(minPasses, k - minPasses + 1);
  const first = row.trials.filter(({ index }) => index < sure);
  const whole = first.length === sure && first.every(({ outcome }) => outcome !== 'skipped');
  const count = (what: string) => (whole ? first.filter(({ outcome }) => outcome === what).length : 0);
  return {
    ...subject,
    ...rest,
    passes: count('passed'),
    failures: count('failed'),
    errors: count('error'),
    stoppedEarly: true,
  };
}

/**
 * Whether trials are skipped because of how others ended. A spec that happened to run all its trials is one, too: that it did
 * depended on how they ended.
 */
function stopsEarly({ earlyStop, trials }: Pick<ResultRow, 'earlyStop' | 'trials'>): boolean {
  return earlyStop ?? trials.some(one => one.outcome === 'skipped' && one.reason?.startsWith(EARLY_STOP));
}
