import { expect, test } from 'vitest';
import { sensitivityText, VISIBLE_FALLS } from '../../../src/verdicts/sensitivity';
import { chanceOfFall, hypergeometric } from '../../../src/verdicts/statistics';

const sideOf = (trials: number, failures: number) => ({ passes: trials - failures, failures });
// Of a population so large that each draw is like the first.
const MANY = 1e5;
const binomial = (x: number, n: number, p: number) => hypergeometric(x, n, Math.round(MANY * p), MANY);
const atLeast = (least: number, n: number, p: number) =>
  Array.from({ length: n - least + 1 }, (_, more) => binomial(least + more, n, p)).reduce((a, b) => a + b, 0);

/** The table, computed: the highest rate, in steps of 0.05, that so many trials on both sides tell from 0.95 in 70% of cases. */
function visibleFall(trials: number): number | null {
  const counts = Array.from({ length: trials + 1 }, (_, count) => count);
  const enough = counts.map(failed =>
    counts.find(count => chanceOfFall(sideOf(trials, failed), sideOf(trials, count)) <= 0.05),
  );
  for (let rate = 0.9; rate > 0.01; rate = Math.round((rate - 0.05) * 100) / 100) {
    const shown = enough.map((least, failed) =>
      least === undefined ? 0 : binomial(failed, trials, 0.05) * atLeast(least, trials, 1 - rate),
    );
    if (shown.reduce((sum, one) => sum + one, 0) >= 0.7) return rate;
  }
  return null;
}

test('how small a fall trials can show', () => {
  expect(VISIBLE_FALLS.slice(1)).toEqual(VISIBLE_FALLS.slice(1).map((_, index) => visibleFall(index + 1)));
  // As docs/regressions.md says.
  expect(visibleFall(50)).toBe(0.75);
});

test('one sentence, for the smallest k', () => {
  expect(sensitivityText([5, 20])).toContain(
    '5 trials can only show a fall of the pass rate from 95% to about 15%, 20 trials one to 60%',
  );
  expect(sensitivityText([1, 5])).toContain(
    "1 trial can't show that a pass rate fell; 20 trials can show a fall from 95% to 60%",
  );
  expect([sensitivityText([]), sensitivityText([20, 25])]).toEqual(['', '']);
});
