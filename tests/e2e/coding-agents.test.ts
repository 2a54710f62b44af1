// Coding agents, the real command lines with the real MCP server, in real runs: our own servers play their models.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCodingAgents } from '../../scripts/mcp.mjs';
import type { TrialRecord } from '../../src/data/record';
import {
  type Answer,
  callTool,
  done,
  reply,
  type ScriptedRequest,
  say,
  startMessagesApi,
  status,
  textsOf,
} from '../support/messages-api';
import { startOpenAiApi } from '../support/openai-api';
import { MARK, marked } from '../support/processes';
import { startProxy } from '../support/refusing-proxy';
import { config, makeSuite, recordsOf, type SpecOptions, spec, startSite, WITH_JSON } from './suite';

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

const isByCli = (body: object) => JSON.stringify(body).includes('Task cli');

/** A call of Claude Code's shell. */
const shell = (command: string) => callTool('Bash', { command, description: 'x' });

/** The ref of an element, as the newest page has it that the model was shown. */
function refOf({ body }: ScriptedRequest, element: string): string {
  const shown = body.messages.flatMap(({ content }) => textsOf(content)).join('\n');
  const refs = [...shown.matchAll(new RegExp(`${element}.*?\\[ref=(\\w+)\\]`, 'g'))];
  if (refs.length === 0) throw new Error(`no ${element} in: ${shown}`);
  return refs.at(-1)![1]!;
}

interface Agent {
  /** HTML of the site's first page. */
  page: string;
  /** Only those whose ids end with `passes` pass. */
  specs: (Partial<SpecOptions> & { id: string })[];
  /** Of `agent.mjs`, and its environment. */
  args: string[];
  env: Record<string, string | undefined>;
}

/** One run of these agents; its trials by spec, and everything that it said. */
async function play(agents: Agent[]) {
  const suite = makeSuite({
    'playwright.config.ts': config({
      reporters: WITH_JSON,
    }),
  });
  for (const { page, specs, args, env } of agents) {
    const name = args.includes('--cli') ? `${args[0]}-cli` : args[0]!;
    const site = await startSite({
      '/': page,
      '/details': '<title>Details</title><h1>Details</h1><p id="done">Read</p>',
    });
    const agent = '../node_modules/@taskproof/playwright/agent-programs/mcp/agent.mjs';
    const program = {
      ...{ name, command: process.execPath, env },
      args: [agent, args[0]!, '--env', MARK, ...args.slice(1)],
    };
    suite.write({
      // Failures that are expected start no new workers.
      [`${name}.spec.ts`]: `import { command, taskproofTests, test } from '@taskproof/playwright';
test.beforeEach(({}, { title }) => test.fail(!/passes/.test(title)));
test.use({ taskproof: { agent: command(${JSON.stringify(program)}), turnTimeoutMs: 20_000, secrets: { SHOP_PASSWORD: '${PASSWORD}' } } });
taskproofTests('tasks/${name}/*.yaml', { test });`,
      ...Object.fromEntries(
        specs.map(options => [`tasks/${name}/${options.id}.yaml`, spec({ url: `${site.url}/`, ...options })]),
      ),
    });
  }
  const processes = marked();
  const temp = join(suite.folder, 'temp');
  mkdirSync(temp);
  const run = await suite.playwright(['test'], { ...processes.env, TMPDIR: temp, TEMP: temp });
  const records = recordsOf(suite);
  const ids = agents.flatMap(({ specs }) => specs.map(({ id }) => id));
  expect(Object.keys(records).sort(), run.output).toEqual(ids.sort());
  expect(processes.running()).toEqual([]);
  const left = readdirSync(temp, { recursive: true, encoding: 'utf8' });
  expect(left.filter(name => name.startsWith('taskproof-mcp-'))).toEqual([]);
  // The config, of which Playwright writes all there is, names them.
  const reported = JSON.stringify(JSON.parse(suite.read('report.json')).suites);
  for (const secret of [PASSWORD, KEY])
    expect(run.output + reported + JSON.stringify(records)).not.toContain(secret);
  return { records, output: run.output };
}

const over = (message: string) => status(400, 'invalid_request', { message });

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

let proxy: Awaited<ReturnType<typeof startProxy>>;
let claudeApi: Awaited<ReturnType<typeof startMessagesApi>>;
let codexApi: Awaited<ReturnType<typeof startOpenAiApi>>;
let records: Record<string, TrialRecord>;
let output: string;

/** Both in one worker and browser. */
beforeAll(async () => {
  if (!found) return;
  proxy = await startProxy();
  const proxied = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' };
  const elsewhere = await startSite({ '/': 'elsewhere' });
  const look = () => reply(say('I look at the page.'), use('browser_snapshot'));
  claudeApi = await startMessagesApi({
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
      dollars: [look, () => ({ ...look(), outputTokens: 100_000 }), look, look],
      minutes: [() => reply(use('browser_evaluate', { function: '() => new Promise(() => {})' }))],
      cli: [
        () => reply(say('I look.'), shell('playwright-cli snapshot')),
        () => reply(shell('cat /etc/passwd')),
        request =>
          reply(shell(`playwright-cli click ${refOf(request, 'button')} && playwright-cli find Done`)),
        ({ text }) => done(/Done/.test(text) ? 'It is done.' : 'It failed.'),
      ],
      refused: [() => status(401, 'authentication_error', { message: `bad key ${KEY}` })],
    }),
  });
  const claudeCode = {
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
      { id: 'dollars', goal: 'Task dollars', extra: 'maxCostUsd: 1' },
      { id: 'minutes', goal: 'Task minutes', extra: 'maxSteps: 1' },
      { id: 'refused', goal: 'Task refused' },
    ],
    args: ['claude-code', '--command', found!.claude, '--model', MODEL],
    env: {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: claudeApi.url,
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      ...proxied,
    },
  };
  const GO = `<button onclick="done.hidden = false">Go</button><p id="done" hidden>Done</p>`;
  const claudeCli = {
    page: GO,
    specs: [{ id: 'cli-passes', goal: 'Task cli, press Go' }],
    args: [...claudeCode.args, '--cli'],
    env: claudeCode.env,
  };
  const call = (name: string, input = {}) => ({ ...callTool(name, input), namespace: 'mcp__playwright' });
  const snapshot = () => reply(call('browser_snapshot'));
  const cli = (...args: string[]) => call('playwright_cli', { args });
  codexApi = await startOpenAiApi({
    apiKey: KEY,
    script: scriptOf({
      passes: [
        () => reply(say('I look at the page.'), call('browser_snapshot')),
        request => reply(call('browser_click', { target: refOf(request, 'button') })),
        () => done('It is done.'),
      ],
      turns: [snapshot, snapshot, snapshot],
      cli: [
        () => reply(say('I look.'), cli('snapshot')),
        request => reply(cli('click', refOf(request, 'button'))),
        () => reply(cli('run-code', 'async page => page.url()')),
        () => done('It is done.'),
      ],
    }),
  });
  const provider = `{ name = "ours", base_url = "${codexApi.url}", env_key = "CODEX_API_KEY", wire_api = "responses", supports_websockets = false }`;
  const codex = {
    page: GO,
    specs: [
      { id: 'codex-passes', goal: 'Task passes, press Go' },
      { id: 'codex-turns', goal: 'Task turns', extra: 'maxSteps: 2' },
    ],
    args: [
      ...['codex', '--command', found!.codex, '--model', 'gpt-5.5'],
      ...['--', '-c', 'model_provider="ours"', '-c', `model_providers.ours=${provider}`],
    ],
    env: { CODEX_API_KEY: KEY, ...proxied },
  };
  const at = codex.args.indexOf('--');
  const codexCli = {
    page: GO,
    specs: [{ id: 'codex-cli-passes', goal: 'Task cli, press Go' }],
    args: [...codex.args.slice(0, at), '--cli', ...codex.args.slice(at)],
    env: codex.env,
  };
  ({ records, output } = await play([claudeCode, claudeCli, codex, codexCli]));
});
afterAll(async () => {
  proxy?.close();
  await Promise.all([claudeApi?.close(), codexApi?.close()]);
});

testIt('Claude Code: a spec passes, limits are kept, and nothing is sent elsewhere', () => {
  const { passes, dollars, minutes, refused } = records;
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
  const own = claudeApi.requests.filter(({ body }) => JSON.stringify(body.messages).includes('Task passes'));
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

  expect(dollars).toMatchObject({ outcome: 'failed', status: 'budget_exceeded' });
  expect(dollars!.costUsd).toBeGreaterThan(2);
  expect(dollars!.turns).toHaveLength(2);
  expect(minutes).toMatchObject({ outcome: 'failed', status: 'timed_out', costUsd: null });
  expect(minutes!.turns.map(({ title }) => title)).toEqual(['run a script']);
  expect(refused).toMatchObject({ outcome: 'error', status: 'error', errorKind: 'agent_api' });
  expect(refused!.reason).toMatch(/401|API key/);

  const seen = JSON.stringify(claudeApi.requests.map(({ body }) => body));
  expect(seen).not.toContain(PASSWORD);
  expect(seen).toContain('"media_type":"image/png"');
  const offered = new Set(
    claudeApi.requests
      .filter(({ body }) => !isByCli(body))
      .flatMap(({ body }) => (body.tools as { name: string }[]).map(({ name }) => name)),
  );
  expect([...offered].filter(name => !/^mcp__playwright__(browser_\w+|give_up)$/.test(name))).toEqual([]);
  for (const name of ['browser_run_code_unsafe', 'browser_close'])
    expect(offered).not.toContain(`mcp__playwright__${name}`);
  expect(proxy.asked, 'requests that would have left the machine').toEqual([]);
});

testIt('Claude Code works by playwright-cli, and its shell runs nothing else', () => {
  const { 'cli-passes': passes } = records;
  expect(passes, output).toMatchObject({ outcome: 'passed', status: 'completed' });
  expect(passes!.turns.map(({ title }) => title)).toEqual([
    'read the page',
    'click button "Go"',
    'read the page',
    'finish: It is done.',
  ]);
});

testIt('Codex: a spec passes, and turns are limited', () => {
  const { 'codex-passes': passes, 'codex-turns': turns } = records;
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

testIt('Codex works by playwright-cli, and gets no other tool', () => {
  const { 'codex-cli-passes': passes } = records;
  expect(passes, output).toMatchObject({ outcome: 'passed', status: 'completed' });
  expect(passes!.turns.map(({ title, narration }) => [title, narration])).toEqual([
    ['read the page', 'I look.'],
    ['click button "Go"', ''],
    ['run-code {}', ''],
    ['finish: It is done.', 'It is done.'],
  ]);
  expect(passes!.turns[2]!.actions[0]!.error).toMatch(/^run-code is not to be used here/);
  const asked = codexApi.requests.map(({ body }) => body).filter(isByCli);
  expect(JSON.stringify(asked[0])).toContain('name: playwright-cli');
  expect(JSON.stringify(asked.map(({ tools }) => tools))).not.toMatch(/browser_|exec_command|shell/);
});
