import { describe, expect, test } from 'vitest';
import type { HistoryRun } from '../../../src/data/baseline';
import type { VerdictRow } from '../../../src/data/verdict';
import { pooledBaseline, trendsOf } from '../../../src/verdicts/history';
import { rowOf as anyRow } from './trials';

const rowOf = (letters: string, more: Partial<VerdictRow> = {}) =>
  anyRow(letters, { model: 'opus', specHash: 'a', ...more });
const run = (day: number, verdicts: VerdictRow[], partial = false): HistoryRun => ({
  startedAt: `2026-11-0${day}T10:00:00.000Z`,
  partial,
  verdicts,
});

const OTHERS: [what: string, Partial<VerdictRow>][] = [
  ['spec', { specHash: 'b' }],
  ['agent', { agent: 'lexical' }],
  ['model', { model: 'sonnet' }],
];

describe('the pooled baseline', () => {
  test('sums the counts of all runs, and tells of the newest', () => {
    const runs = [
      run(2, [rowOf('ppppp', { turns: 9 })]),
      run(1, [rowOf('pppff')]),
      run(3, [rowOf('ppepp', { turns: 7 })]),
    ];
    expect(pooledBaseline(runs, [])).toEqual([
      expect.objectContaining({ passes: 12, failures: 2, errors: 1, runs: 3, turns: 7 }),
    ]);
  });

  test.each(OTHERS)('another %s has a history of its own', (_what, other) => {
    const runs = [run(1, [rowOf('ppppp')]), run(2, [rowOf('ppppp')]), run(3, [rowOf('fffff', other)])];
    const passes = (later: VerdictRow[]) => pooledBaseline(runs, later).map(row => [row.passes, row.runs]);
    expect(passes([rowOf('p')])).toEqual([[10, 2]]);
    expect(passes([rowOf('p', other)])).toEqual([[0, 1]]);
    // None fits: the newest.
    expect(passes([rowOf('p', { specHash: 'z' })])).toEqual([[0, 1]]);
  });

  test('runs that stop early are not pooled with others, unless there is no other', () => {
    const stopped = (letters: string) => rowOf(letters, { stoppedEarly: true });
    const whole = [run(1, [rowOf('ppppp')]), run(2, [rowOf('ppppf')])];
    const runs = [...whole, run(3, [stopped('ffsss')])];
    const counts = (later: VerdictRow, all = runs) =>
      pooledBaseline(all, [later]).map(row => [
        row.passes,
        row.failures,
        row.runs,
        row.stoppedEarly ?? false,
      ]);
    expect(counts(rowOf('p'))).toEqual([[9, 1, 2, false]]);
    expect(counts(stopped('p'))).toEqual([[0, 2, 1, true]]);
    expect(counts(stopped('p'), whole)).toEqual([[9, 1, 2, false]]);
  });

  test('what the newest whole run lacks was taken out; a part of a run takes nothing out', () => {
    const docs = rowOf('ppppp', { spec: 'docs' });
    const names = (runs: HistoryRun[]) =>
      pooledBaseline(runs, []).map(({ spec, project }) => `${spec} ${project}`);
    expect(names([run(1, [rowOf('p'), docs]), run(2, [rowOf('p')])])).toEqual(['cart opus']);
    expect(names([run(1, [rowOf('p'), docs]), run(2, [rowOf('p')], true)])).toEqual([
      'cart opus',
      'docs opus',
    ]);
    // A project that was not run took nothing out of itself.
    const other = rowOf('p', { project: 'sonnet' });
    expect(names([run(1, [rowOf('p'), other]), run(2, [rowOf('p')])])).toEqual(['cart opus', 'cart sonnet']);
  });
});

/** Passes of 5 in each run. */
const runs = (passes: number[]): HistoryRun[] =>
  passes.map((count, day) => run(day + 1, [rowOf('p'.repeat(count).padEnd(5, 'f'))]));

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

test.each(OTHERS)('another %s did not fall: it has counts of its own', (_what, other) => {
  const runs = [1, 2, 3].map(day => run(day, [rowOf('pppppppppp')]));
  const later = [4, 5].map(day => run(day, [rowOf('ffffffffff', other)]));
  const [trend] = trendsOf([...runs, ...later]);
  expect(trend).toMatchObject({ fellAt: null, changedAt: later[0]!.startedAt, p: 1 });
  expect(trend!.points.map(({ startedAt }) => startedAt)).toEqual(later.map(({ startedAt }) => startedAt));
  // Back as it was.
  const back = trendsOf([...runs, ...later, run(6, [rowOf('ffffffffff')])]);
  expect(back).toMatchObject([{ fellAt: '2026-11-06T10:00:00.000Z', points: { length: 4 } }]);
  expect(trendsOf(runs)).toMatchObject([{ changedAt: null }]);
});
