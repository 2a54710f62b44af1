import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fisherExactOneSided, median, wilsonInterval } from '../../../src/verdicts/statistics';

describe('Wilson interval', () => {
  test.each([
    [4, 5, 0.37553, 0.963796],
    [0, 5, 0, 0.434482],
    [5, 5, 0.565518, 1],
    [0, 1, 0, 0.793451],
    [1, 2, 0.094531, 0.905469],
    [81, 263, 0.255287, 0.366213],
    [15, 148, 0.062386, 0.160496],
  ])('%i of %i', (passes, n, low, high) => {
    const interval = wilsonInterval(passes, n)!;
    expect(interval[0]).toBeCloseTo(low, 4);
    expect(interval[1]).toBeCloseTo(high, 4);
  });

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
  test.each([
    // the lady tasting tea: 16/70 + 1/70
    [3, 1, 1, 3, 17 / 70],
    [4, 0, 0, 4, 1 / 70],
    [5, 0, 0, 5, 1 / 252],
    [5, 0, 2, 3, 1 / 12],
    [5, 0, 5, 0, 1],
    [0, 5, 5, 0, 1],
    // no trials on one side say nothing
    [5, 0, 0, 0, 1],
    [0, 0, 3, 2, 1],
    [0, 0, 0, 0, 1],
    // Fisher's convicted twins, 1935
    [10, 3, 2, 15, 3095 / 6653325],
  ])('[%i %i / %i %i]', (a, b, c, d, p) => {
    expect(fisherExactOneSided(a, b, c, d)).toBeCloseTo(p, 10);
  });

  test('both directions share exactly the chance of the table itself', () => {
    const cell = fc.nat(25);
    fc.assert(
      fc.property(cell, cell, cell, cell, (a, b, c, d) => {
        const fell = fisherExactOneSided(a, b, c, d);
        const rose = fisherExactOneSided(c, d, a, b);
        expect(fell + rose).toBeGreaterThanOrEqual(1 - 1e-9);
        expect(Math.min(fell, rose)).toBeGreaterThan(0);
      }),
    );
  });
});
