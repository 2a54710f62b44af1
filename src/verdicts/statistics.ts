// The statistics behind a verdict and a diff. Small samples throughout: k is at most 25.

/** The normal distribution's 97.5% point: what makes a two-sided 95% interval. */
const Z_95 = 1.959964;

/**
 * The 95% score interval of a proportion, by Wilson (1927), "Probable inference, the law of succession, and
 * statistical inference", Journal of the American Statistical Association 22, 209-212. It holds up at small
 * n and at 0 or n passes, where the textbook interval collapses.
 *
 * @returns lower and upper bound, 0 to 1; null if n is 0.
 */
export function wilsonInterval(passes: number, n: number): [number, number] | null {
  if (n === 0) return null;
  const rate = passes / n;
  const z2 = Z_95 ** 2;
  const centre = rate + z2 / (2 * n);
  const spread = Z_95 * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n));
  const scale = 1 + z2 / n;
  // At the ends the bound is 0 or 1 exactly; rounding would leave it a hair off.
  return [passes === 0 ? 0 : (centre - spread) / scale, passes === n ? 1 : (centre + spread) / scale];
}

/** The middle value, or the mean of the two middle ones; null for none. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Fisher's exact test, one-sided, of the table
 *
 * |        | passes | failures |
 * |--------|--------|----------|
 * | before | a      | b        |
 * | after  | c      | d        |
 *
 * after Fisher (1935), "The logic of inductive inference", Journal of the Royal Statistical Society 98, 39-82.
 *
 * @returns the chance, 0 to 1, of at least `a` passes before, were the rate the same before and after: a
 * small one says that the rate fell. For a rise swap before and after. 1 if a side has no trials.
 */
export function fisherExactOneSided(a: number, b: number, c: number, d: number): number {
  const before = a + b;
  const passes = a + c;
  const total = before + c + d;
  const most = Math.min(before, passes);
  let chance = 0;
  for (let x = a; x <= most; x++)
    chance += Math.exp(
      logChoose(passes, x) + logChoose(total - passes, before - x) - logChoose(total, before),
    );
  return Math.min(1, chance);
}

const logChoose = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

// Summed logarithms are as exact as a log-gamma at these sizes and need no approximation.
const LOG_FACTORIALS = [0];

function logFactorial(n: number): number {
  for (let i = LOG_FACTORIALS.length; i <= n; i++) LOG_FACTORIALS.push(LOG_FACTORIALS[i - 1]! + Math.log(i));
  return LOG_FACTORIALS[n]!;
}
