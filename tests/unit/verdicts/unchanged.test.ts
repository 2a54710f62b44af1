import { expect, test } from 'vitest';
import { diffVerdicts, outcomeOf } from '../../../src/verdicts/change';
import { comparedWith, falseAlarms } from '../../../src/verdicts/unchanged';
import { verdictOf } from '../../../src/verdicts/verdict';
import { resultRow, trials } from './trials';

const rowOf = (spec: string, letters: string, minPasses: number) =>
  resultRow(
    { spec, project: 'p', agent: 'a', model: null, replayed: false },
    verdictOf({ k: letters.length, minPasses }, trials(letters)),
  );

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
  const found = falseAlarms(compared, 20_000);
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
  expect(falseAlarms(compared, 2_000, 25).diff).toBeLessThan(falseAlarms(compared, 2_000, 5).diff);
});
