import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VerdictRow } from '../../../src/data/verdict';
import { diffVerdicts } from '../../../src/verdicts/change';
import { CONFIRM_ALPHA, chanceOfFailures, stopRules } from '../../../src/verdicts/confirm';
import { answerOf } from '../../../src/verdicts/policy';

const row = (spec: string, passes: number, failures: number, more: Partial<VerdictRow> = {}): VerdictRow => ({
  ...{ spec, project: 'opus', agent: 'claude', model: null, replayed: false, k: 5, minPasses: 4 },
  verdict: passes * 5 >= 4 * (passes + failures) ? 'passed' : 'failed',
  ...{ passes, failures, errors: 0, turns: null, costUsd: null, reason: null },
  ...more,
});
type Sides = Parameters<typeof stopRules>[0];
const ruleOf = (before: [number, number], after: [number, number], trials = 15) => {
  const { rows } = diffVerdicts([{ ...row('a', ...before), runs: 5 }], [row('a', ...after)]);
  return stopRules(rows as unknown as Sides, trials)[0]!;
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
  const enough = (count: number) => stopRules(rows.slice(0, count) as unknown as Sides)[0]!.enough;
  expect([enough(1), enough(10)]).toEqual([4, 6]);
  const sides = (fresh: number[]) =>
    diffVerdicts(
      fresh.map((_, index) => ({ ...row(`s${index}`, 24, 1), runs: 5 })),
      fresh.map((failures, index) => row(`s${index}`, 5 - failures, failures)),
    );
  const [weak, strong] = stopRules(sides([2, 5]).rows as unknown as Sides);
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
