// Two agents are two projects over the same specs, beside tests with a pass policy: they stand side by side, and what the blobs of
// shards come to when they are merged is what one whole run comes to.
import { cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Results } from '../../src/data/results';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST } from './suite';

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

/** Clicks unless its project is to fail on this trial; each turn costs a cent. */
const agent = (name: string, failing: Record<string, number>) => `defineAgent({
  name: '${name}', model: '${name}-1',
  async run(task) {
    const failing = ${JSON.stringify(failing)}[task.specId] ?? 0;
    task.usage({ inputTokens: 10, costUsd: 0.01 });
    await task.turn('click Go', async () => {
      if (test.info().repeatEachIndex >= failing) await task.page.getByText('Go').click();
    });
  },
})`;

// Played after the specs, and what fails comes last: a worker starts after each failure but the last one.
const TESTS = `import { expect, test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
const isFirst = () => test.info().repeatEachIndex === 0;
test('wavers', passPolicy({ k: 2, minPasses: 1 }), async () => {
  test.setTimeout(500);
  if (!isFirst()) await new Promise(() => {});
});
test.describe('strict', () => {
  test('answers', passPolicy({ k: 2, minPasses: 2 }), () => { expect(isFirst()).toBe(true); });
});
test('answers', passPolicy({ k: 2, minPasses: 1 }), () => { expect(1, 'the answer names the policy').toBe(2); });
`;

async function makeShardedSuite(): Promise<Suite> {
  const site = await startSite({ '/': PAGE });
  const project = (name: string, failing: Record<string, number>, more: string) =>
    `{ name: '${name}', ...repeats('tasks/**/*.yaml'), use: { taskproof: { agent: ${agent(name, failing)} } }, ${more} }`;
  const ours = `'@taskproof/playwright/reporter'`;
  const tasks = ['alone', 'pricing', 'refund'].map(id => [
    `tasks/${id}.yaml`,
    spec({ id, url: `${site.url}/`, k: id === 'alone' ? 1 : 2, minPasses: 1 }),
  ]);
  return makeSuite({
    'playwright.config.ts': config({
      imports: `import { test } from '@playwright/test';`,
      projects: `[
        ${project('strong', {}, `testIgnore: 'tests.spec.ts'`)},
        ${project('weak', { pricing: 1, refund: 2 }, `testIgnore: 'z-once.spec.ts', grepInvert: /alone/, fullyParallel: false`)},
      ]`,
      reporters: `process.env.BLOB ? [['blob'], [${ours}]] : [['list'], [${ours}, { summary: 'summary.md' }]]`,
    }),
    'merge.config.ts': `export default { reporter: [['list'], [${ours}], ['json', { outputFile: 'pw.json' }], ['junit', { outputFile: 'pw.xml' }]] };`,
    ...Object.fromEntries(tasks),
    'tasks.spec.ts': TASKS_TEST,
    'tests.spec.ts': TESTS,
    'z-once.spec.ts': `import { expect, test } from '@playwright/test';\ntest('once', () => { expect(1).toBe(2); });`,
  });
}

let suite: Suite;
let whole: Run;
const shards: { run: Run; results: Results }[] = [];

beforeAll(async () => {
  suite = await makeShardedSuite();
  whole = await suite.playwright(['test']);
  expected = timeless(whole.results());
  for (const index of [1, 2, 3]) {
    const run = await suite.playwright(['test', `--shard=${index}/3`], {
      BLOB: '1',
      PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs', `report-${index}.zip`),
    });
    shards.push({ run, results: run.results() });
  }
  await suite.playwright(['test', '--grep', 'alone'], {
    BLOB: '1',
    PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs-good/good.zip'),
  });
  // Nothing but the blobs is at hand where they are merged.
  for (const gone of [
    'tasks',
    'tasks.spec.ts',
    'tests.spec.ts',
    'z-once.spec.ts',
    'playwright.config.ts',
    'test-results',
  ])
    rmSync(join(suite.folder, gone), { recursive: true });
});

/** The same in every run of the same trials: without times. */
function timeless({ verdicts, complete, status, filtered, comparison }: Results) {
  return {
    comparison,
    filtered,
    complete,
    status,
    verdicts: verdicts.map(row => ({
      ...row,
      trials: row.trials.map(({ durationMs, ...trial }) => trial),
    })),
  };
}

let expected: ReturnType<typeof timeless>;

const SHOWN = [
  /^ {2}passes, turns, cost +strong +weak$/m,
  /^ {2}refund +✓ 2\/2 {2}1 {2}\$0\.02 +✗ 0\/2 {2}1 {2}\$0\.02$/m,
  /^ {2}specs passed +2\/2 +1\/2$/m,
  /^ {2}Verdicts differ on 1 spec: refund$/m,
  /^ {2}Same verdict, other pass rate: pricing$/m,
  // Lost specs keep their row and have a block with the reason; specs that are not compared keep their row.
  /^ {2}refund +weak +✗ failed/m,
  /^ {2}✗ refund \[weak\] failed: 0\/2 passed, needs 1\n.*none is visible/m,
  /^ {2}alone +strong +✓ passed/m,
];

const rowsOf = ({ verdicts }: Pick<typeof expected, 'verdicts'>) =>
  verdicts.map(row => `${row.spec} ${row.project} ${row.verdict} ${row.passes}/${row.k}`);

test('the whole run judges each spec and each test with a policy in each project', () => {
  expect(whole.exitCode, whole.output).toBe(1);
  expect(rowsOf(expected)).toEqual([
    'alone strong passed 1/1',
    'pricing strong passed 2/2',
    'pricing weak passed 1/2',
    'refund strong passed 2/2',
    'refund weak failed 0/2',
    'strict › answers weak failed 1/2',
    'tests.spec.ts › answers weak failed 0/2',
    'wavers weak passed 1/2',
  ]);
});

test('two projects stand side by side: the table, the JSON, the summary', () => {
  expect(expected.comparison, whole.output).toMatchObject({
    projects: [
      { project: 'strong', agent: 'strong', model: 'strong-1', specs: 2, specsPassed: 2, passes: 4 },
      { project: 'weak', specs: 2, specsPassed: 1, passes: 1, failures: 3, costUsd: 0.04 },
    ],
    differ: ['refund'],
    ratesDiffer: ['pricing'],
    unclear: [],
  });
  expect(expected.comparison!.specs.map(({ spec }) => spec)).toEqual(['pricing', 'refund']);
  for (const line of SHOWN) expect(whole.output).toMatch(line);
  expect(suite.read('summary.md')).toContain('### Side by side');
  expect(suite.read('summary.md')).toContain('| refund | ✓ 2/2 · 1 · \\$0.02 | ✗ **0/2** · 1 · \\$0.02 |');
});

function merge(blobs: string) {
  for (const gone of ['taskproof-results.json', 'pw.json', 'pw.xml'])
    rmSync(join(suite.folder, gone), { force: true });
  return suite.playwright(['merge-reports', '--config=merge.config.ts', blobs]);
}

// The first shard is all of `strong`; `weak` is divided by file and repeat, since it is not fully parallel.
test.each([
  {
    shard: 1,
    exitCode: 1,
    because: 'exit 1, since an ordinary test fails, although each verdict is passed',
    rows: ['alone strong passed 1/1', 'pricing strong passed 2/2', 'refund strong passed 2/2'],
  },
  {
    shard: 2,
    exitCode: 0,
    because: 'exit 0, since no spec and no test has failures enough to be lost',
    rows: [
      'pricing weak undecided 0/2',
      'refund weak undecided 0/2',
      'strict › answers weak undecided 1/2',
      'tests.spec.ts › answers weak undecided 0/2',
      'wavers weak passed 1/2',
    ],
  },
  {
    shard: 3,
    exitCode: 1,
    because: 'exit 1, since a test is lost, whatever the others bring',
    rows: [
      'pricing weak passed 1/2',
      'refund weak undecided 0/2',
      'strict › answers weak failed 0/2',
      'tests.spec.ts › answers weak undecided 0/2',
      'wavers weak undecided 0/2',
    ],
  },
])('shard $shard: $because', ({ shard, exitCode, rows }) => {
  const { run, results } = shards[shard - 1]!;
  expect(run.exitCode, run.output).toBe(exitCode);
  expect(run.output).toContain(`Taskproof (shard ${shard} of 3)\n`);
  expect(rowsOf(results)).toEqual(rows);
  expect(run.output.includes('merge the'), run.output).toBe(shard > 1);
});

test('merged shards: the verdicts of a whole run', async () => {
  const merged = await merge('blobs');
  expect(timeless(merged.results())).toEqual(expected);
  expect(merged.exitCode, merged.output).toBe(1);
  expect(merged.output).toContain('refund [weak] failed: 0/2 passed, needs 1');
  expect(merged.output).toContain('2 of 2 failures: the answer names the policy (tests.spec.ts:11)');
  expect(merged.output).toContain('taskproof: 1 spec and 2 tests did not pass');
  // Those of what is lost and of `once`, and no tolerated one.
  expect(merged.output).toMatch(/^ {2}6 failed$/m);
  expect(suite.read('pw.xml').match(/<(failure|error) /g)).toHaveLength(6);
  expect(JSON.parse(suite.read('pw.json')).stats).toMatchObject({ unexpected: 6 });
});

/** The blobs of the three shards in a folder of their own, without those left out. */
function someBlobs(name: string, ...leftOut: number[]): string {
  const folder = join(suite.folder, name);
  cpSync(join(suite.folder, 'blobs'), folder, { recursive: true });
  for (const index of leftOut) rmSync(join(folder, `report-${index}.zip`));
  return folder;
}

test('a missing shard is named', async () => {
  const partial = await merge(someBlobs('partial', 1, 3));
  expect(partial.exitCode, partial.output).toBe(1);
  const names = (results: Pick<typeof expected, 'verdicts'>) =>
    results.verdicts.map(row => `${row.spec} ${row.project}`);
  expect(names(partial.results()), 'a spec of which no trial arrived is named all the same').toEqual(
    names(expected),
  );
  expect(partial.results().complete).toBe(false);
  expect(partial.output).toMatch(/undecided: \d\/2 passed, needs 1\s+\d of 2 trials present/);
});

test('a shard merged twice counts once', async () => {
  const folder = someBlobs('twice');
  cpSync(join(folder, 'report-2.zip'), join(folder, 'again.zip'));
  const twice = await merge(folder);
  expect(timeless(twice.results()).verdicts, twice.output).toEqual(expected.verdicts);
});

test('blobs of two runs are not merged: the error names both, with no other reporter too', async () => {
  const folder = someBlobs('two-runs', 2, 3);
  cpSync(join(suite.folder, 'blobs-good/good.zip'), join(folder, 'good.zip'));
  const merged = await suite.playwright([
    'merge-reports',
    '--reporter=@taskproof/playwright/reporter',
    'two-runs',
  ]);
  expect(merged.exitCode).toBe(1);
  expect(merged.output).toMatch(/the blob .*started \S+ and the blob .*started \S+ are from different runs/);
});

test('blobs of specs that pass: exit 0. With one that is cut off, or foreign, nothing is judged', async () => {
  const merged = await merge('blobs-good');
  expect(merged.exitCode, merged.output).toBe(0);
  expect(rowsOf(merged.results())).toEqual(['alone strong passed 1/1']);
  const spoiled = join(suite.folder, 'blobs-good/spoiled.zip');
  cpSync(join(suite.folder, 'blobs-good/good.zip'), spoiled);
  for (const spoil of [() => truncateSync(spoiled, 100), () => writeFileSync(spoiled, 'not a zip')]) {
    spoil();
    const refused = await merge('blobs-good');
    expect(refused.exitCode, refused.output).toBe(1);
    expect(refused.output).toContain('Either not a zip file, or file is truncated');
    expect(suite.exists('taskproof-results.json')).toBe(false);
  }
});
