// Verdicts across shards: what blobs come to when they are merged is what one whole run comes to.
import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Results } from '../../src/report/results';
import { config, makeSuite, type Suite, spec, startSite } from './suite';

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

/** Trials whose agent clicks nothing, by project, spec and repeat index. */
const FAILING: Record<string, number[]> = {
  'agents/kept': [1],
  'agents/lost': [0, 2],
  'second/kept': [2],
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

interface Layout {
  fullyParallel?: boolean;
}

async function suiteOf({ fullyParallel = true }: Layout = {}): Promise<Suite> {
  const site = await startSite({ '/': PAGE });
  const project = (name: string) =>
    `{ name: '${name}', ...repeats('tasks/**/*.yaml'), fullyParallel: ${fullyParallel} }`;
  return makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${AGENT} }`,
      projects: `[${project('agents')}, ${project('second').replace('{', '{ grep: /kept/,')}]`,
      reporters: `process.env.BLOB ? [['blob'], ['@taskproof/playwright/reporter']] : [['list'], ['@taskproof/playwright/reporter'], ['html']]`,
    }),
    'merge.config.ts': `export default { reporter: [['list'], ['@taskproof/playwright/reporter'], ['html'], ['json', { outputFile: 'pw.json' }], ['junit', { outputFile: 'pw.xml' }]] };`,
    'tasks/kept.yaml': spec({ id: 'kept', url: `${site.url}/`, k: 3, minPasses: 2 }),
    'tasks/lost.yaml': spec({ id: 'lost', url: `${site.url}/`, k: 3, minPasses: 2 }),
    'tasks.spec.ts': TESTS,
    'ordinary.spec.ts': `import { test } from '@playwright/test'; test('ordinary', () => {});`,
  });
}

async function shard(suite: Suite, index: number, total: number) {
  const run = await suite.playwright(['test', `--shard=${index}/${total}`], {
    BLOB: '1',
    PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs', `report-${index}.zip`),
  });
  return run;
}

/** The same in every run of the same trials: without times. */
function timeless({ verdicts, complete, status }: Results) {
  return {
    complete,
    status,
    verdicts: verdicts.map(row => ({
      ...row,
      trials: row.trials.map(({ durationMs, ...trial }) => trial),
    })),
  };
}

async function merge(suite: Suite) {
  // Nothing but the blobs is at hand where they are merged.
  for (const gone of ['tasks', 'tasks.spec.ts', 'taskproof-results.json', 'test-results'])
    rmSync(join(suite.folder, gone), { recursive: true, force: true });
  return suite.playwright(['merge-reports', '--config=merge.config.ts', 'blobs']);
}

test.each([
  { total: 3, fullyParallel: true },
  { total: 2, fullyParallel: false },
])(
  '$total shards, fullyParallel $fullyParallel: the verdicts of a whole run',
  async ({ total, fullyParallel }) => {
    const suite = await suiteOf({ fullyParallel });
    const whole = await suite.playwright(['test']);
    expect(whole.exitCode, whole.output).toBe(1);
    const expected = timeless(whole.results());
    expect(expected.verdicts.map(row => `${row.spec} ${row.project} ${row.verdict}`)).toEqual([
      'kept agents passed',
      'kept second passed',
      'lost agents failed',
    ]);
    for (let index = 1; index <= total; index++) {
      const run = await shard(suite, index, total);
      const lostHere = run.results().verdicts.some(row => row.verdict === 'failed');
      expect(run.exitCode, run.output).toBe(lostHere ? 1 : 0);
    }
    const merged = await merge(suite);
    expect(timeless(merged.results())).toEqual(expected);
    expect(merged.exitCode, merged.output).toBe(1);
    expect(merged.output).toContain('lost [agents] failed: 1/3 passed, needs 2');
    const junit = suite.read('pw.xml');
    expect(
      junit.match(/<(failure|error) /g),
      'the two failures of the lost spec, and no tolerated one',
    ).toHaveLength(2);
    const json = JSON.parse(suite.read('pw.json'));
    expect(json.stats).toMatchObject({ unexpected: 2 });
  },
);

test('a missing shard is named, a shard merged twice counts once, a broken blob is refused', async () => {
  const suite = await suiteOf();
  for (let index = 1; index <= 2; index++) await shard(suite, index, 2);
  const blobs = join(suite.folder, 'blobs');
  const [first, second] = readdirSync(blobs).sort();
  mkdirSync(join(suite.folder, 'aside'));
  cpSync(join(blobs, second!), join(suite.folder, 'aside', second!));
  rmSync(join(blobs, second!));
  const partial = await merge(suite);
  expect(partial.exitCode, partial.output).toBe(1);
  const names = partial.results().verdicts.map(row => `${row.spec} ${row.project}`);
  expect(names, 'a spec of which no trial arrived is named all the same').toEqual([
    'kept agents',
    'kept second',
    'lost agents',
  ]);
  expect(partial.results().complete).toBe(false);
  expect(partial.output).toMatch(/undecided: \d\/3 passed, needs 2\s+\d of 3 trials present/);
  cpSync(join(suite.folder, 'aside', second!), join(blobs, second!));
  const once = timeless((await merge(suite)).results());
  cpSync(join(blobs, first!), join(blobs, 'again.zip'));
  const twice = await merge(suite);
  expect(timeless(twice.results()).verdicts, twice.output).toEqual(once.verdicts);
  rmSync(join(blobs, 'again.zip'));
  truncateSync(join(blobs, second!), 100);
  const broken = await merge(suite);
  expect(broken.exitCode, broken.output).not.toBe(0);
  writeFileSync(join(blobs, second!), 'not a zip');
  const foreign = await merge(suite);
  expect(foreign.exitCode, foreign.output).not.toBe(0);
});
