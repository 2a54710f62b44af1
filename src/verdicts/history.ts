// The history in a baseline: the counts of earlier runs, and their sums.
import { type Diff, diffVerdicts, keyOf, type LaterRun } from './diff';
import { countedRowSchema, type ResultRow, type VerdictRow, type Way } from './shapes';
import { EARLY_STOP, isSettled } from './verdict';

/** One earlier run. */
export interface HistoryRun {
  /** ISO time; identifies the run. */
  startedAt: string;
  /** Some specs or trials of its projects did not run. They are not removed. */
  partial: boolean;
  verdicts: readonly VerdictRow[];
}

type WaySubject = Pick<VerdictRow, 'spec' | 'describe' | 'project' | 'replayed' | 'specHash'>;

/** @returns the last passing trial of a spec, if the spec's text is the same; undefined if none was kept. */
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

/** Keeps only the last way of each spec: one passing trial is enough to compare with. */
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
 * The counts of all runs, one row for each spec and project; all else is of the newest run. A changed spec, agent or model begins a new history; the one that fits
 * `later` is used, else the newest. Specs that the newest whole run of a project lacks were removed from the suite, and are left out.
 *
 * @param later the run to compare; it only selects histories
 */
export function pooledBaseline(runs: readonly HistoryRun[], later: readonly VerdictRow[]): VerdictRow[] {
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

/** Compares a run with a baseline. */
export function diffWithBaseline(
  runs: readonly HistoryRun[],
  run: LaterRun & { verdicts: readonly ResultRow[] },
): Diff {
  const later = run.verdicts.map(countedRow);
  return diffVerdicts(pooledBaseline(runs, later), later, run);
}

function pooled(newestFirst: readonly VerdictRow[], later: VerdictRow | undefined): VerdictRow {
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

/** Older files may have no hash. */
function isSame(a: VerdictRow, b: VerdictRow): boolean {
  const sameSpec = !a.specHash || !b.specHash || a.specHash === b.specHash;
  return sameSpec && a.agent === b.agent && a.model === b.model;
}

/**
 * A verdict's row with counts that may be pooled and tested. With `earlyStop`, how many trials run depends on how they end, which
 * biases their rate. So only the first min(minPasses, k - minPasses + 1) trials count, which run in any case, or none if others ran
 * before them.
 */
export function countedRow(row: ResultRow): VerdictRow {
  const counted = { ...countedRowSchema.parse(row), reason: row.reason };
  if (!stopsEarly(row)) return counted;
  const sure = Math.min(row.minPasses, row.k - row.minPasses + 1);
  const first = row.trials.filter(({ index }) => index < sure);
  const whole = first.length === sure && first.every(({ outcome }) => outcome !== 'skipped');
  const count = (what: string) => (whole ? first.filter(({ outcome }) => outcome === what).length : 0);
  return {
    ...counted,
    passes: count('passed'),
    failures: count('failed'),
    errors: count('error'),
    stoppedEarly: true,
  };
}

/** Whether trials are skipped because of how others end, even if this time all happened to run. */
function stopsEarly({ earlyStop, trials }: Pick<ResultRow, 'earlyStop' | 'trials'>): boolean {
  return earlyStop ?? trials.some(one => one.outcome === 'skipped' && one.reason?.startsWith(EARLY_STOP));
}
