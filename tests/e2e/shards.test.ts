// Verdicts across shards: what blobs come to when they are merged is what one whole run comes to.
import { cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Results } from '../../src/report/results';
import { config, makeSuite, PLAIN, type Run, type Suite, spec, startSite } from './suite';

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

/** Trials whose agent clicks nothing, by project, spec and repeat index. */
const FAILING: Record<string, number[]> = {
  'agents/kept': [1],
  'agents/lost': [0, 1],
  'second/kept': [1],
};

const AGENT = `defineAgent({ name: 'scripted', async run(task) {
  const failing = process.env.FAIL_NOW === '1';
  await task.turn('click Go', () => failing ? undefined : task.page.getByText('Go').click());
} })`;

const TESTS = `import { test as base, taskproofTests } from '@taskproof/playwright';
const failing = ${JSON.stringify(FAILING)};
const test = base.extend({
  page: async ({ page }, use, testInfo) => {
    const broken = failing[testInfo.project.name + '/' + testInfo.title] ?? [];
    process.env.FAIL_NOW = broken.includes(testInfo.repeatEachIndex) ? '1' : '0';
    await use(page);
  },
});
taskproofTests('tasks/**/*.yaml', { test });
`;

async function makeShardedSuite(): Promise<Suite> {
  const site = await startSite({ '/': PAGE });
  const project = (name: string) =>
    `{ name: '${name}', ...repeats('tasks/**/*.yaml'), fullyParallel: !process.env.BY_FILE }`;
  return makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${AGENT} }`,
      projects: `[${project('agents')}, ${project('second').replace('{', '{ grep: /kept/,')}]`,
      reporters: `process.env.BLOB ? [['blob'], ['@taskproof/playwright/reporter']] : ${PLAIN}`,
    }),
    'merge.config.ts': `export default { reporter: [['list'], ['@taskproof/playwright/reporter'], ['json', { outputFile: 'pw.json' }], ['junit', { outputFile: 'pw.xml' }]] };`,
    'tasks/kept.yaml': spec({ id: 'kept', url: `${site.url}/`, k: 2, minPasses: 1 }),
    'tasks/lost.yaml': spec({ id: 'lost', url: `${site.url}/`, k: 2, minPasses: 1 }),
    'tasks.spec.ts': TESTS,
    'ordinary.spec.ts': `import { test } from '@playwright/test'; test('ordinary', () => {});`,
  });
}

const LAYOUTS = [
  { total: 3, fullyParallel: true },
  { total: 2, fullyParallel: false },
];
const blobsOf = (total: number) => `blobs-${total}`;

let suite: Suite;
let whole: Run;
/** The runs of the shards, by their total. */
const shards: Record<number, { run: Run; results: Results }[]> = {};

beforeAll(async () => {
  suite = await makeShardedSuite();
  whole = await suite.playwright(['test']);
  expected = timeless(whole.results());
  for (const { total, fullyParallel } of LAYOUTS) {
    shards[total] = [];
    for (let index = 1; index <= total; index++) {
      const run = await suite.playwright(['test', `--shard=${index}/${total}`], {
        BLOB: '1',
        ...(fullyParallel ? {} : { BY_FILE: '1' }),
        PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, blobsOf(total), `report-${index}.zip`),
      });
      shards[total].push({ run, results: run.results() });
    }
  }
  await suite.playwright(['test', '--project=second'], {
    BLOB: '1',
    PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs-good/good.zip'),
  });
  // Nothing but the blobs is at hand where they are merged.
  for (const gone of ['tasks', 'tasks.spec.ts', 'ordinary.spec.ts', 'playwright.config.ts', 'test-results'])
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

test('the whole run judges each spec in each project', () => {
  expect(whole.exitCode, whole.output).toBe(1);
  expect(expected.verdicts.map(row => `${row.spec} ${row.project} ${row.verdict}`)).toEqual([
    'kept agents passed',
    'kept second passed',
    'lost agents failed',
  ]);
  expect(expected.comparison).toMatchObject({
    projects: [{ project: 'agents' }, { project: 'second' }],
    specs: [{ spec: 'kept' }],
  });
});

function merge(blobs: string) {
  for (const gone of ['taskproof-results.json', 'pw.json', 'pw.xml'])
    rmSync(join(suite.folder, gone), { force: true });
  return suite.playwright(['merge-reports', '--config=merge.config.ts', blobs]);
}

test.each(LAYOUTS)(
  '$total shards, fullyParallel $fullyParallel: the verdicts of a whole run',
  async ({ total }) => {
    for (const { run, results } of shards[total]!) {
      const lostHere = results.verdicts.some(row => row.verdict === 'failed');
      expect(run.exitCode, run.output).toBe(lostHere ? 1 : 0);
      expect(results, 'half of the trials would mislead').not.toHaveProperty('comparison');
    }
    const merged = await merge(blobsOf(total));
    expect(timeless(merged.results())).toEqual(expected);
    expect(merged.exitCode, merged.output).toBe(1);
    expect(merged.output).toContain('lost [agents] failed: 0/2 passed, needs 1');
    const junit = suite.read('pw.xml');
    expect(
      junit.match(/<(failure|error) /g),
      'the two failures of the lost spec, and no tolerated one',
    ).toHaveLength(2);
    const json = JSON.parse(suite.read('pw.json'));
    expect(json.stats).toMatchObject({ unexpected: 2 });
  },
);

/** The blobs of the three shards in a folder of their own, without those left out. */
function someBlobs(name: string, ...leftOut: number[]): string {
  const folder = join(suite.folder, name);
  cpSync(join(suite.folder, blobsOf(3)), folder, { recursive: true });
  for (const index of leftOut) rmSync(join(folder, `report-${index}.zip`));
  return folder;
}

test('a missing shard is named', async () => {
  const partial = await merge(someBlobs('partial', 2, 3));
  expect(partial.exitCode, partial.output).toBe(1);
  const names = partial.results().verdicts.map(row => `${row.spec} ${row.project}`);
  expect(names, 'a spec of which no trial arrived is named all the same').toEqual([
    'kept agents',
    'kept second',
    'lost agents',
  ]);
  expect(partial.results().complete).toBe(false);
  expect(partial.output).toMatch(/undecided: \d\/2 passed, needs 1\s+\d of 2 trials present/);
});

test('a shard merged twice counts once', async () => {
  const folder = someBlobs('twice');
  cpSync(join(folder, 'report-1.zip'), join(folder, 'again.zip'));
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

describe('a blob that is none is refused, and nothing is judged', () => {
  test('without it the run passes', async () => {
    const merged = await merge('blobs-good');
    expect(merged.exitCode, merged.output).toBe(0);
    expect(merged.results().verdicts).toMatchObject([{ spec: 'kept', project: 'second', verdict: 'passed' }]);
  });

  test.each([
    { what: 'cut off', spoil: (file: string) => truncateSync(file, 100) },
    { what: 'foreign', spoil: (file: string) => writeFileSync(file, 'not a zip') },
  ])('$what', async ({ what, spoil }) => {
    const folder = join(suite.folder, `blobs-${what.replace(' ', '-')}`);
    cpSync(join(suite.folder, 'blobs-good'), folder, { recursive: true });
    cpSync(join(folder, 'good.zip'), join(folder, 'spoiled.zip'));
    spoil(join(folder, 'spoiled.zip'));
    const refused = await merge(folder);
    expect(refused.exitCode, refused.output).toBe(1);
    expect(refused.output).toContain('Either not a zip file, or file is truncated');
    expect(suite.exists('taskproof-results.json')).toBe(false);
  });
});
