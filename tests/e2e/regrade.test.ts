// What `taskproof regrade` knows of a trial besides its record: what else failed in its test, and by which config it was played.
// Where the site or the task has changed, or what is kept is broken: tests/unit/report/kept/trial-store.test.ts.
import { beforeAll, expect, test } from 'vitest';
import { CLICKS_GO, config, makeSuite, type Suite, spec, startSite, taskproof } from './suite';

const HOOKS = {
  none: '',
  after: 'test.afterEach(() => { expect(1).toBe(2); });',
  before: 'test.beforeEach(() => { expect.soft(1).toBe(2); });',
  never: `test.beforeEach(() => { throw new Error('no database'); });`,
  teardown: `test = base.extend<{ late: void }>({ late: [async ({}, use) => { await use(); throw new Error('late'); }, { auto: true }] });`,
  soft: `test = base.extend<{ late: void }>({ late: [async ({}, use) => { await use(); expect.soft(1).toBe(2); }, { auto: true }] });`,
};
const ids = Object.keys(HOOKS) as (keyof typeof HOOKS)[];

let suite: Suite;
let site: string;
const assertWhere = (pattern: string) => {
  const assertions = `  - type: url\n    pattern: '${pattern}'\n`;
  const text = (id: string) => spec({ id, url: '/', assertions }).replace("'0.1'", 'playwright/1');
  suite.write(Object.fromEntries(ids.map(id => [`tasks/${id}.yaml`, text(id)])));
};
const suiteConfig = (baseURL: string) =>
  config({ taskproof: `{ agent: ${CLICKS_GO} }`, extra: '' }).replace(
    'use: {',
    `use: { baseURL: '${baseURL}',`,
  );
const verdicts = () => {
  const { verdicts } = JSON.parse(suite.read('taskproof-results.json')) as { verdicts: object[] };
  return Object.fromEntries((verdicts as Record<string, string>[]).map(row => [row.spec, row.verdict]));
};

beforeAll(async () => {
  site = (await startSite({ '/': '<button>Go</button>' })).url;
  const tests = ids.map(id => [
    `${id}.spec.ts`,
    `import { expect, test as base } from '@playwright/test';
import { taskproofTests } from '@taskproof/playwright';
let test = base;
// Failures that are expected start no new workers.
base.beforeEach(() => base.fail());
${HOOKS[id]}
taskproofTests('tasks/${id}.yaml', { test });`,
  ]);
  suite = makeSuite({ 'playwright.config.ts': suiteConfig(site), ...Object.fromEntries(tests) });
  assertWhere('/nowhere');
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  const failed = Object.fromEntries(ids.map(id => [id, 'failed']));
  expect(verdicts()).toEqual({ ...failed, never: 'inconclusive' });
});

test('a corrected assertion passes no trial in whose test something else failed', async () => {
  assertWhere('/');
  const regraded = await taskproof(suite, ['regrade', '--', '-c', 'playwright.config.ts']);
  expect(regraded.code, regraded.err).toBe(3);
  const undecided = Object.fromEntries(ids.map(id => [id, 'undecided']));
  expect(verdicts(), regraded.err).toEqual({ ...undecided, none: 'passed', never: 'inconclusive' });
  expect(regraded.err).toContain('trial 1/1: setup: ');
  expect(regraded.err).not.toContain('was edited');
  for (const id of ids.filter(each => each !== 'none' && each !== 'never'))
    expect(regraded.err).toContain(`${id}: its assertions hold now, but its test had another error`);
  expect(JSON.parse(suite.read('taskproof-results.json'))).toMatchObject({
    ...{ status: 'failed', complete: false },
  });
});

test('what failed outside of the verdicts stays red', async () => {
  const other = makeSuite({
    'playwright.config.ts': suiteConfig(site),
    'tasks/go.yaml': spec({ id: 'go', url: site, assertions: `  - { type: url, pattern: '**' }\n` }),
    'tasks/cut.yaml': 'specVersion: "0.1"\nid: [',
    'go.spec.ts': `import { test } from '@playwright/test';
import { taskproofTests } from '@taskproof/playwright';
taskproofTests('tasks/go.yaml');
test('the shop is open', () => {});
test.afterAll(() => { throw new Error('no clean-up'); });`,
    'cut.spec.ts': `import { taskproofTests } from '@taskproof/playwright';
taskproofTests('tasks/cut.yaml');`,
    'plain.spec.ts': `import { expect, test } from '@playwright/test';
test('the basket is empty', () => expect(1).toBe(2));`,
  });
  const run = await other.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  const regraded = await taskproof(other, ['regrade']);
  expect(regraded.code, regraded.out + regraded.err).toBe(1);
  expect(JSON.parse(other.read('taskproof-results.json'))).toMatchObject({
    status: 'failed',
    verdicts: [{ spec: 'go', verdict: 'passed' }],
  });
  for (const told of [
    'the basket is empty',
    '"the shop is open" at go.spec.ts:4: Error: no clean-up',
    'tasks/cut.yaml',
  ])
    expect(regraded.out + regraded.err).toContain(told);
});
