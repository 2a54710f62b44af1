// browser-use, the real package, in real runs: our own Messages API server plays the model.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBrowserUsePython } from '../../scripts/browser-use.mjs';
import type { TrialRecord } from '../../src/trial/record';
import {
  type Answer,
  done,
  type MessagesApi,
  type ScriptedRequest,
  startMessagesApi,
} from '../support/messages-api';
import { act, elementOf, finish, screenshotOf } from '../support/messages-api/browser-use';
import { recordsIn } from '../support/records';
import { startProxy } from '../support/refusing-proxy';
import { config, makeSuite, type Run, type SpecOptions, spec, startSite, TASKS_TEST } from './suite';

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
  /** The project: the arguments and the environment of the program. Default: `agents`. */
  project?: 'agents' | 'unpriced' | 'down' | 'refused' | 'keyless';
  /** One for each request. */
  steps: Step[];
  /** HTML of the page that it begins on. */
  page: string;
  spec?: Partial<SpecOptions>;
}

const BUTTON = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';
const clickGo: Step = request => act({ click: { index: elementOf(request, 'Go') } });

/** By the id of its spec. The last one of a project fails: Playwright starts a worker after each that fails and is not the last. */
const playsWith = (elsewhere: string): Record<string, Play> => ({
  cap: {
    page: `<button onclick="fetch('/clicked')">Go</button>`,
    steps: [
      request =>
        act({ extract: { query: 'The name of the shop' } }, { click: { index: elementOf(request, 'Go') } }),
      // The extraction is a request of its own.
      () => ({ ...done('It has none.'), outputTokens: 100_000 }),
    ],
    spec: { extra: 'maxCostUsd: 1' },
  },
  dialogs: {
    page: `<button onclick="done.hidden = !confirm('Sure?')">Go</button><p id="done" hidden>Done</p>`,
    steps: [clickGo, () => finish('Done.')],
  },
  domains: {
    page: `<a href="${elsewhere}/">Elsewhere</a>`,
    steps: [
      () => act({ navigate: { url: `${elsewhere}/`, new_tab: false } }),
      request => act({ click: { index: elementOf(request, 'Elsewhere') } }),
      () => finish('That site can not be reached.', false),
    ],
  },
  errors: {
    page: BUTTON,
    steps: [() => act({ fly: { to: 'the moon' } }), clickGo, () => finish('Done.')],
  },
  follows: {
    page: '<a href="/details" target="_blank">Details</a>',
    steps: [
      // It goes to a tab that opens by itself.
      request => act({ click: { index: elementOf(request, 'Details') } }),
      ({ text }) => act({ switch: { tab_id: /^Tab (\w{4}): \S+\/follows /m.exec(text)![1] } }),
      () => finish('Read.'),
    ],
    spec: { assertions: `  - type: dom\n    selector: a\n    state: visible\n` },
  },
  passes: {
    page: `<input id="password" type="password" aria-label="Password"><button onclick="order()">Order</button>
      <p id="done" hidden></p><script>async function order() {
        await fetch('${elsewhere}/api/orders', { method: 'POST', body: password.value });
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
      goal: 'Task passes, type the password and order',
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
  },
  steps: {
    page: BUTTON,
    steps: [() => act({ wait: { seconds: 1 } }), () => finish('No steps left.', false)],
    spec: { extra: 'maxSteps: 2' },
  },
  unpriced: { project: 'unpriced', page: BUTTON, steps: [clickGo, () => finish('Done.')] },
  'unpriced-capped': { project: 'unpriced', page: BUTTON, steps: [], spec: { extra: 'maxCostUsd: 1' } },
  down: { project: 'down', page: BUTTON, steps: [] },
  refused: { project: 'refused', page: BUTTON, steps: [] },
  keyless: { project: 'keyless', page: BUTTON, steps: [] },
});

/** The id that a goal begins with. What a step asks beside its next actions has no goal: it is of the spec before. */
const idIn = (body: object) => /Task ([\w-]+)/.exec(JSON.stringify(body))?.[1];

let elsewhere: Awaited<ReturnType<typeof startElsewhere>>;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let api: MessagesApi;
let run: Run;
let records: TrialRecord[];

async function startModel(plays: Record<string, Play>): Promise<MessagesApi> {
  const asked: Record<string, number> = {};
  let id = '';
  return startMessagesApi({
    script: request => {
      id = idIn(request.body) ?? id;
      asked[id] = (asked[id] ?? 0) + 1;
      const step = plays[id]!.steps[asked[id]! - 1];
      return step?.(request) ?? { fault: 'status', status: 400, type: 'script_is_over' };
    },
    apiKey: KEY,
    joinsMessages: true,
  });
}

/** All trials in one run: each project and each failed trial costs a worker, each trial a Python that loads browser-use. */
beforeAll(async () => {
  if (!python) return;
  [elsewhere, proxy] = await Promise.all([startElsewhere(), startProxy()]);
  const plays = Object.entries(playsWith(elsewhere.url));
  api = await startModel(Object.fromEntries(plays));
  const site = await startSite({
    ...Object.fromEntries(plays.map(([id, { page }]) => [`/${id}`, page])),
    '/details': '<h1>Details</h1><p id="done">Read</p>',
  });
  const env = {
    ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url },
    ...{ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
  };
  const project = (name: string, differs: object = {}, args: string[] = []) => {
    const program = {
      name: 'browser-use',
      model: 'claude-opus-5-5',
      command: python,
      args: ['../node_modules/@taskproof/playwright/agent-programs/browser-use/agent.py', ...args],
      env: { ...env, ...differs },
    };
    return `{ name: '${name}', testDir: '${name}', use: { taskproof: { agent: command(${JSON.stringify(program)}) } } }`;
  };
  const projects = [
    project('agents'),
    project('unpriced', {}, ['--model', 'claude-of-tomorrow']),
    project('down', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }),
    project('refused', { ANTHROPIC_API_KEY: 'another' }),
    project('keyless', { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '' }),
  ];
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { command } from '@taskproof/playwright';`,
      taskproof: `{ secrets: { SHOP_PASSWORD: '${PASSWORD}' } }`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['json', { outputFile: 'pw.json' }]]`,
      projects: `[${projects}]`,
    }),
    ...Object.fromEntries(
      plays.flatMap(([id, { project = 'agents', spec: options }]) => [
        [`${project}/tasks.spec.ts`, TASKS_TEST],
        [
          `${project}/tasks/${id}.yaml`,
          spec({ id, url: `${site.url}/${id}`, goal: `Task ${id}, click "Go"`, ...options }),
        ],
      ]),
    ),
  });
  run = await suite.playwright(['test']);
  records = recordsIn(suite.read('pw.json'));
}, 900_000);
afterAll(async () => {
  proxy?.close();
  await api?.close();
});

/** What came of a spec, with the requests that it was. */
function played(id: string) {
  const record = records.find(({ specId }) => specId === id);
  if (!record) throw new Error(run.output);
  let of: string | undefined;
  const requests = api.requests.filter(({ body }) => {
    of = idIn(body) ?? of;
    return of === id;
  });
  return { record, requests, said: run.output + JSON.stringify(record) };
}

testIt('a spec passes: turns with pictures, usage, cost, the network of other origins', () => {
  const { record, requests, said } = played('passes');
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

testIt('the tab that it is in is the one in the pictures and assertions', () => {
  const { record, said } = played('follows');
  expect(record, said).toMatchObject({ outcome: 'passed', status: 'completed' });
  expect(record.turns.map(({ url }) => new URL(url).pathname)).toEqual(['/details', '/follows', '/follows']);
});

testIt('it answers dialogs in its own way: yes', () => {
  const { record, said } = played('dialogs');
  expect(record, said).toMatchObject({ outcome: 'passed', status: 'completed' });
  expect(record.turns[0]!.screenshot).toBe('turn-1.jpg');
});

testIt('at the cost cap it stops, in the middle of a turn', () => {
  const { record, requests, said } = played('cap');
  expect(record, said).toMatchObject({ outcome: 'failed', status: 'budget_exceeded' });
  expect(record.costUsd).toBeGreaterThan(2);
  expect(requests).toHaveLength(2);
  expect(record.turns).toHaveLength(1);
  expect(record.network.events.map(({ url }) => url)).not.toContainEqual(expect.stringContaining('/clicked'));
});

testIt('a price that is unknown is no cost of 0, and none under a cap', () => {
  const uncapped = played('unpriced');
  expect(uncapped.record, uncapped.said).toMatchObject({ outcome: 'passed', costUsd: null });
  const capped = played('unpriced-capped');
  expect(capped.record).toMatchObject({ status: 'error', errorKind: 'agent_api' });
  expect(capped.record.reason).toContain('the price of claude-of-tomorrow is unknown');
  expect(capped.requests).toHaveLength(0);
});

testIt('other domains are refused, by its own tool and by a link', () => {
  const { record, said } = played('domains');
  expect(record, said).toMatchObject({ outcome: 'failed', status: 'gave_up' });
  expect(record.reason).toContain('That site can not be reached.');
  expect(record.turns[0]!.actions[0]!.error).toContain('is not in the allowed domains');
  expect(record.refusals).toEqual([{ url: `${elsewhere.url}/`, how: expect.any(String) }]);
  expect(record.finalUrl).toMatch(/^http:\/\/127\.0\.0\.1/);
  expect(elsewhere.visits).toEqual([]);
});

testIt('without a step left it says so, whatever the model said of it', () => {
  const { record, requests, said } = played('steps');
  expect(record, said).toMatchObject({ outcome: 'failed', status: 'max_steps' });
  expect(record.turns).toHaveLength(2);
  expect(requests).toHaveLength(2);
});

testIt('an answer that it can not use is a turn with an error', () => {
  const { record, said } = played('errors');
  expect(record, said).toMatchObject({ outcome: 'passed' });
  expect(record.turns[0]!.actions[0]!.error).toContain('fly');
  expect(record.turns).toHaveLength(3);
});

testIt.each([
  { id: 'down', what: 'is down', reason: /Connection error/ },
  { id: 'refused', what: 'refuses the key', reason: /invalid x-api-key/ },
  { id: 'keyless', what: 'has no key', reason: /ANTHROPIC_API_KEY/ },
])('a model that $what says nothing about the site', ({ id, reason }) => {
  const { record, said } = played(id);
  expect(record, said).toMatchObject({ outcome: 'error', status: 'error', errorKind: 'agent_api' });
  expect(record.reason).toMatch(reason);
  expect(record.turns).toHaveLength(0);
});
