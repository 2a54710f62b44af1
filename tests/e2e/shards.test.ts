// Two agents are two projects over the same specs, beside a test with a pass policy: what the blobs of shards come to when they are
// merged is what one whole run comes to. Which shards belong together, and one that is merged twice: tests/unit/report/missing.test.ts, diagnose.test.ts.
import { cpSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Results } from '../../src/data/results';
import { config, makeSuite, PAGE, type Run, type Suite, spec, startSite, TASKS_TEST } from './suite';

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

let suite: Suite;
let expected: ReturnType<typeof timeless>;
const shards: Run[] = [];
const starts: string[] = [];

/** The same in every run of the same trials: without times. */
function timeless({ verdicts, complete, status, filtered, comparison }: Results) {
  const rows = verdicts.map(row => ({
    ...row,
    trials: row.trials.map(({ durationMs, ...trial }) => trial),
  }));
  const results = { comparison, filtered, complete, status, verdicts: rows };
  return untimed(results) as typeof results;
}

/** Without how long requests took. */
const untimed = (value: object): object =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === 'ms' ? undefined : inner)));

const rowsOf = ({ verdicts }: Pick<typeof expected, 'verdicts'>) =>
  verdicts.map(row => `${row.spec} ${row.project} ${row.verdict} ${row.passes}/${row.k}`);

beforeAll(async () => {
  const site = await startSite({ '/': PAGE });
  const project = (name: string, failing: Record<string, number>, more: string) =>
    `{ name: '${name}', ...repeats('tasks/**/*.yaml'), use: { taskproof: { agent: ${agent(name, failing)} } }, ${more} }`;
  const ours = `'@taskproof/playwright/reporter'`;
  suite = makeSuite({
    'playwright.config.ts': config({
      projects: `[
        ${project('strong', {}, `testIgnore: 'tests.spec.ts'`)},
        ${project('weak', { pricing: 1, refund: 2 }, 'fullyParallel: false')},
      ]`,
      reporters: `process.env.BLOB ? [['blob'], [${ours}]] : [['list'], [${ours}]]`,
    }),
    'merge.config.ts': `export default { reporter: [['list'], [${ours}], ['junit', { outputFile: 'pw.xml' }]] };`,
    ...Object.fromEntries(
      ['pricing', 'refund'].map(id => [
        `tasks/${id}.yaml`,
        spec({ id, url: `${site.url}/`, k: 2, minPasses: 1 }),
      ]),
    ),
    'tasks.spec.ts': TASKS_TEST,
    // Played after the specs, and what fails comes last: a worker starts after each failure but the last one.
    'tests.spec.ts': `import { expect, test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
test('wavers', passPolicy({ k: 2, minPasses: 1 }), () => { expect(test.info().repeatEachIndex).toBe(0); });`,
  });
  const whole = await suite.playwright(['test']);
  expect(whole.exitCode, whole.output).toBe(1);
  expected = timeless(whole.results());
  for (const index of [1, 2]) {
    const shard = await suite.playwright(['test', `--shard=${index}/2`], {
      BLOB: '1',
      PLAYWRIGHT_BLOB_OUTPUT_FILE: join(suite.folder, 'blobs', `report-${index}.zip`),
    });
    shards.push(shard);
    starts.push(shard.results().startedAt);
  }
  // Nothing but the blobs is at hand where they are merged.
  for (const gone of ['tasks', 'tasks.spec.ts', 'tests.spec.ts', 'playwright.config.ts', 'test-results'])
    rmSync(join(suite.folder, gone), { recursive: true });
});

function merge(blobs: string) {
  for (const gone of ['taskproof-results.json', 'pw.xml']) rmSync(join(suite.folder, gone), { force: true });
  return suite.playwright(['merge-reports', '--config=merge.config.ts', blobs]);
}

test('merged shards: the verdicts of a whole run, side by side', async () => {
  expect(rowsOf(expected)).toEqual([
    'pricing strong passed 2/2',
    'pricing weak passed 1/2',
    'refund strong passed 2/2',
    'refund weak failed 0/2',
    'wavers weak passed 1/2',
  ]);
  expect(expected.comparison).toMatchObject({
    projects: [
      { project: 'strong', agent: 'strong', model: 'strong-1', specs: 2, specsPassed: 2, passes: 4 },
      { project: 'weak', specs: 2, specsPassed: 1, passes: 1, failures: 3, costUsd: 0.04 },
    ],
    ...{ differ: ['refund'], ratesDiffer: ['pricing'], unclear: [] },
  });
  const merged = await merge('blobs');
  expect(timeless(merged.results()), merged.output).toEqual(expected);
  expect(merged.results().trialsSince).toBe(starts[0]);
  expect(merged.exitCode).toBe(1);
  expect(merged.output).toContain('refund [weak] failed: 0/2 passed, needs 1');
  // Those of what is lost, and no tolerated one.
  expect(merged.output).toMatch(/^ {2}2 failed$/m);
  expect(suite.read('pw.xml').match(/<(failure|error) /g)).toHaveLength(2);
});

test('with a blob that is cut off nothing is judged', async () => {
  cpSync(join(suite.folder, 'blobs'), join(suite.folder, 'spoiled'), { recursive: true });
  truncateSync(join(suite.folder, 'spoiled/report-2.zip'), 100);
  const refused = await merge('spoiled');
  expect(refused.exitCode, refused.output).toBe(1);
  expect(refused.output).toContain('Either not a zip file, or file is truncated');
  expect(suite.exists('taskproof-results.json')).toBe(false);
});

test('a shard says that it is one, and fails only for what no other can mend', () => {
  expect(shards.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  for (const [index, { output }] of shards.entries())
    expect(output).toContain(`Taskproof (shard ${index + 1} of 2)\n`);
});

test('a missing shard fails the merge although its specs are settled: an ordinary test may have failed there', async () => {
  const reporters = `[['blob'], ['@taskproof/playwright/reporter']]`;
  suite.write({
    'few.config.ts': `export default { fullyParallel: true, reporter: ${reporters}, testMatch: 'few.spec.ts' };`,
    'few.spec.ts': `import { test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
test('settled', passPolicy({ k: 1, minPasses: 1 }), () => {});
test('ordinary', () => {});`,
  });
  // The second has the ordinary test, the third has none.
  for (const index of [1, 3]) {
    const args = ['test', '--config=few.config.ts', `--shard=${index}/3`];
    const run = await suite.playwright(args, { PLAYWRIGHT_BLOB_OUTPUT_FILE: `few/report-${index}.zip` });
    expect(run.exitCode, run.output).toBe(0);
  }
  const merged = await merge('few');
  expect(merged.exitCode, merged.output).toBe(1);
  expect(merged.output).toContain('the reports lack shard 2 of 3: what failed there is not shown.');
  expect(merged.results()).toMatchObject({
    complete: false,
    ...{ incompleteBecause: 'shard 2 of 3 was not merged', verdicts: [{ verdict: 'passed' }] },
  });
});
