// What happens to a run happens to it on purpose here: it ends, says what happened, and loses no finished trial.
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { marked } from '../support/processes';
import { serve } from '../support/serve';
import {
  config,
  hangingPage,
  inProcess,
  makeSuite,
  PAGE,
  spec,
  startSite,
  TASKS_TEST,
  TASKS_TEST_IN_ONE_WORKER,
} from './suite';

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
}

const CRASH = `const crash = async () => { const cdp = await task.context.newCDPSession(task.page); cdp.send('Page.crash').catch(() => {}); };`;

const faults: Record<string, Fault> = {
  'renderer-crash': {
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
    reason: /^(the page crashed .*|the browser or its context was closed) before the trial was graded$/,
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
    agent: `process.env.TASKPROOF_LEDGER = ${JSON.stringify(FULL)}; task.usage({ costUsd: 0.1 }); await go();`,
    outcome: 'passed',
    reason: /^null$/,
  },
  'site-down': {
    agent: '',
    outcome: 'error',
    errorKind: 'site_unreachable',
    reason: /^http:.* can't be opened: .*ERR_CONNECTION_REFUSED.* Is the site running/,
    turns: 0,
  },
  // What a frame that flips between two origins makes of the browser's events.
  'frame-attached-twice': {
    agent: `await task.page.evaluate(() => document.body.append(document.createElement('iframe')));
      const inner = each => each._connection.toImpl(each);
      const [parentFrameId, frameId] = task.page.frames().map(frame => inner(frame)._id);
      const session = inner(task.page).delegate._mainFrameSession._client;
      const thrown = new Promise(resolve => process.prependOnceListener('uncaughtException', resolve));
      setTimeout(session.emit.bind(session, 'Page.frameAttached', { frameId, parentFrameId }), 0);
      await thrown;
      await go();`,
    outcome: 'passed',
    reason: /^null$/,
  },
  // A fault that ends more than its own trial ends this one, too.
  good: { agent: 'await go();', outcome: 'passed', reason: /^null$/ },
  // The last one: its worker has no browser any more.
  'browser-killed': {
    agent: `await task.turn('kill', async () => {
      const cdp = await task.context.browser().newBrowserCDPSession();
      const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
      process.kill(processInfo.find(({ type }) => type === 'browser').id, 'SIGKILL');
      await new Promise(() => {});
    });`,
    outcome: 'error',
    errorKind: 'browser',
    reason: /^the browser or its context was closed while the agent ran$/,
  },
};

/** A site that answers once and is gone. */
async function startMortalSite(): Promise<string> {
  const { server, url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' });
    response.end('<a href="/next">Go</a>');
    server.close();
  });
  server.unref();
  return `${url}/`;
}

test('each fault ends its trial with what happened, and no other; no process is left', async () => {
  const site = await startSite({ '/': PAGE, '/favicon.ico': '' });
  const down = await startSite({});
  await down.close();
  const urls: Record<string, string> = { 'site-gone': await startMortalSite(), 'site-down': `${down.url}/` };
  const agents = Object.entries(faults).map(([id, { agent }]) => `'${id}': async () => { ${agent} }`);
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `const run = (task: any) => {
  const go = () => task.turn('click Go', () => task.page.getByText('Go').click());
  return ({ ${agents.join(',\n')} } as any)[task.specId]();
};`,
      taskproof: `{ turnTimeoutMs: 1000, agent: defineAgent({ name: 'faulty', run }) }`,
      extra: 'fullyParallel: true',
      projects: `[
        { name: 'agents' },
        { name: 'no-browser', grep: /good/, use: { launchOptions: { executablePath: '/nowhere/chromium' } } },
      ]`,
    }),
    ...Object.fromEntries(
      Object.keys(faults).map((id, place) => [
        `tasks/${place}-${id}.yaml`,
        spec({ id, goal: id, url: urls[id] ?? `${site.url}/` }),
      ]),
    ),
    'tasks.spec.ts': TASKS_TEST_IN_ONE_WORKER,
  });
  const processes = marked();
  const run = await suite.playwright(['test'], processes.env);
  expect(run.exitCode, run.output).toBe(1);
  const { verdicts, complete } = run.results();
  expect(complete).toBe(true);
  const rowOf = (id: string, project = 'agents') =>
    verdicts.find(row => row.spec === id && row.project === project)!;
  for (const [id, { outcome, errorKind, status, reason, turns = 1 }] of Object.entries(faults)) {
    const [trial] = rowOf(id).trials;
    expect.soft(trial, `${id}: ${JSON.stringify(trial)}`).toMatchObject({ outcome, turns });
    expect.soft(trial!.errorKind, id).toBe(errorKind);
    expect.soft(trial!.status, id).toBe(status ?? (outcome === 'error' ? 'error' : 'completed'));
    expect.soft(String(trial!.reason), id).toMatch(reason);
    const told = trial!.reason?.replace(/; the agent stopped on .*/, '').slice(0, 100) ?? '';
    // Long lines are wrapped.
    expect.soft(run.output.replace(/\s+/g, ' ')).toContain(told);
  }
  expect(run.output).toContain("ledger-full: can't write the run's ledger:");
  expect(rowOf('good', 'no-browser'), run.output).toMatchObject({
    verdict: 'inconclusive',
    trials: [{ outcome: 'error', errorKind: 'browser' }],
  });
  expect(run.output).toContain('4 trials with error: browser');
  await processes.gone();
});

test('what can not be written costs a warning, never the verdicts', async () => {
  const suite = makeSuite({
    'playwright.config.ts': config({
      reporters: `[['list'], ['@taskproof/playwright/reporter', { outputFile: 'good.spec.ts/results.json', summary: '${FULL}', baseline: 'base.json' }]]`,
      projects: `[{ name: 'agents' }]`,
    }),
    'base.json': '{ "schemaVersion": "3", "verdicts": [] }',
    '.taskproof': 'no folder',
    'good.spec.ts': `import { expect, test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
test('good', passPolicy({ k: 1, minPasses: 1 }), () => {});
test('as told', passPolicy({ k: 1, minPasses: 1 }), () => { expect(1).toBe(2); });`,
  });
  const run = await suite.playwright(['test'], { GITHUB_STEP_SUMMARY: FULL });
  expect(run.exitCode, run.output).toBe(1);
  expect(run.output).toMatch(/good\s+agents\s+✓ passed/);
  expect(run.output).toMatch(/as told\s+agents\s+✗ failed/);
  expect(run.output).toMatch(/taskproof: can't write the results to .*good\.spec\.ts\/results\.json: E/);
  expect(run.output).toMatch(/taskproof: .*\.taskproof.* can't be written, so .*: E/);
  expect(run.output.match(/taskproof: .*: (ENOSPC|ENOTDIR|EEXIST)/g)).toHaveLength(4);
  expect(run.output).toMatch(
    /taskproof: \S*base\.json: schemaVersion is "3"; this version .* reads baselines of "1" and "2"/,
  );
});

/** Of the machine, in each process that reads the config. */
const CLOCK = `import { existsSync } from 'node:fs';
const Real = Date;
const now = () => Real.now() - (existsSync(__dirname + '/back') ? 3_600_000 : 0);
globalThis.Date = class extends Real {
  static now = now;
  constructor(...given) { super(...(given.length ? given : [now()])); }
} as DateConstructor;`;

test('a clock that goes back an hour in the middle loses no trial, and a run before its baseline is compared with it', async () => {
  const site = await startSite({ '/': PAGE });
  const suite = makeSuite({
    'playwright.config.ts': config({ imports: `import './clock';` }),
    'clock.ts': CLOCK,
    'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/` }),
    'a.spec.ts': `import { writeFileSync } from 'node:fs';
import { expect, passPolicy, test } from '@taskproof/playwright';
test('two agents', passPolicy({ k: 1, minPasses: 1 }), async ({ page, agent }) => {
  await page.goto('${site.url}/');
  await agent.run('Click "Go"');
  writeFileSync('back', '');
  await agent.run('Click "Go"');
});`,
    'b.spec.ts': TASKS_TEST,
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(0);
  const { verdicts, durationMs } = run.results();
  expect(verdicts.map(({ spec, verdict }) => [spec, verdict])).toEqual([
    ['go', 'passed'],
    ['two agents', 'passed'],
  ]);
  expect(verdicts[1]).toMatchObject({ agent: 'lexical', turns: 2 });
  for (const took of [durationMs, ...verdicts.map(({ trials }) => trials[0]!.durationMs)])
    expect(took).toBeGreaterThan(0);
  expect((await inProcess(suite, ['baseline', 'save'])).code).toBe(0);
  const before = { ...run.results(), startedAt: new Date(0).toISOString() };
  suite.write({ 'taskproof-results.json': JSON.stringify(before) });
  const compared = { code: 0, out: expect.stringContaining('2 unchanged'), err: '' };
  expect(await inProcess(suite, ['diff'])).toMatchObject(compared);
});

const SLOW = `defineAgent({ name: 'slow', async run(task) {
  await task.turn('click Go', () => task.page.getByText('Go').click());
  if (task.goal === 'hang') await task.turn('hang', async () => { await fetch(task.entryUrl + 'hanging'); await new Promise(() => {}); });
} })`;

async function interruptible(hangAfterwards: boolean) {
  const { started, hanging } = hangingPage();
  const held = new Set<ServerResponse>();
  const site = await startSite({
    '/': PAGE,
    '/hanging': hanging,
    '/hold': (_, response) => void held.add(response),
  });
  const suite = makeSuite({
    'playwright.config.ts': config({ taskproof: `{ agent: ${SLOW} }` }),
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
  const processes = marked();
  const run = suite.start(['test'], processes.env);
  // The worker outlives its runner until its teardown has ended.
  run.process.on('exit', () => {
    for (const response of held) response.end();
  });
  await started;
  return { ...run, processes };
}

test.each([
  { how: 'Ctrl-C once: the running trial says so, the rest is missing', hangs: false },
  { how: 'Ctrl-C twice: nothing is waited for', hangs: true },
])('$how, and what had ended is kept', async ({ hangs }) => {
  const { process: runner, done, processes } = await interruptible(hangs);
  // The first one waits for the teardown that hangs. Playwright takes no second one within a second of it.
  const impatient = hangs ? setInterval(() => runner.kill('SIGINT'), 200) : undefined;
  runner.kill('SIGINT');
  const run = await done.finally(() => clearInterval(impatient));
  expect(run.exitCode, run.output).toBe(130);
  const results = run.results();
  expect(results).toMatchObject({ status: 'interrupted', complete: false });
  const reason = 'the run was interrupted before the trial ended';
  const running = { outcome: 'error', errorKind: 'interrupted', turns: 2, reason };
  expect(results.verdicts, run.output).toMatchObject([
    { spec: 'a-done', verdict: 'passed', passes: 1 },
    {
      spec: 'b-hanging',
      ...(hangs ? { verdict: 'undecided' } : { verdict: 'inconclusive', trials: [running] }),
    },
    { spec: 'c-never', verdict: 'undecided', missing: 1 },
  ]);
  expect(run.output).toContain('Taskproof (incomplete: the run was interrupted)');
  expect(run.output).toMatch(
    /did not pass\n[\s\S]*Interrupted: 1 of 3 trials are kept\. Go on: npx taskproof resume$/m,
  );
  expect(run.output).not.toMatch(/internal|own code/);
  await processes.gone();
});
