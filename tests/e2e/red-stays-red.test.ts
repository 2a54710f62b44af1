// Ways to leave out, skip or excuse what failed: where plain Playwright ends with an error that no policy tolerates, so do we. After a
// failed hook or a dead worker: never-ran.test.ts.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { testsIn } from '../support/json-report';
import { makeSuite, type Suite } from './suite';

const CONFIG = `import { defineConfig } from '@playwright/test';
import { repeats } from '@taskproof/playwright';
export default defineConfig({
  workers: 1,
  reporter: [['list'], ['json', { outputFile: 'report.json' }], ['@taskproof/playwright/reporter', { outputFile: 'verdicts.json' }]],`;

const specFile = (tests: string) => `import { expect, test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
const [one, twice] = [passPolicy({ k: 1, minPasses: 1 }), passPolicy({ k: 2, minPasses: 1 })];
const fails = () => expect(1).toBe(2);
const failsOnce = () => expect(test.info().repeatEachIndex).toBe(1);
${tests}`;

const TWICE = `projects: [{ name: 'main', ...repeats({ atLeast: 2 }) }]`;
const suiteOf = (tests: string, config = TWICE, files: Record<string, string> = {}) =>
  makeSuite({ 'playwright.config.ts': `${CONFIG} ${config} });`, 'main.spec.ts': specFile(tests), ...files });

/** The tests that did not end as expected. */
const unexpected = (suite: Suite) =>
  testsIn(suite.read('report.json')).flatMap(({ status, title }) => (status === 'unexpected' ? [title] : []));

/** @returns the exit code and the verdicts */
async function played(suite: Suite, args: string[] = []) {
  suite.remove('verdicts.json');
  const { exitCode, output, results } = await suite.playwright(['test', ...args]);
  const rows = suite.exists('verdicts.json') ? results('verdicts.json').verdicts : [];
  const verdicts = Object.fromEntries(rows.map(({ spec, verdict }) => [spec, verdict]));
  return { exitCode, verdicts, output };
}

test('what skips or excuses itself after a failure has failed; so has a teardown, after a set-up that was skipped', async () => {
  const bodies = {
    'skips itself': '() => { expect.soft(1).toBe(2); test.skip(); }',
    'says that it was to fail': `() => { test.info().annotations.push({ type: 'fail' }); fails(); }`,
    'was to fail, and is skipped after': '() => { test.fail(); fails(); }',
    'is skipped after': 'fails',
    'is skipped before': '() => {}',
    'is skipped after all': 'fails',
  };
  const suite = suiteOf(
    `
test.beforeEach(({}, { title }) => { if (/before$/.test(title)) { expect.soft(1).toBe(2); test.skip(); } });
test.afterEach(({}, { title }) => { test.skip(/skipped after$/.test(title)); });
test.describe(() => {
  test.afterAll(() => { test.skip(/all$/.test(test.info().title)); });
  ${Object.entries(bodies)
    .map(([title, body]) => `test('${title}', one, ${body});`)
    .join('\n')}
});`,
    `projects: [
      { name: 'setup', testMatch: 'setup.ts', teardown: 'down' },
      { name: 'down', testMatch: 'down.ts' },
      { name: 'main', ...repeats({ atLeast: 1 }), dependencies: ['setup'] },
    ]`,
    {
      'setup.ts': specFile(`test('set up', one, () => { test.skip(); });`),
      'down.ts': specFile(`test('ordinary', fails);\ntest('tears down', one, fails);`),
    },
  );
  const { exitCode, verdicts, output } = await played(suite);
  expect(exitCode, output).toBe(1);
  const titles = [...Object.keys(bodies), 'tears down'];
  expect(verdicts).toEqual(Object.fromEntries(titles.map(title => [title, 'failed'])));
  // Each is red without our reporter, and so it is with it.
  const red = ['ordinary', ...titles.map(title => `${title} · trial 1/1`)];
  expect(unexpected(suite).sort()).toEqual(red.sort());
});

test('a trial that was skipped has not passed, also where another one was tolerated', async () => {
  const suite = suiteOf(`
test('is to be fixed', twice, () => { test.fixme(!test.info().repeatEachIndex, 'later'); fails(); });
test('has no database', twice, failsOnce);
test('has no snapshot', twice, () => { expect('Hello').toMatchSnapshot('words.txt'); });
test.describe(() => {
  test.beforeAll(() => { test.skip(test.info().repeatEachIndex === 1); });
  test('is skipped by a hook', twice, fails);
});`);
  const { exitCode, verdicts, output } = await played(suite);
  expect(exitCode, output).toBe(1);
  expect(verdicts).toEqual({
    'is to be fixed': 'undecided',
    'has no database': 'passed',
    'has no snapshot': 'passed',
    'is skipped by a hook': 'undecided',
  });
  // The first trial wrote what the second was compared with.
  expect(unexpected(suite)).toEqual(['has no snapshot · trial 1/2']);
  expect(output).toContain(
    'has no snapshot [main]: trial 1 wrote a snapshot that was missing, so the run fails.',
  );
});

test.each([
  {
    name: '--fail-on-flaky-tests',
    args: ['--fail-on-flaky-tests'],
    tests: `test('once', twice, failsOnce);\ntest('flaky', () => { expect(test.info().retry).toBe(1); });`,
    config: TWICE.replace(') }', '), retries: 1 }'),
    verdicts: { once: 'passed' },
  },
  {
    name: '--forbid-only',
    args: ['--forbid-only'],
    tests: `test.only('good', twice, () => {});`,
    verdicts: {},
  },
  {
    name: 'maxFailures, after a tolerated failure',
    args: [],
    tests: `test('once', twice, failsOnce);\ntest('bad', fails);\ntest('never', twice, () => {});`,
    config: `maxFailures: 1, ${TWICE}`,
    verdicts: { once: 'undecided', never: 'undecided' },
  },
])('$name', async ({ args, tests, config, verdicts }) => {
  const { output, ...run } = await played(suiteOf(tests, config), args);
  expect(run, output).toEqual({ exitCode: 1, verdicts });
});

test('--only-changed, --grep, --last-failed and --pass-with-no-tests end as without our reporter', async () => {
  const once = TWICE.replace('2', '1');
  const suite = suiteOf(`test('good', one, () => {});`, once, {
    'other.spec.ts': specFile(`test('bad', one, () => {});\ntest('ordinary', () => {});`),
    '.gitignore': '*\n!*.ts\n',
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
      cwd: suite.folder,
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'all');
  const run = async (...args: string[]) => {
    const { exitCode, verdicts } = await played(suite, args);
    return [exitCode, verdicts];
  };
  expect(await run('--only-changed')).toEqual([0, {}]);
  expect(await run('--last-failed'), 'nothing had failed').toEqual([1, {}]);
  suite.write({ 'other.spec.ts': specFile(`test('bad', one, fails);\ntest('ordinary', fails);`) });
  expect(await run('--grep=none', '--pass-with-no-tests')).toEqual([0, {}]);
  expect(await run('--grep=good|ordinary')).toEqual([1, { good: 'passed' }]);
  expect(await run('--only-changed', '--grep-invert=ordinary')).toEqual([1, { bad: 'failed' }]);
  expect(await run('--last-failed')).toEqual([1, { bad: 'failed' }]);
});
