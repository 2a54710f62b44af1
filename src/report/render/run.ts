// The end of a run: the verdicts, what was lost and why, errors, projects side by side, cost. In the terminal, and as a summary for
// $GITHUB_STEP_SUMMARY.
import { stdout } from 'node:process';
import { sumOf } from '../../data/collections';
import type { Results } from '../../data/results';
import { specName } from '../../data/row-names';
import type { ResultRow } from '../../data/verdict';
import { few, oneLine } from '../../text/line';
import { formatCost, formatDuration, plural, useColour } from '../../text/print';
import { sensitivityText } from '../../verdicts/sensitivity';
import { comparisonDocument } from './comparison';
import { passesOf } from './diff';
import {
  type Columns,
  type Document,
  type Grid,
  gridOf,
  haveAgents,
  joined,
  rateText,
  SIGNS,
  STYLES,
  specLabel,
  specsAndTests,
  type Writer,
} from './document';
import { escapeMarkdown, summaryWriter } from './markdown-writer';
import { atMost, TEXT_WIDTH, terminalWriter, wrapped } from './terminal-writer';
import {
  errorItems,
  healedText,
  isOpenElsewhere,
  NOT_YET,
  partText,
  sharedLine,
  verdictText,
  whyLines,
} from './trial-notes';

const INDENT = '  ';

export function verdictTable(results: Results): string {
  const to = terminalWriter({ colour: useColour(stdout), indent: INDENT });
  return `\n${inTerminal(results, to)}`;
}

export const renderSummary = (results: Results) => `${inMarkdown(results, summaryWriter)}\n`;

/**
 * A spec that passed and is compared is in the comparison only, and one that did not run among the lost ones. What counts comes last,
 * next to the prompt.
 */
function inTerminal(results: Results, to: Writer): string {
  const { comparison, verdicts } = results;
  const compared = new Set(comparison?.specs.map(({ spec }) => spec));
  const { replayed } = partsOf(verdicts);
  const ran = verdicts.filter(row => !row.replayed && row.trials.length > 0);
  const { specs, tests } = partsOf(
    ran.filter(row => row.verdict !== 'passed' || !compared.has(specName(row))),
  );
  const part = partText(results);
  const tables = joined([specs, tests].map(rows => verdictsOf(rows)(to)));
  return joined([
    [to.heading(part && `(${oneLine(part, 300)})`), tables].filter(Boolean).join('\n'),
    otherShards(verdicts),
    to.items(tolerated(ran)),
    replays(replayed)(to),
    errors(verdicts)(to),
    comparison !== undefined && comparisonDocument(comparison)(to),
    to.items(apiLines(results).map(text => ({ text }))),
    `${INDENT}${countsLine(results)}`,
  ]);
}

/** What counts comes first. Long tables are folded or at the end. */
function inMarkdown(results: Results, to: Writer): string {
  const { comparison, verdicts, findings } = results;
  const lost = verdicts.filter(row => row.verdict !== 'passed');
  const { specs, tests, replayed } = partsOf([...lost, ...verdicts.filter(row => row.verdict === 'passed')]);
  return joined([
    `## Taskproof: ${results.status}`,
    headline(results),
    to.items(apiLines(results).map(text => ({ text }))),
    findings !== undefined &&
      to.section('In the way of several specs', [
        to.items(findings.map(each => ({ strong: sharedLine(each), text: ` (${few(each.specs, 10)})` }))),
      ]),
    lost.length > 0 && to.section('Not passed', [to.items(lost.map(row => lostItem(row, findings)))]),
    errors(verdicts)(to),
    sensitivityText([...specs, ...tests].map(({ k }) => k)),
    comparison !== undefined && comparisonDocument(comparison)(to),
    // The comparison is enough for most readers.
    comparison && specs.length > 0
      ? to.folded(`All ${plural(specs.length, 'verdict')}`, verdictsOf(specs))
      : verdictsOf(specs)(to),
    tests.length > 0 && to.section('Tests with a pass policy', [verdictsOf(tests)(to)]),
    replays(replayed)(to),
  ]);
}

/** The verdicts on specs, on tests, and of replays. */
function partsOf(verdicts: readonly ResultRow[]): Record<'specs' | 'tests' | 'replayed', ResultRow[]> {
  return {
    specs: verdicts.filter(row => !row.replayed && !row.titlePath),
    tests: verdicts.filter(row => row.titlePath),
    replayed: verdicts.filter(row => row.replayed),
  };
}

function verdictsOf(rows: readonly ResultRow[]): Document {
  const rate = rows.some(row => row.replayed) ? 'rate' : 'rate (95%)';
  const columns: Columns<ResultRow> = {
    spec: specName,
    project: ({ project }) => project,
    verdict: row => ({
      text: `${SIGNS[row.verdict]} ${verdictText(row)}`,
      style: STYLES[row.verdict],
      strong: row.verdict !== 'passed',
    }),
    passes: ({ passes, k, minPasses, missing }) =>
      `${passes}/${k}, needs ${minPasses}${missing ? ` (${k - missing} ran)` : ''}`,
    [rate]: rateText,
    turns: ({ turns }) => String(turns ?? '-'),
    cost: ({ costUsd }) => formatCost(costUsd),
  };
  const several = new Set(rows.map(({ project }) => project)).size > 1;
  const grid: Grid = {
    ...gridOf(rows, columns, ({ agent }) => agent),
    right: ['turns', 'cost'],
    // The results file has them all.
    dispensable: [...(several ? [] : ['project']), 'turns', 'cost', rate],
  };
  return to => (rows.length > 0 ? to.table(grid) : '');
}

/** Replays have their own table: they show that the site still works as recorded, and measure no agent. */
function replays(rows: readonly ResultRow[]): Document {
  const healed = rows.flatMap(row =>
    row.trials
      .filter(trial => trial.healed)
      .map(trial => ({ row, text: ` ${healedText(trial)}`, style: 'yellow' as const })),
  );
  return to =>
    rows.length > 0
      ? to.section('Replayed from recordings (measures no agent)', [verdictsOf(rows)(to), to.items(healed)])
      : '';
}

function errors(verdicts: readonly ResultRow[]): Document {
  const items = errorItems(verdicts);
  return to => (items.length ? to.section('Not counted against the site', [to.items(items)]) : '');
}

/** Specs that no shard alone can judge. */
function otherShards(verdicts: readonly ResultRow[]): string {
  const open = verdicts.filter(isOpenElsewhere);
  const one = open.length === 1;
  const text = `${specsAndTests(open)} ${one ? 'has its' : 'have their'} other trials in other shards. For the ${one ? 'verdict' : 'verdicts'} merge the blobs of all shards: npx playwright merge-reports --reporter=@taskproof/playwright/reporter <folder>`;
  return open.length ? wrapped(text, TEXT_WIDTH, INDENT) : '';
}

/** Failures that a passed verdict tolerates. Each lost spec has a block of its own instead. */
function tolerated(rows: readonly ResultRow[]) {
  const told = rows
    .filter(row => row.verdict === 'passed' && row.diagnosis)
    .map(row => `Tolerated in ${specLabel(specName(row), row.project)}: ${whyLines(row)[0]}`);
  return atMost(told).map(line => ({ text: oneLine(line, 300) }));
}

/** Why a verdict is not "passed", with the last picture of the first trial that failed, else of the first with an error. */
function lostItem(row: ResultRow, told: Results['findings']) {
  const first = (outcome: string) => row.trials.find(trial => trial.outcome === outcome);
  const { screenshot } = first('failed') ?? first('error') ?? {};
  const [why = 'no reason given', ...more] = whyLines(row, told);
  const picture = screenshot ? ` Last screenshot: ${screenshot}.` : '';
  return { row, text: ` ${verdictText(row)}, ${passesOf(row)}: ${oneLine(why, 500)}${picture}`, more };
}

function headline(results: Results): string {
  const { verdicts } = results;
  const { specs, tests, replayed } = partsOf(verdicts);
  const measured = [...specs, ...tests];
  const known = formatCost(sumOf(verdicts, ({ costUsd }) => costUsd ?? 0));
  const ran = sumOf(measured, ({ passes, failures, errors }) => passes + failures + errors);
  const passed = (rows: readonly ResultRow[]) => rows.filter(row => row.verdict === 'passed').length;
  const parts = [
    (measured.length > 0 || replayed.length === 0) &&
      `${passed(measured)} of ${plural(measured.length, 'verdict')} passed · ${plural(ran, 'trial')}`,
    replayed.length > 0 && `${passed(replayed)} of ${plural(replayed.length, 'replayed verdict')} passed`,
    verdicts.some(({ costUsd }) => costUsd === null) ? `unknown cost (${known} known)` : known,
    formatDuration(results.durationMs),
  ];
  const part = partText(results);
  return `${parts.filter(Boolean).join(' · ')}.${part && ` ${escapeMarkdown(part[0]!.toUpperCase() + part.slice(1))}.`}`;
}

/** Where an API's limits made trials wait. */
function apiLines({ api = [] }: Results): string[] {
  const slow = api.filter(({ refused, waitedMs }) => refused > 0 || waitedMs >= 1_000);
  return slow.map(({ model, refused, waitedMs, perMinute, limitPerMinute }) => {
    const used = limitPerMinute === null ? perMinute : `${perMinute} of ${limitPerMinute}`;
    const waited = `${Math.round(waitedMs / 1_000)} s of waiting in all trials`;
    const which = api.length > 1 ? ` (${model})` : '';
    const parts = [`${used} requests a minute used`, refused && `${refused} refused`, waited];
    return oneLine(`API${which}: ${parts.filter(Boolean).join(', ')}`, 200);
  });
}

function countsLine({ verdicts, durationMs, costUsd = null }: Results): string {
  const { specs, tests, replayed } = partsOf(verdicts);
  const several = new Set(specs.map(({ spec }) => spec)).size < specs.length;
  const counts = [
    specs.length > 0 && `${plural(specs.length, several ? 'verdict' : 'spec')}: ${countsOf(specs)}`,
    tests.length > 0 && `${plural(tests.length, 'test')}: ${countsOf(tests)}`,
    replayed.length > 0 && `${replayed.length} replayed: ${countsOf(replayed)}`,
  ];
  const spent = haveAgents(verdicts, ({ agent }) => agent) ? `, ${formatCost(costUsd)}` : '';
  return `${counts.filter(Boolean).join('; ')} (${formatDuration(durationMs)}${spent})`;
}

function countsOf(rows: readonly ResultRow[]): string {
  const told = rows.flatMap(row => [verdictText(row), ...(row.healed ? ['healed'] : [])]);
  return [...Object.keys(SIGNS), NOT_YET, 'healed']
    .filter(name => told.includes(name))
    .map(name => `${told.filter(one => one === name).length} ${name}`)
    .join(', ');
}
