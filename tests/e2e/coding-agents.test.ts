// Coding agents, the real command lines with the real MCP server, in real runs: our own servers play their models.
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
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
} from '../support/messages-api';
import { recordsIn } from '../support/records';
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

/** The ref of an element in the newest page that the model was shown. */
function refOf({ text }: ScriptedRequest, element: string): string {
  const ref = new RegExp(`${element}.*?\\[ref=(\\w+)\\]`).exec(text)?.[1];
  if (!ref) throw new Error(`no ${element} in: ${text}`);
  return ref;
}

/** Whatever asks to leave this machine, as a proxy sees it. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** A trial of one spec by `agent.mjs`, with these arguments and this environment. */
async function runTrial(
  args: string[],
  env: Record<string, string | undefined>,
  page: string,
  options: Partial<SpecOptions> = {},
) {
  const site = await startSite({ '/': page, '/details': '<h1>Details</h1><p id="done">Read</p>' });
  const program = {
    name: args[0],
    command: process.execPath,
    args: ['../node_modules/@taskproof/playwright/agent-programs/mcp/agent.mjs', ...args],
    env,
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
  return { record: record as TrialRecord, said: run.output + JSON.stringify(record) };
}

async function playClaude(
  steps: Step[],
  page: string,
  options: Partial<SpecOptions> = {},
  env: Record<string, string | undefined> = {},
) {
  const api = await startMessagesApi({
    script: request =>
      steps[request.index]?.(request) ?? { fault: 'status', status: 400, type: 'script_is_over' },
    apiKey: KEY,
    joinsMessages: true,
  });
  onTestFinished(() => api.close());
  const args = ['claude-code', '--command', found!.claude, '--server', found!.server, '--model', MODEL];
  const set = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
    ...env,
  };
  return { ...(await runTrial(args, set, page, options)), requests: api.requests };
}

/** Folders of trials that were not removed. */
const leftFolders = () => readdirSync(tmpdir()).filter(name => name.startsWith('taskproof-mcp-'));

testIt(
  'Claude Code passes a spec: turns with pictures, narration, usage, cost, nothing sent elsewhere',
  async () => {
    const proxy = await startProxy();
    const { record, requests, said } = await playClaude(
      [
        () => reply(say('I look at the page.'), use('browser_snapshot')),
        request =>
          reply(
            say('I type and order.'),
            use('browser_type', {
              target: refOf(request, 'textbox'),
              text: '<secret>SHOP_PASSWORD</secret>',
            }),
            use('browser_click', { target: refOf(request, 'button'), element: 'Order' }),
          ),
        () => done('The order is placed.'),
      ],
      `<input id="password" type="password" aria-label="Password">
     <button onclick="done.hidden = !confirm('Sure?'); done.textContent = 'A password of ' + password.value.length">Order</button>
     <p id="done" hidden></p>`,
      {
        goal: 'Type the password and order',
        assertions: `  - type: dom
    selector: '#done'
    state: text
    text: 'A password of ${PASSWORD.length}'
`,
      },
      { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
    );
    console.log(
      said,
      JSON.stringify(record, null, 1),
      requests.map(r => [r.status, r.problem]),
    );
    expect(record, said).toMatchObject({ outcome: 'passed', status: 'completed' });
    expect(proxy.asked, 'requests that would have left the machine').toEqual([]);
    expect(said).not.toContain(PASSWORD);
    expect(said).not.toContain(KEY);
    expect(leftFolders()).toEqual([]);
  },
);
