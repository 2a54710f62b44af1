// What people read at the end of a run and of a command, whole: stored results in, the text of each writer out. After a deliberate
// change: npx vitest run --project unit tests/unit/report/render/goldens.test.ts -u
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Results, readResults } from '../../../../src/data/results';
import { renderSummary, verdictTable } from '../../../../src/report/render/run';
import { printable } from '../../../../src/text/print';
import { suite } from '../../cli/suite';

const DATA = join(__dirname, '../../../data/0.1');
const read = (file: string) => readFileSync(join(DATA, file), 'utf8');
const same = (text: string, golden: string) =>
  expect(`${text}\n`).toMatchFileSnapshot(join(__dirname, 'goldens', golden));

const { columns } = process.stdout;
beforeEach(() => {
  process.stdout.columns = 100;
});
afterEach(() => {
  process.stdout.columns = columns;
});

/** As a hostile file would have it: names and reasons that format, link, command and move the cursor. */
const EVIL =
  '<img src=x> | `a`\n::error::boom ##[error] @octocat #12 https://evil.example \u001b[31mred\u202e';
const hostile = () =>
  read('results/whole.json').replace(/"(reason|project|spec|headline|parted|text)":\s*"/g, (found, name) =>
    name === 'text' ? found : `${found}${JSON.stringify(EVIL).slice(1, -1)} `,
  );

const RUNS: [name: string, text: string][] = [
  ...['whole', 'early-stop', 'shard-1', 'healed', 'replay'].map((name): [string, string] => [
    name,
    read(`results/${name}.json`),
  ]),
  ['hostile', hostile()],
];

test.each(RUNS)('a run: %s', async (name, text) => {
  const results: Results = readResults(text, name);
  const shown = [100, 60].map(width => {
    process.stdout.columns = width;
    return printable(verdictTable(results));
  });
  await same(shown.join('\n\n----- 60 columns\n'), `run-${name}.txt`);
  await same(renderSummary(results), `run-${name}.md`);
});

/** The results of a later run: in every project its first passing spec fails, and the last one is gone. */
function later(text: string): string {
  const results = readResults(text, 'r.json');
  const flip = (row: Results['verdicts'][number]) => ({
    ...row,
    ...{ verdict: 'failed', passes: 0, failures: row.passes + row.failures, reason: 'trial 1/5: it stayed' },
  });
  const verdicts = results.verdicts.slice(0, -1).map(row => (row.verdict === 'passed' ? flip(row) : row));
  return JSON.stringify({ ...results, verdicts });
}

test.each<[string, string, string]>([
  ['same', read('results/whole.json'), read('results/whole.json')],
  ['worse', read('results/whole.json'), later(read('results/whole.json'))],
  ['other', read('results/early-stop.json'), read('results/whole.json')],
  ['hostile', hostile(), later(hostile())],
])('a diff: %s', async (name, before, after) => {
  const { taskproof } = suite({ 'before.json': before, 'after.json': after });
  await same(printable((await taskproof(['diff', 'before.json', 'after.json'])).out), `diff-${name}.txt`);
  await same((await taskproof(['diff', 'before.json', 'after.json', '--markdown'])).out, `diff-${name}.md`);
  if (name !== 'worse') return;
  const { out } = await taskproof(['diff', 'before.json', 'after.json'], { colour: true });
  await same(out.replaceAll('\u001b', '<ESC>'), 'diff-coloured.txt');
});

test('a trend', async () => {
  const { taskproof } = suite({ 'b.json': read('baselines/two.json') });
  await same((await taskproof(['trend', 'b.json'])).out, 'trend.txt');
  await same((await taskproof(['trend', 'b.json', '--markdown'])).out, 'trend.md');
});
