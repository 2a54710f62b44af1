import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VerdictRow } from '../../../src/data/verdict';
import { type DiffRow, diffVerdicts, outcomeOf } from '../../../src/verdicts/change';
import {
  CONFIRM_ALPHA,
  chanceOfFailures,
  comparedWith,
  falseAlarms,
  isRarelyRed,
  ruledCandidates,
} from '../../../src/verdicts/confirm';
import { answerOf } from '../../../src/verdicts/policy';
import { rowOf as anyRow } from './trials';

const row = (spec: string, passes: number, failures: number, more: Partial<VerdictRow> = {}): VerdictRow => ({
  ...{ spec, project: 'opus', agent: 'claude', model: null, replayed: false, k: 5, minPasses: 4 },
  verdict: passes * 5 >= 4 * (passes + failures) ? 'passed' : 'failed',
  ...{ passes, failures, errors: 0, turns: null, costUsd: null, reason: null },
  ...more,
});
const rulesOf = (rows: readonly DiffRow[], trials?: number) =>
  ruledCandidates({ rows: rows.map(each => ({ ...each, candidate: true })) }, trials).map(({ rule }) => rule);
const ruleOf = (before: [number, number], after: [number, number], trials = 15) => {
  const { rows } = diffVerdicts([{ ...row('a', ...before), runs: 5 }], [row('a', ...after)]);
  return rulesOf(rows, trials)[0]!;
};

describe('the rule of one candidate', () => {
  test.each<[[number, number], [number, number], number | null]>([
    [[25, 0], [3, 2], 3],
    [[24, 1], [3, 2], 4],
    [[24, 1], [0, 5], 4],
    [[5, 0], [0, 5], 7],
    [[1, 0], [0, 5], 15],
    // Of a baseline that failed most of the time no fall can be shown.
    [[1, 9], [0, 5], null],
  ])('baseline %j, then %j: %s failures of 15 confirm', (before, after, enough) => {
    expect(ruleOf(before, after).enough).toBe(enough);
  });

  test('it ends as soon as the answer is clear, and not before', () => {
    const rule = ruleOf([24, 1], [2, 3]);
    expect(answerOf(rule, { passes: 0, failures: 0 })).toBe('open');
    expect(answerOf(rule, { passes: 0, failures: 3 })).toBe('open');
    expect(answerOf(rule, { passes: 0, failures: 4 })).toBe('regressed');
    expect(answerOf(rule, { passes: 11, failures: 4 })).toBe('regressed');
    expect(answerOf(rule, { passes: 12, failures: 3 })).toBe('not confirmed');
    expect(answerOf(rule, { passes: 11, failures: 0 })).toBe('open');
    expect(answerOf({ trials: 15, enough: null }, { passes: 0, failures: 0 })).toBe('not confirmed');
  });

  test('after all trials there is an answer', () => {
    fc.assert(
      fc.property(
        fc.nat(30),
        fc.nat(5),
        fc.nat(15),
        fc.integer({ min: 1, max: 40 }),
        (passes, failures, fresh, trials) => {
          const rule = ruleOf([passes + 5, failures], [1, 4], trials);
          const failed = Math.min(fresh, trials);
          expect(answerOf(rule, { passes: trials - failed, failures: failed })).not.toBe('open');
        },
      ),
    );
  });

  test('more failures never speak against a confirmation', () => {
    fc.assert(
      fc.property(fc.nat(25), fc.nat(8), fc.integer({ min: 1, max: 15 }), (passes, failures, failed) => {
        const before = { passes, failures };
        const p = (count: number) => chanceOfFailures(count, 15, before, passes + failures);
        expect(p(failed)).toBeLessThanOrEqual(p(failed - 1) + 1e-12);
      }),
    );
  });
});

test('the more candidates, the more failures it takes; the more suspicious, the fewer', () => {
  const specs = Array.from({ length: 10 }, (_, index) => `s${index}`);
  const { rows } = diffVerdicts(
    specs.map(spec => ({ ...row(spec, 24, 1), runs: 5 })),
    specs.map(spec => row(spec, 2, 3)),
  );
  const enough = (count: number) => rulesOf(rows.slice(0, count))[0]!.enough;
  expect([enough(1), enough(10)]).toEqual([4, 6]);
  const sides = (fresh: number[]) =>
    diffVerdicts(
      fresh.map((_, index) => ({ ...row(`s${index}`, 24, 1), runs: 5 })),
      fresh.map((failures, index) => row(`s${index}`, 5 - failures, failures)),
    );
  const [weak, strong] = rulesOf(sides([2, 5]).rows);
  expect(strong!.enough).toBeLessThan(weak!.enough!);
});

test('the chance of a false confirmation is below alpha, whatever the rate', () => {
  // Exact, not simulated: over all fresh outcomes of 15 trials, for the baseline that the rate gives on average.
  for (const rate of [0.7, 0.8, 0.9, 0.95, 0.99]) {
    const failures = Math.round(25 * (1 - rate));
    const before = { passes: 25 - failures, failures };
    const counts = Array.from({ length: 16 }, (_, count) => count);
    const enough = counts.find(count => chanceOfFailures(count, 15, before, 25) <= CONFIRM_ALPHA);
    let [chance, term] = [0, rate ** 15];
    for (let x = 0; x <= 15; x++) {
      if (enough !== undefined && x >= enough) chance += term;
      term *= ((15 - x) * (1 - rate)) / ((x + 1) * rate);
    }
    expect(chance, String(rate)).toBeLessThan(CONFIRM_ALPHA * 1.5);
  }
});

const rowOf = (spec: string, letters: string, minPasses: number) => anyRow(letters, { spec, minPasses });

/** The chance of so many passes. */
function binomial(passes: number, n: number, rate: number): number {
  let ways = 1;
  for (let i = 1; i <= passes; i++) ways *= (n - passes + i) / i;
  return ways * rate ** passes * (1 - rate) ** (n - passes);
}

test('the share of red diffs is the exact one', () => {
  const [k, minPasses] = [5, 4];
  const compared = comparedWith([rowOf('cart', 'ppppf', minPasses)], [rowOf('cart', 'pppff', minPasses)]);
  expect(compared).toMatchObject([{ rate: 7.5 / 11, before: 5 }]);
  let red = 0;
  for (let before = 0; before <= k; before++)
    for (let after = 0; after <= k; after++) {
      const side = (passes: number) => [rowOf('cart', 'p'.repeat(passes).padEnd(k, 'f'), minPasses)];
      const chance = binomial(before, k, 7.5 / 11) * binomial(after, k, 7.5 / 11);
      if (outcomeOf(diffVerdicts(side(before), side(after))).outcome === 'worse') red += chance;
    }
  const found = falseAlarms(compared, 5_000);
  expect(Math.abs(found.diff - red)).toBeLessThan(0.015);
  expect(found.confirm).toBeLessThan(0.05);
});

test('only what both sides have played with an agent is compared', () => {
  const [cart, docs] = [rowOf('cart', 'pp', 2), rowOf('docs', 'pp', 2)];
  const replayed = { ...docs, replayed: true };
  const ungraded = rowOf('search', 'ee', 2);
  const compared = comparedWith([cart, replayed, ungraded], [cart, docs, replayed, ungraded]);
  expect(compared.map(({ row }) => row.spec)).toEqual(['cart']);
  expect(falseAlarms(compared, 50)).toEqual(falseAlarms(compared, 50));
});

test('more trials make fewer diffs red', () => {
  const compared = comparedWith([rowOf('cart', 'ppppp', 4)], [rowOf('cart', 'ppppp', 4)]);
  const shares = [0.01, 0.02, 0.03, 0.05, 0.1];
  const least = (k: number) => shares.find(share => isRarelyRed(compared, k, share, 2_000));
  expect(least(25)).toBeLessThan(least(5)!);
});
