// What people read at the end of a run and of a command, whole: stored results in, the text of each writer out. After a deliberate
// change: npx vitest run --project unit tests/unit/report/render/goldens.test.ts -u
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Results, readResults } from '../../../../src/data/results';
import { confirmDocument, outcomeLines, planText } from '../../../../src/report/render/diff';
import { commentWriter } from '../../../../src/report/render/markdown-writer';
import { renderSummary, verdictTable } from '../../../../src/report/render/run';
import { terminalWriter } from '../../../../src/report/render/terminal-writer';
import { printable } from '../../../../src/text/print';
import { diffVerdicts, outcomeOf } from '../../../../src/verdicts/change';
import { compareProjects } from '../../../../src/verdicts/compare';
import { suite } from '../../cli/suite';
import { confirmation, diffOf } from './confirmation';
import { results, row } from './rows';

const DATA = join(__dirname, '../../../data/0.1');
const read = (file: string) => readFileSync(join(DATA, file), 'utf8');
const same = (text: string, golden: string) =>
  expect(`${text}\n`).toMatchFileSnapshot(join(__dirname, 'goldens', golden));

/** As a hostile file would have it: names and reasons that format, link, command and move the cursor. */
const EVIL =
  '<img src=x> | `a`\n::error::boom ##[error] @octocat #12 https://evil.example \u001b[31mred\u202e';
const hostile = () =>
  read('results/whole.json').replace(/"(reason|project|spec|headline|parted|text)":\s*"/g, (found, name) =>
    name === 'text' ? found : `${found}${JSON.stringify(EVIL).slice(1, -1)} `,
  );

const HEALED = { turn: 5, reason: 'action 4: button "Place order" not found', recording: 'r/pay.json' };
const DIAGNOSIS = {
  ...{ headline: 'trial 2/5: nothing matches "h1"', parted: 'turn 3: button "Pay"' },
  ...{ groups: [], partings: [], findings: [], others: [] },
};
const lexical = { project: 'lexical', agent: 'lexical' };
const replay = { project: 'replays', agent: 'replay', replayed: true, interval: null };
const one = { titlePath: ['a.spec.ts', 'answers'], agent: null, turns: null, costUsd: 0 };

/** Three agents, replays, an ordinary test; failures that are tolerated, diagnosed, healed; errors, missing trials, unknown costs. */
const MIXED = [
  row('cart', 'ppppp', { turns: 12, costUsd: 1.5 }),
  row('cart', 'pfppp', { ...lexical, diagnosis: DIAGNOSIS }),
  row('checkout', 'ppppp'),
  row('checkout', 'pffff', { ...lexical, costUsd: null, diagnosis: DIAGNOSIS }),
  row('checkout', 'ppee', { project: '', agent: 'mine' }, { errorKind: 'of-a-later-version' }),
  row('pay', 'ppeee', { turns: null }, { screenshot: 'turn-4.jpg' }),
  row('pay', 'ppp', lexical),
  row('pay', 'p--', { project: 'slow' }),
  row('a-rather-long-name-of-a-spec', 'pppf', { project: 'slow' }),
  row('never-ran', '---'),
  row('cart', 'f', replay, { healed: HEALED }),
  row('pay', 'p', replay, { healed: HEALED }),
  row('answers', 'pp', one),
];
const PAGE_TOOLS = [
  row('cart', 'pp', { project: 'with', actions: 8, pageToolCalls: 6 }),
  row('cart', 'pp', { project: 'without', actions: 20 }),
  row('cart', 'ee', { project: 'down', pageToolCalls: 0 }),
];
const FAR_APART = ['one', 'two'].flatMap(spec => [
  row(spec, 'ppppp'),
  row(spec, 'fffff', { ...lexical, diagnosis: { ...DIAGNOSIS, parted: null } }),
]);
const MANY = Array.from({ length: 12 }, (_, n) => `s${10 + n}`);
const SAME_VERDICTS = MANY.flatMap(spec => [
  row(spec, 'pfp', { diagnosis: DIAGNOSIS }),
  row(spec, 'ppp', lexical),
]);
const shard = [
  row('cart', 'pp'),
  row('login', 'p--', { inOtherShards: 2, minPasses: 3 }),
  row('menu', 'pf-', { inOtherShards: 1, minPasses: 3 }),
];
const made = (verdicts: Results['verdicts'], more: Partial<Results> = {}) => {
  const comparison = more.shard ? undefined : compareProjects(verdicts);
  return JSON.stringify(results(verdicts, { ...(comparison ? { comparison } : {}), ...more }));
};

const RUNS: [name: string, text: string][] = [
  ...['whole', 'early-stop', 'shard-1', 'healed', 'replay'].map((name): [string, string] => [
    name,
    read(`results/${name}.json`),
  ]),
  ['hostile', hostile()],
  ['mixed', made(MIXED, { complete: false, costUsd: null })],
  ['page-tools', made(PAGE_TOOLS)],
  ['far-apart', made(FAR_APART)],
  ['same-verdicts', made(SAME_VERDICTS)],
  ['one-test', made([row('answers', 'pp', one)])],
  ['one-spec', made([row('cart', 'pp', { project: '' })])],
  ['open-shard', made(shard, { shard: '1/2', complete: false })],
  [
    'broken-shard',
    made([row('cart', 'p-', { minPasses: 2 })], {
      shard: '1/2',
      complete: false,
      incompleteBecause: 'a fault',
    }),
  ],
];

test.each(RUNS)('a run: %s', async (name, text) => {
  const given = readResults(text, name);
  await same(printable(verdictTable(given)), `run-${name}.txt`);
  await same(renderSummary(given), `run-${name}.md`);
  if (name !== 'mixed') return;
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('FORCE_COLOR', '1');
  await same(printable(verdictTable(given), true).replaceAll('\u001b', '<ESC>'), 'run-coloured.txt');
});

/** The results of a later run: in every project its first passing spec fails, and the last one is gone. */
function later(text: string): string {
  const given = readResults(text, 'r.json');
  const flip = (row: Results['verdicts'][number]) => ({
    ...row,
    ...{ verdict: 'failed', passes: 0, failures: row.passes + row.failures, reason: 'trial 1/5: it stayed' },
  });
  const verdicts = given.verdicts.slice(0, -1).map(row => (row.verdict === 'passed' ? flip(row) : row));
  return JSON.stringify({ ...given, verdicts });
}

test.each<[string, string, string]>([
  ['same', read('results/whole.json'), read('results/whole.json')],
  ['worse', read('results/whole.json'), later(read('results/whole.json'))],
  ['other', read('results/early-stop.json'), read('results/whole.json')],
  ['hostile', hostile(), later(hostile())],
  [
    'changed',
    made([row('cart', 'ppp', { specHash: 'a' }), row('pay', 'ppp'), row('pay', 'p', replay)]),
    made([row('cart', 'fff', { specHash: 'b' }), row('pay', 'ppp'), row('pay', 'f', replay)]),
  ],
  ['empty', made([]), made([])],
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

/** The candidates of this diff: two fell far, one a little, one has too small a baseline. */
const DIFF = diffOf(
  { cart: 'ppp', docs: 'ppp', login: 'ppp', menu: 'p', same: 'p' },
  { cart: 'pff', docs: 'ppf', login: 'ppf', menu: 'f', same: 'p' },
);
const SAME = diffOf({ same: 'p' }, { same: 'p' });
const INTERRUPTED = { passes: 2, failures: 1, errors: 2, costUsd: null, reason: 'the run was interrupted' };
const FELL = { before: { passes: 9, failures: 1 }, after: { passes: 1, failures: 1 } };

const CONFIRMED = {
  all: confirmation(
    DIFF,
    {
      cart: { answer: 'regressed', fresh: { passes: 1, failures: 6, costUsd: 0.7 } },
      docs: { answer: 'not confirmed', fresh: { passes: 5, costUsd: 0.5 } },
      login: { fresh: INTERRUPTED },
      menu: { rule: { trials: 15, enough: null }, played: false },
    },
    { outcome: 'worse', costUsd: null },
  ),
  'nothing to confirm': confirmation(SAME, {}, { outcome: 'same' }),
  'nothing confirmed': confirmation(
    DIFF,
    { docs: { answer: 'not confirmed', fresh: { passes: 1 } } },
    { outcome: 'same', costUsd: 0.1 },
  ),
  'one trial, against several': confirmation(DIFF, { docs: { rule: { trials: 1, enough: null } } }),
  'too few graded': confirmation(DIFF, { docs: { fresh: { passes: 2 } } }),
  'a spec that is gone': confirmation(DIFF, { docs: { played: false } }),
  'a doubt beside': confirmation(diffOf({ cart: 'ppp', docs: 'p' }, { cart: 'pff' }), {
    cart: { answer: 'not confirmed', fresh: { passes: 3 } },
  }),
  'a fall of the suite': confirmation(
    SAME,
    {},
    { outcome: 'worse', suite: { specs: 1, p: 0.012, fell: true, ...FELL } },
  ),
};

test('confirmations', async () => {
  const shown = Object.entries(CONFIRMED).map(
    ([name, each]) => `----- ${name}\n${confirmDocument(each)(terminalWriter())}`,
  );
  await same(shown.join('\n\n'), 'confirm.txt');
  const { all, 'nothing confirmed': none } = CONFIRMED;
  await same([all, none].map(each => confirmDocument(each)(commentWriter)).join('\n\n-----\n'), 'confirm.md');
  const coloured = confirmDocument(all)(terminalWriter({ colour: true }));
  await same(coloured.replaceAll('\u001b', '<ESC>'), 'confirm-coloured.txt');
});

test('what a confirmation is about to run', async () => {
  const [cart, docs] = ['cart', 'docs'].map(spec => ({ spec, project: 'opus' }));
  const texts = [
    planText([cart!], 15, [0.1], undefined),
    planText([cart!, docs!], 1, [0.1, 0.2], 5),
    planText([cart!, docs!], 2, [0.1, null], undefined),
  ];
  await same(texts.join('\n\n'), 'confirm-plans.txt');
});

test('outcomes of a comparison', async () => {
  const some = diffOf({ a: 'pp', b: 'p', c: 'p' }, { a: 'pf', c: 'e', d: 'p', e: 'p' });
  const outcomes = {
    nothing: outcomeOf(diffVerdicts([], [])),
    'the same': outcomeOf(SAME),
    worse: outcomeOf(diffOf({ a: 'ppppp' }, { a: 'fffff' })),
    'a candidate, and doubts': outcomeOf(some),
    'all doubts allowed': outcomeOf(some, new Set(['removed', 'added', 'unclear', 'candidates'])),
    'a doubt alone': outcomeOf(diffOf({ a: 'p' }, { a: 'p', d: 'p' })),
    'a fall of the suite, which is said elsewhere': outcomeOf({
      ...SAME,
      suite: { ...SAME.suite!, fell: true },
    }),
  };
  const texts = Object.entries(outcomes).map(([name, each]) => `${name}:\n${outcomeLines(each).join('\n')}`);
  await same(texts.join('\n\n'), 'outcomes.txt');
});
