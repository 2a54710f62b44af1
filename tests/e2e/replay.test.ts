// replay() in real runs: what was recorded is played on a site that changes in between. Without a recording, and recordings of
// agents of one's own: tests/unit. `taskproof record`: docs.test.ts. A recording as each kind of action: tests/browser/replay.test.ts.
import { cpSync, readdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startSite as startExampleSite } from '../../example-tasks/site/server.mjs';
import type { Recording } from '../../src/data/recording';
import type { ResultRow } from '../../src/data/verdict';
import { clicks, startMessagesApi } from '../support/messages-api';
import { recordsIn } from '../support/records';
import {
  config,
  inProcess,
  makeSuite,
  type Run,
  type Suite,
  spec,
  startSite,
  TASKS_TEST,
  WITH_JSON,
} from './suite';

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
    '/keep': `<label>Name <input></label><button onclick="done.textContent = document.querySelector('input').value">Keep</button><p id="done"></p>`,
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
const order = (url: string, more = {}) => spec({ id: 'order', url: `${url}/`, goal: GOAL, ...more });

interface Project {
  name: string;
  /** Source text of its `agent` and `record`. */
  plays: string;
  shop?: keyof typeof BUTTONS;
  grep?: string;
}

const configOf = (...projects: Project[]) => {
  const sources = projects.map(
    ({ name, plays, shop = 'as recorded', grep = '/./' }) =>
      `{ name: '${name}', grep: ${grep}, ...repeats('tasks/*.yaml'), use: { extraHTTPHeaders: { shop: '${shop}' }, taskproof: { secrets, ${plays} } } }`,
  );
  return {
    'playwright.config.ts': config({
      imports: `const secrets = { CARD: '${SECRET}' };`,
      reporters: WITH_JSON,
      projects: `[${sources}]`,
    }),
  };
};

const recordedIn = (suite: Suite, file: string) => {
  const recording = JSON.parse(suite.read(file)) as Recording;
  return recording.turns.flatMap(({ actions }) => actions.flatMap(({ recorded }) => recorded));
};

describe('recorded once, and replayed on shops', () => {
  let suite: Suite;
  let first: Run;
  let second: Run;
  let rows: ResultRow[];
  const rowOf = (spec: string, project = 'same', describe?: string) =>
    rows.find(row => row.spec === spec && row.project === project && row.describe === describe)!;

  beforeAll(async () => {
    const { url } = await startShop();
    const tasks = `import { taskproofTests, test } from '@taskproof/playwright';
taskproofTests('tasks/order.yaml');
taskproofTests('tasks/keep.yaml', { prepare: () => ({ customer: 'Ada ' + Math.random() }) });`;
    suite = makeSuite({
      ...configOf({ name: 'same', plays: `agent: lexical(), record: 'kept'` }),
      'tasks/order.yaml': order(url, { k: 2, minPasses: 1 }),
      'tasks/keep.yaml': spec({
        ...{ id: 'keep', url: `${url}/keep`, goal: 'Enter "{{customer}}" into "Name" and click "Keep"' },
        assertions: `  - type: dom\n    selector: '#done'\n    state: text\n    text: '{{customer}}'\n`,
      }),
      'tasks.spec.ts': tasks,
      'visits.spec.ts': `import { expect, lexical, passPolicy, test } from '@taskproof/playwright';
const once = passPolicy({ k: 1, minPasses: 1 });
test.beforeEach(({ page }) => page.goto('${url}/'));
test.describe('shop', () => {
  test('a visitor orders', passPolicy({ k: 2, minPasses: 2 }), async ({ page, agent }, { project }) => {
    const outcome = await agent.run(${JSON.stringify(GOAL)} + (project.name === 'changed' ? ' ' : ''));
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
});`,
      'changed/order.yaml': order(url, {
        assertions: `  - type: dom\n    selector: '#done'\n    state: hidden\n`,
      }),
    });
    first = await suite.playwright(['test', '--repeat-each=1']);
    await inProcess(suite, ['record', '-o', 'again', '-s', 'a visitor orders']);

    cpSync(join(suite.folder, 'kept/order.json'), join(suite.folder, 'kept/changed/order.json'));
    const replays = (more: string) => `agent: replay({ recordings: 'kept', actionTimeoutMs: 3000${more} })`;
    const skips = replays(`, withoutRecording: 'skip'`);
    suite.write({
      ...configOf(
        { name: 'same', plays: skips },
        { name: 'gone', plays: skips, shop: 'gone', grep: '/spec.ts order |visitor orders/' },
        { name: 'changed', plays: replays(''), grep: '/visitor (orders|asks)/' },
      ),
      // Failures that are expected start no new workers, others come last in their projects.
      'tasks.spec.ts': `${tasks}
test.beforeEach(({}, { project, titlePath }) => test.fail(project.name === 'gone' || titlePath.includes('changed')));
test.describe('changed', () => taskproofTests('changed/*.yaml'));`,
    });
    second = await suite.playwright(['test']);
    rows = second.results().verdicts;
  });

  test('what passed is recorded without its secrets', async () => {
    expect(first.exitCode, first.output).toBe(0);
    expect(first.output).toContain('taskproof: saved 3 recordings in kept');
    expect(
      recordedIn(suite, 'kept/order.json').map(each =>
        'locator' in each ? `${each.do} ${each.locator}` : '',
      ),
    ).toEqual([
      "click getByRole('link', { name: 'To checkout' })",
      "click getByRole('textbox', { name: 'Name' })",
      "type getByRole('textbox', { name: 'Name' })",
      "click getByRole('textbox', { name: 'Card' })",
      "type getByRole('textbox', { name: 'Card' })",
      "click getByRole('button', { name: 'Place order' })",
    ]);
    const file = 'kept/visits-spec-ts/shop/a-visitor-orders.json';
    expect(recordedIn(suite, file)).toHaveLength(6);
    expect(suite.read(file.replace('kept', 'again'))).toBe(suite.read(file));
    // The config that Playwright's JSON report holds is no way out for it either.
    for (const each of ['kept/order.json', file, 'report.json']) {
      expect(suite.read(each)).toContain('<secret>CARD</secret>');
      expect(suite.read(each)).not.toContain(SECRET);
    }
  });

  test('a test that uses the answer of agent.run, or has several runs, is not recorded', () => {
    // Printing reads no answer.
    expect(first.output).toMatch(/status: 'completed',\n +reason: null,\n +answer: undefined,/);
    const without = 'no recording of visits.spec.ts › a visitor';
    expect(first.output).toContain(`${without} asks [same]: its answer is checked, and a replay gives none`);
    expect(first.output).toContain(`${without} comes twice [same]: it calls agent.run several times`);
  });

  test('a recording replays: one trial at no cost, graded like any other', () => {
    const replayed = { replayed: true, k: 1, turns: 4, costUsd: 0, agent: 'replay' };
    for (const [name, describe] of [['order'], ['a visitor orders', 'shop']] as const) {
      const same = rowOf(name, 'same', describe);
      expect(same, second.output).toMatchObject({ ...replayed, verdict: 'passed', passes: 1 });
      const gone = rowOf(name, 'gone', describe);
      expect(gone).toMatchObject({ verdict: 'failed', replayed: true });
      expect(gone.reason).toContain('action 6: button "Place order" not found on /checkout');
    }
    expect(rowOf('order', 'same', 'changed')).toMatchObject({ verdict: 'failed', replayed: true });
    expect(rowOf('without an agent')).toMatchObject({ verdict: 'passed', replayed: false, k: 2 });
    expect(second.exitCode).toBe(1);
    expect(second.output).toContain('a visitor orders · replay 1/1');
    expect(second.output).not.toContain('a visitor orders · trial');
  });

  test('what prepare returns is of the replayed trial, not of the recorded one', () => {
    const { data } = JSON.parse(suite.read('kept/keep.json')) as Recording;
    expect(data).toEqual({ customer: expect.stringMatching(/^Ada 0/) });
    expect(rowOf('keep')).toMatchObject({ verdict: 'passed', replayed: true });
  });

  test('a spec or a goal that has changed since is told', () => {
    const told = second.output.match(/(?<=taskproof: ).* has changed since \S+\.json was recorded/g);
    expect([...new Set(told)].sort(), second.output).toEqual([
      expect.stringMatching(/^changed › order has changed since kept.changed.order\.json/),
      expect.stringMatching(
        /^visits\.spec\.ts › shop › a visitor orders has changed since kept.visits-spec-ts.shop.a-visitor-orders\.json/,
      ),
    ]);
    expect(second.output).not.toMatch(/its hooks/);
    const notices = recordsIn(suite.read('report.json')).flatMap(({ turns }) =>
      turns.flatMap(each => each.notices),
    );
    expect(notices).toContainEqual(expect.stringContaining('order has changed since kept'));
  });

  test('a test without a recording is skipped, or inconclusive with what would record it', () => {
    expect(rows.filter(row => row.project === 'same').map(row => row.spec)).not.toContain('a visitor asks');
    expect(second.output.match(/--grep " a visitor asks @"/g), second.output).toHaveLength(1);
    const asks = rowOf('a visitor asks', 'changed');
    expect(asks).toMatchObject({ verdict: 'inconclusive', errors: 1, failures: 0 });
    expect(asks.trials[0]!.reason).toBe('no recording: kept/visits-spec-ts/a-visitor-asks.json');
  });
});

test('where a control has another name, Claude plays on and leaves a recording for review, which replays; one that is broken does not', async () => {
  const site = await startShop();
  const model = await startMessagesApi({ apiKey: 'key', script: clicks('Order now') });
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
  const renamed = (options: string) =>
    configOf({ name: 'renamed', plays: `agent: replay(${options})`, shop: 'renamed' });
  const suite = makeSuite({
    ...renamed(
      `{ actionTimeoutMs: 3000, fallback: claude({ baseURL: '${model.url}', apiKey: 'key', maxRetries: 0 }) }`,
    ),
    'recordings/order.json': recording,
    'tasks/order.yaml': order(site.url),
    'tasks.spec.ts': TASKS_TEST,
  });
  const healing = await suite.playwright(['test']);
  const [row] = healing.results().verdicts;
  expect(row, healing.output).toMatchObject({ verdict: 'passed', replayed: true, healed: 1 });
  expect(row!.costUsd).toBeGreaterThan(0);
  expect(healing.output).toContain(
    'healed: review recordings/order.healed.json, then replace recordings/order.json with it',
  );
  expect(recordsIn(suite.read('report.json'))[0]!.healed).toEqual({
    turn: 4,
    reason: 'action 4: button "Place order" not found on /checkout',
    recording: 'recordings/order.json',
  });
  const told = JSON.stringify(model.requests.map(({ body }) => body));
  expect(told).toContain('do not do it again');
  expect(told).toContain('This no longer worked: action 4: ');
  expect(suite.read('recordings/order.json'), 'it is left for review').toBe(recording);
  const healed = recordedIn(suite, 'recordings/order.healed.json');
  expect(healed.map(each => each.do)).toEqual(['click', 'fill', 'fill', 'click']);
  expect(healed[2]).toMatchObject({ text: '<secret>CARD</secret>' });
  expect(healed[3]).toMatchObject({ locator: "getByRole('button', { name: 'Order now' })" });
  for (const text of [told, suite.read('recordings/order.healed.json')]) expect(text).not.toContain(SECRET);

  const [from, to] = ['order.healed.json', 'order.json'].map(name => join(suite.folder, 'recordings', name));
  renameSync(from!, to!);
  const broken = order(site.url).replace('id: order', 'id: broken');
  suite.write({ ...renamed(''), 'tasks/broken.yaml': broken, 'recordings/broken.json': '{' });
  const reviewed = await suite.playwright(['test']);
  expect(reviewed.output).not.toContain('has changed since');
  const [unread, again] = reviewed.results().verdicts;
  expect(unread).toMatchObject({ verdict: 'inconclusive', trials: [{ errorKind: 'setup' }] });
  expect(unread!.reason).toMatch(/recordings\/broken\.json: not JSON/);
  expect(again).toMatchObject({ verdict: 'passed', turns: 3 });
  expect(again!.healed).toBeUndefined();
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
