// What the reporter prints: a line when a spec's verdict is settled, one table at the end.
import { stdout } from 'node:process';
import { errorGroups } from './hints';
import type { ResultRow, Results } from './results';
import type { SpecRun } from './spec-run';
import {
  type Cell,
  formatCost,
  formatDuration,
  formatRate,
  paint,
  plain,
  plural,
  table,
  useColour,
} from './text';

const STYLES = { passed: 'green', failed: 'red', inconclusive: 'yellow', undecided: 'yellow' } as const;
const SIGNS = { passed: '✓', failed: '✗', inconclusive: '?', undecided: '…' } as const;

/** `  ✓ pricing-trial [opus] passed, 4/5 (needs 4)`, printed while other specs still run. */
export function settledLine(run: SpecRun): string {
  const { verdict, passes, k, minPasses } = run.verdict;
  const line = `  ${SIGNS[verdict]} taskproof ${name(run.planned.id, run.project)} ${verdict}, ${passes}/${k} so far, needs ${minPasses}`;
  return paint(STYLES[verdict], line, useColour(stdout));
}

/** The table at the end of a run, and a line that counts its verdicts. */
export function verdictTable(results: Results): string {
  const colour = useColour(stdout);
  const head: Cell[] = ['spec', 'project', 'verdict', 'passes', 'rate (95%)', 'turns', 'cost', 'reason'].map(
    text => ({
      text,
      style: 'dim' as const,
    }),
  );
  const rows = results.verdicts.map(row => cells(row));
  return [
    '',
    paint(
      'bold',
      `Taskproof${results.complete ? '' : ' (incomplete: a shard, or trials are missing)'}`,
      colour,
    ),
    table([head, ...rows], { colour, right: [5, 6], indent: '  ' }),
    ...errorLines(results),
    '',
    `  ${countsLine(results)}`,
  ].join('\n');
}

/** Trials that say nothing about the site, apart from those that do: how many, why, and what to do. */
function errorLines({ verdicts }: Results): string[] {
  const groups = errorGroups(verdicts);
  if (!groups.length) return [];
  return [
    '',
    '  Not counted against the site:',
    ...groups.map(({ kind, trials, hint }) => `  ${plural(trials, 'trial')} with error: ${kind}. ${hint}`),
  ];
}

function cells(row: ResultRow): (string | Cell)[] {
  return [
    row.spec,
    row.project,
    { text: `${SIGNS[row.verdict]} ${row.verdict}`, style: STYLES[row.verdict] },
    `${row.passes}/${row.k}, needs ${row.minPasses}${row.missing ? ` (${row.k - row.missing} ran)` : ''}`,
    formatRate(row.rate, row.interval),
    row.turns === null ? '-' : String(row.turns),
    formatCost(row.costUsd),
    row.reason ? plain(row.reason, 160) : '',
  ];
}

function countsLine({ verdicts, durationMs, costUsd = null }: Results): string {
  const counts = Object.entries(SIGNS)
    .map(([verdict]) => [verdict, verdicts.filter(row => row.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`);
  return `${plural(verdicts.length, 'spec')}: ${counts.join(', ')} (${formatDuration(durationMs)}, ${formatCost(costUsd)})`;
}

/** One line for each lost spec, for the end of the terminal's output and the top of the HTML report. */
export function lostSummary(lost: readonly SpecRun[]): string {
  const lines = lost.map(run => {
    const { verdict, passes, k, minPasses, reason } = run.verdict;
    return `  ${SIGNS[verdict]} ${name(run.planned.id, run.project)} ${verdict}: ${passes}/${k} passed, needs ${minPasses}${reason ? `\n${wrapped(plain(reason, 600), 100, '      ')}` : ''}`;
  });
  return `taskproof: ${plural(lost.length, 'spec')} did not pass\n${lines.join('\n')}`;
}

function name(spec: string, project: string): string {
  return project ? `${spec} [${plain(project)}]` : spec;
}

/** In lines of about `width` characters: the HTML report scrolls what is longer out of sight. */
function wrapped(text: string, width: number, indent: string): string {
  const lines = text.match(new RegExp(`.{1,${width}}(?: |$)|\\S+`, 'gu')) ?? [];
  return lines.map(line => indent + line.trimEnd()).join('\n');
}
