// Claude in a real run: the real SDK against our own Messages API server, which plays the model. No key is in anything that a run
// leaves behind.

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Results } from '../../src/data/results';
import { runExample } from '../support/example';
import { holding, type Left, leftBehind } from '../support/left-behind';
import {
  call,
  clicks,
  done,
  playExamples,
  reply,
  type Script,
  startMessagesApi,
  status,
  think,
} from '../support/messages-api';
import { config, interrupt, makeSuite, PAGE, type Run, spec, startSite, TASKS_TEST } from './suite';

const KEY = 'sk-ant-a-key-that-must-not-be-seen-anywhere';

const clickGo = clicks('Go', think('The button is there.'));

const STEPS = `module.exports = class {
  onStepEnd(test, result, { parent, title, location }) {
    if (!parent) console.log(\`step: \${title} at \${location?.file}\`);
  }
};`;

describe('with keys, from the environment, in the config and in a client', () => {
  const CONFIG_KEY = 'sk-ant-the-key-of-this-suite';
  const SECRET = 'the-aws-secret-of-this-suite';
  let run: Run;
  let results: Results;
  let left: Left[];
  /** The statuses of each API's answers. */
  let statuses: Record<string, number[]>;

  // Files of one project share its worker. A new one starts after each failure that is not expected.
  beforeAll(async () => {
    const site = await startSite({ '/': PAGE, '/greets': '<h1>A page that greets</h1>' });
    const looking: Script = ({ turn, body }) => {
      if (turn === 0) return reply(call('read_page'), call('screenshot'));
      if (body.model === 'claude-opus-5-5') return done('the end of what the page says');
      return status(400, 'odd', { message: `an odd request of ${CONFIG_KEY} with ${SECRET}` });
    };
    const invalid = status(401, 'authentication_error', { message: 'invalid x-api-key' });
    const apis = {
      good: await startMessagesApi({ script: clickGo, apiKey: KEY }),
      key: await startMessagesApi({ script: looking, apiKey: CONFIG_KEY }),
      client: await startMessagesApi({ script: looking, apiKey: CONFIG_KEY }),
      refused: await startMessagesApi({ script: [invalid], apiKey: KEY }),
    };
    /** A spec of its own, and the file that plays it with this agent. */
    const trial = (name: keyof typeof apis, path: string, agent: string, more = '') => ({
      [`tasks/${name}.yaml`]: spec({ id: name, url: site.url + path, extra: 'maxCostUsd: 1' }),
      [`${name}.spec.ts`]: `import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { claude, taskproofTests, test } from '@taskproof/playwright';
const baseURL = '${apis[name].url}';
const { KEY_OF_THE_SUITE, SECRET_OF_THE_SUITE } = process.env;
test.use({ taskproof: { agent: ${agent} } });
${more}
taskproofTests('tasks/${name}.yaml');`,
    });
    const client =
      'new AnthropicBedrock({ baseURL, awsAccessKey: KEY_OF_THE_SUITE, awsSecretKey: SECRET_OF_THE_SUITE })';
    const suite = makeSuite({
      'playwright.config.ts': config({
        reporters: `[['list'], ['@taskproof/playwright/reporter'], ['html'], ['json', { outputFile: 'pw.json' }], ['./steps.cjs']]`,
      }),
      'steps.cjs': STEPS,
      ...trial('good', '/', 'claude({ baseURL, maxRetries: 0 })'),
      // Given in the config, the key is nearer to what is recorded than in the environment.
      ...trial(
        'key',
        '/greets',
        'claude({ baseURL, apiKey: KEY_OF_THE_SUITE })',
        'test.beforeEach(() => test.fail());',
      ),
      ...trial(
        'client',
        '/greets',
        `claude({ client: ${client}, model: 'us.anthropic.claude-opus-5-5-v1' })`,
        'test.beforeEach(() => test.fail());',
      ),
      ...trial('refused', '/', 'claude({ baseURL, maxRetries: 0 })'),
    });
    run = await suite.playwright(['test', '--trace=on'], {
      ANTHROPIC_API_KEY: KEY,
      KEY_OF_THE_SUITE: CONFIG_KEY,
      SECRET_OF_THE_SUITE: SECRET,
    });
    results = run.results();
    left = leftBehind(suite.folder, run.output);
    statuses = Object.fromEntries(
      Object.entries(apis).map(([name, { requests }]) => [name, requests.map(({ status }) => status)]),
    );
    await Promise.all(Object.values(apis).map(each => each.close()));
  });

  const verdictOf = (name: string) => results.verdicts.find(({ spec }) => spec === name);

  test('a trial passes, with its cost, its story and no trace of the key', () => {
    const verdict = verdictOf('good');
    expect(verdict, run.output).toMatchObject({
      ...{ agent: 'claude', model: 'claude-opus-5-5', verdict: 'passed', turns: 3 },
    });
    expect(verdict!.costUsd).toBeGreaterThan(0);
    expect(verdict!.modelTimeMs, "waiting for the model is none of the trial's time").toBeGreaterThan(0);
    expect(statuses.good).toEqual([200, 200, 200]);
    expect(verdict!.recording).toMatchObject({
      turns: [{ actions: [{ recorded: [{ do: 'click', locator: "getByRole('button', { name: 'Go' })" }] }] }],
    });
    expect(holding(left, KEY)).toEqual([]);
  });

  test('no call of ours is a step', () => {
    expect(run.output).toMatch(/step: open http.* at .*good\.yaml/);
    expect(run.output).not.toMatch(/step: .*node_modules/);
  });

  test('a wrong key is the API’s error, and says nothing about the site', () => {
    expect(run.exitCode, run.output).toBe(1);
    const verdict = verdictOf('refused');
    expect(verdict).toMatchObject({ verdict: 'inconclusive', failures: 0, errors: 1 });
    expect(verdict!.trials[0]).toMatchObject({ errorKind: 'agent_api' });
    expect(run.output).toContain('Not counted against the site');
    expect(run.output).not.toContain(KEY);
  });

  test('neither a trace nor the report holds the key, also where it is packed', () => {
    expect(verdictOf('key'), 'the page has no #done: what failed is told, too').toMatchObject({
      verdict: 'failed',
    });
    expect(statuses).toMatchObject({ key: [200, 200], client: [200, 400] });
    const names = left.map(({ name }) => name);
    for (const name of ['output', 'taskproof-results.json', 'playwright-report/index.html', 'pw.json'])
      expect(names).toContain(name);
    for (const packed of ['test.trace', 'report.json']) expect(names.join('\n')).toContain(`: ${packed}`);
    // A search that finds nothing proves nothing: what the page said is in the trace and, as base64, in the JSON.
    expect(holding(left, 'A page that greets').join('\n')).toContain('.zip: ');
    expect(holding(left, 'the end of what the page says')).toContain('pw.json');
    expect(holding(left, 'an odd request of').join('\n')).toContain('.zip: ');
    for (const held of [CONFIG_KEY, SECRET]) expect(holding(left, held)).toEqual([]);
  });
});

function suiteOf(options: string, url: string) {
  return makeSuite({
    'playwright.config.ts': config({
      taskproof: `{ agent: claude(${options}) }`,
    }),
    'tasks/go.yaml': spec({ id: 'go', url }),
    'tasks.spec.ts': TASKS_TEST,
  });
}

test('Ctrl-C: what the request in flight has cost counts', async () => {
  const script: Script = () => ({ fault: 'pings', forMs: 120_000, everyMs: 100 });
  const api = await startMessagesApi({ script, apiKey: KEY });
  onTestFinished(() => api.close());
  const site = await startSite({ '/': PAGE });
  const suite = suiteOf(`{ baseURL: '${api.url}' }`, `${site.url}/`);
  const inFlight = async () =>
    expect.poll(() => api.requests[0]?.pings, { timeout: 60_000 }).toBeGreaterThan(5);
  const run = await interrupt(suite, inFlight, { ANTHROPIC_API_KEY: KEY });
  const [trial] = run.results().verdicts[0]!.trials;
  const { input_tokens, cache_creation_input_tokens } = api.requests[0]!.usage!;
  expect(trial, run.output).toMatchObject({ outcome: 'error', errorKind: 'interrupted' });
  expect(trial!.usage!.inputTokens + trial!.usage!.cacheCreationTokens).toBe(
    input_tokens + cache_creation_input_tokens,
  );
  expect(trial!.costUsd).toBeGreaterThan(0);
});

test('no key: said once, before any browser starts, naming the variable', async () => {
  const suite = suiteOf('', 'http://127.0.0.1:9/');
  const run = await suite.playwright(['test'], { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '' });
  expect(run.exitCode, run.output).toBe(1);
  expect(run.output.match(/ANTHROPIC_API_KEY/g)).toHaveLength(1);
  expect(run.output).not.toContain('Running');
});

// All of them are played in tests/browser/claude/examples.test.ts.
test('`npm run example` uses Claude once there is a key, and an example task passes', async () => {
  const server = await startMessagesApi({ script: playExamples, apiKey: KEY });
  onTestFinished(() => server.close());
  const { code, output } = await runExample(
    ['--project=claude', '--repeat-each=1', '--workers=1', '--grep=empty-basket'],
    { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url },
  );
  expect(code, output).toBe(0);
  expect(output).toMatch(/1 spec: 1 passed/);
});
