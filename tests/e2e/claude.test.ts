// Claude in a real run: the real SDK against our own Messages API server, which plays the model.

import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { compileCache } from '../support/compile-cache';
import { holding, type Left, leftBehind } from '../support/left-behind';
import {
  byRef,
  call,
  done,
  playExamples,
  reply,
  type Script,
  startMessagesApi,
  think,
} from '../support/messages-api';
import { config, makeSuite, type Run, spec, startSite } from './suite';

const KEY = 'sk-ant-a-key-that-must-not-be-seen-anywhere';

async function api(script: Script) {
  const server = await startMessagesApi({ script, apiKey: KEY });
  onTestFinished(() => server.close());
  return server;
}

const clickGo: Script = request => {
  if (request.turn === 0) return reply(call('read_page', { filter: 'interactive' }));
  if (request.turn === 1)
    return reply(think('The button is there.'), call('left_click', { target: byRef(request.ref('Go')) }));
  return done();
};

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

/** A project for each address of the API. */
async function suiteFor(addresses: Record<string, string>) {
  const site = await startSite({ '/': PAGE });
  const projects = Object.entries(addresses).map(
    ([name, baseURL]) =>
      `{ name: '${name}', use: { taskproof: { agent: claude({ baseURL: '${baseURL}', maxRetries: 0 }) } } }`,
  );
  return makeSuite({
    'playwright.config.ts': config({
      imports: `import { claude } from '@taskproof/playwright';`,
      projects: `[${projects}]`,
    }),
    'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/`, k: 1, extra: 'maxCostUsd: 1' }),
    'tasks.spec.ts': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('tasks/*.yaml');`,
  });
}

describe('with a key', () => {
  let run: Run;
  let left: Left[];
  let requests: number;

  beforeAll(async () => {
    const good = await startMessagesApi({ script: clickGo, apiKey: KEY });
    const refusing = await startMessagesApi({
      script: [{ fault: 'status', status: 401, type: 'authentication_error', message: 'invalid x-api-key' }],
      apiKey: KEY,
    });
    const suite = await suiteFor({ good: good.url, refused: refusing.url });
    run = await suite.playwright(['test'], { ANTHROPIC_API_KEY: KEY });
    left = leftBehind(suite.folder, run.output);
    requests = good.requests.length;
    await Promise.all([good.close(), refusing.close()]);
  });

  const verdictOf = (name: string) => run.results().verdicts.find(({ project }) => project === name);

  test('a trial passes, with its cost, its story and no trace of the key', () => {
    const verdict = verdictOf('good');
    expect(verdict, run.output).toMatchObject({
      ...{ agent: 'claude', model: 'claude-opus-5-5', verdict: 'passed', turns: 3 },
    });
    expect(verdict!.costUsd).toBeGreaterThan(0);
    expect(requests).toBe(3);
    expect(verdict!.recording).toMatchObject({
      turns: [{ actions: [{ steps: [{ do: 'click', locator: "getByRole('button', { name: 'Go' })" }] }] }],
    });
    expect(holding(left, KEY)).toEqual([]);
  });

  test('a wrong key is the API’s error, and says nothing about the site', () => {
    expect(run.exitCode, run.output).toBe(1);
    const verdict = verdictOf('refused');
    expect(verdict).toMatchObject({ verdict: 'inconclusive', failures: 0, errors: 1 });
    expect(verdict!.trials[0]).toMatchObject({ errorKind: 'agent_api' });
    expect(run.output).toContain('Not counted against the site');
    expect(run.output).not.toContain(KEY);
  });
});

test('no key: said once, before any browser starts, naming the variable', async () => {
  const suite = await suiteFor({ agents: 'http://127.0.0.1:9' });
  const run = await suite.playwright(['test'], { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '' });
  expect(run.exitCode, run.output).toBe(1);
  expect(run.output.match(/ANTHROPIC_API_KEY/g)).toHaveLength(1);
  expect(run.output).not.toContain('Running');
});

test('Ctrl-C ends the request in flight, and the record is written', async () => {
  let asked: () => void = () => undefined;
  const inFlight = new Promise<void>(resolve => {
    asked = resolve;
  });
  const server = await api(() => {
    asked();
    return { fault: 'slow', delayMs: 120_000 };
  });
  const suite = await suiteFor({ agents: server.url });
  const { process: child, done: ended } = suite.start(['test'], { ANTHROPIC_API_KEY: KEY });
  await inFlight;
  child.kill('SIGINT');
  const run = await ended;
  expect(run.exitCode).not.toBe(0);
  expect(run.results()).toMatchObject({ status: 'interrupted', complete: false });
  expect(run.results().verdicts[0]!.trials[0], run.output).toMatchObject({
    outcome: 'error',
    errorKind: 'interrupted',
  });
  expect(run.results().verdicts[0]!.trials[0]!.reason).toContain('interrupted');
});

// All of them are played in tests/browser/claude/examples.test.ts.
test('`npm run example` uses Claude once there is a key, and example tasks pass', async () => {
  const server = await api(playExamples);
  const root = resolve(__dirname, '../..');
  const output = await new Promise<{ code: number | null; text: string }>((resolvePromise, reject) => {
    let text = '';
    const child = spawn(
      process.execPath,
      [
        'scripts/example.mjs',
        '--project=claude',
        '--repeat-each=1',
        '--workers=1',
        '--grep=empty-basket|register-sensor|order-snake-plant',
      ],
      {
        cwd: root,
        // Without CI a site that runs already is used.
        env: {
          ...process.env,
          ...compileCache(),
          CI: '',
          ANTHROPIC_API_KEY: KEY,
          ANTHROPIC_BASE_URL: server.url,
          NO_COLOR: '1',
        },
      },
    );
    child.stdout.on('data', chunk => (text += chunk));
    child.stderr.on('data', chunk => (text += chunk));
    child.on('error', reject);
    child.on('close', code => resolvePromise({ code, text }));
  });
  expect(output.code, output.text).toBe(0);
  expect(output.text).toMatch(/3 specs: 3 passed/);
});
