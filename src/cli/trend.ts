import { Option } from 'commander';
import { readHistory } from '../report/baseline';
import { formatRate, nameColumn, printableJson, specsAndTests, table } from '../report/format';
import { blocks, escapeMarkdown, markdownTable } from '../report/markdown';
import { DEFAULT_BASELINE_FILE } from '../report/results';
import { type Trend, trendsOf } from '../verdicts/trend';
import { readInput, tell } from './io';
import type { AddCommand } from './program';

interface TrendOptions {
  markdown?: boolean;
  json?: boolean;
  output?: string;
}

export const addTrend: AddCommand = (program, io) => {
  program
    .command('trend')
    .description("Show each spec's pass rate over the runs of a baseline, and where it began to fall.")
    .argument('[baseline]', 'a baseline', DEFAULT_BASELINE_FILE)
    .addOption(new Option('--markdown', 'as a table in Markdown').conflicts('json'))
    .option('--json', 'as JSON')
    .option('-o, --output <file>', 'write it to a file')
    .addHelpText(
      'after',
      `
A fall is named where the cumulative sum of the passes (CUSUM) is higher than chance lets it be,
corrected for the number of specs.

Examples:
  taskproof trend
  taskproof trend baselines/main.json --markdown > trend.md`,
    )
    .action(async (file: string, options: TrendOptions) => {
      const remedy = 'Save one with `taskproof baseline save`.';
      const trends = trendsOf(readHistory(await readInput(io, file, remedy), file));
      await tell(io, options.output, colour =>
        options.json
          ? printableJson({ schemaVersion: '1', specs: trends })
          : (options.markdown ? markdown : terminal)(trends, colour),
      );
    });
};

const headOf = (trends: readonly Trend[]) => [
  nameColumn(trends),
  'project',
  'rate over the runs',
  'all',
  'last',
  'began to fall',
];

function terminal(trends: readonly Trend[], colour: boolean): string {
  const rows = trends.map(trend => {
    const [spec = '', project = '', line = '', all = '', last = '', fell = ''] = cellsOf(trend);
    return [
      { text: spec, style: trend.fellAt ? ('red' as const) : undefined },
      project,
      line,
      all,
      last,
      fell,
    ];
  });
  const counts = `${specsAndTests(trends)}, ${trends.filter(({ fellAt }) => fellAt).length} fell`;
  return rows.length ? `${table(rows, { head: headOf(trends), colour })}\n\n${counts}` : counts;
}

function markdown(trends: readonly Trend[]): string {
  const rows = trends.map(trend => cellsOf(trend).map(text => escapeMarkdown(text)));
  return blocks(['### Taskproof: pass rates over time', markdownTable(headOf(trends), rows, 60_000)]);
}

function cellsOf({ spec, project, replayed, points, fellAt }: Trend): string[] {
  const sum = (what: 'passes' | 'failures') => points.reduce((total, point) => total + point[what], 0);
  const last = points.at(-1)!;
  return [
    spec,
    replayed ? `${project} (replayed)` : project,
    points.map(({ passes, failures }) => bar(passes / (passes + failures))).join(''),
    `${sum('passes')}/${sum('passes') + sum('failures')} (${formatRate(sum('passes') / (sum('passes') + sum('failures')))})`,
    `${last.passes}/${last.passes + last.failures}`,
    fellAt ?? '',
  ];
}

const BARS = '▁▂▃▄▅▆▇█';
const bar = (rate: number) => BARS[Math.round(rate * (BARS.length - 1))]!;
