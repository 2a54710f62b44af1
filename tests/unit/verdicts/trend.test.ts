import { expect, test } from 'vitest';
import type { HistoryRun } from '../../../src/data/baseline';
import { trendsOf } from '../../../src/verdicts/trend';

/** Passes of 5 in each run. */
const runs = (passes: number[], spec = 'cart'): HistoryRun[] =>
  passes.map((count, day) => ({
    startedAt: new Date(Date.UTC(2026, 10, day + 1)).toISOString(),
    partial: false,
    verdicts: [
      {
        ...{
          spec,
          project: 'opus',
          agent: 'a',
          model: null,
          replayed: false,
          verdict: 'passed',
          k: 5,
          minPasses: 4,
        },
        ...{ passes: count, failures: 5 - count, errors: 0, turns: null, costUsd: null, reason: null },
      },
    ],
  }));

test.each<[number[], string | null]>([
  [[5, 5, 5, 5, 5, 5], null],
  [[5, 5, 5, 5, 1, 1, 2], '2026-11-05'],
  [[5, 4, 5, 5, 2, 0, 0, 1], '2026-11-05'],
  // A rise is no fall, and neither is noise.
  [[0, 0, 1, 5, 5, 5], null],
  [[5, 4, 5, 4, 5, 3, 5, 4], null],
  [[5], null],
  [[5, 0], '2026-11-02'],
])('passes %j of 5: began to fall %s', (passes, day) => {
  const [trend] = trendsOf([...runs(passes)].reverse());
  expect(trend!.points.map(point => point.passes)).toEqual(passes);
  expect(trend!.fellAt?.slice(0, 10) ?? null).toBe(day);
  expect(trendsOf(runs(passes))).toEqual([trend]);
});
