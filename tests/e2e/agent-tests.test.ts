// Hand-written tests with agents: they have what a spec's trial has. pass-policy.test.ts: how they are judged.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';
import type { Results } from '../../src/data/results';
import { openTrial, shownOn } from '../support/html-report';
import { recordsIn } from '../support/records';
import { config, makeSuite, type Run, type Suite, serveFolder, startSite } from './suite';

const PAGES: Record<string, string> = {
  '/': '<h1>Shop</h1><a href="/hours">Hours</a> <a href="/blog">Blog</a>',
  // The fault: a thing that looks like a control, and does nothing.
  '/hours': `<h1>Hours</h1><div style="width:40px;height:40px;background:red" onclick="this.title='x'"></div>
    <button onclick="location='/sunday'">Sunday</button>`,
  '/sunday': '<h1>Sunday</h1><p id="hours">11 to 17</p>',
  '/blog': '<h1>Blog</h1><p id="hours">Closed</p>',
};

const AGENTS = `import { test } from '@playwright/test';
const click = (task, role, name) => task.turn('click ' + role + ' "' + name + '"', async turn => {
  const control = task.page.getByRole(role, { name });
  await turn.record({ do: 'click' }, control);
  await control.click();
});
/** Only its first trial finds the way. */
const visitor = defineAgent({ name: 'visitor', async run(task) {
  if (task.goal === 'Leave') return task.turn('leave', () => task.page.goto('data:text/html,elsewhere'));
  if (task.goal.startsWith('Give up')) {
    await click(task, 'link', 'Hours');
    if (test.info().repeatEachIndex > 0) {
      await task.turn('click the red thing', async turn => {
        const thing = task.page.locator('div');
        await turn.record({ do: 'click' }, thing);
        await thing.click();
      });
      return { status: 'gave_up', reason: 'no Sunday on ' + task.goal.slice(8) };
    }
    return click(task, 'button', 'Sunday');
  }
  if (test.info().repeatEachIndex > 0) return click(task, 'link', 'Blog');
  await click(task, 'link', 'Hours');
  await click(task, 'button', 'Sunday');
} });
const helper = defineAgent({ name: 'helper', model: 'small', async run(task) {
  await click(task, 'link', 'Blog');
  task.usage({ inputTokens: 10, costUsd: 0.25 });
  return { answer: await task.page.locator('#hours').innerText() };
} });
export { visitor, helper };
`;

const TESTS = `import { expect, mergeTests, test as base } from '@playwright/test';
import { passPolicy, test as taskproof } from '@taskproof/playwright';
import { helper } from './agents';
const suite = base.extend<{ shop: string }>({ shop: async ({}, use) => { await use(process.env.SITE!); } });
const test = mergeTests(suite, taskproof);

test('finds the hours', passPolicy({ k: 2, minPasses: 2 }), async ({ page, agent, shop }) => {
  await page.goto(shop);
  await agent.run('When does the shop open on Sunday?'); expect(test.info().timeout).toBeLessThan(85_000);
  await expect(page.locator('#hours')).toContainText('11');
});

test('gives up', passPolicy({ k: 2, minPasses: 2 }), async ({ page, agent, shop }) => {
  await page.goto(shop);
  const { status } = await agent.run('Give up hours');
  expect(status).toBe('completed');
});

test('is tolerated', passPolicy({ k: 2, minPasses: 1 }), async ({ page, agent, shop }) => {
  await page.goto(shop);
  await agent.run('Open the hours');
  expect(test.info().repeatEachIndex).toBe(1);
});

test('two agents', passPolicy({ k: 1, minPasses: 1 }), async ({ page, agent, shop, browser, context }) => {
  await page.goto(shop);
  await agent.run('Open the hours');
  const tab = await context.newPage();
  await tab.goto(shop);
  const others = await browser.newContext();
  const other = await others.newPage();
  await other.goto(shop);
  const inTab = agent.run('Open the blog', { page: tab });
  await expect(agent.run('Open it again', { page })).rejects.toThrow('another agent is driving a page of this browser context');
  await expect(agent.run('Open it', { allowedDomains: ['shop.test'] })).rejects.toThrow('agent.run: the page is on 127.0.0.1, which is not in allowedDomains (shop.test). Open the site first: await page.goto(...), or pass { allowedDomains: [...] }');
  const [, { usage, turns, answer }] = await Promise.all([inTab, agent.run('Open the blog', { page: other, agent: helper })]);
  expect(usage.costUsd).toBe(0.25);
  expect(answer).toBe('Closed');
  expect(turns).toHaveLength(1);
  await expect(tab).toHaveURL(/sunday/);
  await expect(other).toHaveURL(/blog/);
  // The guard is of the runs, not of the test.
  await other.goto('about:blank');
  await others.close();
});

// Failures that are expected start no new workers. Our reporter tells them as ever.
test.afterEach(({}, info) => {
  if (/^leaves(, and is caught)?$/.test(info.title)) info.fail();
});
test('leaves', passPolicy({ k: 1, minPasses: 1 }), async ({ page, agent, shop }) => {
  await page.goto(shop);
  await agent.run('Leave');
});

test('leaves, and is caught', passPolicy({ k: 1, minPasses: 1 }), async ({ page, agent, shop }) => {
  await page.goto(shop);
  await agent.run('Leave').catch(() => {});
});

test.fail('leaves as expected', passPolicy({ k: 1, minPasses: 1 }), async ({ page, agent, shop }) => {
  await page.goto(shop);
  await agent.run('Leave');
});

test('leaves without a policy', async ({ page, agent, shop }) => {
  // Each failure costs a worker.
  test.skip(test.info().repeatEachIndex > 0);
  await page.goto(shop);
  await agent.run('Leave').catch(() => {});
});
`;

let suite: Suite;
let run: Run;
let results: Results;
let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch(launchOptions());
  const site = await startSite(PAGES);
  suite = makeSuite({
    'playwright.config.ts': config({
      imports: "import { visitor } from './agents';",
      taskproof: '{ agent: visitor }',
      projects: `[{ name: 'shop', testMatch: 'shop.spec.ts', ...repeats({ atLeast: 2 }), use: { trace: 'retain-on-failure' } }]`,
      reporters: `[['list'], ['json', { outputFile: 'report.json' }], ['@taskproof/playwright/reporter'], ['html']]`,
    }),
    'agents.ts': AGENTS.replace(
      'const click',
      "import { defineAgent } from '@taskproof/playwright';\nconst click",
    ),
    'shop.spec.ts': TESTS,
  });
  run = await suite.playwright(['test'], { SITE: `${site.url}/` });
  results = run.results();
});
afterAll(() => browser.close());

const row = (name: string) => results.verdicts.find(({ spec }) => spec === name)!;

test('the terminal says why the agent stopped and where, and where its way parted', () => {
  expect(run.exitCode, run.output).toBe(1);
  const text = run.output.replace(/\s+/g, ' ');
  expect(text).toContain(
    'Received: "gave_up" The agent gave up: no Sunday on hours. The agent stopped on http://127.0.0.1:',
  );
  expect(text).toContain('/blog after turn 1 (click link "Blog"). 8 | await page.goto(shop);');
  expect(text).toContain('trial 2/2: gave up on /hours: no Sunday on hours');
  expect(text).toContain(
    'turn 1: the passing trial clicked link "Hours", this one clicked link "Blog" at shop.spec.ts:10',
  );
});

test('the results have findings, ends and what the agents took', () => {
  const { verdict, diagnosis, trials } = row('gives up');
  expect(verdict).toBe('failed');
  expect(diagnosis!.findings).toMatchObject([
    { kind: 'no_role', locator: expect.stringMatching(/^locator\('div/), trials: 1 },
  ]);
  expect(trials[1]).toMatchObject({
    status: 'gave_up',
    turns: 2,
    reason: expect.stringMatching(
      /^expect\(received\)\.toBe\(expected\).*\(shop\.spec\.ts:16\): the agent gave up: no Sunday on hours; expected "completed", received "gave_up"; the agent stopped on .*\/hours after turn 2/,
    ),
  });
  expect(row('finds the hours').diagnosis!.groups).toMatchObject([
    {
      trials: [1],
      path: '/blog',
      check: 'expect(locator).toContainText(expected) failed (shop.spec.ts:10)',
    },
  ]);
  expect(row('is tolerated')).toMatchObject({ verdict: 'passed', failures: 1 });
});

test('several runs are one trial: turns, requests and costs of all, in several tabs, contexts and at the same time', () => {
  expect(row('two agents')).toMatchObject({
    agent: 'visitor, helper',
    model: 'small',
    turns: 5,
    costUsd: 0.25,
  });
  expect(row('two agents').trials[0]).toMatchObject({ answer: 'Closed' });
  const record = recordsIn(suite.read('report.json')).find(({ specId }) => specId === 'two agents')!;
  expect(record.turns.map(({ number, screenshot }) => [number, screenshot])).toEqual(
    [1, 2, 3, 4, 5].map(number => [number, `turn-${number}.jpg`]),
  );
  const starts = record.turns.map(({ startedAtMs }) => startedAtMs);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  const asked = record.network.events.map(({ url }) => new URL(url).pathname).sort();
  expect(asked).toEqual(['/blog', '/hours', '/hours', '/sunday', '/sunday']);
});

test('an agent that escapes the domain guard fails the test', () => {
  expect(row('leaves')).toMatchObject({ verdict: 'failed', failures: 1 });
  expect(row('leaves').reason).toMatch(
    /agent\.run: the agent got to data:text\/html,elsewhere, outside allowedDomains \(shop\.spec\.ts:53\)/,
  );
});

test.each(['leaves, and is caught', 'leaves as expected'])('also if its code goes on: %s', title => {
  expect(row(title)).toMatchObject({ verdict: 'failed', failures: 1 });
  expect(row(title).reason).toContain('the agent got to data:text/html,elsewhere, outside allowedDomains');
});

test('also without a policy', () => {
  expect(run.output).toMatch(/✘ .*leaves without a policy/);
});

test('a step has the answer', () => {
  expect(suite.read('report.json')).toContain('"title": "end: the agent answered: Closed"');
});

test('a transcript has the goals, the turns and how it ended', () => {
  const attached = JSON.stringify(JSON.parse(suite.read('report.json'))).matchAll(
    /"name":"transcript","contentType":"[^"]*","body":"([^"]*)"/g,
  );
  const texts = [...attached].map(([, body]) => Buffer.from(body!, 'base64').toString());
  const two = texts.find(text => text.includes('visitor, helper'))!;
  expect(two).toMatch(/^Goal: Open the hours\n +\| Open the blog\n +\| Open the blog\n/);
  expect(two).toMatch(/5\. click[\s\S]*Ended: completed at [\s\S]*Outcome: passed/);
  const lost = texts.find(text => text.includes('Ended: gave_up'))!;
  expect(lost).toContain(
    'Outcome: failed. the agent gave up: no Sunday on hours; expect(received).toBe(expected)',
  );
});

test('each failed trial keeps its trace, tolerated or not', () => {
  const kept = readdirSync(join(suite.folder, 'test-results'), { recursive: true }).map(String);
  const traces = kept.filter(name => name.endsWith('trace.zip')).map(name => name.split('-shop-repeat')[0]);
  expect(traces.toSorted().join(' ')).toMatch(/^shop-finds-the-hours shop-gives-up shop-is-tolerated-shop/);
});

test('the HTML report has goal, pictures and parting; steps point to the call', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(await serveFolder(join(suite.folder, 'playwright-report')));
  const body = await openTrial(page, 'gives up · trial 2/2');
  expect(body).toMatch(/goal: ?Give up hours/);
  expect(body).toMatch(/diagnosis: ?trial 2\/2: gave up on \/hours/);
  expect(body).toMatch(/in the way: ?div "x" reacts to clicks and has no role/);
  expect(body).toContain('Screenshots turn-1.jpg turn-2.jpg end.jpg in-the-way-1.jpg');
  await page.getByText('agent "visitor": Give up hours').first().click();
  const steps = await shownOn(page);
  expect(steps).toMatch(/agent "visitor": Give up hours ?— shop\.spec\.ts:15/);
  expect(steps).toMatch(/click link "Hours" ?— shop\.spec\.ts:15/);
  await page.close();
});

test('a run that nobody awaits fails its test, at its line; one in a hook has its own time', async () => {
  const site = await startSite(PAGES);
  const waits = `defineAgent({ name: 'waits', async run(task) {
  await task.turn('click Hours', () => task.page.getByText('Hours').click());
  await new Promise((_, reject) => task.signal.addEventListener('abort', () => reject(task.signal.reason)));
} })`;
  const forgetful = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${waits}, maxCostUsd: 0.5 }`,
      projects: `[{ name: 'shop', ...repeats({ atLeast: 1 }) }]`,
      reporters: `[['list'], ['json', { outputFile: 'report.json' }], ['@taskproof/playwright/reporter']]`,
    }),
    // In a hook a run has its own time, and a timeout that is set during one holds. First, in the worker that the next file has, too.
    'a-time.spec.ts': `import { defineAgent, test } from '@taskproof/playwright';
test.beforeEach(({ page }) => page.goto('${site.url}'));
test.use({ taskproof: { agent: defineAgent({ name: 'timed', run: task => task.turn('look', () => {}) }) } });
test.describe('in a hook', () => {
  test.afterEach(async ({ agent }) => { await agent.run('Look'); await agent.run('Look again'); });
  test('passes', () => {});
});
const slow = defineAgent({ name: 'timed', run: task => task.turn('look', () => test.setTimeout(50_000)) });
test('passes, too', async ({ agent }) => {
  await agent.run('Look', { agent: slow });
  if (test.info().timeout !== 50_000) throw new Error('the timeout is ' + test.info().timeout);
});`,
    'shop.spec.ts': `import { defineAgent, expect, passPolicy, test } from '@taskproof/playwright';
const once = passPolicy({ k: 1, minPasses: 1 });
test.beforeEach(async ({ page }, { title }) => {
  // Failures that are expected start no new workers.
  test.fail(/no goal|begins|second|too much$/.test(title));
  await page.goto('${site.url}/');
});
test('ends before it', once, async ({ agent }) => {
  agent.run('Look');
});
test('ends in the middle', once, async ({ page, agent }) => {
  agent.run('Look around');
  await page.waitForURL('**/hours');
});
test('ends before the second has a key', once, async ({ agent }) => {
  await agent.run('Look', { agent: defineAgent({ name: 'quick', run: task => task.turn('look', () => {}) }) });
  agent.run('Look again', { agent: defineAgent({ name: 'slow', preflight: () => new Promise(() => {}), run() {} }) });
});
test('has no goal', once, async ({ agent }) => {
  await agent.run(' ');
});
test('begins on a blank page', once, async ({ page, agent }) => {
  await page.goto('about:blank');
  await agent.run('Look');
});
test('begins on a closed page', once, async ({ page, context, agent }) => {
  await context.newPage();
  await page.close();
  await agent.run('Look');
});
test('spends its cap', once, async ({ agent }) => {
  const dear = defineAgent({ name: 'dear', run: task => task.turn('think', () => task.usage({ costUsd: 0.3 })) });
  for (const goal of ['Look', 'Look on', 'Look again']) await agent.run(goal, { agent: dear });
});
test('crashes later', once, async ({ page, context, agent }) => {
  await agent.run('Look', { agent: defineAgent({ name: 'quick', run: task => task.turn('look', () => {}) }) });
  const cdp = await context.newCDPSession(page);
  cdp.send('Page.crash').catch(() => {});
  await expect(page.locator('#never')).toBeVisible();
});
test('answers its own dialog later', once, async ({ page, agent }) => {
  let held;
  page.on('dialog', dialog => { held = dialog; });
  const asks = () => page.evaluate(() => void setTimeout(() => { document.title = String(confirm('Sure?')); }));
  await agent.run('Look', { agent: defineAgent({ name: 'asks', run: task => task.turn('ask', asks) }) });
  await expect.poll(() => held?.message()).toBe('Sure?');
  await held.accept();
  await expect(page).toHaveTitle('true');
});
test('asks for too much', once, async ({ agent }) => {
  await agent.run('Look', { maxSteps: 0 });
});
const forever = defineAgent({ name: 'forever', run: task => task.turn('wait', () => new Promise(() => {})) });
test('has a step with too little time', once, async ({ page, agent }) => {
  await page.goto('${site.url}/hours');
  await test.step('look', async () => {
    await agent.run('Look long', { agent: forever });
  }, { timeout: 500 });
});
test('fails beside a run', once, async ({ page, agent }) => {
  await Promise.all([agent.run('Look', { agent: forever }), expect(page).toHaveTitle('Nothing')]);
});
test('is ended by an error in a listener', once, async ({ agent }) => {
  const throws = task => task.turn('throw', () => new Promise(() => setTimeout(() => { throw new Error('out of nowhere'); })));
  await agent.run('Look', { agent: defineAgent({ name: 'throws', run: throws }) }).catch(() => {});
});
test.describe('with a run in a hook', () => {
  test.afterEach(({ agent }) => agent.run('Look', { agent: defineAgent({ name: 'quick', run: task => task.turn('look', () => {}) }) }));
  test('is wrong itself', once, async () => {
    expect('the page').toBe('left alone');
  });
});
test('asks for too much, and goes on', once, async ({ agent }) => {
  await agent.run('Look', { maxSteps: 0 }).catch(() => {});
  expect('the page').toBe('right');
});
`,
  });
  const { exitCode, output } = await forgetful.playwright(['test']);
  expect(exitCode, output).toBe(1);
  for (const title of ['in a hook › passes', 'passes, too'])
    expect(output).toMatch(new RegExp(`✓ .*a-time\\.spec\\.ts:\\d+:\\d+ › ${title} `));
  expect(output).toContain('agent.run("Look") was still running when the test ended: await it');
  expect(output).toMatch(/> +9 \| +agent\.run\('Look'\);/);
  expect(output).toContain('agent.run("Look around") was still running when the test ended: await it');
  expect(output).toMatch(/\? ends in the middle \[shop\] inconclusive: 0\/1 passed/);
  // The test's own code decides, also before the agent has ended; an error from anywhere says nothing about the site.
  expect(output).toContain('✗ has a step with too little time [shop] failed: 0/1 passed');
  expect(output).toMatch(
    /TimeoutError: Step timeout of 500ms exceeded\.[\s\S]*?> +\d+ \| +await test\.step\('look'/,
  );
  expect(output).toContain('✗ fails beside a run [shop] failed: 0/1 passed');
  expect(output).toContain('? is ended by an error in a listener [shop] inconclusive: 0/1 passed');
  // A wrong call says nothing about the site.
  for (const title of ['has no goal', 'begins on a blank page', 'begins on a closed page', 'crashes later'])
    expect(output).toContain(`? ${title} [shop] inconclusive: 0/1 passed`);
  expect(output).toContain('✗ spends its cap [shop] failed: 0/1 passed');
  expect(output.replace(/\s+/g, ' ')).toContain(
    'agent.run: the runs of this test have spent $0.6000 of its maxCostUsd of $0.5. Raise it, or give the run a cap',
  );
  expect(forgetful.read('report.json')).toContain('answers its own dialog later');
  expect(output).not.toContain('answers its own dialog later [shop]');
  expect(output).toContain('? ends before it [shop] inconclusive: 0/1 passed');
  expect(output).toMatch(/setup: agent\.run\(\)[^\n]*maxSteps/);
  expect(output).toContain('✗ asks for too much, and goes on [shop] failed');
  expect(/Expected: "left alone"[\s\S]*?\d+\) /.exec(output)?.[0]).not.toContain('The agent stopped');
  // The ends of those runs are no errors of their own.
  expect(output).not.toMatch(/not a part of any test|has been closed|agent\.run, error/);
  const all = recordsIn(forgetful.read('report.json'));
  const ofForever = all.filter(({ agent }) => agent === 'forever');
  expect(ofForever.map(({ status }) => status).toSorted()).toEqual(['completed', 'timed_out']);
  const ofCrash = ({ reason }: { reason: string | null }) => /crashed/.test(reason ?? '');
  const crashed = all.filter(ofCrash);
  const isOther = ({ agent, reason }: (typeof all)[number]) =>
    ['asks', 'dear', 'forever', 'throws', 'timed'].includes(agent) || /toBe/.test(reason ?? '');
  const records = all.filter(each => !ofCrash(each) && !isOther(each));
  expect(crashed).toMatchObject([
    {
      outcome: 'error',
      errorKind: 'browser',
      reason: `the page crashed (${site.url}/) after the agent had ended`,
    },
  ]);
  // The first test may have ended before its trial began.
  expect(
    records
      .map(({ outcome }) => outcome)
      .toSorted()
      .join(' '),
  ).toMatch(/^(error ){1,2}failed$/);
  for (const { reason } of records) expect(reason).toContain('was still running when the test ended');
});
