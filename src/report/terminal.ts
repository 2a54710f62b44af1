// What the reporter prints: a line when a spec's verdict is settled, one table at the end.
import { stdout } from 'node:process';
import { oneLine } from '../trial/safe-text';
import { specName } from '../verdicts/verdict';
import { comparisonText } from './comparison-text';
import type { Diagnosed } from './diagnose';
import {
  type Cell,
  columnsFor,
  few,
  formatCost,
  formatDuration,
  type MaybeTest,
  nameColumn,
  paint,
  plural,
  rateText,
  SIGNS,
  STYLES,
  specLabel,
  specsAndTests,
  table,
  useColour,
  wrapped,
} from './format';
import type { ResultRow, Results } from './results';
import type { SpecRun } from './spec-run';
import { errorGroups, healings, sharedLines, whyLines } from './trial-notes';

/** Characters in a line if the output goes to no terminal: what CI's logs show without scrolling. */
const DEFAULT_WIDTH = 100;
const INDENT = '  ';
/** Names in a list of specs that did not run. */
const SHOWN_NAMES = 5;
/** Findings that several specs met. */
const SHOWN_FINDINGS = 5;

/** `  ✓ pricing-trial [opus] passed, 4/5 (needs 4)`, printed while other specs still run. */
export function settledLine(run: SpecRun): string {
  const { verdict, passes, k, minPasses } = run.verdict;
  const line = `  ${SIGNS[verdict]} taskproof ${nameOf(run)} ${verdict}, ${passes}/${k} so far, needs ${minPasses}`;
  return paint(STYLES[verdict], line, useColour(stdout));
}

/**
 * The end of a run: a table of verdicts, projects side by side if several have the same specs, and a line that counts
 * the verdicts. What has passed and is compared stands in the comparison alone: two tables of the same rows are one too many.
 */
export function verdictTable(results: Results, width = stdout.columns ?? DEFAULT_WIDTH): string {
  const colour = useColour(stdout);
  const { comparison } = results;
  const compared = new Set(comparison?.specs.map(({ spec }) => spec));
  const measured = results.verdicts.filter(row => !row.replayed);
  const ran = measured.filter(row => row.trials.length > 0);
  const unstarted = measured.filter(row => row.trials.length === 0);
  const rows = ran.filter(row => row.verdict !== 'passed' || !compared.has(specName(row)));
  const replayed = results.verdicts.filter(row => row.replayed);
  const { incompleteBecause = 'a shard, or trials are missing' } = results;
  const title = `Taskproof${results.complete ? '' : ` (incomplete: ${oneLine(incompleteBecause, 300)})`}`;
  return [
    '',
    paint('bold', title, colour),
    ...tablesOf(rows, colour),
    ...(unstarted.length
      ? [
          notRunLine(
            unstarted.map(row => ({ ...row, name: specLabel(specName(row), row.project) })),
            results.incompleteBecause,
          ),
        ]
      : []),
    ...(replayed.length ? replayedLines(replayed, colour) : []),
    ...errorLines(results),
    ...(comparison ? ['', comparisonText(comparison, { colour, width, indent: INDENT })] : []),
    '',
    `${INDENT}${countsLine(results)}`,
  ].join('\n');
}

/** Of specs, then of tests. */
function tablesOf(rows: readonly ResultRow[], colour: boolean): string[] {
  const specs = rows.filter(row => !row.titlePath);
  const tests = rows.filter(row => row.titlePath);
  const parts = [specs, tests].filter(part => part.length).map(part => rowTable(part, colour));
  return parts.flatMap((part, index) => (index ? ['', part] : [part]));
}

function rowTable(rows: readonly ResultRow[], colour: boolean): string {
  const rate = rows.some(row => row.replayed) ? 'rate' : 'rate (95%)';
  const all = [nameColumn(rows), 'project', 'verdict', 'passes', rate, 'turns', 'cost', 'reason'];
  const head = columnsFor(all, rows, ({ agent }) => agent !== null);
  const cells = rows.map(row => cellsOf(row).filter((_, index) => head.includes(all[index]!)));
  const right = head.length === all.length ? [5, 6] : [];
  // A log is as wide as its lines; in a terminal they would break.
  return table(cells, { head, colour, right, indent: INDENT, width: stdout.columns });
}

/** Specs of which no trial ran, told in one line: a row for each would say the same thing again and again. */
function notRunLine(
  rows: readonly (MaybeTest & { name: string })[],
  because: string | null | undefined,
): string {
  const why = because ? `: ${oneLine(because, 300)}` : '';
  return `${INDENT}${SIGNS.undecided} ${specsAndTests(rows)} did not run${why} (${few(
    rows.map(({ name }) => name),
    SHOWN_NAMES,
  )})`;
}

/** Apart from the agents': a replay says that the site still works as recorded, and nothing of an agent. */
function replayedLines(rows: readonly ResultRow[], colour: boolean): string[] {
  const healed = healings(rows).map(({ row, text }) =>
    paint('yellow', `${INDENT}${specLabel(specName(row), row.project)} ${text}`, colour),
  );
  return [
    '',
    `${INDENT}Replayed from recordings, which measures no agent:`,
    rowTable(rows, colour),
    ...healed,
  ];
}

/** Trials that say nothing about the site, apart from those that do: how many, why, and what to do. */
function errorLines({ verdicts }: Results): string[] {
  const groups = errorGroups(verdicts);
  if (!groups.length) return [];
  return [
    '',
    '  Not counted against the site:',
    ...groups.map(
      ({ kind, trials, hint }) => `  ${plural(trials, 'trial')} with error: ${oneLine(kind, 100)}. ${hint}`,
    ),
  ];
}

function cellsOf(row: ResultRow): (string | Cell)[] {
  return [
    specName(row),
    row.project,
    { text: `${SIGNS[row.verdict]} ${row.verdict}`, style: STYLES[row.verdict] },
    `${row.passes}/${row.k}, needs ${row.minPasses}${row.missing ? ` (${row.k - row.missing} ran)` : ''}`,
    rateText(row),
    row.turns === null ? '-' : String(row.turns),
    formatCost(row.costUsd),
    oneLine(whyLines(row)[0] ?? '', 160),
  ];
}

function countsLine({ verdicts, durationMs, costUsd = null }: Results): string {
  const measured = verdicts.filter(row => !row.replayed && !row.titlePath);
  const tests = verdicts.filter(row => row.titlePath);
  const replayed = verdicts.filter(row => row.replayed);
  const cost = columnsFor(['cost'], verdicts, ({ agent }) => agent !== null).length > 0;
  const several = new Set(measured.map(({ spec }) => spec)).size < measured.length;
  const counts = [
    measured.length > 0 && `${plural(measured.length, several ? 'verdict' : 'spec')}: ${countsOf(measured)}`,
    tests.length > 0 && `${plural(tests.length, 'test')}: ${countsOf(tests)}`,
    replayed.length > 0 && `${replayed.length} replayed: ${countsOf(replayed)}`,
  ];
  const spent = cost ? `, ${formatCost(costUsd)}` : '';
  return `${counts.filter(Boolean).join('; ')} (${formatDuration(durationMs)}${spent})`;
}

function countsOf(rows: readonly ResultRow[]): string {
  const healed = rows.filter(row => row.healed).length;
  return [
    ...Object.keys(SIGNS).map(name => [name, rows.filter(row => row.verdict === name).length] as const),
    ['healed', healed] as const,
  ]
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}

/**
 * What several specs met, and each lost spec with why it was lost: for the end of the terminal's output and the top of the
 * HTML report.
 */
export function lostSummary(
  lost: readonly SpecRun[],
  { specs }: Pick<Diagnosed, 'specs'>,
  { findings = [] }: Pick<Results, 'findings'>,
): string {
  const unstarted = lost.filter(run => !run.verdict.trials.length);
  const indented = (line: string) => wrapped(oneLine(line, 600), 100, '      ');
  const lines = lost
    .filter(run => run.verdict.trials.length)
    .map(run => {
      const { verdict, passes, k, minPasses, reason } = run.verdict;
      const why = whyLines({ verdict, reason, ...specs.get(run) }, findings).map(indented);
      return [
        `  ${SIGNS[verdict]} ${nameOf(run)} ${verdict}: ${passes}/${k} passed, needs ${minPasses}`,
        ...why,
      ].join('\n');
    });
  const shared = sharedLines(findings);
  const more =
    shared.length > SHOWN_FINDINGS ? [`and ${shared.length - SHOWN_FINDINGS} more in the results file`] : [];
  lines.unshift(...[...shared.slice(0, SHOWN_FINDINGS), ...more].map(line => wrapped(line, 100, INDENT)));
  if (unstarted.length) {
    const causes = new Set(unstarted.flatMap(({ missingBecause }) => missingBecause ?? []));
    lines.push(
      notRunLine(
        unstarted.map(run => ({ ...run.planned, name: nameOf(run) })),
        [...causes].join('; '),
      ),
    );
  }
  return `taskproof: ${specsAndTests(lost.map(({ planned }) => planned))} did not pass\n${lines.join('\n')}`;
}

const nameOf = ({ name, project, replayed }: SpecRun) =>
  `${specLabel(name, project)}${replayed ? ', replayed,' : ''}`;
