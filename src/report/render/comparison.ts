// Agents side by side: specs as rows, projects as columns; in the terminal split into blocks if it is narrow, and in Markdown.

import { sumOf } from '../../data/collections';
import type {
  ComparedPair,
  Comparison,
  ComparisonCell,
  ComparisonTotals,
  FailureGroup,
} from '../../data/verdict';
import { formatCost, formatRate, plural } from '../../text/figures';
import { few } from '../../text/shorten';
import { formatP } from './diff';
import { type Cell, type Document, type Layout, SIGNS, STYLES } from './document';
import { escapeMarkdown } from './markdown-writer';
import { cellText, displayWidth, type TableOptions, table, wrapped } from './terminal-writer';

/** Longer names are folded. A column is as wide as its figures or as this. */
const NAME_WIDTH = 24;
const NAME_LINES = 4;
const GAP = 2;

type Lines = Cell[];
/** The head, a cell for each spec, the totals. */
type Column = Lines[];

/** Totals first in Markdown, where a long table is cut at its end. */
export function comparisonDocument(comparison: Comparison): Document {
  return to => {
    if (to.layout) return comparisonText(comparison, to.layout);
    const { projects, specs } = comparison;
    const totals = projects.map(totalsOf);
    const rows = [
      ...Object.keys(totals[0]!).map(text => [{ text, strong: true }, ...totals.map(parts => parts[text]!)]),
      ...specs.map(({ spec, cells }) => [
        spec,
        ...projects.map(({ project }) => comparedCell(cells.find(cell => cell.project === project))),
      ]),
    ];
    const head = ['spec', ...projects.map(({ project }) => projectName(project))];
    return to.section('Side by side', [
      to.items(findingsOf(comparison).map(text => ({ text }))),
      to.table({ head, rows }, 1 / 2),
      'Each cell: passes of k, median turns, cost.',
    ]);
  };
}

/** The table, in blocks that fit the terminal, and below it the specs on which the projects differ. */
function comparisonText(comparison: Comparison, { colour, width, indent }: Layout): string {
  const room = width - indent.length;
  const specs = specColumn(comparison);
  const projects = comparison.projects.map(totals => projectColumn(comparison, totals));
  const tables = inBlocks(widthOf(specs), projects, room).map(block =>
    layOut([specs, ...block], { colour, indent }),
  );
  const findings = findingsOf(comparison).map(line => wrapped(line, room, indent));
  return [...tables, findings.join('\n')].join('\n\n');
}

function comparedCell(cell: ComparisonCell | undefined): string | Cell {
  if (!cell) return '-';
  const [sign, passes, turns, cost] = cellParts(cell);
  const verdict = cell.verdict === 'passed' ? `${sign} ${passes}` : `${sign} **${passes}**`;
  return { text: `${verdict} · ${turns} · ${escapeMarkdown(cost)}`, exact: true };
}

/** How the projects differ, one sentence each. Names are not escaped. */
export function findingsOf(comparison: Comparison): string[] {
  const { projects, pairs = [], differ, ratesDiffer, unclear, failures = [] } = comparison;
  const who = projects.length === 2 ? 'Both projects' : 'All projects';
  return [
    differ.length > 0 && `Verdicts differ on ${plural(differ.length, 'spec')}: ${differ.join(', ')}`,
    differ.length === 0 && unclear.length === 0 && `${who} come to the same verdicts.`,
    unclear.length > 0 && `Open, so not compared: ${few(unclear, 10)}`,
    ratesDiffer.length > 0 && `Same verdict, other pass rate: ${few(ratesDiffer, 10)}`,
    ...failures.flatMap(({ spec, groups }) => failedAlike(spec, groups) ?? []),
    ...pairs.filter(({ difference }) => difference !== 0).map(pairText),
  ].filter(line => line !== false);
}

/** What most failures of a spec have in common, if several projects share it. */
function failedAlike(spec: string, groups: readonly FailureGroup[]): string | undefined {
  const [{ trials, projects, text }] = groups as [FailureGroup];
  const failures = sumOf(groups, group => group.trials.length);
  return (
    projects &&
    `${spec}, ${few([...new Set(projects)].map(projectName), 5)}: ${trials.length} of ${failures} failures: ${text}`
  );
}

/** `✓`, `4/5`, `7`, `$0.42`: sign, passes, median turns, cost. */
function cellParts(cell: ComparisonCell): [sign: string, passes: string, turns: string, cost: string] {
  const turns = cell.turns === null ? '-' : String(cell.turns);
  return [SIGNS[cell.verdict], `${cell.passes}/${cell.k}`, turns, formatCost(cell.costUsd)];
}

/** The totals of a project, by name. Actions that went through page tools are told where there is one. */
function totalsOf(totals: ComparisonTotals): Record<string, string> {
  const { passes, failures, actions = 0, pageToolCalls } = totals;
  const share = formatRate(actions > 0 ? pageToolCalls! / actions : null);
  return {
    'specs passed': `${totals.specsPassed}/${totals.specs}`,
    'graded trials passed': `${passes}/${passes + failures} (${formatRate(totals.rate)})`,
    'pass^k': totals.passAll ? `${formatRate(totals.passAll.value)} (k ${totals.passAll.k})` : '-',
    cost: formatCost(totals.costUsd),
    'cost per pass': formatCost(totals.costPerPassUsd ?? null),
    ...(pageToolCalls === undefined
      ? {}
      : { 'actions by page tools': `${pageToolCalls}/${actions} (${share})` }),
  };
}

/** `opus / sonnet: pass rate +12 points (95%: +3 to +21) over 40 specs, p = 0.004: they differ` */
function pairText({ projects, specs, difference, interval, p, differ }: ComparedPair): string {
  const points = (value: number) => `${value > 0 ? '+' : ''}${Math.round(value * 100)}`;
  const range = interval ? ` (95%: ${points(interval[0])} to ${points(interval[1])})` : '';
  const names = projects.map(project => foldName(projectName(project))[0]).join(' / ');
  const chance = p < 0.001 ? 'p < 0.001' : `p = ${formatP(p)}`;
  const means = differ ? 'they differ' : 'too little to tell them apart';
  return `${names}: pass rate ${points(difference)} points${range} over ${plural(specs, 'spec')}, ${chance}: ${means}`;
}

export const projectName = (project: string) => cellText(project) || '(no name)';

function specColumn(comparison: Comparison): Column {
  return [
    [dim('passes, turns, cost')],
    ...comparison.specs.map(({ spec }) => foldName(cellText(spec)).map(text => ({ text }))),
    ...Object.keys(totalsOf(comparison.projects[0]!)).map(text => [dim(text)]),
  ];
}

function projectColumn({ specs }: Comparison, totals: ComparisonTotals): Column {
  const cells = specs.map(row => row.cells.find(({ project }) => project === totals.project));
  const parts = cells.map(cell => (cell ? cellParts(cell) : null));
  const widest = (part: number) => Math.max(...parts.map(found => found?.[part]?.length ?? 0));
  const widths = [0, 1, 2, 3].map(widest);
  const body = parts.map((found, index): Lines => {
    if (!found) return [dim('-')];
    const [sign, passes, turns, cost] = found.map((text, part) => text.padStart(widths[part]!));
    const style = STYLES[cells[index]!.verdict];
    return [{ text: `${sign} ${passes}  ${turns}  ${cost}`, style }];
  });
  return [
    foldName(projectName(totals.project)).map(dim),
    ...body,
    ...Object.values(totalsOf(totals)).map(text => [{ text }]),
  ];
}

const dim = (text: string): Cell => ({ text, style: 'dim' });

/** Folds a name into lines of at most NAME_WIDTH, after a separator if possible. Cut names could look the same. */
function foldName(name: string): string[] {
  const fits = (text: string) => displayWidth(text) <= NAME_WIDTH;
  const parts = name.split(/(?<=[-_/:. ])/u).flatMap(part => (fits(part) ? [part] : [...part]));
  const lines = [''];
  for (const part of parts) {
    if (!fits(lines.at(-1)! + part)) lines.push('');
    lines[lines.length - 1] += part;
  }
  return lines.length <= NAME_LINES
    ? lines
    : [...lines.slice(0, NAME_LINES - 1), `${lines[NAME_LINES - 1]}…`];
}

function widthOf(column: Column): number {
  return Math.max(...column.flatMap(lines => lines.map(({ text }) => displayWidth(text))));
}

/** As many columns side by side as fit, at least one. */
function inBlocks(left: number, columns: readonly Column[], room: number): Column[][] {
  const blocks: Column[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const column of columns) {
    used += GAP + widthOf(column);
    if (used > room) {
      blocks.push([]);
      used = left + GAP + widthOf(column);
    }
    blocks.at(-1)!.push(column);
  }
  return blocks;
}

function layOut(columns: readonly Column[], options: TableOptions): string {
  const rows = columns[0]!.flatMap((_, row) => {
    const height = Math.max(...columns.map(column => column[row]!.length));
    return Array.from({ length: height }, (_, line) =>
      columns.map(column => ({ text: '', ...column[row]![line], exact: true })),
    );
  });
  return table({ rows }, options);
}
