// Coding agents, the real command lines with the real MCP server, in real runs: our own servers play their models.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findCodingAgents } from '../../scripts/mcp.mjs';
import type { TrialRecord } from '../../src/trial/record';
import {
  type Answer,
  callTool,
  done,
  reply,
  type ScriptedRequest,
  say,
  startMessagesApi,
  textsOf,
} from '../support/messages-api';
import { startOpenAiApi } from '../support/openai-api';
import { MARK, processesMarked } from '../support/processes';
import { recordsIn } from '../support/records';
import { startProxy } from '../support/refusing-proxy';
import { config, makeSuite, type SpecOptions, spec, startSite, TASKS_TEST } from './suite';

const KEY = 'sk-ant-a-key-that-must-not-be-seen-anywhere';
const PASSWORD = 'violet-garden-7';
const MODEL = 'claude-opus-5-5';

const found = findCodingAgents();
const testIt = test.skipIf(!found);
if (!found)
  console.warn('The tests of coding agents are skipped: `npm run mcp:install` installs them (800 MB).');

type Step = (request: ScriptedRequest) => Answer;

/** A call of a browser tool, as Claude Code names it. */
const use = (name: string, input = {}) => callTool(`mcp__playwright__${name}`, input);

/** The ref of an element, as the newest page has it that the model was shown. */
function refOf({ body }: ScriptedRequest, element: string): string {
  const shown = body.messages.flatMap(({ content }) => textsOf(content)).join('\n');
  const refs = [...shown.matchAll(new RegExp(`${element}.*?\\[ref=(\\w+)\\]`, 'g'))];
  if (refs.length === 0) throw new Error(`no ${element} in: ${shown}`);
  return refs.at(-1)![1]!;
}

interface Suite {
  /** HTML of the site's first page. */
  page: string;
  specs: (Partial<SpecOptions> & { id: string })[];
  /** Of `agent.mjs`, and its environment. */
  args: string[];
  env: Record<string, string | undefined>;
}

/** One run; its trials by spec, and everything that it said. */
async function play({ page, specs, args, env }: Suite) {
  const site = await startSite({
    '/': page,
    '/details': '<title>Details</title><h1>Details</h1><p id="done">Read</p>',
  });
  const program = {
    name: args[0],
    command: process.execPath,
    args: [
      '../node_modules/@taskproof/playwright/agent-programs/mcp/agent.mjs',
      ...[args[0]!, '--server', found!.server, '--env', MARK],
      ...args.slice(1),
    ],
    env,
  };
  const suite = makeSuite({
    'playwright.config.ts': config({
      imports: `import { command } from '@taskproof/playwright';`,
      taskproof: `{ agent: command(${JSON.stringify(program)}), turnTimeoutMs: 20_000, secrets: { SHOP_PASSWORD: '${PASSWORD}' } }`,
      reporters: `[['list'], ['@taskproof/playwright/reporter'], ['json', { outputFile: 'pw.json' }]]`,
      workers: 2,
    }),
    ...Object.fromEntries(
      specs.map(options => [`tasks/${options.id}.yaml`, spec({ url: `${site.url}/`, ...options })]),
    ),
    'tasks.spec.ts': TASKS_TEST,
  });
  const mark = randomUUID();
  const temp = join(suite.folder, 'temp');
  mkdirSync(temp);
  const run = await suite.playwright(['test'], { [MARK]: mark, TMPDIR: temp, TEMP: temp });
  const records = Object.fromEntries(recordsIn(suite.read('pw.json')).map(record => [record.specId, record]));
  expect(Object.keys(records).sort(), run.output).toEqual(specs.map(({ id }) => id).sort());
  expect(processesMarked(mark)).toEqual([]);
  expect(readdirSync(temp).filter(name => name.startsWith('taskproof-mcp-'))).toEqual([]);
  for (const secret of [PASSWORD, KEY]) expect(run.output + JSON.stringify(records)).not.toContain(secret);
  return { records: records as Record<string, TrialRecord>, output: run.output };
}

const over = (message: string): Answer => ({
  fault: 'status',
  status: 400,
  type: 'invalid_request',
  message,
});

/** A script for each spec: a conversation begins with its goal, and the goal with its id. */
function scriptOf(steps: Record<string, Step[]>) {
  return (request: ScriptedRequest): Answer => {
    const texts = request.body.messages.flatMap(({ content }) => textsOf(content));
    const id = texts.flatMap(text => /^Task (\w+)/.exec(text) ?? []).at(1)!;
    try {
      return steps[id]![request.turn]?.(request) ?? over(`the script of ${id} is over`);
    } catch (error) {
      return over((error as Error).message);
    }
  };
}

testIt('Claude Code: a spec passes, limits are kept, and nothing is sent elsewhere', async () => {
  const proxy = await startProxy();
  onTestFinished(proxy.close);
  const elsewhere = await startSite({ '/': 'elsewhere' });
  const look = () => reply(say('I look at the page.'), use('browser_snapshot'));
  const api = await startMessagesApi({
    apiKey: KEY,
    joinsMessages: true,
    script: scriptOf({
      passes: [
        look,
        request =>
          reply(
            say('I type and order.'),
            use('browser_type', {
              target: refOf(request, 'textbox'),
              text: '<secret>SHOP_PASSWORD</secret>',
            }),
            use('browser_click', { target: refOf(request, 'button') }),
          ),
        ({ text }) => {
          expect(text).toContain('["confirm" dialog with message "Sure?"]');
          return reply(use('browser_handle_dialog', { accept: true }));
        },
        request => reply(use('browser_click', { target: refOf(request, 'link "Details"') })),
        () => reply(use('browser_tabs', { action: 'select', index: 0 })),
        () => reply(use('browser_navigate', { url: elsewhere.url.replace('127.0.0.1', 'localhost') })),
        () => reply(use('browser_take_screenshot')),
        () => done('The order is placed.'),
      ],
      turns: [look, look, look, look],
      dollars: [look, () => ({ ...look(), outputTokens: 100_000 }), look, look],
      minutes: [() => reply(use('browser_wait_for', { time: 600 }))],
      refused: [
        () => ({ fault: 'status', status: 401, type: 'authentication_error', message: `bad key ${KEY}` }),
      ],
    }),
  });
  onTestFinished(() => api.close());
  const { records, output } = await play({
    page: `<input id="password" aria-label="Password"><a href="/details" target="_blank">Details</a>
      <button onclick="done.hidden = !confirm('Sure?'); done.textContent = 'A password of ' + password.value.length">Order</button>
      <p id="done" hidden></p>`,
    specs: [
      {
        id: 'passes',
        goal: 'Task passes, type the password and order',
        assertions: `  - type: dom
    selector: '#done'
    state: visible
  - type: dom
    selector: '#done'
    state: text
    text: 'A password of ${PASSWORD.length}'
`,
      },
      { id: 'turns', goal: 'Task turns', extra: 'maxSteps: 3' },
      { id: 'dollars', goal: 'Task dollars', extra: 'maxCostUsd: 1' },
      { id: 'minutes', goal: 'Task minutes', extra: 'maxSteps: 1' },
      { id: 'refused', goal: 'Task refused' },
    ],
    args: ['claude-code', '--command', found!.claude, '--model', MODEL],
    env: {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: api.url,
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      NO_PROXY: '127.0.0.1',
    },
  });
  const { passes, turns, dollars, minutes, refused } = records;
  expect(passes, output).toMatchObject({ outcome: 'passed', status: 'completed' });
  expect(
    passes!.turns.map(({ title, url, screenshot }) => [title, new URL(url).pathname, screenshot]),
  ).toEqual([
    ['read the page', '/', 'turn-1.jpg'],
    [
      'type "<secret>SHOP_PASSWORD</secret>" into textbox "Password"; click button "Order"',
      '/',
      expect.anything(),
    ],
    ['accept the dialog', '/', 'turn-3.jpg'],
    ['click link "Details"', '/details', 'turn-4.jpg'],
    ['select tab 0', '/', 'turn-5.jpg'],
    [expect.stringMatching(/^go to http:\/\/localhost/), '/', 'turn-6.jpg'],
    ['take a screenshot', '/', 'turn-7.jpg'],
    ['finish: The order is placed.', '/', 'turn-8.jpg'],
  ]);
  expect(passes!.turns[1]).toMatchObject({
    narration: 'I type and order.',
    actions: [
      { title: expect.stringMatching(/^type/), detail: { tool: 'browser_type' } },
      {
        title: 'click button "Order"',
        detail: { code: "await page.getByRole('button', { name: 'Order' }).click();" },
      },
    ],
  });
  expect(passes!.refusals).toEqual([
    { url: expect.stringContaining('http://localhost'), how: expect.any(String) },
  ]);

  // Every request counts, by the prices of Claude Code itself.
  const own = api.requests.filter(({ body }) => JSON.stringify(body.messages).includes('Task passes'));
  const sum = (
    key: 'input_tokens' | 'output_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens',
  ) => own.reduce((total, { usage }) => total + usage![key], 0);
  const tokens = {
    inputTokens: sum('input_tokens'),
    outputTokens: sum('output_tokens'),
    cacheReadTokens: sum('cache_read_input_tokens'),
    cacheCreationTokens: sum('cache_creation_input_tokens'),
  };
  expect(passes!.usage).toMatchObject(tokens);
  expect(passes!.turns[1]!.usage).toMatchObject({
    outputTokens: own[1]!.usage!.output_tokens,
    costUsd: null,
  });
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = tokens;
  expect(passes!.costUsd).toBeCloseTo(
    (inputTokens * 4 + outputTokens * 20 + cacheReadTokens * 0.2 + cacheCreationTokens * 5) / 1e6,
    6,
  );

  expect(turns).toMatchObject({ outcome: 'failed', status: 'max_steps', costUsd: expect.any(Number) });
  expect(turns!.turns).toHaveLength(3);
  expect(dollars).toMatchObject({ outcome: 'failed', status: 'budget_exceeded' });
  expect(dollars!.costUsd).toBeGreaterThan(2);
  expect(dollars!.turns).toHaveLength(2);
  expect(minutes).toMatchObject({ outcome: 'failed', status: 'timed_out', costUsd: null });
  expect(minutes!.turns.map(({ title }) => title)).toEqual(['wait for 600 s']);
  expect(refused).toMatchObject({ outcome: 'error', status: 'error', errorKind: 'agent_api' });
  expect(refused!.reason).toMatch(/401|API key/);

  const seen = JSON.stringify(api.requests.map(({ body }) => body));
  expect(seen).not.toContain(PASSWORD);
  expect(seen).toContain('"media_type":"image/png"');
  const offered = new Set(
    api.requests.flatMap(({ body }) => (body.tools as { name: string }[]).map(({ name }) => name)),
  );
  expect([...offered].filter(name => !/^mcp__playwright__(browser_\w+|give_up)$/.test(name))).toEqual([]);
  for (const name of ['browser_run_code_unsafe', 'browser_close'])
    expect(offered).not.toContain(`mcp__playwright__${name}`);
  expect(proxy.asked, 'requests that would have left the machine').toEqual([]);
});

testIt('Codex: a spec passes, and turns are limited', async () => {
  const proxy = await startProxy();
  onTestFinished(proxy.close);
  const call = (name: string, input = {}) => ({ ...callTool(name, input), namespace: 'mcp__playwright' });
  const look = () => reply(call('browser_snapshot'));
  const api = await startOpenAiApi({
    apiKey: KEY,
    script: scriptOf({
      passes: [
        () => reply(say('I look at the page.'), call('browser_snapshot')),
        request => reply(call('browser_click', { target: refOf(request, 'button') })),
        () => done('It is done.'),
      ],
      turns: [look, look, look],
    }),
  });
  onTestFinished(() => api.close());
  const provider = `{ name = "ours", base_url = "${api.url}", env_key = "CODEX_API_KEY", wire_api = "responses", supports_websockets = false }`;
  const { records, output } = await play({
    page: `<button onclick="done.hidden = false">Go</button><p id="done" hidden>Done</p>`,
    specs: [
      { id: 'passes', goal: 'Task passes, press Go' },
      { id: 'turns', goal: 'Task turns', extra: 'maxSteps: 2' },
    ],
    args: [
      ...['codex', '--command', found!.codex, '--model', 'gpt-5.5'],
      ...['--', '-c', 'model_provider="ours"', '-c', `model_providers.ours=${provider}`],
    ],
    env: { CODEX_API_KEY: KEY, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
  });
  const { passes, turns } = records;
  expect(passes, output).toMatchObject({ outcome: 'passed', status: 'completed', costUsd: null });
  expect(passes!.turns.map(({ title, narration }) => [title, narration])).toEqual([
    ['read the page', 'I look at the page.'],
    ['click button "Go"', ''],
    ['finish: It is done.', 'It is done.'],
  ]);
  const { inputTokens, cacheReadTokens, outputTokens } = passes!.usage;
  expect([inputTokens, cacheReadTokens, outputTokens].every(count => count > 10)).toBe(true);
  expect(turns).toMatchObject({ outcome: 'failed', status: 'max_steps' });
  expect(turns!.turns).toHaveLength(2);
  expect(proxy.asked, 'requests that would have left the machine').toEqual([]);
});
