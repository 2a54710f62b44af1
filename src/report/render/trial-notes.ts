// Notes on trials beside the verdict: missing trials, healed recordings, findings, infrastructure errors.

import { groupBy } from '../../data/collections';
import { controlInWords } from '../../data/control-words';
import type { Results } from '../../data/results';
import type { MetFinding, ResultRow, SharedFinding, TrialResult } from '../../data/verdict';
import { oneLine } from '../../text/line';
import { plural } from '../../text/print';
import { trialsPresent } from '../../verdicts/verdict';

/** `incomplete: the run was interrupted`, `shard 1 of 2`, both, or nothing. */
export function partText({ complete, shard, incompleteBecause }: Results): string {
  const because = incompleteBecause ?? (shard ? undefined : 'trials are missing');
  const parts = [shard && `shard ${shard.replace('/', ' of ')}`, because && `incomplete: ${because}`];
  return complete ? '' : parts.filter(Boolean).join(', ');
}

/** Whether a verdict is open because other shards have trials of the spec. */
export const isOpenElsewhere = ({ verdict, inOtherShards }: ResultRow) =>
  verdict === 'undecided' && inOtherShards !== undefined;

export const NOT_YET = 'not judged yet';

export const verdictText = (row: ResultRow) => (isOpenElsewhere(row) ? NOT_YET : row.verdict);

/**
 * `healed at turn 5: action 4: button "Place order" not found on /checkout; new recording beside checkout.json for review`; null
 * if the recording was played to its end.
 */
export function healedText({ healed, outcome }: Pick<TrialResult, 'healed' | 'outcome'>): string | null {
  if (!healed) return null;
  // Only a passed trial leaves a new recording.
  const recording =
    outcome === 'passed'
      ? `new recording beside ${healed.recording} for review`
      : `the recording is ${healed.recording}`;
  return oneLine(`healed at turn ${healed.turn}: ${healed.reason}; ${recording}`);
}

export function healings(rows: readonly ResultRow[]): { row: ResultRow; text: string }[] {
  return rows.flatMap(row =>
    row.trials.map(healedText).flatMap(text => (text === null ? [] : [{ row, text }])),
  );
}

export const IN_THE_WAY = 'in the way';

/** `button without a name .icon-cart on /shop` */
export function findingLine({ text, locator, path }: Omit<MetFinding, 'trials' | 'kind'>): string {
  return oneLine(`${text} ${controlInWords(locator)} on ${path}`);
}

/** `button without a name .icon-cart on /shop: 3 specs, 9 failed trials`. */
export function sharedLine(finding: SharedFinding): string {
  return `${findingLine(finding)}: ${plural(finding.specs.length, 'spec')}, ${plural(finding.trials, 'failed trial')}`;
}

/**
 * Why a spec did not pass, line by line: what its failures have in common, where they left the way of passing trials, and what
 * was in the way. Without a diagnosis, the verdict's reason.
 *
 * @param told findings that were already shown
 */
export function whyLines(
  row: Pick<ResultRow, 'verdict' | 'k' | 'missing' | 'reason' | 'diagnosis'>,
  told: readonly SharedFinding[] = [],
): string[] {
  const { verdict, reason, diagnosis } = row;
  // Errors and missing trials are not failures.
  if (!diagnosis || verdict === 'inconclusive') return reason === null ? [] : [reason];
  const { headline, parted, findings } = diagnosis;
  const known = new Set(told.map(findingLine));
  const [finding] = findings.map(findingLine).filter(line => !known.has(line));
  return [
    verdict === 'undecided' ? `${trialsPresent(row)}; ${headline}` : headline,
    ...(parted === null ? [] : [parted]),
    ...(finding === undefined ? [] : [`${IN_THE_WAY}: ${finding}`]),
  ];
}

const HINTS: Record<string, string> = {
  site_unreachable:
    'Is the site running? Start it with `webServer` in the Playwright config, or set `origin` to a deployment.',
  agent_api:
    "The agent could not work. Check its API key, rate limits and the provider's status page, then run again.",
  browser:
    'The browser failed. Is it installed (`npx playwright install`)? Otherwise check memory and the number of workers, then run again.',
  judge: 'The judge could not be reached. Check its API key and rate limits, then run again.',
  setup: 'The test failed before its trial began. Check its hooks, fixtures and timeout in the HTML report.',
  interrupted: 'The run was interrupted. Run it again.',
  internal:
    "The trial broke off. Check its last step in the HTML report, and the agent's or the test's own code.",
};

/** The errors of a run by kind, the most frequent first; `reason` is that of the first such trial. */
export function errorGroups(
  rows: readonly ResultRow[],
): { kind: string; trials: number; reason: string | null; hint: string }[] {
  const errors = rows.flatMap(({ trials }) => trials.filter(({ outcome }) => outcome === 'error'));
  return [...groupBy(errors, ({ errorKind = 'internal' }) => errorKind)]
    .map(([kind, all]) => ({
      kind,
      trials: all.length,
      reason: all[0].reason,
      hint: HINTS[kind] ?? 'See the trial in the HTML report.',
    }))
    .sort((a, b) => b.trials - a.trials);
}
