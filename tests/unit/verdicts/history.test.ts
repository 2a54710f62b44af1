import { describe, expect, test } from 'vitest';
import { countedRow, type HistoryRun } from '../../../src/data/baseline';
import type { ResultRow, VerdictRow } from '../../../src/data/verdict';
import { pooledBaseline } from '../../../src/verdicts/history';
import { verdictOf } from '../../../src/verdicts/verdict';
import { resultRow, trial, trials } from './trials';

const subject = {
  spec: 'cart',
  project: 'opus',
  agent: 'claude',
  model: 'opus',
  replayed: false,
  specHash: 'a',
};
const rowOf = (letters: string, more: Partial<VerdictRow> = {}): VerdictRow => ({
  ...subject,
  ...verdictOf({ k: letters.length, minPasses: Math.max(1, letters.length - 1) }, trials(letters)),
  ...more,
});
const run = (day: number, verdicts: VerdictRow[], partial = false): HistoryRun => ({
  startedAt: `2026-11-0${day}T10:00:00.000Z`,
  partial,
  verdicts,
});

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

  test.each<[string, Partial<VerdictRow>]>([
    ['spec', { specHash: 'b' }],
    ['agent', { agent: 'lexical' }],
    ['model', { model: 'sonnet' }],
  ])('another %s has a history of its own', (_what, other) => {
    const runs = [run(1, [rowOf('ppppp')]), run(2, [rowOf('ppppp')]), run(3, [rowOf('fffff', other)])];
    const passes = (later: VerdictRow[]) => pooledBaseline(runs, later).map(row => [row.passes, row.runs]);
    expect(passes([rowOf('p')])).toEqual([[10, 2]]);
    expect(passes([rowOf('p', other)])).toEqual([[0, 1]]);
    // None fits: the newest.
    expect(passes([rowOf('p', { specHash: 'z' })])).toEqual([[0, 1]]);
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

describe('counts of a spec that was stopped early', () => {
  const stopped = (letters: string, minPasses: number): ResultRow => {
    const list = trials(letters).map(one =>
      one.outcome === 'skipped'
        ? trial(one.index, 'skipped', { reason: 'early stop: the verdict is settled' })
        : one,
    );
    return resultRow(subject, verdictOf({ k: letters.length, minPasses }, list));
  };
  const stopping = (letters: string, minPasses: number) => ({
    ...stopped(letters, minPasses),
    earlyStop: true,
  });

  test.each<[string, number, [passes: number, failures: number, errors: number]]>([
    // The first two run in any case: two failures lose 4 of 5.
    ['pppps', 4, [2, 0, 0]],
    ['pffss', 4, [1, 1, 0]],
    ['ffsss', 4, [0, 2, 0]],
    ['efpfs', 4, [0, 1, 1]],
    ['pppss', 3, [3, 0, 0]],
    // Others ran first: which ones were skipped depended on how those ended.
    ['sspppp', 4, [0, 0, 0]],
  ])('%s, %i needed', (letters, minPasses, expected) => {
    const { passes, failures, errors } = countedRow(stopping(letters, minPasses));
    expect([passes, failures, errors]).toEqual(expected);
  });

  test('it counts them also if it happened to run all trials', () => {
    expect(countedRow(stopping('ppfpp', 4))).toMatchObject({ passes: 2, failures: 0, stoppedEarly: true });
  });

  test('pooled they are unbiased, where all counts would not be', () => {
    const [k, minPasses, rate] = [5, 4, 0.7];
    let [mean, chance] = [0, 0];
    const play = (letters: string, p: number): void => {
      const [passes, failures] = [letters.split('p').length - 1, letters.split('f').length - 1];
      if (passes < minPasses && failures <= k - minPasses && letters.length < k) {
        play(`${letters}p`, p * rate);
        play(`${letters}f`, p * (1 - rate));
        return;
      }
      const row = countedRow(stopping(letters.padEnd(k, 's'), minPasses));
      mean += (p * row.passes) / (row.passes + row.failures);
      chance += p;
    };
    play('', 1);
    expect(chance).toBeCloseTo(1, 12);
    expect(mean).toBeCloseTo(rate, 12);
  });
});
