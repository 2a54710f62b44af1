// What is said of trials beside the verdicts: missing ones, healed recordings, findings, errors; and the blocks of lost specs.
import { relative, resolve } from 'node:path';
import type { FullConfig, TestCase } from '@playwright/test/reporter';
import { groupBy } from '../../data/collections';
import { controlInWords } from '../../data/control-words';
import type { Results } from '../../data/results';
import type { MetFinding, ResultRow, SharedFinding, TrialResult } from '../../data/verdict';
import { few, oneLine } from '../../text/line';
import { plural } from '../../text/print';
import { trialsPresent } from '../../verdicts/verdict';
import type { SpecRun } from '../spec-run';
import { type Item, SIGNS, specLabel, specsAndTests } from './document';
import { atMost, SHOWN, TEXT_WIDTH, wrapped } from './terminal-writer';

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

/** The errors of a run by kind, the most frequent first, each with the reason of its first trial. */
export function errorItems(rows: readonly ResultRow[]): Item[] {
  const errors = rows.flatMap(({ trials }) => trials.filter(({ outcome }) => outcome === 'error'));
  return [...groupBy(errors, ({ errorKind = 'internal' }) => errorKind)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([kind, all]) => ({
      text: `${plural(all.length, 'trial')} with error: ${oneLine(kind, 100)}. `,
      hint: HINTS[kind] ?? 'See the trial in the HTML report.',
      more: all[0].reason === null ? [] : [all[0].reason],
    }));
}

const INDENT = '  ';
const DETAIL = '      ';

/**
 * The blocks of lost specs, below the findings that several specs share. Printed last, and shown at the top of the HTML report.
 *
 * @param more lines at the end
 */
export function lostSummary(
  { lost, leftOut }: { lost: readonly SpecRun[]; leftOut: readonly TestCase[] },
  { findings = [] }: Pick<Results, 'findings'>,
  more: readonly string[] = [],
): string {
  const shared = atMost(findings.map(sharedLine)).map(line => wrapped(line, TEXT_WIDTH, INDENT));
  const blocks = lost
    .filter(run => run.verdict.trials.length)
    .map(run => {
      const { verdict, passes, k, minPasses } = run.verdict;
      const why = whyLines({ ...run.verdict, diagnosis: run.diagnosis }, findings);
      return [
        `${INDENT}${SIGNS[verdict]} ${nameOf(run)} ${verdict}: ${passes}/${k} passed, needs ${minPasses}`,
        ...[...why, ...placeOf(run)].map(line => wrapped(oneLine(line, 600), TEXT_WIDTH - 4, DETAIL)),
      ].join('\n');
    });
  const names = specsAndTests(lost.map(({ planned }) => planned));
  return [
    ...(lost.length ? [`taskproof: ${names} did not pass`] : []),
    ...shared,
    ...blocks,
    ...notRunLine(lost.filter(run => !run.verdict.trials.length)),
    ...leftOutLines(leftOut),
    ...more.map(line => INDENT + line),
  ].join('\n');
}

/** One line for all specs without a trial: a block for each would only repeat the reason. */
function notRunLine(runs: readonly SpecRun[]): string[] {
  if (!runs.length) return [];
  const causes = new Set(runs.flatMap(({ missingBecause }) => missingBecause ?? []));
  const why = causes.size ? `: ${oneLine([...causes].join('; '), 300)}` : '';
  const count = specsAndTests(runs.map(({ planned }) => planned));
  return [`${INDENT}${SIGNS.undecided} ${count} did not run${why} (${few(runs.map(nameOf), SHOWN)})`];
}

/** Without them, a tolerated failure in a hook would hide the tests after it. */
function leftOutLines(tests: readonly TestCase[]): string[] {
  if (!tests.length) return [];
  const places = tests.map(
    ({ title, location: { file, line } }) => `"${title}" at ${relative('', file)}:${line}`,
  );
  const what = `${plural(tests.length, 'ordinary test')} did not run after a failure that a pass policy tolerates`;
  return [
    `taskproof: ${what}`,
    ...atMost(places).map(line => wrapped(oneLine(line, 600), TEXT_WIDTH, INDENT)),
  ];
}

/** Where the first failed trial broke; without one, the first trial with an error. */
function placeOf({ entries }: SpecRun): string[] {
  const first = (outcome: string) => entries.find(({ trial }) => trial.outcome === outcome);
  const { result, test } = first('failed') ?? first('error') ?? {};
  const { file, line } = result?.error?.location ?? test?.location ?? {};
  return file === undefined ? [] : [`at ${relative('', file)}:${line}`];
}

export function whereToLook(
  { reporter }: Pick<FullConfig, 'reporter'>,
  outputFile: string,
  folder: string,
): string[] {
  const html = reporter.find(([name]) => name === 'html');
  const { outputFolder } = (html?.[1] ?? {}) as { outputFolder?: string };
  const report = outputFolder ? ` ${relative('', resolve(folder, outputFolder))}` : '';
  return [
    ...(html ? [`Each trial, step by step: npx playwright show-report${report}`] : []),
    `All verdicts as JSON: ${relative('', resolve(folder, outputFile))}`,
  ];
}

const nameOf = ({ name, project, replayed }: SpecRun) =>
  `${specLabel(name, project)}${replayed ? ', replayed,' : ''}`;
