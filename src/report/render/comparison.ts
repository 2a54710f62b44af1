// Agents side by side: specs as rows, projects as columns.
import { sumOf } from '../../data/collections';
import type { FailureGroup } from '../../data/diagnosis';
import type { ComparedPair, Comparison, ComparisonCell, ComparisonTotals } from '../../data/verdict';
import { few } from '../../text/line';
import { formatCost, formatRate, plural } from '../../text/print';
import { ALPHA } from '../../verdicts/change';
import { chanceText, formatP } from './diff';
import { type Cell, type Document, SIGNS, STYLES } from './document';
import { cellText } from './terminal-writer';

/** Totals first: Markdown cuts a long table at its end. */
export function comparisonDocument(comparison: Comparison): Document {
  const { projects, specs } = comparison;
  const totals = projects.map(totalsOf);
  const totalRows = Object.keys(totals[0]!).map((text): (string | Cell)[] => [
    { text, style: 'dim', strong: true },
    ...totals.map(parts => parts[text]!),
  ]);
  const rows = specs.map(({ spec, cells }) => [
    spec,
    ...projects.map(({ project }) => cellOf(cells.find(cell => cell.project === project))),
  ]);
  const head = ['passes, turns, cost', ...projects.map(({ project }) => projectName(project))];
  return to =>
    to.section(
      'Side by side',
      to.ranked([
        to.items(findingsOf(comparison).map(text => ({ text }))),
        to.table({ head, rows: [...totalRows, ...rows] }),
      ]),
    );
}

/** `✓ 4/5 · 7 · $0.42`: sign, passes, median turns, cost. */
function cellOf(cell: ComparisonCell | undefined): string | Cell {
  if (!cell) return '-';
  const { verdict, passes, k, turns, costUsd } = cell;
  const text = `${SIGNS[verdict]} ${passes}/${k} · ${turns ?? '-'} · ${formatCost(costUsd)}`;
  return { text, style: STYLES[verdict], strong: verdict !== 'passed' };
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

function failedAlike(spec: string, groups: readonly FailureGroup[]): string | undefined {
  const [{ trials, projects, text }] = groups as [FailureGroup];
  const failures = sumOf(groups, group => group.trials.length);
  return (
    projects &&
    `${spec}, ${few([...new Set(projects)].map(projectName), 5)}: ${trials.length} of ${failures} failures: ${text}`
  );
}

function totalsOf(totals: ComparisonTotals): Record<string, string> {
  const { passes, failures, actions = 0, pageToolCalls } = totals;
  const share = formatRate(actions > 0 ? pageToolCalls! / actions : null);
  return {
    'specs passed': `${totals.specsPassed}/${totals.specs}`,
    ...(totals.earlyStop
      ? { 'mean pass rate of specs': formatRate(totals.rate), 'pass^k': '- (stops early)' }
      : {
          'graded trials passed': `${passes}/${passes + failures} (${formatRate(totals.rate)})`,
          'pass^k': totals.passAll ? `${formatRate(totals.passAll.value)} (k ${totals.passAll.k})` : '-',
        }),
    cost: formatCost(totals.costUsd),
    'cost per pass': formatCost(totals.costPerPassUsd ?? null),
    ...(pageToolCalls === undefined
      ? {}
      : { 'actions by page tools': `${pageToolCalls}/${actions} (${share})` }),
  };
}

/** `opus / sonnet: pass rate +12 points (95%: +3 to +21) over 40 specs, p = 0.004: they differ` */
function pairText({ projects, specs, difference, interval, p, level = 1, differ }: ComparedPair): string {
  const points = (value: number) => `${value > 0 ? '+' : ''}${Math.round(value * 100)}`;
  const range = interval ? ` (95%: ${points(interval[0])} to ${points(interval[1])})` : '';
  const names = projects.map(projectName).join(' / ');
  // With many pairs the level is corrected: a p below ALPHA may not be small enough.
  const small =
    p <= level
      ? ', but the interval includes 0'
      : `, but with so many pairs at most ${formatP(level)} counts`;
  const why = p <= ALPHA && !differ ? small : '';
  const means = differ ? 'they differ' : 'too few trials to tell them apart';
  return `${names}: pass rate ${points(difference)} points${range} over ${plural(specs, 'spec')}, ${chanceText(p)}${why}: ${means}`;
}

const projectName = (project: string) => cellText(project) || '(no name)';
