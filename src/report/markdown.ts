// Markdown for GitHub: the summary of a run and the comment of a diff. Text from a site, a model or a spec is escaped: it can't
// format, link, mention, break a table or give commands to the workflow's runner.

import { oneLine } from '../trial/safe-text';
import type { Diff, DiffRow } from '../verdicts/diff';
import { sensitivityText } from '../verdicts/sensitivity';
import type { Comparison, ComparisonCell, RowSubject, SharedFinding } from '../verdicts/shapes';
import { specName } from '../verdicts/verdict';
import { cellParts, findingsOf, projectName, totalNames, totalParts } from './comparison-text';
import { diffColumns, diffCounts, diffNotes, isCompared, isShown, passesOf, suiteText } from './diff-text';
import {
  columnsFor,
  few,
  formatCost,
  formatDuration,
  nameColumn,
  plural,
  rateText,
  specsAndTests,
} from './format';
import type { ResultRow, Results } from './results';
import { errorGroups, healings, partText, sharedLine, verdictText, whyLines } from './trial-notes';

/** Lets a workflow find its earlier comment. */
export const DIFF_MARKER = '<!-- taskproof-diff -->';

/** GitHub refuses comments above 65,536 characters. */
const COMMENT_LIMIT = 60_000;
/** GitHub drops a step's summary above 1 MiB; characters may take several bytes. */
const SUMMARY_LIMIT = 300_000;
const REASON_LIMIT = 500;

/**
 * A text as one line of Markdown that shows it literally, also inside a table.
 *
 * @param max longest length in characters before escaping; default 500
 */
export function escapeMarkdown(text: string, max = REASON_LIMIT): string {
  return oneLine(text, max).replace(ACTIVE, found => ENTITIES[found] ?? `\\${found}`);
}

// "::error::" is a command to the runner, "https://" and "www." become links, @name notifies, #12 links to an issue.
const ACTIVE = /[\\`*_[\]~$&<>|@]|:(?=[:/])|(?<=\bwww)\.|#/gi;
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '|': '&#124;',
  ':': '&#58;',
  '.': '&#46;',
  // A zero-width space stops GitHub's filters.
  '@': '@&#8203;',
  '#': '\\#&#8203;',
};

/** The Markdown of a run, for $GITHUB_STEP_SUMMARY: verdicts, lost specs with their reasons, errors, cost. */
export function renderSummary(results: Results): string {
  const lost = results.verdicts.filter(row => row.verdict !== 'passed');
  const passed = results.verdicts.filter(row => row.verdict === 'passed');
  const all = [...lost, ...passed];
  const measured = all.filter(row => !row.replayed && !row.titlePath);
  const tests = all.filter(row => row.titlePath);
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
    sensitivityText([...measured, ...tests].map(({ k }) => k)),
    results.comparison !== undefined && comparisonSection(results.comparison),
    measured.length > 0 &&
      // The comparison is enough for most readers.
      (results.comparison
        ? folded(`All ${plural(measured.length, 'verdict')}`, verdictMarkdownTable(measured))
        : verdictMarkdownTable(measured)),
    tests.length > 0 && `### Tests with a pass policy\n\n${verdictMarkdownTable(tests)}`,
    replayedSection(all.filter(row => row.replayed)),
  ]);
}

/**
 * A diff as a pull-request comment: rows that need a look first, the others folded.
 *
 * @param sentences the outcome, and what to do next
 */
export function renderDiff(diff: Diff, sentences: readonly string[] = []): string {
  const lines = [...sentences, suiteText(diff)].filter(Boolean);
  return blocks([
    DIFF_MARKER,
    `### Taskproof: ${diffCounts(diff)}`,
    lines.map(line => escapeMarkdown(line, 2_000)).join('  \n'),
    diffBody(diff).trimEnd(),
  ]);
}

/** The tables of a diff. */
export function diffBody(diff: Diff): string {
  const changed = diff.rows.filter(isShown);
  const others = diff.rows.filter(row => !isShown(row) && isCompared(row));
  const notes = diffNotes(changed).map(({ row, note }) => `${nameOf(row)}: ${escapeMarkdown(note)}`);
  return blocks([
    changed.length > 0 && diffMarkdownTable(changed, COMMENT_LIMIT / 3),
    lines(notes, COMMENT_LIMIT / 3, '- '),
    others.length > 0 &&
      folded(
        `${specsAndTests(others)} without a notable change`,
        diffMarkdownTable(others, COMMENT_LIMIT / 4),
      ),
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

function verdictMarkdownTable(rows: readonly ResultRow[]): string {
  const names = ['verdict', 'spec', 'project', 'passes', 'needs', 'rate', 'turns', 'cost'];
  const columns = columnsFor(names, rows, ({ agent }) => agent !== null);
  const header = columns.map(name => (name === 'spec' ? nameColumn(rows) : name));
  // The columns of agents are the last ones.
  const cells = rows.map(row => verdictCells(row).slice(0, columns.length));
  return markdownTable(header, cells, SUMMARY_LIMIT / 2);
}

function comparisonSection(comparison: Comparison): string {
  const { projects, specs } = comparison;
  const findings = findingsOf(comparison);
  const rows = specs.map(({ spec, cells }) => [
    escapeMarkdown(spec),
    ...projects.map(({ project }) => comparedCell(cells.find(cell => cell.project === project))),
  ]);
  const totals = projects.map(totalParts);
  const totalRows = totalNames(comparison).map((what, index) => [
    `**${what}**`,
    ...totals.map(parts => escapeMarkdown(parts[index]!)),
  ]);
  return blocks([
    '### Side by side',
    findings.map(finding => `- ${escapeMarkdown(finding, SUMMARY_LIMIT / 20)}`).join('\n'),
    markdownTable(
      ['spec', ...projects.map(({ project }) => escapeMarkdown(projectName(project)))],
      // Totals first: a long table is cut at its end.
      [...totalRows, ...rows],
      SUMMARY_LIMIT / 2,
    ),
    'Each cell: passes of k, median turns, cost.',
  ]).trimEnd();
}

function comparedCell(cell: ComparisonCell | undefined): string {
  if (!cell) return '-';
  const [sign, passes, turns, cost] = cellParts(cell);
  const verdict = cell.verdict === 'passed' ? `${sign} ${passes}` : `${sign} **${passes}**`;
  return `${verdict} · ${turns} · ${escapeMarkdown(cost)}`;
}

function headline(results: Results): string {
  const { verdicts } = results;
  const costs = verdicts.map(row => row.costUsd);
  const known = costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  const cost = costs.includes(null) ? `unknown cost (${formatCost(known)} known)` : formatCost(known);
  const replayed = verdicts.filter(row => row.replayed);
  const measured = verdicts.filter(row => !row.replayed);
  const ran = measured.reduce((sum, row) => sum + row.passes + row.failures + row.errors, 0);
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

const nameOf = (row: Pick<RowSubject, 'spec' | 'describe' | 'project' | 'replayed'>) =>
  `**${escapeMarkdown(specName(row))}**${row.project ? ` (${escapeMarkdown(row.project)})` : ''}${row.replayed ? ', replayed,' : ''}`;

function errors(rows: readonly ResultRow[]): string | false {
  const groups = errorGroups(rows);
  if (groups.length === 0) return false;
  const found = groups.map(({ kind, trials, reason, hint }) => {
    const example = reason ? `: ${escapeMarkdown(reason)}` : '';
    return `${plural(trials, 'trial')} ${escapeMarkdown(kind)}${example}. ${hint}`;
  });
  return `### Not counted against the site\n\n${lines(found, SUMMARY_LIMIT, '- ')}`;
}

function verdictCells(row: ResultRow): string[] {
  const verdict = row.verdict === 'passed' ? 'passed' : `**${verdictText(row)}**`;
  return [
    verdict,
    escapeMarkdown(specName(row)),
    escapeMarkdown(row.project),
    passesOf(row),
    String(row.minPasses),
    rateText(row),
    row.turns === null ? '-' : String(row.turns),
    formatCost(row.costUsd),
  ];
}

function diffMarkdownTable(rows: readonly DiffRow[], limit: number): string {
  const { head, cells: texts } = diffColumns(rows);
  const cells = texts.map(([change = '', ...rest]) => [
    change === 'regressed' ? '**regressed**' : escapeMarkdown(change),
    ...rest.map(text => escapeMarkdown(text)),
  ]);
  return markdownTable(head, cells, limit);
}

export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  limit: number,
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const head = [line(header), line(header.map(() => '---'))].join('\n');
  return `${head}\n${lines(rows.map(line), limit, '')}`;
}

/** As many lines as fit into `limit` characters, and the number of the others. */
function lines(all: readonly string[], limit: number, prefix: string): string {
  let size = 0;
  const kept = all.filter(line => {
    size += prefix.length + line.length + 1;
    return size <= limit;
  });
  const rest = all.length - kept.length;
  return [...kept.map(line => prefix + line), ...(rest > 0 ? ['', `and ${rest} more`] : [])].join('\n');
}

const folded = (title: string, text: string) =>
  `<details>\n<summary>${title}</summary>\n\n${text}\n\n</details>`;

export const blocks = (parts: readonly (string | false)[]) => `${parts.filter(Boolean).join('\n\n')}\n`;
