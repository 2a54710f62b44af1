// The error of a trial that did not pass. It points to the line of the spec that was not met.
import type { Location } from '@playwright/test/reporter';
import type { TrialRecord } from '../../data/record';
import type { TrialFailure } from '../../grading/outcome';
import { errorAt } from '../inside/errors';

/** Short, since terminals print it for each failed trial. Steps and annotations in the HTML report say the rest. */
export function trialError(
  record: TrialRecord,
  { what, where }: TrialFailure,
  locate: (path: string) => Location,
): Error {
  const { specId, errorKind } = record;
  const place = where === null ? [] : [`The agent stopped on ${where}.`];
  const text = [errorKind ? `${errorKind}: ${what}` : what, ...place].join('\n');
  return errorAt(text, specId, locate(pathOf(record)));
}

function pathOf({ errorKind, status, assertions, judge }: TrialRecord): string {
  if (errorKind === 'site_unreachable') return 'entryUrl';
  if (errorKind === 'judge') return 'judge';
  if (status === 'max_steps') return 'maxSteps';
  const broken = assertions.findIndex(({ passed }) => !passed);
  if (status === 'completed' && broken >= 0) return `assertions[${broken}]`;
  return judge && !judge.passed ? 'judge' : 'goal';
}
