import { DEFAULT_BASELINE_FILE } from '../data/results';
import type { Graded } from '../data/verdict';
import { type Columns, gridOf, projectOf, specsAndTests } from '../report/render/document';
import { formatRate } from '../text/print';
import { totalOf } from '../verdicts/statistics';
import { type Trend, trendsOf } from '../verdicts/trend';
import { addTellOptions, readBaseline, type TellOptions, tell } from './io';
import type { AddCommand } from './program';

export const addTrend: AddCommand = (program, io) => {
  addTellOptions(program.command('trend'), 'as a table in Markdown')
    .description("Show each spec's pass rate over the runs of a baseline, and where it began to fall.")
    .argument('[baseline]', 'a baseline', DEFAULT_BASELINE_FILE)
    .addHelpText(
      'after',
      `
The runs are cut in two where the later ones are most clearly worse (Fisher's exact test). It is a fall
if chance does not explain it, corrected for the number of cuts and specs.

Examples:
  taskproof trend
  taskproof trend baselines/main.json --markdown > trend.md`,
    )
    .action(async (file: string, options: TellOptions) => {
      const trends = trendsOf(await readBaseline(io, file));
      const grid = gridOf(trends, COLUMNS);
      const counts = `${specsAndTests(trends)}, ${trends.filter(({ fellAt }) => fellAt).length} fell`;
      await tell(io, options, {
        json: () => ({ schemaVersion: '1', specs: trends }),
        document: to =>
          to.ranked([
            to.isMarkdown && '### Taskproof: pass rates over time',
            to.lines([counts]),
            trends.length > 0 && to.table(grid),
          ]),
      });
    });
};

const passesOf = ({ passes, failures }: Graded) => `${passes}/${passes + failures}`;
const rateOf = ({ passes, failures }: Graded) => passes / (passes + failures);

const COLUMNS: Columns<Trend> = {
  spec: ({ spec, fellAt }) => ({ text: spec, style: fellAt ? 'red' : undefined }),
  project: projectOf,
  'rate over the runs': ({ points }) => points.map(point => bar(rateOf(point))).join(''),
  all: ({ points }) => `${passesOf(totalOf(points))} (${formatRate(rateOf(totalOf(points)))})`,
  last: ({ points }) => passesOf(points.at(-1)!),
  'began to fall': ({ fellAt }) => fellAt ?? '',
};

const BARS = '▁▂▃▄▅▆▇█';
const bar = (rate: number) => BARS[Math.round(rate * (BARS.length - 1))]!;
