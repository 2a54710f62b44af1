// How far a judge and people agree: published examples, and what has to hold of any labels.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rated } from '../../../src/data/labels';
import { agreementOf, trustIn } from '../../../src/verdicts/agreement';

/** By the definition: a matrix of coincidences, for any nominal values. */
function alphaByDefinition(pairs: readonly (readonly [unknown, unknown])[]): number {
  const counts = new Map<unknown, number>();
  for (const value of pairs.flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
  const n = 2 * pairs.length;
  const observed = pairs.filter(([a, b]) => a !== b).length / pairs.length;
  const same = [...counts.values()].reduce((sum, count) => sum + count * (count - 1), 0);
  return 1 - observed / (1 - same / (n * (n - 1)));
}

const rated = (labels: string, answers: string): Rated[] => {
  const value = (letter: string) => (letter === '.' ? null : letter === '1');
  return [...labels].map((letter, at) => ({ label: value(letter), passed: value(answers[at]!) }));
};

// Krippendorff (2011), "Computing Krippendorff's alpha-reliability", examples A and B.
const BINARY = ['0100000010', '1110010000'] as const;
const NOMINAL = ['aabbdcccedda', 'babbbccceddd'] as const;

test('the published example of two values, and the definition on that of five', () => {
  expect(agreementOf(rated(...BINARY)).alpha).toBeCloseTo(0.095, 3);
  expect(alphaByDefinition([...NOMINAL[0]].map((a, at) => [a, NOMINAL[1][at]]))).toBeCloseTo(0.692, 3);
});

test('what one of the two left open does not count', () => {
  expect(agreementOf(rated('0100000010.1', '11100100001.'))).toEqual(agreementOf(rated(...BINARY)));
});

const some = fc.array(fc.record({ label: fc.boolean(), passed: fc.boolean() }), {
  minLength: 1,
  maxLength: 40,
});

describe('of any labels', () => {
  test('alpha is as defined, within its interval, and the order does not matter', () => {
    fc.assert(
      fc.property(some, all => {
        const found = agreementOf(all);
        expect(agreementOf(all.toReversed())).toEqual(found);
        const hasBoth = new Set(all.flatMap(({ label, passed }) => [label, passed])).size > 1;
        expect(found.alpha !== null).toBe(hasBoth);
        if (found.alpha === null) return;
        expect(found.alpha).toBeCloseTo(
          alphaByDefinition(all.map(({ label, passed }) => [label, passed])),
          9,
        );
        const [low, high] = found.alphaInterval!;
        expect(low).toBeLessThanOrEqual(high);
        expect(found.agreed + found.falsePasses + found.falseFails).toBe(found.labels);
      }),
      { numRuns: 50 },
    );
  });

  test('two who say the same agree wholly', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), values => {
        const same = [true, false, ...values].map(value => ({ label: value, passed: value }));
        expect(agreementOf(same)).toMatchObject({
          alpha: 1,
          agreed: same.length,
          falsePasses: 0,
          falseFails: 0,
        });
      }),
      { numRuns: 30 },
    );
  });
});

test('the interval of alpha is about that of a large sample', () => {
  const hundred = rated('1'.repeat(50) + '0'.repeat(50), '1'.repeat(45) + '0'.repeat(50) + '1'.repeat(5));
  const { alpha, alphaInterval } = agreementOf(hundred);
  // Two standard errors of Scott's pi, which it tends to: 2 * sqrt(0.9 * 0.1 / 100) / 0.5.
  expect(alpha).toBeCloseTo(0.8, 1);
  expect(alphaInterval![0]).toBeCloseTo(0.68, 1);
  expect(alphaInterval![1]).toBeCloseTo(0.92, 1);
});

test.each<[string, string, string, number, string]>([
  ['19 labels', `${'1'.repeat(16)}000`, `${'1'.repeat(16)}000`, 0.9, 'open'],
  ['20 labels, two failed', `${'1'.repeat(18)}00`, `${'1'.repeat(18)}00`, 0.9, 'open'],
  ['20 labels, two passed', `${'0'.repeat(18)}11`, `${'0'.repeat(18)}11`, 0.9, 'open'],
  ['18 of 20', `${'1'.repeat(17)}000`, `${'1'.repeat(19)}0`, 0.9, 'agrees'],
  ['17 of 20', `${'1'.repeat(17)}000`, '1'.repeat(20), 0.9, 'differs'],
])('%s: %#', (_, labels, answers, least, trust) => {
  expect(trustIn(agreementOf(rated(labels, answers)), least)).toBe(trust);
});
