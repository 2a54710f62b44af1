import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chanceOfFailures } from '../../../src/verdicts/confirm';
import {
  chanceOfFall,
  hypergeometric,
  median,
  passHat,
  sensitivityText,
  stratifiedExactOneSided,
  studentQuantile,
  taroneLevel,
  VISIBLE_FALLS,
  wilsonInterval,
} from '../../../src/verdicts/statistics';
import tables from '../../data/statistics/tables.json';

const graded = ([passes, failures]: number[]) => ({ passes: passes!, failures: failures! });
const fisher = (a: number, b: number, c: number, d: number) => chanceOfFall(graded([a, b]), graded([c, d]));

describe('as scipy and statsmodels compute it (tests/data/statistics)', () => {
  test('Wilson interval', () => {
    for (const [passes, n, low, high] of tables.wilson as [number, number, number, number][]) {
      const found = wilsonInterval(passes, n)!;
      expect(found[0], `${passes}/${n}`).toBeCloseTo(low, 6);
      expect(found[1], `${passes}/${n}`).toBeCloseTo(high, 6);
    }
  });

  test("Fisher's exact test", () => {
    for (const [a, b, c, d, p] of tables.fisher as [number, number, number, number, number][])
      expect(fisher(a, b, c, d), `${a} ${b} / ${c} ${d}`).toBeCloseTo(p, 9);
  });

  test('the exact stratified test, and near the asymptotic one', () => {
    for (const { strata, p, twoSided } of tables.stratified) {
      const sides = strata.map(([before, after]) => ({ before: graded(before!), after: graded(after!) }));
      expect(stratifiedExactOneSided(sides)).toBeCloseTo(p, 9);
      if (strata.length >= 40) expect(Math.abs(Math.min(p, 1 - p) * 2 - twoSided)).toBeLessThan(0.1);
    }
  });

  test('pass^k', () => {
    for (const [passes, n, k, expected] of tables.passHat as [number, number, number, number][])
      expect(passHat(passes, n, k), `${passes}/${n}, ${k}`).toBeCloseTo(expected, 9);
  });

  test("Student's t", () => {
    for (const [df, expected] of tables.student as [number, number][])
      expect(Math.abs(studentQuantile(df) / expected - 1), `df ${df}`).toBeLessThan(0.005);
  });

  test('failures of fresh trials, against a baseline that was chosen for being good', () => {
    for (const [size, failed, trials, failures, luckiest, p] of tables.truncated as number[][]) {
      const before = { passes: size! - failed!, failures: failed! };
      expect(chanceOfFailures(failures!, trials!, before, luckiest!)).toBeCloseTo(p!, 9);
    }
  });
});

describe('the exact stratified test', () => {
  const strata = fc.array(
    fc.record({ before: fc.tuple(fc.nat(9), fc.nat(9)), after: fc.tuple(fc.nat(5), fc.nat(5)) }),
    { maxLength: 8 },
  );
  const sides = (list: { before: number[]; after: number[] }[]) =>
    list.map(({ before, after }) => ({ before: graded(before), after: graded(after) }));

  test('the order of the specs is nothing', () => {
    fc.assert(
      fc.property(strata, list => {
        const p = stratifiedExactOneSided(sides(list));
        expect(stratifiedExactOneSided(sides([...list].reverse()))).toBeCloseTo(p, 9);
      }),
    );
  });

  test('one more failure afterwards makes a fall no less likely', () => {
    fc.assert(
      fc.property(strata, list => {
        fc.pre(list[0] !== undefined && list[0].after[0] > 0);
        const [first, ...others] = list as [(typeof list)[number]];
        const worse = { before: first.before, after: [first.after[0] - 1, first.after[1] + 1] };
        expect(stratifiedExactOneSided(sides([worse, ...others]))).toBeLessThanOrEqual(
          stratifiedExactOneSided(sides(list)) + 1e-9,
        );
      }),
    );
  });
});

describe('the level of several tests', () => {
  test.each<[number[], number]>([
    [[], 0.05],
    [[0.01], 0.05],
    [[0.001, 0.001], 0.025],
    // could never reject: they cost nothing
    [[0.001, 0.5, 1], 0.05],
    [[0.001, 0.02, 0.04], 0.025],
  ])('smallest p %j', (smallest, level) => {
    expect(taroneLevel(smallest, 0.05)).toBeCloseTo(level, 10);
  });
});

describe('Wilson interval', () => {
  test('of nothing is nothing', () => {
    expect(wilsonInterval(0, 0)).toBeNull();
  });

  test('holds the rate, mirrored for failures', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(50), (n, some) => {
        const passes = Math.min(some, n);
        const [low, high] = wilsonInterval(passes, n)!;
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(passes / n);
        expect(high).toBeGreaterThanOrEqual(passes / n);
        expect(high).toBeLessThanOrEqual(1);
        const mirrored = wilsonInterval(n - passes, n)!;
        expect(mirrored[0]).toBeCloseTo(1 - high, 12);
      }),
    );
  });
});

describe('median', () => {
  test.each([
    [[], null],
    [[7], 7],
    [[3, 1, 2], 2],
    [[10, 9, 2, 1], 5.5],
  ])('of %j', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

describe("Fisher's exact test, one-sided", () => {
  test('no trials on one side say nothing', () => {
    expect([fisher(5, 0, 0, 0), fisher(0, 0, 3, 2), fisher(0, 0, 0, 0)]).toEqual([1, 1, 1]);
  });

  test('both directions share exactly the chance of the table itself', () => {
    const cell = fc.nat(25);
    fc.assert(
      fc.property(cell, cell, cell, cell, (a, b, c, d) => {
        const fell = fisher(a, b, c, d);
        const rose = fisher(c, d, a, b);
        expect(fell + rose).toBeGreaterThanOrEqual(1 - 1e-9);
        expect(Math.min(fell, rose)).toBeGreaterThan(0);
      }),
    );
  });
});

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
    '5 trials can show a fall of the pass rate from 95% if it is to 15% or less; 20 trials, if it is to 60%',
  );
  expect(sensitivityText([1, 5])).toContain(
    "1 trial can't show that a pass rate fell; 20 trials can show a fall from 95% to 60%",
  );
  expect([sensitivityText([]), sensitivityText([20, 25])]).toEqual(['', '']);
});
