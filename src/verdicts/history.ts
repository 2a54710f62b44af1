// The history in a baseline: the counts of earlier runs, their sums, and where a pass rate began to fall.
import { countedRow, type HistoryRun } from '../data/baseline';
import { compareText, groupBy, sumOf } from '../data/collections';
import type { Way } from '../data/diagnosis';
import { byRowName, keyOf, type RowName, specName } from '../data/plan';
import type { Results } from '../data/results';
import type { Graded, VerdictRow } from '../data/verdict';
import { diffVerdicts, type LaterRun } from './change';
import { chanceOfFall, totalOf } from './statistics';
import { isSettled } from './verdict';

type WaySubject = RowName & Pick<VerdictRow, 'specHash'>;

/** The last passing trial of a spec, if the spec's text is the same; undefined if none was kept. */
export function lastWay(runs: readonly HistoryRun[], subject: WaySubject): Way | undefined {
  const rows = newestFirst(runs).flatMap(({ verdicts }) => verdicts);
  return rows.find(row => row.way && keyOf(row) === keyOf(subject) && isSameSpec(row, subject))?.way;
}

const newestFirst = (runs: readonly HistoryRun[]) =>
  [...runs].sort((a, b) => compareText(b.startedAt, a.startedAt));

/**
 * The counts of all runs, one row for each spec and project; the rest is of the newest run. A changed spec, agent or model begins a new
 * history; the one that fits `later` is used, else the newest. A spec that the newest whole run of its project lacks was removed.
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

export function diffWithBaseline(runs: readonly HistoryRun[], run: LaterRun & Pick<Results, 'verdicts'>) {
  const later = run.verdicts.map(countedRow);
  return diffVerdicts(pooledBaseline(runs, later), later, run);
}

function pooled(rows: readonly VerdictRow[], later: VerdictRow | undefined): VerdictRow {
  const like = rows.find(row => later && isSame(row, later)) ? later! : rows[0]!;
  const same = rows.filter(row => isSame(row, like));
  // Trials that stop early are not pooled with others, which fail more rarely in a count of all.
  const alike = same.filter(row => !row.stoppedEarly === !like.stoppedEarly);
  const history = alike.length ? alike : same;
  const shown = history.find(row => isSettled(row.verdict)) ?? history[0]!;
  return {
    ...shown,
    ...totalOf(history),
    errors: sumOf(history, ({ errors }) => errors),
    runs: history.length,
    trialUsd: trialUsdIn(history),
  };
}

function trialUsdIn(history: readonly VerdictRow[]): number | null {
  const passing = history.filter(({ passes }) => passes > 0);
  if (passing.some(({ costUsd }) => costUsd === null)) return null;
  return Math.max(0, ...passing.map(row => row.costUsd! / (row.passes + row.failures + row.errors)));
}

function isSame(a: VerdictRow, b: VerdictRow): boolean {
  return isSameSpec(a, b) && a.agent === b.agent && a.model === b.model;
}

/** Older files may have no hash. */
const isSameSpec = (a: WaySubject, b: WaySubject) => !a.specHash || !b.specHash || a.specHash === b.specHash;

/** A fall is reported if its p, over all specs together, is at most this. */
const TREND_ALPHA = 0.05;

export type Trend = ReturnType<typeof trendsOf>[number];

/**
 * `points`: the runs in which it was graded with the newest run's spec, agent and model, the oldest first. `changedAt`: the first of
 * them if earlier runs had others; else null. `fellAt`: the first run with the lower rate; null if chance explains the fall. `p`: the
 * chance of so clear a fall if the trials came in random order.
 */
export function trendsOf(runs: readonly HistoryRun[]) {
  const oldestFirst = [...runs].sort((a, b) => compareText(a.startedAt, b.startedAt));
  const rows = oldestFirst.flatMap(({ startedAt, verdicts }) => verdicts.map(row => ({ ...row, startedAt })));
  const graded = rows.filter(({ passes, failures }) => passes + failures > 0);
  const all = [...groupBy(graded, keyOf).values()].sort(([a], [b]) => byRowName(a, b));
  return all.map(graded => {
    const row = graded.at(-1)!;
    const { titlePath, project, replayed } = row;
    const series = graded.filter(each => isSame(each, row));
    const points = series.map(({ startedAt, passes, failures }) => ({ startedAt, passes, failures }));
    const changedAt = series.length < graded.length ? points[0]!.startedAt : null;
    const { p, last } = replayed ? { p: 1, last: -1 } : fallOf(points);
    const fellAt = p <= TREND_ALPHA / all.length ? points[last + 1]!.startedAt : null;
    return { spec: specName(row), titlePath, project, replayed, points, changedAt, p, fellAt };
  });
}

/** The last run before the clearest fall by Fisher's exact test. As every cut is tried, the chance is multiplied by their number. */
function fallOf(points: readonly Graded[]): { p: number; last: number } {
  const cuts = points.slice(1).map((_, last) => {
    return { last, p: chanceOfFall(totalOf(points.slice(0, last + 1)), totalOf(points.slice(last + 1))) };
  });
  const none = { p: 1, last: -1 };
  const { p, last } = cuts.reduce((best, cut) => (cut.p < best.p ? cut : best), none);
  return { p: Math.min(1, p * Math.max(1, cuts.length)), last };
}
