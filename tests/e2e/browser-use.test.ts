// browser-use, the real package, in real runs: our own Messages API server plays the model.
import { expect, onTestFinished, test } from 'vitest';
import { findBrowserUsePython } from '../../scripts/browser-use.mjs';
import type { TrialRecord } from '../../src/trial/record';
import { type Answer, done, type ScriptedRequest, startMessagesApi } from '../support/messages-api';
import { act, elementOf, finish, screenshotOf } from '../support/messages-api/browser-use';
import { recordsIn } from '../support/records';
import { startProxy } from '../support/refusing-proxy';
import { config, makeSuite, type SpecOptions, spec, startSite, TASKS_TEST } from './suite';

const KEY = 'sk-ant-a-key-that-must-not-be-seen-anywhere';
const PASSWORD = 'violet-garden-7';

const python = findBrowserUsePython();
const testIt = test.skipIf(!python);
if (!python)
  console.warn(
    'The tests of browser-use are skipped: `npm run browser-use:install` installs it, with Python 3.11 or newer.',
  );

/** Another site than the trial's, which counts its visits. */
async function startElsewhere() {
  const visits: string[] = [];
  const site = await startSite({
    '/': (request, response) => {
      visits.push(request.url!);
      response.end('elsewhere');
    },
    '/api/orders': (_, response) =>
      void response.writeHead(201, { 'access-control-allow-origin': '*' }).end('{}'),
  });
  return { url: site.url.replace('127.0.0.1', 'localhost'), visits };
}

type Step = (request: ScriptedRequest) => Answer;

interface Play {
  /** One for each request, or one for all. */
  steps: Step | Step[];
  /** HTML of the site's first page. */
  page: string;
  spec?: Partial<SpecOptions>;
  /** Environment of the program, beside the key. */
  env?: Record<string, string | undefined>;
  args?: string[];
}

interface Played {
  record: TrialRecord;
  requests: Awaited<ReturnType<typeof startMessagesApi>>['requests'];
  /** The records and everything else that the run said. */
  said: string;
}

async function play({ steps, page, spec: options, env, args = [] }: Play): Promise<Played> {
  const stepOf = ({ index }: ScriptedRequest) => (Array.isArray(steps) ? steps[index] : steps);
  const api = await startMessagesApi({
    script: request => stepOf(request)?.(request) ?? { fault: 'status', status: 400, type: 'script_is_over' },
    apiKey: KEY,
    joinsMessages: true,
  });
  onTestFinished(() => api.close());
  const site = await startSite({ '/': page, '/details': '<h1>Details</h1><p id="done">Read</p>' });
  const program = {
    name: 'browser-use',
    model: 'claude-opus-5-5',
    command: python,
    args: ['../node_modules/@taskproof/playwright/agent-programs/browser-use/agent.py', ...args],
    env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url, ...env },
  };
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { command } from '@taskproof/playwright';`,
      taskproof: `{ agent: command(${JSON.stringify(program)}), secrets: { SHOP_PASSWORD: '${PASSWORD}' } }`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['json', { outputFile: 'pw.json' }]]`,
    }),
    'tasks/task.yaml': spec({ id: 'task', url: `${site.url}/`, ...options }),
    'tasks.spec.ts': TASKS_TEST,
  });
  const run = await suite.playwright(['test']);
  const [record] = recordsIn(suite.read('pw.json'));
  if (!record) throw new Error(run.output);
  return { record, requests: api.requests, said: run.output + JSON.stringify(record) };
}

const BUTTON = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

testIt('a spec passes: turns with pictures, usage, cost, the network of other origins', async () => {
  const [elsewhere, proxy] = await Promise.all([startElsewhere(), startProxy()]);
  const { record, requests, said } = await play({
    page: `<input id="password" type="password" aria-label="Password"><button onclick="order()">Order</button>
      <p id="done" hidden></p><script>async function order() {
        await fetch('${elsewhere.url}/api/orders', { method: 'POST', body: password.value });
        done.textContent = 'A password of ' + password.value.length; done.hidden = false;
      }</script>`,
    steps: [
      request =>
        act(
          { input: { index: elementOf(request, 'Password'), text: '<secret>SHOP_PASSWORD</secret>' } },
          { click: { index: elementOf(request, 'Order') } },
        ),
      () => finish('The order is placed.'),
    ],
    spec: {
      goal: 'Type the password and order',
      assertions: `  - type: dom
    selector: '#done'
    state: text
    text: 'A password of ${PASSWORD.length}'
  - type: network
    urlPattern: '**/api/orders'
    method: POST
    status: 2xx
`,
    },
    env: { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
  });
  expect(record, said).toMatchObject({ outcome: 'passed', status: 'completed', model: 'claude-opus-5-5' });
  const [first, last] = record.turns;
  expect(record.turns).toHaveLength(2);
  expect(first).toMatchObject({
    title: 'input textbox "Password", text "<secret>SHOP_PASSWORD</secret>"; click button "Order"',
    narration: 'I look at the page.\nI will input.',
    actions: [
      { title: 'input textbox "Password", text "<secret>SHOP_PASSWORD</secret>"' },
      { title: 'click button "Order"', point: { x: expect.any(Number), y: expect.any(Number) } },
    ],
    screenshot: 'turn-1.jpg',
  });
  expect(last).toMatchObject({ title: expect.stringContaining('done'), screenshot: 'turn-2.jpg' });

  const usage = requests.map(request => request.usage!);
  expect(first!.usage).toMatchObject({
    inputTokens: usage[0]!.input_tokens,
    cacheCreationTokens: usage[0]!.cache_creation_input_tokens,
    outputTokens: usage[0]!.output_tokens,
  });
  expect(record.costUsd).toBeCloseTo(
    usage.reduce(
      (sum, { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens }) =>
        sum +
        (input_tokens * 4 +
          output_tokens * 20 +
          cache_read_input_tokens * 0.2 +
          cache_creation_input_tokens * 5) /
          1e6,
      0,
    ),
    6,
  );

  expect(screenshotOf(requests[0]!.body), "the trial's viewport").toMatchObject({ width: 480, height: 320 });
  expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain(PASSWORD);
  expect(said).not.toContain(PASSWORD);
  expect(said).not.toContain(KEY);
  expect(proxy.asked, 'requests that would have left the machine').toEqual([]);
});

testIt('the tab that it is in is the one in the pictures and assertions', async () => {
  const { record, said } = await play({
    page: '<a href="/details" target="_blank">Details</a>',
    steps: [
      // It goes to a tab that opens by itself.
      request => act({ click: { index: elementOf(request, 'Details') } }),
      ({ text }) => act({ switch: { tab_id: /^Tab (\w{4}): \S+\/ /m.exec(text)![1] } }),
      () => finish('Read.'),
    ],
    spec: { assertions: `  - type: dom\n    selector: a\n    state: visible\n` },
  });
  expect(record, said).toMatchObject({ outcome: 'passed', status: 'completed' });
  expect(record.turns.map(({ url }) => new URL(url).pathname)).toEqual(['/details', '/', '/']);
});

testIt('it answers dialogs in its own way: yes', async () => {
  const { record, said } = await play({
    page: `<button onclick="done.hidden = !confirm('Sure?')">Go</button><p id="done" hidden>Done</p>`,
    steps: [request => act({ click: { index: elementOf(request, 'Go') } }), () => finish('Done.')],
  });
  expect(record, said).toMatchObject({ outcome: 'passed', status: 'completed' });
  expect(record.turns[0]!.screenshot).toBe('turn-1.jpg');
});

testIt('at the cost cap it stops, in the middle of a turn', async () => {
  const { record, requests, said } = await play({
    page: `<button onclick="fetch('/clicked')">Go</button>`,
    steps: [
      request =>
        act({ extract: { query: 'The name of the shop' } }, { click: { index: elementOf(request, 'Go') } }),
      // The extraction is a request of its own.
      () => ({ ...done('It has none.'), outputTokens: 100_000 }),
    ],
    spec: { extra: 'maxCostUsd: 1' },
  });
  expect(record, said).toMatchObject({ outcome: 'failed', status: 'budget_exceeded' });
  expect(record.costUsd).toBeGreaterThan(2);
  expect(requests).toHaveLength(2);
  expect(record.turns).toHaveLength(1);
  expect(record.network.events.map(({ url }) => url)).not.toContainEqual(expect.stringContaining('/clicked'));
});

testIt('a price that is unknown is no cost of 0, and none under a cap', async () => {
  const steps: Step[] = [
    request => act({ click: { index: elementOf(request, 'Go') } }),
    () => finish('Done.'),
  ];
  const args = ['--model', 'claude-of-tomorrow'];
  const uncapped = await play({ page: BUTTON, steps, args });
  expect(uncapped.record, uncapped.said).toMatchObject({ outcome: 'passed', costUsd: null });
  const capped = await play({ page: BUTTON, steps, args, spec: { extra: 'maxCostUsd: 1' } });
  expect(capped.record).toMatchObject({ status: 'error', errorKind: 'agent_api' });
  expect(capped.record.reason).toContain('the price of claude-of-tomorrow is unknown');
  expect(capped.requests).toHaveLength(0);
});

testIt('other domains are refused, by its own tool and by a link', async () => {
  const elsewhere = await startElsewhere();
  const { record, said } = await play({
    page: `<a href="${elsewhere.url}/">Elsewhere</a>`,
    steps: [
      () => act({ navigate: { url: `${elsewhere.url}/`, new_tab: false } }),
      request => act({ click: { index: elementOf(request, 'Elsewhere') } }),
      () => finish('That site can not be reached.', false),
    ],
  });
  expect(record, said).toMatchObject({ outcome: 'failed', status: 'gave_up' });
  expect(record.reason).toContain('That site can not be reached.');
  expect(record.turns[0]!.actions[0]!.error).toContain('is not in the allowed domains');
  expect(record.refusals).toEqual([{ url: `${elsewhere.url}/`, how: expect.any(String) }]);
  expect(record.finalUrl).toMatch(/^http:\/\/127\.0\.0\.1/);
  expect(elsewhere.visits).toEqual([]);
});

testIt('without a step left it says so, whatever the model said of it', async () => {
  const { record, requests, said } = await play({
    page: BUTTON,
    steps: [() => act({ wait: { seconds: 1 } }), () => finish('No steps left.', false)],
    spec: { extra: 'maxSteps: 2' },
  });
  expect(record, said).toMatchObject({ outcome: 'failed', status: 'max_steps' });
  expect(record.turns).toHaveLength(2);
  expect(requests).toHaveLength(2);
});

testIt('an answer that it can not use is a turn with an error', async () => {
  const { record, said } = await play({
    page: BUTTON,
    steps: [
      () => act({ fly: { to: 'the moon' } }),
      request => act({ click: { index: elementOf(request, 'Go') } }),
      () => finish('Done.'),
    ],
  });
  expect(record, said).toMatchObject({ outcome: 'passed' });
  expect(record.turns[0]!.actions[0]!.error).toContain('fly');
  expect(record.turns).toHaveLength(3);
});

testIt.each([
  { what: 'is down', env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }, reason: /Connection error/ },
  { what: 'refuses the key', env: { ANTHROPIC_API_KEY: 'another' }, reason: /invalid x-api-key/ },
  {
    what: 'has no key',
    env: { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '' },
    reason: /ANTHROPIC_API_KEY/,
  },
])('a model that $what says nothing about the site', async ({ env, reason }) => {
  const { record, said } = await play({ page: BUTTON, steps: [], env });
  expect(record, said).toMatchObject({ outcome: 'error', status: 'error', errorKind: 'agent_api' });
  expect(record.reason).toMatch(reason);
  expect(record.turns).toHaveLength(0);
});
