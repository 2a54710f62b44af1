// Decides on fresh trials: how many failures confirm that a candidate is worse, and when no further trial can change the answer.
// Pure: `taskproof confirm` runs the trials. `npm run bench -- --only alarms` measures the error rates.

import { sumOf } from '../data/collections';
import type { Graded } from '../data/verdict';
import { type DiffRow, luckiestBaseline } from './change';
import type { StopRule } from './policy';
import { hypergeometric } from './statistics';

/**
 * At most this chance that fresh trials confirm anything in a suite that has not changed. Together with the test of the whole suite
 * (SUITE_ALPHA) it stays below 5%.
 */
export const CONFIRM_ALPHA = 0.043;
/** The most fresh trials of a candidate. */
export const DEFAULT_TRIALS = 15;
/**
 * Baselines of fewer trials are used as they are: without the unlucky ones the test could never confirm anything, and so few trials
 * rarely give a false alarm.
 */
const SMALL_BASELINE = 10;

/** A candidate when its fresh trials begin. */
export type CandidateRow = Pick<DiffRow, 'spec' | 'project'> & {
  before: NonNullable<DiffRow['before']>;
  after: NonNullable<DiffRow['after']>;
};

/**
 * A rule for each candidate of a diff, at its share of alpha.
 *
 * @param rate the pass rate of the whole baseline, from which the shares follow
 */
export function stopRules(
  candidates: readonly CandidateRow[],
  rate: number,
  trials: number = DEFAULT_TRIALS,
): StopRule[] {
  const levels = shares(
    candidates.map(({ after }) => after),
    rate,
  );
  return candidates.map(({ before, after }, index) => {
    const size = before.passes + before.failures;
    const luckiest = size < SMALL_BASELINE ? size : luckiestBaseline(before, after);
    const p = (failures: number) => chanceOfFailures(failures, trials, before, luckiest);
    return stopRule(p, levels[index]!, trials);
  });
}

/**
 * Each candidate's share of alpha. The more suspicious, the larger: by the chance of so many failures in the later run at the usual
 * rate, which is independent of the fresh trials (weighted Bonferroni: Genovese, Roeder and Wasserman 2006, "False discovery
 * control with p-value weighting", Biometrika 93, 509-524). The square root keeps one hopeless spec from taking all.
 */
export function shares(later: readonly Graded[], rate: number, alpha = CONFIRM_ALPHA): number[] {
  const weights = later.map(({ passes, failures }) => {
    const chance = chanceOfAtLeast(failures, passes + failures, 1 - Math.min(rate, 0.999));
    return 1 / Math.sqrt(Math.max(chance, 1e-6));
  });
  const sum = sumOf(weights, weight => weight);
  return weights.map(weight => (alpha * weight) / sum);
}

/** The binomial chance of at least `least` of n, each with chance p. */
export function chanceOfAtLeast(least: number, n: number, p: number): number {
  let term = (1 - p) ** n;
  let below = 0;
  for (let x = 0; x < least; x++) {
    below += term;
    term *= ((n - x) * p) / ((x + 1) * (1 - p));
  }
  return Math.max(0, 1 - below);
}

/**
 * The p of so many failures in the fresh trials compared with the pooled baseline: Fisher's exact test, one-sided, with two changes.
 * A spec is a candidate because its baseline was good, so baselines that would not have made it one are left out (selective
 * inference: Fithian, Sun and Taylor 2014, arXiv 1410.2597); otherwise specs with a rate of 0.7 alarm too often. And the observed
 * table counts half (mid-p: Lancaster 1961, "Significance tests in discrete distributions", Journal of the American Statistical
 * Association 56, 223-234), since at these sizes the full one is far too cautious.
 *
 * @param luckiest the most failures that the baseline could have for this to be a candidate
 */
export function chanceOfFailures(failures: number, trials: number, before: Graded, luckiest: number): number {
  const size = before.passes + before.failures;
  const failed = before.failures + failures;
  let [more, all] = [0, 0];
  for (let x = Math.max(0, failed - Math.min(size, luckiest)); x <= Math.min(trials, failed); x++) {
    const chance = hypergeometric(x, trials, failed, size + trials);
    all += chance;
    if (x >= failures) more += x === failures ? chance / 2 : chance;
  }
  return all > 0 ? Math.min(1, more / all) : 1;
}

/** @param p of a number of failures among `trials` */
export function stopRule(p: (failures: number) => number, alpha: number, trials: number): StopRule {
  let enough: number | null = null;
  for (let failures = trials; failures >= 0 && p(failures) <= alpha; failures--) enough = failures;
  return { trials, enough };
}
