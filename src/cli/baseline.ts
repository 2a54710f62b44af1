// The history of a suite: `taskproof baseline save` keeps it, `taskproof trend` shows it.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import {
  baselineText,
  DEFAULT_RUNS,
  type HistoryRun,
  historyRun,
  MOST_RUNS,
  newest,
  readHistory,
} from '../data/baseline';
import { keyOf } from '../data/plan';
import { DEFAULT_BASELINE_FILE, DEFAULT_RESULTS_FILE, type Results } from '../data/results';
import type { Graded } from '../data/verdict';
import { type Columns, gridOf, projectOf, specsAndTests } from '../report/render/document';
import { few } from '../text/line';
import { formatRate, plural } from '../text/print';
import { pooledBaseline, type Trend, trendsOf } from '../verdicts/history';
import { rateOf, totalOf } from '../verdicts/statistics';
import {
  addTellOptions,
  CommandError,
  type Io,
  readBaseline,
  readInput,
  readRun,
  type TellOptions,
  tell,
  writeOutput,
} from './io';
import type { AddCommand } from './program';

type SaveOptions = { output: string; runs: number; replace?: boolean; force?: boolean };

export const addBaseline: AddCommand = (program, io) => {
  program
    .command('baseline')
    .description('Keep the verdicts of runs to compare later runs with.')
    .command('save')
    .description('Add a run to the baseline.')
    .argument('[results...]', `results files of whole runs (default: "${DEFAULT_RESULTS_FILE}")`)
    .option('-o, --output <file>', 'the baseline', DEFAULT_BASELINE_FILE)
    .option(
      '--runs <n>',
      'how many runs of each spec to keep; the oldest are dropped',
      atLeastOne,
      DEFAULT_RUNS,
    )
    .option('--replace', 'start a new baseline with these runs')
    .option('--force', 'save even if the run is incomplete or lacks specs of the baseline')
    .helpEnd(`
The baseline holds counts per spec, without trials: small enough to be committed. Later runs are
compared with all its runs together; a changed spec, agent or model starts its own counts.
Each run is one line, named by its start. Saving a run again changes nothing. A run that was resumed or
regraded replaces what was saved of it.

Examples:
  taskproof baseline save
  taskproof baseline save monday.json tuesday.json --output baselines/main.json
Then compare a later run with it:
  taskproof diff ${DEFAULT_BASELINE_FILE}`)
    .action((files: string[], options: SaveOptions) =>
      save(io, files.length ? files : [DEFAULT_RESULTS_FILE], options),
    );
};

export function atLeastOne(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MOST_RUNS) return number;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_RUNS}.`);
}

async function save(io: Io, files: readonly string[], options: SaveOptions): Promise<void> {
  const { output, runs: keep, replace, force } = options;
  const results = await Promise.all(files.map(file => readRun(io, file)));
  const added = results.map(historyRun);
  const empty = added.findIndex(({ verdicts }) => !verdicts.length);
  if (empty >= 0) throw new CommandError(`${files[empty]} has no graded trial, so there is nothing to save.`);
  const kept =
    replace || !existsSync(resolve(io.cwd, output))
      ? []
      : readHistory(await readInput(io, output, 'Name another file with --output.'), output);
  if (!force) {
    for (const [index, run] of results.entries()) refusePart(run, files[index]!);
    refuseToForget(kept, results, output);
  }
  const runs = newest([...kept, ...added], keep);
  await writeOutput(io, output, baselineText(runs, keep));
  const saved = results.flatMap(({ verdicts }) => verdicts).length;
  const started = added.map(({ startedAt }) => startedAt).join(', ');
  if (results.some(({ filtered }) => filtered))
    io.err('Note: the run was filtered (--grep or similar), so it is kept as a partial run.');
  io.out(
    `Saved ${plural(saved, 'verdict')} of ${started} to ${output}, which holds ${plural(runs.length, 'run')}`,
  );
}

function refusePart({ complete, verdicts }: Results, file: string): void {
  const open = namesOf(verdicts.filter(row => row.verdict === 'undecided'));
  if (!complete)
    throw new CommandError(
      `${file} is from an incomplete run (a shard, or an interrupted run).${open && ` These lack trials: ${open}.`} Merge the shards' reports or run again, or use --force to save it as a partial run.`,
    );
}

/** If a run without these specs were saved, later comparisons would take them for removed. */
function refuseToForget(kept: readonly HistoryRun[], given: readonly Results[], output: string): void {
  const rows = given.filter(({ filtered }) => !filtered).flatMap(({ verdicts }) => verdicts);
  const here = new Set(rows.map(keyOf));
  const known = pooledBaseline(kept, []);
  const lost = known.filter(row => !here.has(keyOf(row)));
  const isOther = rows.length > 0 && lost.length === known.length;
  const missing = lost.filter(({ project }) => isOther || rows.some(row => row.project === project));
  if (missing.length)
    throw new CommandError(
      `${output} has ${plural(missing.length, 'verdict')} that this run lacks: ${namesOf(missing)}. If you removed these specs from the suite, save with --force. If it is the baseline of another suite, name another file with --output. Otherwise run the whole suite.`,
    );
}

const namesOf = (rows: readonly { spec: string }[]) => few([...new Set(rows.map(({ spec }) => spec))], 5);

export const addTrend: AddCommand = (program, io) => {
  addTellOptions(program.command('trend'), 'as a table in Markdown')
    .description("Show each spec's pass rate over the runs of a baseline, and where it began to fall.")
    .argument('[baseline]', 'a baseline', DEFAULT_BASELINE_FILE)
    .helpEnd(`
The runs are cut in two where the later ones are most clearly worse (Fisher's exact test). It is a fall
if chance does not explain it, corrected for the number of cuts and specs. A changed spec, agent or
model starts its own counts.

Examples:
  taskproof trend
  taskproof trend baselines/main.json --markdown > trend.md`)
    .action(async (file: string, options: TellOptions) => {
      const trends = trendsOf(await readBaseline(io, file));
      const hasChanged = trends.some(({ changedAt }) => changedAt);
      const grid = gridOf(trends, hasChanged ? { ...COLUMNS, ...CHANGED } : COLUMNS);
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

const COLUMNS: Columns<Trend> = {
  spec: ({ spec, fellAt }) => ({ text: spec, style: fellAt ? 'red' : undefined }),
  project: projectOf,
  'rate over the runs': ({ points }) => points.map(point => bar(rateOf(point))).join(''),
  all: ({ points }) => `${passesOf(totalOf(points))} (${formatRate(rateOf(totalOf(points)))})`,
  last: ({ points }) => passesOf(points.at(-1)!),
  'began to fall': ({ fellAt }) => fellAt ?? '',
};

const CHANGED: Columns<Trend> = {
  'new spec, agent or model since': ({ changedAt }) => changedAt ?? '',
};

const BARS = '▁▂▃▄▅▆▇█';
const bar = (rate: number) => BARS[Math.round(rate * (BARS.length - 1))]!;
