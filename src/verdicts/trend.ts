// A spec's pass rate over the runs of a baseline, and where it began to fall.

import type { HistoryRun } from '../data/baseline';
import { compareText, groupBy } from '../data/collections';
import { byName, keyOf, specName } from '../data/row-names';
import type { Graded, RowSubject } from '../data/verdict';
import { generator, totalOf } from './statistics';

export interface TrendPoint extends Graded {
  startedAt: string;
}

export interface Trend extends Pick<RowSubject, 'spec' | 'titlePath' | 'project' | 'replayed'> {
  /** Runs in which it was graded, the oldest first. */
  points: TrendPoint[];
  /** The first run with the lower rate; null if chance explains the fall. */
  fellAt: string | null;
  /** The chance of so clear a fall if the trials came in random order. */
  p: number;
}

/** A fall is reported if its p, over all specs together, is at most this. */
export const TREND_ALPHA = 0.05;
const SHUFFLES = 2_000;

export function trendsOf(runs: readonly HistoryRun[]): Trend[] {
  const oldestFirst = [...runs].sort((a, b) => compareText(a.startedAt, b.startedAt));
  const rows = oldestFirst.flatMap(({ startedAt, verdicts }) => verdicts.map(row => ({ ...row, startedAt })));
  const graded = rows.filter(({ passes, failures }) => passes + failures > 0);
  const all = [...groupBy(graded, keyOf).values()].sort(([a], [b]) => byName(a, b));
  return all.map(series => {
    const [row] = series;
    const { project, replayed } = row;
    const points = series.map(({ startedAt, passes, failures }) => ({ startedAt, passes, failures }));
    const { p, last } = replayed ? { p: 1, last: -1 } : fallOf(points);
    const fell = p <= TREND_ALPHA / all.length;
    return {
      spec: specName(row),
      ...(row.titlePath ? { titlePath: row.titlePath } : {}),
      project,
      replayed,
      points,
      p,
      fellAt: fell ? points[last + 1]!.startedAt : null,
    };
  });
}

/**
 * The cumulative sum of each run's passes above those expected at the mean rate (Page 1954, "Continuous inspection schemes",
 * Biometrika 41, 100-115; with the mean as the reference: Taylor 2000, "Change-point analysis"). It rises while the rate is above the
 * mean and falls after: its highest point is the last run before the fall. How high it rises by chance is found by dealing the
 * trials out to the runs again.
 *
 * @returns the index of the last run before the fall, and the chance of so high a sum
 */
function fallOf(points: readonly TrendPoint[]): { p: number; last: number } {
  const sizes = points.map(({ passes, failures }) => passes + failures);
  const { passes, failures } = totalOf(points);
  const total = passes + failures;
  const highest = (counts: readonly number[]) => {
    let [sum, top, last] = [0, 0, -1];
    counts.slice(0, -1).forEach((count, index) => {
      sum += count * total - passes * sizes[index]!;
      if (sum > top) [top, last] = [sum, index];
    });
    return { top, last };
  };
  const found = highest(points.map(point => point.passes));
  if (found.top === 0) return { p: 1, last: -1 };
  const random = generator(total * 1_000 + passes);
  let asHigh = 1;
  for (let shuffle = 0; shuffle < SHUFFLES; shuffle++)
    if (highest(dealt(sizes, passes, total, random)).top >= found.top) asHigh++;
  return { p: asHigh / (SHUFFLES + 1), last: found.last };
}

/** The passes of each run if all trials came in random order. */
function dealt(sizes: readonly number[], passes: number, total: number, random: () => number): number[] {
  let [left, of] = [passes, total];
  return sizes.map(size => {
    let count = 0;
    for (let trial = 0; trial < size; trial++) {
      if (random() * of < left) {
        count++;
        left--;
      }
      of--;
    }
    return count;
  });
}
