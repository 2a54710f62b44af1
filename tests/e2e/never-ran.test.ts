// What Playwright left out because something before it failed: no verdict is passed over, and a tolerated failure hides no test.
import { expect, test } from 'vitest';
import { CLICKS_GO, config, makeSuite, PAGE, type Run, spec, startSite } from './suite';

/** Breaks once: what follows runs in another worker. */
const once = (breaks: string) => `if (process.env.TEST_WORKER_INDEX && !existsSync('broken')) {
  writeFileSync('broken', '');
  ${breaks}
}`;
const HOOK = `test.beforeAll(() => { ${once("throw new Error('no database');")} });`;

const NOWHERE = "  - type: dom\n    selector: '#nowhere'\n    state: visible\n";
const ORDINARY = `test('ordinary', () => { expect(1).toBe(2); });`;
const SPECS = `taskproofTests('tasks/*.yaml');`;

async function suiteWith(code: string) {
  const site = await startSite({ '/': PAGE });
  return makeSuite({
    'playwright.config.ts': config({ taskproof: `{ agent: ${CLICKS_GO} }`, globs: "'tasks/*.yaml'" }),
    'tasks/a.yaml': spec({ id: 'a', url: `${site.url}/`, k: 2, minPasses: 1 }),
    'tasks/b.yaml': spec({ id: 'b', url: `${site.url}/`, assertions: NOWHERE }),
    'site.spec.ts': `import { expect, test } from '@playwright/test';
import { taskproofTests } from '@taskproof/playwright';
import { existsSync, writeFileSync } from 'node:fs';
${code}`,
  });
}

const LEFT_OUT =
  /1 ordinary test did not run after a failure that a pass policy tolerates\n +"ordinary" at site\.spec\.ts:\d+/;

const verdictsOf = (run: Run) =>
  Object.fromEntries(run.results().verdicts.map(({ spec, verdict }) => [spec, verdict]));

test('a hook that throws once: what was left out is undecided and listed, and the run fails', async () => {
  const suite = await suiteWith(`${HOOK}\n${SPECS}\n${ORDINARY}`);
  const run = await suite.playwright(['test', '--reporter=blob,list,@taskproof/playwright/reporter']);
  expect(run.exitCode, run.output).toBe(1);
  expect(verdictsOf(run)).toEqual({ a: 'passed', b: 'undecided' });
  expect(run.results()).toMatchObject({ complete: false, status: 'failed' });
  const because = 'Playwright skipped tests of site.spec.ts after a failure in "a · trial 1/2": ';
  expect(run.results().incompleteBecause).toContain(because);
  expect(run.output).toMatch(LEFT_OUT);
  const merged = await suite.playwright([
    'merge-reports',
    'blob-report',
    '--reporter=list,@taskproof/playwright/reporter',
  ]);
  expect(merged.exitCode, merged.output).toBe(1);
  expect(verdictsOf(merged)).toEqual({ a: 'passed', b: 'undecided' });
  expect(merged.output).toMatch(LEFT_OUT);
});

test('a worker that dies once: an ordinary test alone that was left out fails the run', async () => {
  const suite = await suiteWith(`test.describe.configure({ mode: 'default' });
${once('process.exit(3);')}
taskproofTests('tasks/a.yaml');
${ORDINARY}`);
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  expect(verdictsOf(run)).toEqual({ a: 'passed' });
  expect(run.results().status).toBe('failed');
  expect(run.output).toMatch(LEFT_OUT);
});

test('a serial file: a tolerated failure leaves out what follows it', async () => {
  const suite = await suiteWith(`test.describe.configure({ mode: 'serial' });
test.beforeEach(() => { expect(test.info().title === 'a' && test.info().repeatEachIndex === 0).toBe(false); });
${SPECS}
${ORDINARY}`);
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  expect(verdictsOf(run)).toEqual({ a: 'passed', b: 'undecided' });
});

test('a run that failed outside of its verdicts stays lost where its blob is merged', async () => {
  const suite = makeSuite({
    'playwright.config.ts': `import { defineConfig } from '@playwright/test';
export default defineConfig({ testDir: 'e2e', globalTeardown: './down.ts', reporter: [['@taskproof/playwright/reporter'], ['blob']] });`,
    'down.ts': `export default () => { throw new Error('the database stays up'); };`,
    'e2e/good.spec.ts': `import { test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
test('good', passPolicy({ k: 1, minPasses: 1 }), () => {});`,
  });
  expect((await suite.playwright(['test'])).exitCode).toBe(1);
  const ours = '--reporter=list,@taskproof/playwright/reporter';
  const merged = await suite.playwright(['merge-reports', 'blob-report', ours]);
  expect(merged.exitCode, merged.output).toBe(1);
  expect(merged.output).toContain('a merged run failed outside of the verdicts');
  expect(verdictsOf(merged)).toEqual({ good: 'passed' });
  // Without a config, in the working directory: not in the tests' folder.
  expect(suite.exists('e2e/taskproof-results.json')).toBe(false);
});
