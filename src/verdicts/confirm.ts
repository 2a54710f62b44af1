// How many failures of fresh trials confirm that a candidate is worse. `npm run bench -- --only alarms` measures the error rates.

import { sumOf } from '../data/collections';
import type { Graded } from '../data/verdict';
import { type DiffRow, luckiestBaseline } from './change';
import type { StopRule } from './policy';
import { hypergeometric } from './statistics';

/** What candidates share. With the test of the whole suite (SUITE_ALPHA), the bench shows fewer than 5% false alarms. */
export const CONFIRM_ALPHA = 0.049;
/** The most fresh trials of a candidate. */
export const DEFAULT_TRIALS = 15;
/** Smaller baselines keep their unlucky outcomes: otherwise a fall to 0.2 is found in 62%, not 92%. They rarely give a false alarm. */
const SMALL_BASELINE = 10;

/** A candidate when its fresh trials begin. */
export type CandidateRow = DiffRow & {
  before: NonNullable<DiffRow['before']>;
  after: NonNullable<DiffRow['after']>;
};

/**
 * A rule for each candidate of a diff, at its share of alpha (weighted Bonferroni): a share triples with each failure of the later run.
 * The limit of five keeps one hopeless spec from taking all. Equal shares find 1 to 4 points less.
 */
export function stopRules(candidates: readonly CandidateRow[], trials: number = DEFAULT_TRIALS): StopRule[] {
  const weightOf = ({ after }: CandidateRow) => 3 ** Math.min(5, after.failures);
  const all = sumOf(candidates, weightOf);
  return candidates.map(row => {
    const { before, after } = row;
    const level = (CONFIRM_ALPHA * weightOf(row)) / all;
    const size = before.passes + before.failures;
    const luckiest = size < SMALL_BASELINE ? size : luckiestBaseline(before, after);
    let enough: number | null = null;
    for (let failures = trials; failures >= 0; failures--) {
      if (chanceOfFailures(failures, trials, before, luckiest) > level) break;
      enough = failures;
    }
    return { trials, enough };
  });
}

/**
 * The p of so many failures in the fresh trials compared with the pooled baseline: Fisher's exact test, one-sided, with two changes.
 * A spec is a candidate because its baseline was good, so baselines that would not have made it one are left out (selective
 * inference: Fithian, Sun and Taylor 2014, arXiv 1410.2597). And the observed table counts half (mid-p: Lancaster 1961,
 * "Significance tests in discrete distributions", Journal of the American Statistical Association 56, 223-234).
 * In simulated suites mid-p finds a fall to 0.6 in 50%, not 40%; leaving out lowers false alarms at 0.7 from 12% to 4%.
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
