// What happens to a run happens to it on purpose here: it ends, says what happened, and loses no finished trial.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Results } from '../../src/data/results';
import { MARK, processesMarked } from '../support/processes';
import { CLICKS_GO, config, makeSuite, PLAIN, type Run, spec, startSite, TASKS_TEST } from './suite';

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

/** A path that nothing can be written to, for root neither. */
const FULL = existsSync('/dev/full') ? '/dev/full' : 'playwright.config.ts/below';

interface Fault {
  /** Body of the agent's run, with \`task\`, \`test\` and \`go\` (one turn that does the task) at hand. */
  agent: string;
  outcome: 'passed' | 'failed' | 'error';
  status?: string;
  errorKind?: string;
  reason: RegExp;
  /** A trial whose process was killed leaves none. */
  turns?: number;
  /** Run in a hand-written test, with the fixture: each failed trial costs a worker. */
  byHand?: true;
}

const CRASH = `const crash = async () => { const cdp = await task.context.newCDPSession(task.page); cdp.send('Page.crash').catch(() => {}); };`;

const faults: Record<string, Fault> = {
  'renderer-crash': {
    byHand: true,
    agent: `${CRASH} await task.turn('crash', async () => { await crash(); await new Promise(() => {}); });`,
    outcome: 'error',
    errorKind: 'browser',
    reason: /^the page crashed .* while the agent ran$/,
  },
  'crash-before-grading': {
    agent: `${CRASH} await task.turn('look', () => {}); task.signal.addEventListener('abort', crash);`,
    outcome: 'error',
    errorKind: 'browser',
    // If a picture is being taken, Chromium 156 itself goes down with the page, and does not always tell of the page first.
    reason:
      /^(the page crashed .*|the browser context was closed, or the browser was gone,) before the trial was graded$/,
  },
  // The last one: its worker has no browser any more.
  'browser-killed': {
    byHand: true,
    agent: `await task.turn('kill', async () => {
      const cdp = await task.context.browser().newBrowserCDPSession();
      const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
      process.kill(processInfo.find(({ type }) => type === 'browser').id, 'SIGKILL');
      await new Promise(() => {});
    });`,
    outcome: 'error',
    errorKind: 'browser',
    reason: /^the browser context was closed, or the browser was gone, while the agent ran$/,
  },
  'worker-killed': {
    agent: `await task.turn('kill', () => process.kill(process.pid, 'SIGKILL')); await new Promise(() => {});`,
    outcome: 'error',
    errorKind: 'internal',
    reason: /no record was left: .*worker process exited unexpectedly.*SIGKILL/,
    turns: 0,
  },
  'test-timeout': {
    agent: `await task.turn('hang', () => { test.info().setTimeout(1); return new Promise(() => {}); });`,
    outcome: 'failed',
    status: 'timed_out',
    reason: /^the test timed out after 0.001 s; the agent stopped on .* after turn 1 \(hang\)$/,
  },
  'site-gone': {
    agent: `await task.turn('click Go', () => task.page.getByText('Go').click()); await task.page.waitForURL('chrome-error:**');`,
    outcome: 'error',
    errorKind: 'site_unreachable',
    reason: /stopped answering while the trial ran: .*ECONNREFUSED/,
  },
  'ledger-full': {
    agent: `process.env.TASKPROOF_LEDGER = ${JSON.stringify(FULL)}; await go();`,
    outcome: 'passed',
    reason: /^null$/,
  },
};

const rows = Object.entries(faults);
const trials = rows.filter(([, { byHand }]) => !byHand);
const byHand = rows.filter(([, { byHand }]) => byHand);

/** A site that answers once and is gone. */
async function startMortalSite(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' });
    response.end('<a href="/next">Go</a>');
    server.close();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

let run: Run;
let results: Results;
const messages: Record<string, string> = {};
const mark = randomUUID();

beforeAll(async () => {
  const site = await startSite({ '/': PAGE, '/favicon.ico': '' });
  const mortal = await startMortalSite();
  const agents = rows.map(([id, { agent }]) => `'${id}': async (task, go) => { ${agent} }`);
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { test } from '@playwright/test';\nimport { goalOf } from './agents';`,
      taskproof: `{ turnTimeoutMs: 1000, agent: defineAgent({ name: 'faulty', run: task => goalOf(task, test) }) }`,
      reporters: PLAIN,
      extra: 'fullyParallel: true',
      projects: `[
        { name: 'agents' },
        { name: 'no-browser', grep: /good/, use: { launchOptions: { executablePath: '/nowhere/chromium' } } },
      ]`,
    }),
    'agents.ts': `export function goalOf(task: any, test: any) {
      const go = () => task.turn('click Go', () => task.page.getByText('Go').click());
      const agents: any = { ${agents.join(',\n')}, good: (_: any, go: any) => go() };
      return agents[task.goal](task, go);
    }`.replaceAll('async (task, go)', 'async (task: any, go: any)'),
    ...Object.fromEntries(
      trials.map(([id]) => [
        `tasks/${id}.yaml`,
        spec({ id, goal: id, url: id === 'site-gone' ? mortal : `${site.url}/` }),
      ]),
    ),
    // The last: a fault that ends more than its own trial ends this one, too.
    'tasks/z-good.yaml': spec({ id: 'good', goal: 'good', url: `${site.url}/` }),
    'tasks.spec.ts': TASKS_TEST,
    'tests-by-hand.spec.ts': `import { writeFileSync } from 'node:fs';
import { test } from '@taskproof/playwright';
for (const id of ${JSON.stringify(byHand.map(([id]) => id))})
  test(id, async ({ page, agent }) => {
    await page.goto('${site.url}/');
    const message = await agent.run(id).then(JSON.stringify, error => error.message);
    writeFileSync(id + '.txt', message);
  });`,
  });
  run = await suite.playwright(['test'], { [MARK]: mark });
  results = run.results();
  for (const [id] of byHand) messages[id] = suite.read(`${id}.txt`);
});

const rowOf = (id: string, project = 'agents') =>
  results.verdicts.find(row => row.spec === id && row.project === project)!;

test.each(trials)('%s ends its trial with what happened', (id, fault) => {
  const [trial] = rowOf(id).trials;
  const { outcome, errorKind, turns = 1 } = fault;
  expect(trial, `${id}: ${JSON.stringify(trial)}\n${run.output}`).toMatchObject({ outcome, turns });
  expect(trial!.errorKind, id).toBe(errorKind);
  expect(trial!.status, id).toBe(fault.status ?? (outcome === 'error' ? 'error' : 'completed'));
  expect(String(trial!.reason), id).toMatch(fault.reason);
  if (outcome !== 'passed')
    // Long lines are wrapped.
    expect(run.output.replace(/\s+/g, ' ')).toContain(
      trial!.reason!.replace(/; the agent stopped on .*/, '').slice(0, 100),
    );
});

test.each(byHand)('%s is the error of a hand-written test', (id, { errorKind, reason }) => {
  const [, kind, said] = /^agent\.run, error: (\w+): (.*)$/.exec(messages[id]!) ?? [];
  expect(kind, messages[id]).toBe(errorKind);
  expect(said).toMatch(reason);
});

test('faults end no other trial, and leave no process', async () => {
  expect(run.exitCode, run.output).toBe(1);
  expect(results.complete).toBe(true);
  for (const id of ['ledger-full', 'good']) expect(rowOf(id)).toMatchObject({ verdict: 'passed', passes: 1 });
  expect(run.output).toContain("ledger-full: can't write the run's ledger:");
  await vi.waitFor(() => expect(processesMarked(mark)).toEqual([]), { timeout: 60_000, interval: 200 });
});

test('a browser that can not be launched is an error of the browser', () => {
  expect(rowOf('good', 'no-browser'), run.output).toMatchObject({
    verdict: 'inconclusive',
    trials: [{ outcome: 'error', errorKind: 'browser' }],
  });
  const browserErrors = trials.filter(([, { errorKind }]) => errorKind === 'browser').length;
  expect(run.output).toContain(`${browserErrors + 1} trials with error: browser`);
});

test('what failed before the trials is named: a setup project, a hook, a set-up beyond the timeout', async () => {
  const site = await startSite({ '/': PAGE });
  const suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${CLICKS_GO} }`,
      reporters: PLAIN,
      projects: `[
        { name: 'login', testMatch: 'login.ts' },
        { name: 'logged in', dependencies: ['login'] },
        { name: 'hook', grep: /\\ba @/ },
        { name: 'slow', grep: /\\ba @/, timeout: 500 },
      ]`,
    }),
    'login.ts': `import { test } from '@playwright/test'; test('log in', () => { throw new Error('wrong password'); });`,
    ...Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f'].map(id => [`tasks/${id}.yaml`, spec({ id, url: `${site.url}/` })]),
    ),
    'tasks.spec.ts': `import { test as base, taskproofTests } from '@taskproof/playwright';
const test = base.extend({
  page: async ({}, _use, testInfo) => {
    if (testInfo.project.name === 'hook') throw new Error('no shop to test');
    await new Promise(() => {});
  },
});
taskproofTests('tasks/**/*.yaml', { test });`,
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  const because = 'project "login" failed, which "logged in" depends on';
  const results = run.results();
  expect(results.incompleteBecause).toBe(because);
  const rows = (project: string) => results.verdicts.filter(row => row.project === project);
  expect(rows('logged in')).toHaveLength(6);
  for (const row of rows('logged in'))
    expect(row).toMatchObject({ verdict: 'undecided', reason: `${because}; 0 of 1 trials present` });
  const told = `… 6 specs did not run: ${because} (a [logged in], b [logged in], c [logged in], d [logged in], e [logged in] and 1 more)`;
  // Once, among the errors of the run.
  expect(run.output.split(told)).toHaveLength(2);
  expect(rows('hook')[0]!.trials).toMatchObject([
    { errorKind: 'setup', reason: 'the test failed before its trial began: Error: no shop to test' },
  ]);
  expect(rows('slow')[0]!.trials[0]).toMatchObject({
    errorKind: 'setup',
    reason: expect.stringMatching(/before its trial began: .*timeout of 500ms exceeded/i),
  });
  expect(run.output).not.toContain('own code');
});

test('what can not be written costs a warning, never the verdicts', async () => {
  const suite = makeSuite({
    'playwright.config.ts': config({
      reporters: `[['list'], ['@taskproof/playwright/reporter', { outputFile: 'good.spec.ts/results.json', summary: '${FULL}', baseline: 'base.json' }]]`,
      projects: `[{ name: 'agents' }]`,
    }),
    'base.json': '{ "schemaVersion": "3", "verdicts": [] }',
    'good.spec.ts': `import { test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
test('good', passPolicy({ k: 1, minPasses: 1 }), () => {});`,
  });
  const run = await suite.playwright(['test'], { GITHUB_STEP_SUMMARY: FULL });
  expect(run.exitCode, run.output).toBe(0);
  expect(run.output).toMatch(/good\s+agents\s+✓ passed/);
  expect(run.output).toMatch(/taskproof: .*good\.spec\.ts\/results\.json: E/);
  expect(run.output.match(/taskproof: .*: (ENOSPC|ENOTDIR|EEXIST)/g)).toHaveLength(3);
  expect(run.output).toMatch(
    /taskproof: .*base\.json: schemaVersion is "3"; this version .* reads baselines of "1" and "2"/,
  );
});

const SLOW = `defineAgent({ name: 'slow', async run(task) {
  await task.turn('click Go', () => task.page.getByText('Go').click());
  if (task.goal === 'hang') await task.turn('hang', async () => { await fetch(task.entryUrl + 'hanging'); await new Promise(() => {}); });
} })`;

async function interruptible(hangAfterwards: boolean) {
  let hanging = () => {};
  const started = new Promise<void>(resolve => {
    hanging = resolve;
  });
  const held = new Set<ServerResponse>();
  const site = await startSite({
    '/': PAGE,
    '/hanging': (_, response) => void response.end(hanging()),
    '/hold': (_, response) => void held.add(response),
  });
  const suite = makeSuite({
    'playwright.config.ts': config({ taskproof: `{ agent: ${SLOW} }`, reporters: PLAIN }),
    'tasks/a-done.yaml': spec({ id: 'a-done', goal: 'go', url: `${site.url}/` }),
    'tasks/b-hanging.yaml': spec({ id: 'b-hanging', goal: 'hang', url: `${site.url}/` }),
    'tasks/c-never.yaml': spec({ id: 'c-never', goal: 'go', url: `${site.url}/` }),
    'tasks.spec.ts': `import { test as base, taskproofTests } from '@taskproof/playwright';
const test = base.extend({
  page: async ({ page }, use, testInfo) => {
    await use(page);
    if (${hangAfterwards} && testInfo.title === 'b-hanging') await fetch('${site.url}/hold').catch(() => {});
  },
});
taskproofTests('tasks/**/*.yaml', { test });`,
  });
  const mark = randomUUID();
  const run = suite.start(['test'], { [MARK]: mark });
  // The worker outlives its runner until its teardown has ended.
  run.process.on('exit', () => {
    for (const response of held) response.end();
  });
  await started;
  return { ...run, mark };
}

test('Ctrl-C: finished trials are kept, the running one says so, the rest is missing', async () => {
  const { process: runner, done, mark } = await interruptible(false);
  runner.kill('SIGINT');
  const run = await done;
  expect(run.exitCode, run.output).toBe(130);
  const results = run.results();
  expect(results).toMatchObject({ status: 'interrupted', complete: false });
  expect(results.verdicts, run.output).toMatchObject([
    { spec: 'a-done', verdict: 'passed', passes: 1 },
    {
      spec: 'b-hanging',
      verdict: 'inconclusive',
      trials: [{ outcome: 'error', errorKind: 'interrupted', turns: 2 }],
    },
    { spec: 'c-never', verdict: 'undecided', missing: 1 },
  ]);
  expect(results.verdicts[1]!.trials[0]!.reason).toBe('the run was interrupted before the trial ended');
  expect(run.output).toContain('Taskproof (incomplete: the run was interrupted)');
  expect(run.output).toContain('… 1 spec did not run: the run was interrupted (c-never [agents])');
  expect(run.output).not.toMatch(/internal|own code/);
  await vi.waitFor(() => expect(processesMarked(mark)).toEqual([]), { timeout: 60_000, interval: 200 });
});

test('Ctrl-C twice: nothing is waited for, and what had ended is kept', async () => {
  const { process: runner, done, mark } = await interruptible(true);
  // The first one waits for the teardown that hangs. Playwright takes no second one within a second of it.
  const impatient = setInterval(() => runner.kill('SIGINT'), 200);
  runner.kill('SIGINT');
  const run = await done.finally(() => clearInterval(impatient));
  expect(run.exitCode, run.output).toBe(130);
  expect(run.results()).toMatchObject({ status: 'interrupted', complete: false });
  expect(run.results().verdicts).toMatchObject([
    { spec: 'a-done', verdict: 'passed', passes: 1 },
    { spec: 'b-hanging', verdict: 'undecided' },
    { spec: 'c-never', verdict: 'undecided', missing: 1 },
  ]);
  await vi.waitFor(() => expect(processesMarked(mark)).toEqual([]), { timeout: 60_000, interval: 200 });
});
