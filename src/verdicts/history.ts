// The history in a baseline: the counts of earlier runs, and their sums.

import { countedRowSchema, type ResultRow, type VerdictRow, type Way } from '../data/verdict';
import { type Diff, diffVerdicts, keyOf, type LaterRun } from './change';
import { compareText, groupBy, sumOf, totalOf } from './statistics';
import { EARLY_STOP, isSettled } from './verdict';

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
  const rows = newestFirst(runs).flatMap(({ verdicts }) => verdicts);
  const kept = groupBy(
    rows.filter(({ way }) => way),
    keyOf,
  );
  return subject => kept.get(keyOf(subject))?.find(row => isSameSpec(row, subject))?.way;
}

const newestFirst = (runs: readonly HistoryRun[]) =>
  [...runs].sort((a, b) => compareText(b.startedAt, a.startedAt));

/** Keeps only the last way of each spec: one passing trial is enough to compare with. */
export function withLastWays(oldestFirst: readonly HistoryRun[]): HistoryRun[] {
  const told = oldestFirst.flatMap(run => run.verdicts.flatMap(row => (row.way ? [{ row, run }] : [])));
  const last = new Map(told.map(({ row, run }) => [keyOf(row), run]));
  const withoutWay = ({ way, ...row }: VerdictRow) => row;
  return oldestFirst.map(run => ({
    ...run,
    verdicts: run.verdicts.map(row => (last.get(keyOf(row)) === run ? row : withoutWay(row))),
  }));
}

/**
 * The counts of all runs, one row for each spec and project; all else is of the newest run. A changed spec, agent or model begins a
 * new history; the one that fits `later` is used, else the newest. Specs that the newest whole run of a project lacks were removed
 * from the suite, and are left out.
 *
 * @param later the run to compare; it only selects histories
 */
export function pooledBaseline(runs: readonly HistoryRun[], later: readonly VerdictRow[]): VerdictRow[] {
  const wanted = new Map(later.map(row => [keyOf(row), row]));
  const histories = new Map<string, VerdictRow[]>();
  const closed = new Set<string>();
  for (const { partial, verdicts } of newestFirst(runs)) {
    for (const row of verdicts) {
      const key = keyOf(row);
      if (histories.has(key)) histories.get(key)!.push(row);
      else if (!closed.has(row.project)) histories.set(key, [row]);
    }
    if (!partial) for (const { project } of verdicts) closed.add(project);
  }
  return [...histories].map(([key, rows]) => pooled(rows, wanted.get(key)));
}

export function diffWithBaseline(
  runs: readonly HistoryRun[],
  run: LaterRun & { verdicts: readonly ResultRow[] },
): Diff {
  const later = run.verdicts.map(countedRow);
  return diffVerdicts(pooledBaseline(runs, later), later, run);
}

function pooled(rows: readonly VerdictRow[], later: VerdictRow | undefined): VerdictRow {
  const fitting = later && rows.filter(row => isSame(row, later));
  const history = fitting?.length ? fitting : rows.filter(row => isSame(row, rows[0]!));
  const shown = history.find(row => isSettled(row.verdict)) ?? history[0]!;
  return {
    ...shown,
    ...totalOf(history),
    errors: sumOf(history, ({ errors }) => errors),
    runs: history.length,
  };
}

function isSame(a: VerdictRow, b: VerdictRow): boolean {
  return isSameSpec(a, b) && a.agent === b.agent && a.model === b.model;
}

/** Older files may have no hash. */
const isSameSpec = (a: WaySubject, b: WaySubject) => !a.specHash || !b.specHash || a.specHash === b.specHash;

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
