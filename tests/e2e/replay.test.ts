// replay() in real runs: what was recorded is played on a site that changes in between. Without a recording, and recordings of
// agents of one's own: tests/unit. `taskproof record`: docs.test.ts. A recording as each kind of action: tests/browser/replay.test.ts.
import { cpSync, readdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSite as startExampleSite } from '../../example-tasks/site/server.mjs';
import type { Recording } from '../../src/data/recording';
import { byRef, call, done, reply, startMessagesApi } from '../support/messages-api';
import { recordsIn } from '../support/records';
import { config, makeSuite, type Run, type Suite, spec, startSite, TASKS_TEST, taskproof } from './suite';

const SECRET = '4000-0566';
/** An order needs the card's number, of which the page knows only the form. */
const ORDER = 'done.hidden = !/^\\d{4}-\\d{4}$/.test(card.value)';
const BUTTONS = {
  'as recorded': `<button onclick="${ORDER}">Place order</button>`,
  renamed: `<button onclick="${ORDER}">Order now</button>`,
  gone: '',
};

/** A shop whose last button is as the request's `shop` header says. */
const startShop = () =>
  startSite({
    '/': '<a href="/checkout">To checkout</a>',
    '/checkout': (request, response) => {
      const button = BUTTONS[(request.headers.shop as keyof typeof BUTTONS | undefined) ?? 'as recorded'];
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><title>Checkout</title><label>Name <input id="name"></label><label>Card <input id="card"></label>${button}<p id="done" hidden>Thanks</p>`,
      );
    },
  });

const GOAL =
  'Click "To checkout", enter "Mira" into "Name", enter "<secret>CARD</secret>" into "Card" and click "Place order"';
const WRONG = `  - type: dom\n    selector: '#done'\n    state: hidden\n`;
const order = (url: string, more = {}) => spec({ id: 'order', url: `${url}/`, goal: GOAL, ...more });

/** The config of a run with this agent, in front of a shop of this kind. */
const configOf = (agent: string, shop: keyof typeof BUTTONS = 'as recorded') => ({
  'playwright.config.ts': config({
    imports: `import { claude, replay } from '@taskproof/playwright';
const secrets = { CARD: '${SECRET}' };`,
    reporters: `[['list'], ['@taskproof/playwright/reporter'], ['json', { outputFile: 'pw.json' }]]`,
    projects: `[{ name: 'shop', ...repeats('tasks/*.yaml'), use: { extraHTTPHeaders: { shop: '${shop}' }, taskproof: { secrets, ${agent} } } }]`,
  }),
});

const recordedIn = (suite: Suite, file: string) => {
  const recording = JSON.parse(suite.read(file)) as Recording;
  return recording.turns.flatMap(({ actions }) => actions.flatMap(({ recorded }) => recorded));
};
const rowIn = (run: Run, describe?: string) =>
  run.results().verdicts.find(row => row.spec === 'order' && row.describe === describe)!;

test('what passed is recorded without its secrets, and replays: one trial at no cost, graded like any other', async () => {
  const site = await startShop();
  const suite = makeSuite({
    ...configOf(`agent: lexical(), record: 'kept'`),
    'tasks/order.yaml': order(site.url, { k: 2, minPasses: 1 }),
    'tasks.spec.ts': TASKS_TEST,
    'changed/order.yaml': order(site.url, { assertions: WRONG }),
  });
  const first = await suite.playwright(['test', '--repeat-each=1']);
  expect(first.output).toContain('taskproof: saved 1 recording in kept');
  expect(
    recordedIn(suite, 'kept/order.json').map(each => ('locator' in each ? `${each.do} ${each.locator}` : '')),
  ).toEqual([
    "click getByRole('link', { name: 'To checkout' })",
    "click getByRole('textbox', { name: 'Name' })",
    "type getByRole('textbox', { name: 'Name' })",
    "click getByRole('textbox', { name: 'Card' })",
    "type getByRole('textbox', { name: 'Card' })",
    "click getByRole('button', { name: 'Place order' })",
  ]);
  expect(suite.read('kept/order.json')).not.toContain(SECRET);
  // The config that Playwright's JSON report holds is no way out for it either.
  expect(suite.read('pw.json')).toContain('<secret>CARD</secret>');
  expect(suite.read('pw.json')).not.toContain(SECRET);

  for (const describe of ['changed', 'gone'])
    cpSync(join(suite.folder, 'kept/order.json'), join(suite.folder, `kept/${describe}/order.json`));
  suite.write({
    ...configOf(`agent: replay({ recordings: 'kept', actionTimeoutMs: 3000 })`),
    // Failures that are expected start no new workers.
    'tasks.spec.ts': `import { taskproofTests, test } from '@taskproof/playwright';
test.beforeEach(({}, { titlePath }) => test.fail(/gone|changed/.test(titlePath.join())));
taskproofTests('tasks/*.yaml');
test.describe('changed', () => taskproofTests('changed/*.yaml'));
test.describe('gone', () => {
  test.use({ extraHTTPHeaders: { shop: 'gone' } });
  taskproofTests('tasks/*.yaml');
});`,
  });
  const second = await suite.playwright(['test']);
  expect(rowIn(second), second.output).toMatchObject({
    ...{ replayed: true, verdict: 'passed', k: 1, passes: 1, turns: 4, costUsd: 0, agent: 'replay' },
  });
  expect(second.exitCode).toBe(1);
  expect(second.output).toMatch(
    /taskproof: changed › order has changed since kept.changed.order\.json was recorded\. Record it again/,
  );
  const notices = recordsIn(suite.read('pw.json')).flatMap(({ turns }) =>
    turns.flatMap(each => each.notices),
  );
  expect(notices).toContainEqual(expect.stringContaining('order has changed since kept'));
  expect(rowIn(second, 'changed')).toMatchObject({ verdict: 'failed', replayed: true });
  expect(rowIn(second, 'gone')).toMatchObject({ verdict: 'failed', replayed: true });
  expect(rowIn(second, 'gone').reason).toContain('action 6: button "Place order" not found on /checkout');
});

test('what prepare returns is of the replayed trial, not of the recorded one', async () => {
  const { url } = await startSite({
    '/': `<label>Name <input id="name"></label><button onclick="done.textContent = document.querySelector('input').value">Keep</button><p id="done"></p>`,
  });
  const suite = makeSuite({
    ...configOf(`agent: lexical(), record: 'kept'`),
    'tasks/keep.yaml': spec({
      ...{ id: 'keep', url: `${url}/`, goal: 'Enter "{{customer}}" into "Name" and click "Keep"' },
      assertions: `  - type: dom\n    selector: '#done'\n    state: text\n    text: '{{customer}}'\n`,
    }),
    'tasks.spec.ts': TASKS_TEST.replace(
      ".yaml')",
      ".yaml', { prepare: () => ({ customer: 'Ada ' + Math.random() }) })",
    ),
  });
  const first = await suite.playwright(['test', '--repeat-each=1']);
  expect(first.exitCode, first.output).toBe(0);
  const { data } = JSON.parse(suite.read('kept/keep.json')) as Recording;
  expect(data).toEqual({ customer: expect.stringMatching(/^Ada 0/) });
  suite.write(configOf(`agent: replay({ recordings: 'kept' })`));
  const second = await suite.playwright(['test']);
  expect(second.exitCode, second.output).toBe(0);
});

test('a test with agent.run is recorded and replayed; one that uses the answer, or has several runs, is not', async () => {
  const site = await startShop();
  const projects = (agent: string) =>
    Object.keys(BUTTONS).map(
      shop =>
        `{ name: '${shop}', ...repeats({ atLeast: 2 }), use: { extraHTTPHeaders: { shop: '${shop}' }, taskproof: { secrets: { CARD: '${SECRET}' }, ${agent} } } }`,
    );
  const configFor = (agent: string, others: string) => ({
    'playwright.config.ts': config({
      imports: `import { replay } from '@taskproof/playwright';`,
      projects: `[${projects(agent)}].filter(({ name }) => ${others})`,
    }),
  });
  const suite = makeSuite({
    ...configFor(`agent: lexical(), record: 'kept'`, `name === 'as recorded'`),
    'shop.spec.ts': `import { expect, lexical, passPolicy, test } from '@taskproof/playwright';
const once = passPolicy({ k: 1, minPasses: 1 });
const goal = ${JSON.stringify(GOAL)} + (process.env.MORE ?? '');
test.beforeEach(({ page }) => page.goto('${site.url}/'));
test.describe('shop', () => {
  test('a visitor orders', passPolicy({ k: 2, minPasses: 2 }), async ({ page, agent }) => {
    const outcome = await agent.run(goal);
    console.log(outcome);
    expect(outcome.status).toBe('completed');
    await expect(page.locator('#done')).toBeVisible();
  });
});
test('a visitor asks', once, async ({ agent }) => {
  const { answer } = await agent.run('Click "To checkout" and read "Name"');
  console.log('answer: ' + answer);
});
test('a visitor comes twice', once, async ({ agent }) => {
  await agent.run('Click "To checkout"');
  await agent.run('Enter "Mira" into "Name"', { agent: lexical() });
});
test('without an agent', passPolicy({ k: 2, minPasses: 1 }), async ({ page }) => {
  await expect(page.getByText('To checkout')).toBeVisible();
});
`,
  });
  const first = await suite.playwright(['test']);
  expect(first.exitCode, first.output).toBe(0);
  expect(first.output).toContain('saved 1 recording in kept');
  // Printing reads no answer.
  expect(first.output).toMatch(/status: 'completed',\n +reason: null,\n +answer: undefined,/);
  expect(first.output).toContain(
    'no recording of shop.spec.ts › a visitor asks [as recorded]: its answer is checked, and a replay gives none',
  );
  expect(first.output).toContain(
    'no recording of shop.spec.ts › a visitor comes twice [as recorded]: it calls agent.run several times',
  );
  const file = 'kept/shop-spec-ts/shop/a-visitor-orders.json';
  expect(recordedIn(suite, file)).toHaveLength(6);
  expect(suite.read(file)).not.toContain(SECRET);
  expect(await taskproof(suite, ['record', '-o', 'again', '-s', 'a visitor orders'])).toMatchObject({
    code: 0,
  });
  expect(suite.read(file.replace('kept', 'again'))).toBe(suite.read(file));

  suite.write(
    configFor(
      `agent: replay({ recordings: 'kept', actionTimeoutMs: 3000, withoutRecording: 'skip' })`,
      `name !== 'renamed'`,
    ),
  );
  const second = await suite.playwright(['test']);
  expect(second.exitCode).toBe(1);
  expect(second.output).not.toContain('has changed since');
  const rows = second
    .results()
    .verdicts.map(row => [row.spec, row.project, row.verdict, row.replayed, row.k]);
  expect(rows, second.output).toEqual([
    ['a visitor orders', 'as recorded', 'passed', true, 1],
    ['a visitor orders', 'gone', 'failed', true, 1],
    ['without an agent', 'as recorded', 'passed', false, 2],
    ['without an agent', 'gone', 'passed', false, 2],
  ]);
  expect(second.output).toContain('a visitor orders · replay 1/1');
  expect(second.output).not.toContain('a visitor orders · trial');
  const [played, gone] = second.results().verdicts;
  expect(played).toMatchObject({ agent: 'replay', costUsd: 0, turns: 4 });
  expect(gone!.reason).toContain('action 6: button "Place order" not found on /checkout');

  suite.write(configFor(`agent: replay({ recordings: 'kept' })`, `name === 'as recorded'`));
  const third = await suite.playwright(['test', '--grep=visitor'], { MORE: ' ' });
  expect(third.output).toMatch(
    /shop\.spec\.ts › shop › a visitor orders has changed since kept.shop-spec-ts.shop.a-visitor-orders\.json was recorded/,
  );
  expect(third.output.match(/--grep " a visitor asks @"/g), third.output).toHaveLength(1);
  expect(third.output).not.toMatch(/its hooks/);
  const asks = third.results().verdicts.find(({ spec }) => spec === 'a visitor asks');
  expect(asks).toMatchObject({ verdict: 'inconclusive', errors: 1, failures: 0 });
  expect(asks!.trials[0]!.reason).toBe('no recording: kept/shop-spec-ts/a-visitor-asks.json');
});

test('where a control has another name, Claude plays on and leaves a recording for review, which replays', async () => {
  const site = await startShop();
  const model = await startMessagesApi({
    apiKey: 'key',
    script: request => {
      if (request.turn === 0) return reply(call('read_page', { filter: 'interactive' }));
      return request.turn === 1
        ? reply(call('left_click', { target: byRef(request.ref('Order now')) }))
        : done();
    },
  });
  onTestFinished(() => model.close());
  const at = (url: string) => ({ tab: 0, before: { url, content: 'a' }, after: { url, content: 'b' } });
  const fill = (name: string, text: string) => ({
    ...{ do: 'fill', locator: `getByRole('textbox', { name: '${name}' })`, text, ...at('/checkout') },
  });
  const click = (role: string, name: string, url: string) => ({
    ...{ do: 'click', locator: `getByRole('${role}', { name: '${name}' })`, ...at(url) },
  });
  const turn = (title: string, ...recorded: object[]) => ({ title, actions: [{ title, recorded }] });
  const recording = JSON.stringify({
    ...{ recordingVersion: '1', specId: 'order', specHash: 'a', agent: 'mine', model: null },
    recordedAt: '2026-11-05T10:00:00.000Z',
    turns: [
      turn('open the checkout', click('link', 'To checkout', '/')),
      turn('fill', fill('Name', 'Mira'), fill('Card', '<secret>CARD</secret>')),
      turn('order', click('button', 'Place order', '/checkout')),
    ],
  });
  const suite = makeSuite({
    ...configOf(
      `agent: replay({ recordings: 'recordings', actionTimeoutMs: 3000, fallback: claude({ baseURL: '${model.url}', apiKey: 'key', maxRetries: 0 }) })`,
      'renamed',
    ),
    'recordings/order.json': recording,
    'tasks/order.yaml': order(site.url),
    'tasks.spec.ts': TASKS_TEST,
  });
  const healing = await suite.playwright(['test']);
  expect(rowIn(healing), healing.output).toMatchObject({ verdict: 'passed', replayed: true, healed: 1 });
  expect(rowIn(healing).costUsd).toBeGreaterThan(0);
  expect(healing.output).toContain(
    'healed: review recordings/order.healed.json, then replace recordings/order.json with it',
  );
  expect(recordsIn(suite.read('pw.json'))[0]!.healed).toEqual({
    turn: 4,
    reason: 'action 4: button "Place order" not found on /checkout',
    recording: 'recordings/order.json',
  });
  const told = JSON.stringify(model.requests.map(({ body }) => body));
  expect(told).toContain('Done already, in this order');
  expect(told).toContain('This no longer worked: action 4: ');
  expect(suite.read('recordings/order.json'), 'it is left for review').toBe(recording);
  const healed = recordedIn(suite, 'recordings/order.healed.json');
  expect(healed.map(each => each.do)).toEqual(['click', 'fill', 'fill', 'click']);
  expect(healed[2]).toMatchObject({ text: '<secret>CARD</secret>' });
  expect(healed[3]).toMatchObject({ locator: "getByRole('button', { name: 'Order now' })" });
  for (const text of [told, suite.read('recordings/order.healed.json')]) expect(text).not.toContain(SECRET);

  const [from, to] = ['order.healed.json', 'order.json'].map(name => join(suite.folder, 'recordings', name));
  renameSync(from!, to!);
  suite.write(configOf(`agent: replay({ recordings: 'recordings' })`, 'renamed'));
  const reviewed = await suite.playwright(['test']);
  expect(reviewed.exitCode, reviewed.output).toBe(0);
  expect(reviewed.output).not.toContain('has changed since');
  expect(rowIn(reviewed)).toMatchObject({ verdict: 'passed', turns: 3 });
  expect(rowIn(reviewed).healed).toBeUndefined();
});

/** Prints what failed below a test: in a test that passes, too. */
const STEPS = `module.exports = class {
  onStepEnd(test, result, step) { if (step.error && !step.parent) console.log('a step failed: ' + step.title); }
};`;

test('the recordings of all example tasks play', async () => {
  const site = await startExampleSite({ port: 0 });
  onTestFinished(() => site.close());
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { replay } from '@taskproof/playwright';`,
      taskproof: `{ origin: '${site.url}', agent: replay() }`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['./steps.cjs']]`,
      extra: 'expect: { timeout: 5000 }',
    }),
    'steps.cjs': STEPS,
    'tasks.spec.ts': TASKS_TEST,
  });
  for (const folder of ['tasks', 'recordings'])
    cpSync(resolve('example-tasks', folder), join(suite.folder, folder), { recursive: true });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(0);
  const rows = run.results().verdicts;
  const specs = readdirSync('example-tasks/tasks').map(file => file.replace('.yaml', ''));
  expect(rows.map(row => row.spec)).toEqual(specs.sort());
  expect(rows.every(row => row.verdict === 'passed' && row.replayed && row.k === 1)).toBe(true);
  // A dialog that was answered is not answered once more: that would be a red step in a green test.
  expect(run.output).not.toContain('a step failed');
});
