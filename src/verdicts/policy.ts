// Rules that apply while trials still run: what a pass policy asks for, and when an answer is certain.
import type { Graded, Policy, VerdictName } from '../data/verdict';

/** The policy of a run with `--repeat-each=N`: k = N, minPasses = min(minPasses, N). */
export function policyForRepeats(policy: Policy, repeats: number): Policy {
  return { k: repeats, minPasses: Math.min(policy.minPasses, repeats) };
}

export const allowedFailures = ({ k, minPasses }: Policy) => k - minPasses;

/** @param counts of trials; `missing` ones are not graded and can still come */
export function verdictName(policy: Policy, counts: Graded & { missing: number }): VerdictName {
  if (counts.passes >= policy.minPasses) return 'passed';
  if (counts.failures > allowedFailures(policy)) return 'failed';
  return counts.passes + counts.missing < policy.minPasses ? 'inconclusive' : 'undecided';
}

/** When a candidate needs no more fresh trials. */
export interface StopRule {
  /** Most fresh trials. */
  trials: number;
  /** So many failures confirm; null if no number could, because the baseline has too few trials. */
  enough: number | null;
}

/** `open`: the fresh trials so far give no answer. */
export type Answer = 'regressed' | 'not confirmed' | 'open';

/** Stops once the rest can't change the answer, which leaves the error rates as they are. */
export function answerOf({ trials, enough }: StopRule, { passes, failures }: Graded): Answer {
  if (enough !== null && failures >= enough) return 'regressed';
  return enough === null || passes > trials - enough ? 'not confirmed' : 'open';
}
