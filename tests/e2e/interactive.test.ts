// UI mode and the server of editors: one trial of a spec runs, nothing is judged, nothing tolerated. What else counts as such a server,
// as that of coding agents does: tests/unit/playwright/inside/command-line.test.ts.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chromium } from '@playwright/test';
import { beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { launchOptions } from '../../scripts/browser.mjs';
import { config, makeSuite, printed, type Suite, spec, startServer, startSite, TASKS_TEST } from './suite';

const IDLE = `defineAgent({ name: 'idle', async run(task) { await task.turn('look', () => undefined); } })`;
const NOT_JUDGED = 'none: 1 trial of 3';

let suite: Suite;

beforeAll(async () => {
  const site = await startSite({ '/': '<button>Go</button>' });
  suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${IDLE} }`,
      reporters: `[['@taskproof/playwright/reporter']]`,
    }),
    'tasks/kept.yaml': spec({ id: 'kept', url: `${site.url}/`, k: 3, minPasses: 1 }),
    'tasks.spec.ts': TASKS_TEST,
  });
});

const start = (args: string[]) => startServer(args, suite.folder);
const addressOf = (child: ChildProcess) => printed(child.stdout!, /(?<=Listening on )\S+(?=\s)/);

test('UI mode shows a failing trial as failed, and says that it is one of several', async () => {
  const address = await addressOf(start(['test', '--ui-host=127.0.0.1', '--ui-port=0']));
  const browser = await chromium.launch(launchOptions());
  try {
    const page = await browser.newPage();
    await page.goto(address);
    await page.getByTestId('test-tree').getByText('tasks.spec.ts').click();
    await page.getByTitle('Run all').click();
    await page.getByTestId('test-tree').locator('.codicon-error').first().waitFor();
    await page.getByTestId('test-tree').getByText('kept').click();
    await page.getByRole('tab', { name: 'Annotations' }).click();
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
    await page.getByText(NOT_JUDGED).waitFor();
  } finally {
    await browser.close();
  }
});

interface Message {
  id?: number;
  method?: string;
  params?: { method?: string; params?: { result?: object; test?: object }; text?: string };
  result?: object;
  error?: unknown;
}

/** The answer as JSON. */
type Call = (method: string, params: object) => Promise<string>;

/** Speaks with the server of editors. */
async function openEditor(): Promise<{ call: Call; messages: Message[] }> {
  const socket = new WebSocket(await addressOf(start(['test-server', '--host=127.0.0.1'])));
  await once(socket, 'open');
  const messages: Message[] = [];
  let id = 0;
  const call: Call = (method, params) => {
    const own = ++id;
    const answered = new Promise<string>((resolve, reject) => {
      socket.on('message', data => {
        const message = JSON.parse(String(data)) as Message;
        if (message.id === own && message.error) reject(new Error(JSON.stringify(message.error)));
        else if (message.id === own) resolve(JSON.stringify(message.result));
      });
    });
    socket.send(JSON.stringify({ id: own, method, params }));
    return answered;
  };
  socket.on('message', data => messages.push(JSON.parse(String(data)) as Message));
  await call('initialize', { interceptStdio: true });
  return { call, messages };
}

/** One server for all that an editor asks: it is a process that loads Playwright. */
let editor: ReturnType<typeof openEditor> | undefined;
const theEditor = () => {
  editor ??= openEditor();
  return editor;
};

test("the test server of editors reports the trial's own outcome, and says that it is one of several", async () => {
  const { call, messages } = await theEditor();
  await call('runTests', { locations: [] });
  const end = messages.find(({ params }) => params?.method === 'onTestEnd')?.params?.params;
  expect(end).toMatchObject({ test: { expectedStatus: 'passed' }, result: { status: 'failed' } });
  expect(JSON.stringify(end)).toContain(NOT_JUDGED);
  // Editors show no annotations.
  const said = messages.flatMap(({ method, params }) => (method === 'stdio' ? (params?.text ?? '') : []));
  expect(said.join('')).toContain('taskproof: no verdict: kept (1 trial of 3)');
});

test('editors show each spec in its own file, and one that does not parse at its error', async () => {
  const { call } = await theEditor();
  suite.write({ 'tasks/broken.yaml': 'goal: Buy\nid: [\n' });
  const listed = await call('listTests', {});
  suite.remove('tasks/broken.yaml');
  const line = suite.read('tasks/kept.yaml').split('\n').indexOf('id: kept') + 1;
  expect(line).toBeGreaterThan(0);
  // A call for one spec shows it at the call, as the run of `kept` alone needs it.
  expect(listed).toContain(`{"file":"tasks/kept.yaml","line":${line},"column":5}`);
  expect(listed).toContain('{"file":"tasks/broken.yaml","line":3,');
});
