// The summary of a run in Markdown.

import { sumOf } from '../../data/collections';
import type { Results } from '../../data/results';
import type { ResultRow, SharedFinding } from '../../data/verdict';
import { formatCost, formatDuration, plural } from '../../text/figures';
import { few } from '../../text/shorten';
import { sensitivityText } from '../../verdicts/sensitivity';
import { comparisonSection } from './comparison';
import { passesOf } from './diff';
import { type Columns, gridOf } from './document';
import {
  blocks,
  escapeMarkdown,
  folded,
  lines,
  markdownTable,
  nameOf,
  SUMMARY_LIMIT,
} from './markdown-writer';
import {
  errorGroups,
  healings,
  partsOf,
  partText,
  sharedLine,
  VERDICT_COLUMNS,
  verdictText,
  whyLines,
} from './trial-notes';

/** The Markdown of a run, for $GITHUB_STEP_SUMMARY: verdicts, lost specs with their reasons, errors, cost. */
export function renderSummary(results: Results): string {
  const lost = results.verdicts.filter(row => row.verdict !== 'passed');
  const passed = results.verdicts.filter(row => row.verdict === 'passed');
  const { specs, tests, replayed } = partsOf([...lost, ...passed]);
  return blocks([
    `## Taskproof: ${results.status}`,
    headline(results),
    results.findings !== undefined &&
      `### In the way of several specs\n\n${lines(results.findings.map(findingOfMany), SUMMARY_LIMIT / 4, '- ')}`,
    lost.length > 0 &&
      `### Not passed\n\n${lines(
        lost.map(row => lostLine(row, results.findings)),
        SUMMARY_LIMIT,
        '- ',
      )}`,
    errors(results.verdicts),
    sensitivityText([...specs, ...tests].map(({ k }) => k)),
    results.comparison !== undefined && comparisonSection(results.comparison),
    specs.length > 0 &&
      // The comparison is enough for most readers.
      (results.comparison
        ? folded(`All ${plural(specs.length, 'verdict')}`, verdictMarkdownTable(specs))
        : verdictMarkdownTable(specs)),
    tests.length > 0 && `### Tests with a pass policy\n\n${verdictMarkdownTable(tests)}`,
    replayedSection(replayed),
  ]);
}

/** Apart from the agents' verdicts. Healed recordings come first. */
function replayedSection(rows: readonly ResultRow[]): string | false {
  if (rows.length === 0) return false;
  const healed = healings(rows).map(({ row, text }) => `${nameOf(row)} ${escapeMarkdown(text)}`);
  return blocks([
    '### Replayed from recordings (measures no agent)',
    lines(healed, SUMMARY_LIMIT / 4, '- '),
    verdictMarkdownTable(rows),
  ]).trimEnd();
}

const { spec, project, rate, turns, cost } = VERDICT_COLUMNS;
const COLUMNS: Columns<ResultRow> = {
  verdict: row => (row.verdict === 'passed' ? 'passed' : { text: verdictText(row), strong: true }),
  ...{ spec, project },
  passes: passesOf,
  needs: ({ minPasses }) => String(minPasses),
  ...{ rate, turns, cost },
};
const verdictMarkdownTable = (rows: readonly ResultRow[]) =>
  markdownTable(
    gridOf(rows, COLUMNS, ({ agent }) => agent),
    SUMMARY_LIMIT / 2,
  );

function headline(results: Results): string {
  const { verdicts } = results;
  const known = sumOf(verdicts, ({ costUsd }) => costUsd ?? 0);
  const isUnknown = verdicts.some(({ costUsd }) => costUsd === null);
  const cost = isUnknown ? `unknown cost (${formatCost(known)} known)` : formatCost(known);
  const { specs, tests, replayed } = partsOf(verdicts);
  const measured = [...specs, ...tests];
  const ran = sumOf(measured, ({ passes, failures, errors }) => passes + failures + errors);
  const passed = (rows: readonly ResultRow[]) => rows.filter(row => row.verdict === 'passed').length;
  const parts = [
    (measured.length > 0 || replayed.length === 0) &&
      `${passed(measured)} of ${plural(measured.length, 'verdict')} passed · ${plural(ran, 'trial')}`,
    replayed.length > 0 && `${passed(replayed)} of ${plural(replayed.length, 'replayed verdict')} passed`,
    cost,
    formatDuration(results.durationMs),
  ];
  const part = partText(results);
  return `${parts.filter(Boolean).join(' · ')}.${part && ` ${escapeMarkdown(part[0]!.toUpperCase() + part.slice(1))}.`}`;
}

function lostLine(row: ResultRow, told: Results['findings']): string {
  const stuck =
    row.trials.find(trial => trial.outcome === 'failed') ??
    row.trials.find(trial => trial.outcome === 'error');
  const screenshot = stuck?.screenshot ? ` Last screenshot: ${escapeMarkdown(stuck.screenshot)}.` : '';
  const [why = 'no reason given', ...more] = whyLines(row, told).map(line => escapeMarkdown(line));
  const rest = more.map(line => `\n  - ${line}`).join('');
  return `${nameOf(row)} ${verdictText(row)}, ${passesOf(row)}: ${why}${screenshot}${rest}`;
}

const findingOfMany = (finding: SharedFinding) =>
  `**${escapeMarkdown(sharedLine(finding))}** (${escapeMarkdown(few(finding.specs, 10))})`;

function errors(rows: readonly ResultRow[]): string | false {
  const groups = errorGroups(rows);
  if (groups.length === 0) return false;
  const found = groups.map(({ kind, trials, reason, hint }) => {
    const example = reason ? `: ${escapeMarkdown(reason)}` : '';
    return `${plural(trials, 'trial')} ${escapeMarkdown(kind)}${example}. ${hint}`;
  });
  return `### Not counted against the site\n\n${lines(found, SUMMARY_LIMIT, '- ')}`;
}
