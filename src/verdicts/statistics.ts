// Counts and statistics behind a verdict and a diff. Samples are small: k is at most 25.
import { sumOf } from '../data/collections';
import type { Graded } from '../data/verdict';
import { formatRate, plural } from '../text/print';

export const totalOf = (sides: readonly Graded[]): Graded => ({
  passes: sumOf(sides, ({ passes }) => passes),
  failures: sumOf(sides, ({ failures }) => failures),
});

export const rateOf = ({ passes, failures }: Graded) => passes / (passes + failures);

/** The normal distribution's 97.5% point, for a two-sided 95% interval. */
const Z_95 = 1.959964;

/**
 * The 95% score interval of a proportion, by Wilson (1927), "Probable inference, the law of succession, and statistical inference",
 * Journal of the American Statistical Association 22, 209-212. Null if n is 0.
 */
export function wilsonInterval(passes: number, n: number): [number, number] | null {
  if (n === 0) return null;
  const rate = passes / n;
  const z2 = Z_95 ** 2;
  const centre = rate + z2 / (2 * n);
  const spread = Z_95 * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n));
  const scale = 1 + z2 / n;
  // At the ends the bound is exactly 0 or 1, without rounding errors.
  return [passes === 0 ? 0 : (centre - spread) / scale, passes === n ? 1 : (centre + spread) / scale];
}

export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return values.length === 0 ? null : (sorted[Math.floor(half)]! + sorted[Math.ceil(half)]!) / 2;
}

/**
 * Fisher's exact test, one-sided (1935, "The logic of inductive inference", Journal of the Royal Statistical Society 98, 39-82): the
 * chance of so large a fall if the rate is the same before and after. For a rise swap the sides. 1 if a side has no trials.
 */
export const chanceOfFall = (before: Graded, after: Graded) => stratifiedExactOneSided([{ before, after }]);

export type Stratum = Record<'before' | 'after', Graded>;

/**
 * The chance of at least so many failures afterwards if each spec's rate is the same: the exact, one-sided form of the
 * Cochran-Mantel-Haenszel test (Agresti, "Categorical Data Analysis", section 7.3.5). For a rise swap the sides. 1 if no spec has
 * enough trials.
 */
export function stratifiedExactOneSided(strata: readonly Stratum[]): number {
  let distribution = [1];
  let seen = 0;
  for (const { before, after } of strata) {
    const failed = before.failures + after.failures;
    const n = after.passes + after.failures;
    const total = n + before.passes + before.failures;
    const [least, most] = [Math.max(0, failed - (total - n)), Math.min(n, failed)];
    seen += after.failures - least;
    if (least === most) continue;
    const next = new Array<number>(distribution.length + most - least).fill(0);
    for (let x = least; x <= most; x++) {
      const chance = hypergeometric(x, n, failed, total);
      for (let sum = 0; sum < distribution.length; sum++)
        next[sum + x - least]! += distribution[sum]! * chance;
    }
    distribution = next;
  }
  const rarest = distribution.slice(seen).reverse();
  const p = sumOf(rarest, chance => chance);
  return Math.min(1, p);
}

/** The chance of x marked items in a draw of n from `total`, of which `marked` are marked. */
export function hypergeometric(x: number, n: number, marked: number, total: number): number {
  return Math.exp(logChoose(marked, x) + logChoose(total - marked, n - x) - logChoose(total, n));
}

/**
 * The chance that k trials all pass, estimated without bias from n trials, at least k (Yao, Shinn, Razavi and Narasimhan 2024,
 * "tau-bench", arXiv 2406.12045: pass^k).
 */
export const passHat = (passes: number, n: number, k: number) =>
  passes < k ? 0 : Math.exp(logChoose(passes, k) - logChoose(n, k));

/** Student's t at 97.5%, for two-sided 95% intervals of a mean: for 1 to 30 degrees of freedom, from a table. */
const STUDENT_95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

export const studentQuantile = (df: number): number => STUDENT_95[df - 1] ?? Z_95 + 2.5 / df;

/**
 * The level at which each of several tests may reject: Bonferroni's, but counting only tests that could reject at all (Tarone 1990,
 * "A modified Bonferroni method for discrete data", Biometrics 46, 515-522). @param smallest the smallest p that each test can have
 */
export function taroneLevel(smallest: readonly number[], alpha: number): number {
  for (let tests = 1; tests < smallest.length; tests++)
    if (smallest.filter(p => p <= alpha / tests).length <= tests) return alpha / tests;
  return alpha / Math.max(1, smallest.length);
}

export const logChoose = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

const LOG_FACTORIALS = [0];

function logFactorial(n: number): number {
  for (let i = LOG_FACTORIALS.length; i <= n; i++) LOG_FACTORIALS.push(LOG_FACTORIALS[i - 1]! + Math.log(i));
  return LOG_FACTORIALS[n]!;
}

export type Random = () => number;

/** The same numbers for the same seed: mulberry32, by Tommy Ettinger (2017), in the public domain. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * By number of trials: the highest pass rate that a spec of 0.95 can fall to so that as many trials before and after show it in 70% of
 * cases, by Fisher's exact test, one-sided, at 5%. Null if they show no fall. tests/unit/verdicts/statistics.test.ts computes it.
 */
export const VISIBLE_FALLS: readonly (number | null)[] = [
  ...[null, null, null, 0.05, null, 0.15, 0.25, 0.25, 0.35, 0.4],
  ...[0.45, 0.45, 0.5, 0.55, 0.55, 0.55, 0.55, 0.6, 0.6, 0.6, 0.6],
];

/** One sentence on the smallest k; empty if it is large enough to show small falls. */
export function sensitivityText(ks: readonly number[]): string {
  const k = Math.min(...ks);
  if (!ks.length || k >= 20) return '';
  const fall = VISIBLE_FALLS[k] ?? null;
  const falls =
    fall === null
      ? "can't show that a pass rate fell; 20 trials can show a fall from 95%"
      : `can show a fall of the pass rate from 95% if it is to ${formatRate(fall)} or less; 20 trials, if it is`;
  return `Compared with an earlier run, ${plural(k, 'trial')} ${falls} to ${formatRate(VISIBLE_FALLS[20]!)}. A baseline of several runs shows more.`;
}
