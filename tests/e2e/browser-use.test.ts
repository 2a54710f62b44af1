// browser-use, the real package, in real runs: our own Messages API server plays the model.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBrowserUsePython } from '../../scripts/browser-use.mjs';
import type { TrialRecord } from '../../src/data/record';
import {
  type Answer,
  done,
  type MessagesApi,
  type ScriptedRequest,
  startMessagesApi,
  status,
} from '../support/messages-api';
import { act, elementOf, finish, screenshotOf } from '../support/messages-api/browser-use';
import { recordsIn } from '../support/records';
import { startProxy } from '../support/refusing-proxy';
import { config, makeSuite, type Run, type SpecOptions, spec, startSite, WITH_JSON } from './suite';

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
  /** One for each request. */
  steps: Step[];
  /** HTML of the page that it begins on. */
  page: string;
}

const BUTTON = '<button>Go</button>';

/** Trials, by the id of their specs. */
const trialsWith = (elsewhere: string): Record<string, Play & { spec: Partial<SpecOptions> }> => ({
  passes: {
    page: `<input id="password" type="password" aria-label="Password"><button onclick="order()">Order</button>
      <a href="/details" target="_blank">Details</a><p id="done" hidden></p><script>async function order() {
        if (!confirm('Sure?')) return;
        await fetch('${elsewhere}/api/orders', { method: 'POST', body: password.value });
        done.textContent = 'A password of ' + password.value.length; done.hidden = false;
      }</script>`,
    steps: [
      () => act({ fly: { to: 'the moon' } }),
      request =>
        act(
          { input: { index: elementOf(request, 'Password'), text: '<secret>SHOP_PASSWORD</secret>' } },
          { click: { index: elementOf(request, 'Order') } },
        ),
      // It goes to a tab that opens by itself.
      request => act({ click: { index: elementOf(request, 'Details') } }),
      ({ text }) => act({ switch: { tab_id: /^Tab (\w{4}): \S+\/passes /m.exec(text)![1] } }),
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
  domains: {
    page: `<a href="${elsewhere}/">Elsewhere</a>`,
    steps: [
      () => act({ navigate: { url: `${elsewhere}/`, new_tab: false } }),
      request => act({ click: { index: elementOf(request, 'Elsewhere') } }),
      () => finish('That site can not be reached.', false),
    ],
    spec: { goal: 'Task domains, go elsewhere' },
  },
});

type Agent = 'browserUse' | 'unpriced' | 'down' | 'refused' | 'keyless';

/** In a hand-written test, by the word after `Task` in their goals: Playwright starts a new worker after each failed trial. */
const byHand: Record<string, Play & { agent: Agent; caps?: { maxSteps?: number; maxCostUsd?: number } }> = {
  cap: {
    agent: 'browserUse',
    page: `<button onclick="fetch('/clicked')">Go</button>`,
    steps: [
      request =>
        act({ extract: { query: 'The name of the shop' } }, { click: { index: elementOf(request, 'Go') } }),
      // The extraction is a request of its own.
      () => ({ ...done('It has none.'), outputTokens: 100_000 }),
    ],
    caps: { maxCostUsd: 1 },
  },
  steps: {
    agent: 'browserUse',
    page: BUTTON,
    steps: [() => act({ wait: { seconds: 1 } }), () => finish('No steps left.', false)],
    caps: { maxSteps: 2 },
  },
  'unpriced-capped': { agent: 'unpriced', page: BUTTON, steps: [], caps: { maxCostUsd: 1 } },
  down: { agent: 'down', page: BUTTON, steps: [] },
  refused: { agent: 'refused', page: BUTTON, steps: [] },
  keyless: { agent: 'keyless', page: BUTTON, steps: [] },
};

/** What `agent.run` came to; `reason` is its error if it threw one. */
interface Outcome {
  status: string;
  reason: string;
  costUsd: number | null;
  turns: number;
}

/** The id that a goal begins with. What a step asks beside its next actions has no goal: it is of the spec before. */
const idIn = (body: object) => /Task ([\w-]+)/.exec(JSON.stringify(body))?.[1];

let elsewhere: Awaited<ReturnType<typeof startElsewhere>>;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let api: MessagesApi;
let run: Run;
let records: TrialRecord[];
let outcomes: Record<string, Outcome>;
let clicks = 0;

async function startModel(plays: Record<string, Play>): Promise<MessagesApi> {
  const asked: Record<string, number> = {};
  let id = '';
  return startMessagesApi({
    script: request => {
      id = idIn(request.body) ?? id;
      asked[id] = (asked[id] ?? 0) + 1;
      const step = plays[id]!.steps[asked[id]! - 1];
      return step?.(request) ?? status(400, 'script_is_over');
    },
    apiKey: KEY,
    joinsMessages: true,
  });
}

/** Source text of `command()` for each agent. */
function agentsWith(env: Record<string, string>): Record<Agent, string> {
  const agent = (differs: object = {}, args: string[] = []) => {
    const program = {
      name: 'browser-use',
      model: 'claude-opus-5-5',
      command: python,
      args: ['../node_modules/@taskproof/playwright/agent-programs/browser-use/agent.py', ...args],
      env: { ...env, ...differs },
    };
    return `command(${JSON.stringify(program)})`;
  };
  return {
    browserUse: agent(),
    unpriced: agent({}, ['--model', 'claude-of-tomorrow']),
    down: agent({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }),
    refused: agent({ ANTHROPIC_API_KEY: 'another' }),
    keyless: agent({ ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '' }),
  };
}

const byHandTests = (url: string, agents: Record<Agent, string>) => `
import { writeFileSync } from 'node:fs';
import { command, test } from '@taskproof/playwright';
const outcomes = {};
${Object.entries(byHand)
  .map(
    ([id, { agent, caps = {} }]) => `test.describe(() => {
  test.use({ taskproof: { agent: ${agents[agent]} } });
  test('${id}', async ({ page, agent }) => {
    await page.goto('${url}/${id}');
    const { status, reason, turns, costUsd = null } = await agent.run('Task ${id}, click "Go"', ${JSON.stringify(caps)})
      .catch(error => ({ status: 'error', reason: error.message, turns: [] }));
    writeFileSync('outcomes.json', JSON.stringify(Object.assign(outcomes, { '${id}': { status, reason, costUsd, turns: turns.length } })));
  });
});`,
  )
  .join('\n')}`;

/** All in one run, and the trial that fails last: one worker. Each play is a Python that loads browser-use, seconds of CPU. */
beforeAll(async () => {
  if (!python) return;
  [elsewhere, proxy] = await Promise.all([startElsewhere(), startProxy()]);
  const trials = trialsWith(elsewhere.url);
  const plays: Record<string, Play> = { ...byHand, ...trials };
  api = await startModel(plays);
  const site = await startSite({
    ...Object.fromEntries(Object.entries(plays).map(([id, { page }]) => [`/${id}`, page])),
    '/details': '<h1>Details</h1><p id="done">Read</p>',
    '/clicked': (_, response) => {
      clicks++;
      response.end();
    },
  });
  const agents = agentsWith({
    ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url },
    ...{ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
  });
  const suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ secrets: { SHOP_PASSWORD: '${PASSWORD}' }, agent: ${agents.browserUse} }`,
      reporters: WITH_JSON,
    }),
    'by-hand.spec.ts': byHandTests(site.url, agents),
    'passes.spec.ts': `import { taskproofTests } from '@taskproof/playwright';
taskproofTests('tasks/passes.yaml');`,
    'unpriced.spec.ts': `import { command, taskproofTests, test } from '@taskproof/playwright';
test.use({ taskproof: { agent: ${agents.unpriced} } });
taskproofTests('tasks/domains.yaml', { test });`,
    ...Object.fromEntries(
      Object.entries(trials).map(([id, options]) => [
        `tasks/${id}.yaml`,
        spec({ id, url: `${site.url}/${id}`, ...options.spec }),
      ]),
    ),
  });
  run = await suite.playwright(['test']);
  records = recordsIn(suite.read('report.json'));
  outcomes = JSON.parse(suite.read('outcomes.json'));
}, 900_000);
afterAll(async () => {
  proxy?.close();
  await api?.close();
});

/** What the model was asked in a play. */
function requestsOf(id: string) {
  let of: string | undefined;
  return api.requests.filter(({ body, status }) => {
    of = idIn(body) ?? of;
    // Of a refused key the server reads no body.
    return of === id && status !== 401;
  });
}

/** What came of a spec. */
function played(id: string) {
  const record = records.find(({ specId }) => specId === id);
  if (!record) throw new Error(run.output);
  return { record, said: run.output + JSON.stringify(record) };
}

testIt('a spec passes: turns with pictures, usage, cost, the network of other origins', () => {
  const { record, said } = played('passes');
  const requests = requestsOf('passes');
  expect(record, said).toMatchObject({ outcome: 'passed', status: 'completed', model: 'claude-opus-5-5' });
  expect(record.turns).toHaveLength(5);
  const order = record.turns[1]!;
  expect(order).toMatchObject({
    title: 'input textbox "Password", text "<secret>SHOP_PASSWORD</secret>"; click button "Order"',
    narration: 'I look at the page.\nI will input.',
    actions: [
      { title: 'input textbox "Password", text "<secret>SHOP_PASSWORD</secret>"' },
      { title: 'click button "Order"', point: { x: expect.any(Number), y: expect.any(Number) } },
    ],
    screenshot: 'turn-2.jpg',
  });
  expect(record.turns.at(-1)).toMatchObject({
    title: expect.stringContaining('done'),
    screenshot: 'turn-5.jpg',
  });

  const usage = requests.map(request => request.usage!);
  expect(order.usage).toMatchObject({
    inputTokens: usage[1]!.input_tokens,
    cacheCreationTokens: usage[1]!.cache_creation_input_tokens,
    outputTokens: usage[1]!.output_tokens,
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
  const { record, said } = played('passes');
  // The text that the spec asks for is in the first tab.
  expect(
    record.assertions.every(({ passed }) => passed),
    said,
  ).toBe(true);
  expect(record.turns.slice(2).map(({ url }) => new URL(url).pathname)).toEqual([
    '/details',
    '/passes',
    '/passes',
  ]);
});

testIt('it answers dialogs in its own way: yes', () => {
  const { record, said } = played('passes');
  // The page orders only then.
  expect(
    record.network.events.map(({ url }) => new URL(url).pathname),
    said,
  ).toContain('/api/orders');
});

testIt('an answer that it can not use is a turn with an error', () => {
  const { record, said } = played('passes');
  expect(record.turns[0]!.actions[0]!.error, said).toContain('fly');
});

testIt('at the cost cap it stops, in the middle of a turn', () => {
  const { status, turns, costUsd } = outcomes.cap!;
  expect({ status, turns }, run.output).toEqual({ status: 'budget_exceeded', turns: 1 });
  expect(costUsd).toBeGreaterThan(2);
  expect(requestsOf('cap')).toHaveLength(2);
  expect(clicks).toBe(0);
});

testIt('a price that is unknown is no cost of 0, and none under a cap', () => {
  const uncapped = played('domains');
  expect(uncapped.record.usage.inputTokens).toBeGreaterThan(0);
  expect(uncapped.record.costUsd, uncapped.said).toBeNull();
  expect(outcomes['unpriced-capped']!.reason).toMatch(
    /error: agent_api: .*the price of claude-of-tomorrow is unknown/,
  );
  expect(requestsOf('unpriced-capped')).toHaveLength(0);
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
  const { status, turns } = outcomes.steps!;
  expect({ status, turns }, run.output).toEqual({ status: 'max_steps', turns: 2 });
  expect(requestsOf('steps')).toHaveLength(2);
});

testIt.each([
  { id: 'down', what: 'is down', reason: /Connection error/ },
  { id: 'refused', what: 'refuses the key', reason: /invalid x-api-key/ },
  { id: 'keyless', what: 'has no key', reason: /ANTHROPIC_API_KEY/ },
])('a model that $what says nothing about the site', ({ id, reason }) => {
  const outcome = outcomes[id]!;
  expect(outcome.reason, run.output).toContain('agent.run, error: agent_api: ');
  expect(outcome.reason).toMatch(reason);
  expect(outcome.turns).toBe(0);
});
