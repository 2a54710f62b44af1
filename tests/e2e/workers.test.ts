// How many workers a run has that the user did not choose: trials that wait get more, other projects keep theirs.
import { cpus } from 'node:os';
import { expect, test } from 'vitest';
import { config, makeSuite, PAGE, spec, startSite, TASKS_TEST } from './suite';

/** As Playwright chooses. */
const OWN = Math.max(1, Math.floor(cpus().length / 2));
const TRIALS = OWN + 2;
test("all trials that wait run at once, and other projects keep Playwright's number", async () => {
  const site = await startSite({ '/': PAGE });
  const projects = [
    `{ name: 'agents', testMatch: 'tasks.spec.ts', ...repeats('tasks/*.yaml'), use: { taskproof: { agent: meets } } }`,
    `{ name: 'e2e', testMatch: 'plain.spec.ts', fullyParallel: true }`,
  ];
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { readdirSync, writeFileSync } from 'node:fs';
const meets = defineAgent({ name: 'meets', waits: true, async run(task) {
  writeFileSync('met/' + task.seed, '');
  while (readdirSync('met').length < ${TRIALS}) await task.page.waitForTimeout(50);
  await task.turn('click Go', () => task.page.getByText('Go').click());
} });`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['./limits.ts']]`,
      projects: `[${projects}]`,
      extra: 'workers: undefined,',
    }),
    'limits.ts': `export default class {
  onBegin(config, suite) { for (const { title, _fullProject } of suite.suites) console.log('limit', title, _fullProject.workers); }
}`,
    'met/.keep': '',
    'tasks/meet.yaml': spec({ id: 'meet', url: `${site.url}/`, k: TRIALS }),
    'tasks.spec.ts': TASKS_TEST,
    'plain.spec.ts': `import { test } from '@playwright/test'; for (let i = 0; i < ${OWN}; i++) test('plain ' + i, () => {});`,
  });
  const { exitCode, output } = await suite.playwright(['test']);
  expect(exitCode, output).toBe(0);
  expect(output).toContain(`taskproof: ${TRIALS} workers instead of ${OWN}: trials of meets mostly wait`);
  expect(output).toContain(`limit e2e ${OWN}\n`);
  expect(output).toContain('limit agents undefined\n');
});

test('one worker plays every trial of its specs', async () => {
  const site = await startSite({ '/': PAGE });
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { appendFileSync } from 'node:fs';
const told = defineAgent({ name: 'told', async run(task) {
  appendFileSync('played.txt', [process.pid, task.goal].join(' ') + '\\n');
  await task.turn('click Go', () => task.page.getByText('Go').click());
} });`,
      reporters: `[['@taskproof/playwright/reporter'], ['json', { outputFile: 'report.json' }]]`,
      projects: `[{ name: 'agents', ...repeats('free/*.yaml'), use: { taskproof: { agent: told } } }]`,
    }),
    'free/one.yaml': spec({ id: 'one', url: `${site.url}/`, k: 3, goal: '{{trial}}' }),
    'free/two.yaml': spec({ id: 'two', url: `${site.url}/`, k: 2, goal: '{{trial}}' }),
    'free.spec.ts': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('free/*.yaml');`,
  });
  const { exitCode, output } = await suite.playwright(['test', '--workers=1']);
  expect(exitCode, output).toBe(0);
  const played = suite
    .read('played.txt')
    .trim()
    .split('\n')
    .map(line => line.split(' '));
  expect(played.map(([, trial]) => trial).sort()).toEqual(['1', '1', '2', '2', '3']);
  expect(new Set(played.map(([pid]) => pid)).size).toBe(1);
  expect(suite.read('report.json')).not.toContain('_taskproof-repeat');
});
