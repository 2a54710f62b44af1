// The outcome of a trial, from its evidence alone: when it ends, and when it is graded again.
import { escapeIn, stoppedAt, type TrialRecord, whereOf } from '../data/record';

/** How a trial ended; all texts masked. */
export type TrialEnd = Pick<TrialRecord, 'status' | 'endReason' | 'turns' | 'refusals' | 'assertions'> &
  Pick<TrialRecord, 'judge' | 'finalUrl'>;

/** Why a trial did not pass, and where the agent was, unless that says nothing. */
export type TrialFailure = { what: string; where: string | null };

/** Null if the trial passed. */
export function failureOf(end: TrialEnd): TrialFailure | null {
  const { status, endReason: reason = null, turns, refusals, assertions, judge, finalUrl } = end;
  if (status === 'error') return { what: reason ?? '', where: null };
  const broken = assertions.flatMap(({ passed, reason }) => (passed ? [] : [reason ?? '']));
  const left = escapeIn(refusals);
  if (left) broken.unshift(left);
  if (judge && !judge.passed) broken.push(`the judge: ${judge.reason}`);
  if (status === 'completed' && !broken.length) return null;
  return { what: whyFailed(reason, broken), where: whereOf({ turns, finalUrl }) };
}

/** How the agent ended, the first check that does not hold, and the number of others, which are in the record. */
function whyFailed(reason: string | null, [first, ...others]: readonly string[]): string {
  const told = [reason, first].filter(each => each != null).join('; ');
  return others.length ? `${told} (and ${others.length} more)` : told;
}

/** The part of the record that follows from the rest of it. */
export function outcomeFields(
  { status, endReason = null }: TrialEnd,
  failure: TrialFailure | null,
): Pick<TrialRecord, 'outcome' | 'reason'> {
  return {
    outcome: status === 'error' ? 'error' : failure ? 'failed' : 'passed',
    reason: failure && (failure.where ? stoppedAt(failure.what, failure.where) : endReason),
  };
}
