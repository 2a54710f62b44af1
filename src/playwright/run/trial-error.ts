// The error of a trial that did not pass. It points to the line of the spec that was not met.
import type { Location } from '@playwright/test/reporter';
import { type TrialRecord, whereOf } from '../../data/record';
import type { TrialFailure } from '../../grading/outcome';
import { parsedUrl } from '../../spec/url';
import { few } from '../../text/line';
import { errorAt } from '../inside/errors';

/** Short, since terminals print it for each failed trial. Steps and annotations in the HTML report say the rest. */
export function trialError(
  record: TrialRecord,
  { what, where }: TrialFailure,
  locate: (path: string) => Location,
): Error {
  const { specId, errorKind } = record;
  const place = where === null ? [] : [stopOf(record)];
  const text = [errorKind ? `${errorKind}: ${what}` : what, ...place].join('\n');
  // Before the trial, the record has only the assertion that can't be checked.
  const unread = errorKind === 'setup' ? record.assertions.find(({ passed }) => !passed)?.line : undefined;
  const at = unread ? { ...locate('goal'), line: unread, column: 1 } : locate(pathOf(record));
  return errorAt(text, specId, at);
}

/** Where the agent stopped, and which pages it was kept from: their hosts may be missing from allowedDomains. */
export function stopOf(record: TrialRecord): string {
  const refused = record.refusals.filter(({ how }) => ['navigation', 'redirect', 'popup'].includes(how));
  const hosts = [...new Set(refused.flatMap(({ url }) => parsedUrl(url)?.hostname || []))];
  const stopped = `The agent stopped on ${whereOf(record)}.`;
  if (!hosts.length) return stopped;
  return `${stopped} It was kept from ${few(hosts, 3)}: if the goal needs that, add it to allowedDomains.`;
}

function pathOf({ errorKind, status, assertions, judge }: TrialRecord): string {
  if (errorKind === 'site_unreachable') return 'entryUrl';
  if (errorKind === 'judge') return 'judge';
  if (status === 'max_steps') return 'maxSteps';
  const broken = assertions.findIndex(({ passed }) => !passed);
  if (status === 'completed' && broken >= 0) return `assertions[${broken}]`;
  return judge && !judge.passed ? 'judge' : 'goal';
}
