// A run whose browsers are elsewhere, in `playwright run-server`: docs/environments.md. Merged shards: shards.test.ts.
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { recordsIn } from '../support/records';
import {
  config,
  makeSuite,
  PAGE,
  printed,
  type Run,
  type Suite,
  spec,
  startServer,
  startSite,
  TASKS_TEST,
} from './suite';

const SECRET = 'a key of the worker';

const AGENT = `defineAgent({ name: 'walker', async run(task) {
  if (process.env.MODEL_KEY !== '${SECRET}') throw new Error('no key');
  const link = task.page.getByText('Elsewhere');
  if (await link.count()) await task.turn('try to leave', () => link.click());
  await task.turn('click Go', () => task.page.getByText('Go').click());
} })`;

let wire: WebSocketServer;
let suite: Suite;
/** What the workers sent to the browsers' server. */
let sent = '';
let connections = 0;
let requestsElsewhere = 0;
let run: Run;

/** Stands between the workers and the server of the browsers, and listens. */
function listenIn(target: string): WebSocketServer {
  const relay = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: 2 ** 30 });
  relay.on('connection', (worker, request) => {
    connections++;
    const { host, connection, upgrade, ...rest } = request.headers;
    const headers = Object.fromEntries(
      Object.entries(rest).filter(([name]) => !name.startsWith('sec-websocket')),
    );
    sent += JSON.stringify(headers);
    const browser = new WebSocket(target, { headers, maxPayload: 2 ** 30 });
    const opened = once(browser, 'open');
    worker.on('message', async (data: RawData, isBinary) => {
      sent += String(data);
      await opened;
      browser.send(data, { binary: isBinary });
    });
    browser.on('message', (data, isBinary) => worker.send(data, { binary: isBinary }));
    worker.on('close', () => browser.close());
    browser.on('close', () => worker.close());
  });
  return relay;
}

beforeAll(async () => {
  const elsewhere = await startSite({
    '/': (_, response) => {
      requestsElsewhere++;
      response.end('elsewhere');
    },
  });
  const link = `<a href="${elsewhere.url.replace('127.0.0.1', 'localhost')}/">Elsewhere</a>`;
  const site = await startSite({ '/': PAGE, '/link': PAGE + link, '/broken': '<button>Go</button>' });
  suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: ${AGENT} }`,
      reporters: `[['@taskproof/playwright/reporter'], ['json', { outputFile: 'pw.json' }]]`,
    }),
    'tasks.spec.ts': TASKS_TEST,
    'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/` }),
    'tasks/stays.yaml': spec({ id: 'stays', url: `${site.url}/link` }),
    // The last one: a new worker starts after a failed trial.
    'tasks/z-lost.yaml': spec({ id: 'lost', url: `${site.url}/broken` }),
  });
  // `--unsafe`: a browser by its path, as tests of this repository find theirs, and its arguments.
  const server = startServer(['run-server', '--host', '127.0.0.1', '--port', '0', '--unsafe']);
  wire = listenIn(await printed(server.stdout!, /ws:\S+(?=\s)/));
  await once(wire, 'listening');
  const endpoint = `ws://127.0.0.1:${(wire.address() as { port: number }).port}/`;
  run = await suite.playwright(['test'], { MODEL_KEY: SECRET, PW_TEST_CONNECT_WS_ENDPOINT: endpoint });
});

afterAll(() => wire?.close());

test('the verdicts are those of a run with local browsers', () => {
  const verdicts = run.results().verdicts.map(row => `${row.spec} ${row.verdict} ${row.passes}/${row.k}`);
  expect(verdicts, run.output).toEqual(['go passed 1/1', 'lost failed 0/1', 'stays passed 1/1']);
  expect(run.exitCode, run.output).toBe(1);
  expect(connections, 'no browser was started by the worker').toBe(1);
});

test('the guard refuses by protocol: nothing reaches the other host, and the page stays', () => {
  const records = recordsIn(suite.read('pw.json'));
  expect(records.map(({ guard }) => guard)).toEqual(records.map(() => 'protocol'));
  expect(records.flatMap(({ refusals }) => refusals)).toMatchObject([{ how: 'navigation' }]);
  expect(requestsElsewhere).toBe(0);
});

test('what the agent has in its environment and the goal stay with the worker', () => {
  expect(sent, 'the wire was listened to').toContain('"goto"');
  expect(sent).not.toContain(SECRET);
  expect(sent).not.toContain('Click \\"Go\\"');
});
