// Whose time a trial's time is: waiting for a model takes none of it, whoever waits, and no test times out over it. What claude() waits
// for: claude.test.ts, and tests/unit/agents/model/send.test.ts.
import { expect, test } from 'vitest';
import { PROGRAM_HEAD } from '../support/program-head';
import { recordsIn } from '../support/records';
import { config, makeSuite, PAGE, spec, startSite, TASKS_TEST, WITH_JSON } from './suite';

/** Of a trial and of a test: what is waited is more. */
const TIME_MS = 9_000;
const WAIT_MS = 5_000;

const AGENT = `
import { AgentApiError, command, defineAgent } from '@taskproof/playwright';
import { setTimeout as sleep } from 'node:timers/promises';
const click = task => task.turn('click Go', () => task.page.getByText('Go').click());
export const mine = defineAgent({ name: 'mine', async run(task) {
  if (/no credit/.test(task.goal)) throw new AgentApiError('no credit is left');
  if (/never/.test(task.goal)) await task.waiting(new Promise(() => {}));
  if (!/slow/.test(task.goal)) return click(task);
  await task.waiting(sleep(${WAIT_MS}), 'limit');
  await click(task);
  await task.waiting(sleep(${WAIT_MS}));
} });
export const program = command({ command: ${JSON.stringify(process.execPath)}, args: ['program.mjs'] });
`;

const PROGRAM = `${PROGRAM_HEAD}
const task = await json(process.stdin);
say({ type: 'waiting', for: 'limit' });
await after(${WAIT_MS});
say({ type: 'waiting' });
await after(${WAIT_MS});
say({ type: 'waiting_end' });
say({ type: 'turn', title: 'click Go' });
const page = await attach(task.cdp);
await page.evaluate('document.querySelector("button").click()');
say({ type: 'end' });
page.socket.close();
`;

const TEST = `
import { expect, passPolicy, test } from '@taskproof/playwright';
test.use({ taskproof: { turnTimeoutMs: ${TIME_MS / 6} } });
for (const goal of ['slow', 'no credit'])
  test('help: ' + goal, passPolicy({ k: 1, minPasses: 1 }), async ({ page, agent }) => {
    await page.goto(process.env.SITE);
    const { status } = await agent.run(goal, { maxSteps: 3 });
    expect(status).toBe('completed');
    await expect(page.locator('#done')).toBeVisible();
  });
`;

const project = (name: string, more: string) =>
  `{ name: '${name}', testDir: '.', ...repeats('tasks/*.yaml'), ${more} }`;

async function makeFair() {
  const site = await startSite({ '/': PAGE });
  const task = (id: string, goal: string) => spec({ id, goal, url: `${site.url}/`, extra: 'maxSteps: 3' });
  const suite = makeSuite({
    'agent.mjs': AGENT,
    'program.mjs': PROGRAM,
    'playwright.config.ts': config({
      imports: `import { mine, program } from './agent.mjs';`,
      reporters: WITH_JSON,
      taskproof: `{ agent: mine, turnTimeoutMs: ${TIME_MS / 3} }`,
      workers: 3,
      extra: `timeout: ${TIME_MS / 2}`,
      projects: `[${project('mine', `testMatch: '*.spec.mjs'`)}, ${project('program', `testMatch: 'tasks.spec.mjs', grep: /slow/, use: { taskproof: { agent: program } }`)}]`,
    }),
    'tasks/a-quick.yaml': task('quick', 'do it'),
    'tasks/b-never.yaml': task('never', 'never'),
    'tasks/c-slow.yaml': task('slow', 'slow'),
    'tasks.spec.mjs': TASKS_TEST,
    'help.spec.mjs': TEST,
  });
  return { suite, env: { SITE: `${site.url}/` } };
}

test('a trial whose waiting takes longer than all of its time passes, and its test does not time out', async () => {
  const { suite, env } = await makeFair();
  const run = await suite.playwright(['test', '--grep-invert', 'never|quick'], env);
  const results = run.results();
  const rows = results.verdicts.map(({ spec, project, verdict, trials }) => [
    spec,
    project,
    verdict,
    trials[0]!.reason,
  ]);
  expect(rows, run.output).toEqual([
    ['help: no credit', 'mine', 'inconclusive', 'no credit is left'],
    ['help: slow', 'mine', 'passed', null],
    ['slow', 'mine', 'passed', null],
    ['slow', 'program', 'passed', null],
  ]);
  expect(results.verdicts[0]!.trials[0]).toMatchObject({ outcome: 'error', errorKind: 'agent_api' });
  const [, ...slow] = results.verdicts;
  const records = recordsIn(suite.read('report.json')).filter(({ status }) => status === 'completed');
  expect(records).toHaveLength(3);
  for (const waited of [...slow.map(({ trials }) => trials[0]!), ...records]) {
    expect(waited.modelTimeMs).toBeGreaterThanOrEqual(WAIT_MS - 100);
    expect(waited.waitTimeMs).toBeGreaterThanOrEqual(WAIT_MS - 100);
    expect(waited.durationMs).toBeGreaterThan(TIME_MS);
  }
  for (const time of ['modelTimeMs', 'waitTimeMs'] as const)
    expect(results[time]).toBe(slow.reduce((sum, row) => sum + row[time]!, 0));
  const steps = suite.read('report.json').match(/"wait for the (?:model|API's limit)"/g);
  expect(steps).toHaveLength(2 * slow.length);
});

test('globalTimeout ends a run that waits: what is finished counts, what waits is interrupted, the rest is missing', async () => {
  const { suite, env } = await makeFair();
  const args = [
    '--project',
    'mine',
    '--grep',
    'quick|never|slow',
    '--workers',
    '1',
    '--global-timeout',
    '15000',
  ];
  const run = await suite.playwright(['test', 'tasks.spec', ...args], env);
  const { status, complete, incompleteBecause, verdicts } = run.results();
  expect({ status, complete, incompleteBecause }, run.output).toEqual({
    status: 'failed',
    complete: false,
    incompleteBecause: 'the run reached its globalTimeout of 15 s',
  });
  expect(
    Object.fromEntries(verdicts.map(({ spec, verdict, trials }) => [spec, [verdict, trials]])),
  ).toMatchObject({
    quick: ['passed', [{ outcome: 'passed' }]],
    slow: ['undecided', []],
    never: ['inconclusive', [{ outcome: 'error', errorKind: 'interrupted' }]],
  });
});
