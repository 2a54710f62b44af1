// A spec's pass rate over the runs of a baseline, and where it began to fall.

import type { HistoryRun } from '../data/baseline';
import { compareText, groupBy } from '../data/collections';
import { byRowName, keyOf, specName } from '../data/row-names';
import type { Graded, RowSubject } from '../data/verdict';
import { chanceOfFall, totalOf } from './statistics';

export interface Trend extends Pick<RowSubject, 'spec' | 'titlePath' | 'project' | 'replayed'> {
  /** Runs in which it was graded, the oldest first. */
  points: (Graded & { startedAt: string })[];
  /** The first run with the lower rate; null if chance explains the fall. */
  fellAt: string | null;
  /** The chance of so clear a fall if the trials came in random order. */
  p: number;
}

/** A fall is reported if its p, over all specs together, is at most this. */
export const TREND_ALPHA = 0.05;

export function trendsOf(runs: readonly HistoryRun[]): Trend[] {
  const oldestFirst = [...runs].sort((a, b) => compareText(a.startedAt, b.startedAt));
  const rows = oldestFirst.flatMap(({ startedAt, verdicts }) => verdicts.map(row => ({ ...row, startedAt })));
  const graded = rows.filter(({ passes, failures }) => passes + failures > 0);
  const all = [...groupBy(graded, keyOf).values()].sort(([a], [b]) => byRowName(a, b));
  return all.map(series => {
    const [row] = series;
    const { titlePath, project, replayed } = row;
    const points = series.map(({ startedAt, passes, failures }) => ({ startedAt, passes, failures }));
    const { p, last } = replayed ? { p: 1, last: -1 } : fallOf(points);
    const fellAt = p <= TREND_ALPHA / all.length ? points[last + 1]!.startedAt : null;
    return { spec: specName(row), ...(titlePath && { titlePath }), project, replayed, points, p, fellAt };
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
