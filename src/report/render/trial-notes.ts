// What is shown beside the verdicts: missing trials, healed recordings, findings, errors; and lost specs, each with its reasons.
import { relative, resolve } from 'node:path';
import type { FullConfig, TestCase } from '@playwright/test/reporter';
import { controlInWords } from '../../data/action';
import { groupBy } from '../../data/collections';
import type { MetFinding, SharedFinding } from '../../data/diagnosis';
import { type RowName, specName } from '../../data/plan';
import type { Results } from '../../data/results';
import type { ResultRow, TrialResult } from '../../data/verdict';
import { few, oneLine } from '../../text/line';
import { plural } from '../../text/print';
import { trialsPresent } from '../../verdicts/verdict';
import type { SpecRun } from '../spec-run';
import { type Item, projectOf, SIGNS, specLabel, specsAndTests } from './document';
import { atMost, SHOWN, terminalWriter } from './terminal-writer';

/** `incomplete: the run was interrupted`, `shard 1 of 2`, both, or nothing. */
export function partText({ complete, shard, incompleteBecause }: Results): string {
  const because = incompleteBecause ?? (shard ? undefined : 'trials are missing');
  const parts = [shard && `shard ${shard.replace('/', ' of ')}`, because && `incomplete: ${because}`];
  return complete ? '' : parts.filter(Boolean).join(', ');
}

type Replayed = Pick<TrialResult, 'healed' | 'outcome'>;

/** Whether another agent took over from a recording, and passed. */
export const isHealed = ({ healed, outcome }: Replayed) => healed !== undefined && outcome === 'passed';

/** Null if no other agent took over from a recording. */
export function takenOverText(trial: Replayed): string | null {
  if (!trial.healed) return null;
  const { turn, reason, recording } = trial.healed;
  const what = isHealed(trial)
    ? `healed at turn ${turn}: ${reason}`
    : `the fallback took over at turn ${turn} (${reason}) and failed`;
  return oneLine(`${what}; the recording is ${recording}`);
}

export const IN_THE_WAY = 'in the way';
export const PAGE_SAID = 'the page says';

/** `button without a name (.icon-cart on /shop)` */
export function findingLine({ text, locator, path }: Omit<MetFinding, 'trials' | 'kind'>): string {
  return oneLine(`${text} (${controlInWords(locator)} on ${path})`);
}

/** `button without a name (.icon-cart on /shop): 3 specs, 9 failed trials`. */
export function sharedLine(finding: SharedFinding): string {
  return `${findingLine(finding)}: ${plural(finding.specs.length, 'spec')}, ${plural(finding.trials, 'failed trial')}`;
}

type Told = Pick<ResultRow, 'verdict' | 'k' | 'missing' | 'reason' | 'diagnosis'>;

/** What the failures of a spec have in common, where they parted from passing trials, and what was in the way. */
export function whyLines({ diagnosis, ...row }: Told): string[] {
  const { verdict, reason } = row;
  // Errors and missing trials are not failures.
  if (!diagnosis || verdict === 'inconclusive') return reason === null ? [] : [reason];
  const { headline, parted, findings, groups, requests = [], pageSaid } = diagnosis;
  const { said, request } = groups[0] ?? {};
  const isCut = said && !headline.includes(said);
  const [suspect] = request ? [] : requests;
  return [
    verdict === 'undecided' ? `${trialsPresent(row)}; ${headline}` : headline,
    ...(suspect ? [`trial ${suspect.index + 1}: ${suspect.text}`] : []),
    ...(pageSaid ? [`${PAGE_SAID}: "${pageSaid}"`] : []),
    ...(isCut ? [`the agent gave up: ${said}`] : []),
    ...(parted === null ? [] : [parted]),
    ...findings.slice(0, 1).map(finding => `${IN_THE_WAY}: ${findingLine(finding)}`),
  ];
}

/** @param where the trial that shows the reasons can be seen */
export function lostItem(
  row: RowName & Told & Pick<ResultRow, 'passes' | 'minPasses'>,
  where: readonly string[],
): Item {
  const { verdict, passes, k, minPasses } = row;
  const text = `${verdict}: ${passes}/${k} passed, needs ${minPasses}`;
  return { sign: SIGNS[verdict], row, text, more: [...whyLines(row), ...where] };
}

function shown<Each>(all: readonly Each[], trialOf: (each: Each) => TrialResult): Each | undefined {
  const first = (outcome: string) => all.find(each => trialOf(each).outcome === outcome);
  return first('failed') ?? first('error');
}

const HINTS: Record<string, string> = {
  site_unreachable:
    'The page did not open. If the site is not running, start it with `webServer` in the Playwright config, or set `origin` to a deployment.',
  agent_api:
    "The agent could not work. Check its API key, rate limits and the provider's status page, then run again.",
  browser:
    'The browser failed. Is it installed (`npx playwright install`)? Otherwise check memory and the number of workers, then run again.',
  'remote browser':
    "The remote browser can't be reached at this address. Is its server running? See `connectOptions` in the Playwright config.",
  judge:
    'The judge gave no judgement. If it could not be reached, check its API key and rate limits, then run again.',
  uncalibrated:
    'The judge does not agree with enough labels yet, so its judgements do not count. Label more trials: npx taskproof judge label',
  setup: 'The trial could not begin. If `prepare`, a hook or a fixture threw, the HTML report shows where.',
  interrupted: 'The run ended first.',
  internal:
    "The trial broke off. Check its last step in the HTML report, and the agent's or the test's own code.",
};

/** The `errorKind`, but for a browser that another machine should have lent. */
const hintKind = ({ errorKind = 'internal', reason }: TrialResult) =>
  errorKind === 'browser' && /\bbrowserType\.connect/.test(reason ?? '') ? 'remote browser' : errorKind;

export function errorItems(rows: readonly ResultRow[]): Item[] {
  const errors = rows.flatMap(({ trials }) => trials.filter(({ outcome }) => outcome === 'error'));
  return [...groupBy(errors, hintKind)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([kind, all]) => ({
      text: `${plural(all.length, 'trial')} with error: ${oneLine(all[0].errorKind ?? 'internal', 100)}. ${HINTS[kind] ?? 'See the trial in the HTML report.'}`,
      more: all[0].reason === null ? [] : [all[0].reason],
    }));
}

/** `leftOut`: ordinary tests that did not run. `regraded`: what else failed in the run that is regraded. */
type Red = { lost: readonly SpecRun[] } & Record<'leftOut' | 'regraded', readonly string[]>;

/** The lost specs, below the findings that several share. Printed last, and shown at the top of the HTML report. */
export function lostSummary(
  { lost, leftOut, regraded }: Red,
  { findings = [] }: Pick<Results, 'findings'>,
  more: readonly string[] = [],
): string {
  const to = terminalWriter({ indent: '  ' });
  const ran = lost.filter(run => run.verdict.trials.length > 0);
  const idle = lost.filter(run => !ran.includes(run));
  return [
    lost.length > 0 && `taskproof: ${specsAndTests(lost.map(({ planned }) => planned))} did not pass`,
    to.items(atMost(findings.map(sharedLine)).map(text => ({ text }))),
    to.items(
      ran.map(run => lostItem({ ...run.row, ...run.verdict, diagnosis: run.diagnosis }, placeOf(run))),
    ),
    to.items(notRun(idle)),
    leftOut.length > 0 &&
      `taskproof: ${plural(leftOut.length, 'ordinary test')} did not run after a failure that a pass policy tolerates`,
    to.items(atMost(leftOut).map(text => ({ text }))),
    regraded.length > 0 &&
      "taskproof: the run also failed outside of its verdicts, which `regrade` can't change. Run the suite again: npx playwright test",
    to.items(atMost(regraded).map(text => ({ text }))),
    to.lines(more),
  ]
    .filter(Boolean)
    .join('\n');
}

function notRun(runs: readonly SpecRun[]): Item[] {
  const why = [...new Set(runs.flatMap(({ missingBecause }) => missingBecause ?? []))].join('; ');
  const names = runs.map(({ row }) => specLabel(specName(row), projectOf(row)));
  const what = `${specsAndTests(runs.map(({ planned }) => planned))} did not run`;
  const text = `${what}${why && `: ${oneLine(why, 300)}`} (${few(names, SHOWN)})`;
  return runs.length ? [{ sign: SIGNS.undecided, text }] : [];
}

export const fileAndLine = ({ file, line }: TestCase['location']) => `${relative('', file)}:${line}`;

export function lastPicture({ trials }: ResultRow): string[] {
  const { screenshot } = shown(trials, trial => trial) ?? {};
  return screenshot ? [`last screenshot: ${screenshot}`] : [];
}

function placeOf({ entries }: SpecRun): string[] {
  const { result, test } = shown(entries, ({ trial }) => trial) ?? {};
  const location = result?.error?.location ?? test?.location;
  return location ? [`at ${fileAndLine(location)}`] : [];
}

export function whereToLook(config: FullConfig, folder: string, resultsFile: string | undefined): string[] {
  const html = config.reporter.find(([name]) => name === 'html');
  const { outputFolder } = (html?.[1] ?? {}) as { outputFolder?: string };
  const report = outputFolder ? ` ${relative('', resolve(folder, outputFolder))}` : '';
  return [
    ...(html ? [`Each trial, step by step: npx playwright show-report${report}`] : []),
    ...(resultsFile ? [`All verdicts as JSON: ${relative('', resultsFile)}`] : []),
  ];
}
