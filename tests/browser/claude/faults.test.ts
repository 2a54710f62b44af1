import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClaudeOptions, claude } from '../../../src/agents/claude';
import { agentTask, type TaskSetup } from '../../support/agent-task';
import { harness, html } from '../../support/claude-harness';
import {
  type Answer,
  brokenCall,
  call,
  done,
  type MessagesApi,
  type MessagesApiOptions,
  reply,
  startMessagesApi,
  think,
} from '../../support/messages-api';

const pages = harness({ '/': html('<h1>Hello</h1>') });
const KEY = 'sk-secret-key-of-this-test';

let api: MessagesApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function play(
  script: MessagesApiOptions['script'],
  options: ClaudeOptions = {},
  setup: TaskSetup & { api?: Partial<MessagesApiOptions> } = {},
) {
  api = await startMessagesApi({ script, apiKey: KEY, ...setup.api });
  const task = agentTask(await pages.samePage(), { wantsAnswer: true, ...setup });
  const agent = claude({ apiKey: KEY, baseURL: api.url, maxRetries: 1, ...options });
  return { task, outcome: Promise.resolve(agent.run(task)) };
}

const status = (code: number, type: string, message?: string, headers?: Record<string, string>): Answer => ({
  fault: 'status',
  status: code,
  type,
  ...(message && { message }),
  ...(headers && { headers }),
});
const soon = { 'retry-after': '0.01' };

describe('faults that pass', () => {
  it.each<[string, Answer]>([
    ['429 with retry-after', status(429, 'rate_limit_error', 'slow down', soon)],
    ['529', status(529, 'overloaded_error', 'Overloaded', soon)],
    ['500', status(500, 'api_error', 'Internal', soon)],
    ['a dropped connection', { fault: 'drop' }],
    ['a stream that ends in the middle', { fault: 'truncate', reply: reply(call('read_page')) }],
    ['an error inside a stream', { fault: 'stream-error', type: 'overloaded_error' }],
  ])('%s is retried, and the trial goes on', async (_, fault) => {
    const { outcome, task } = await play([fault, reply(call('read_page')), done()]);
    expect(await outcome).toEqual({ answer: 'Done.' });
    expect(api!.requests).toHaveLength(3);
    expect(api!.requests[1]!.body).toEqual(api!.requests[0]!.body);
    expect(task.turns).toHaveLength(2);
  });

  it('waits as long as retry-after says', async () => {
    const before = performance.now();
    const { outcome } = await play([status(429, 'rate_limit_error', '', { 'retry-after': '1' }), done()]);
    await outcome;
    expect(performance.now() - before).toBeGreaterThan(1000);
  });

  it('an overload is waited out, however often it is asked about', async () => {
    const { outcome } = await play(({ index }) => (index < 4 ? status(529, 'overloaded_error') : done()), {
      maxRetries: 0,
    });
    await outcome;
    expect(api!.requests).toHaveLength(5);
  });

  it('an answer that can not be used is paid, and asked for again only if that can be', async () => {
    const broken = { ...reply(brokenCall('left_click', '{"target": nonsense}')), outputTokens: 2_000 };
    const { outcome, task } = await play([broken, done()]);
    await outcome;
    const counted = task.turns.flatMap(({ usage }) => usage);
    expect(counted.map(({ outputTokens }) => outputTokens)).toEqual(
      api!.requests.map(({ usage }) => usage!.output_tokens),
    );
    expect(counted).toHaveLength(2);
    await api!.close();
    const capped = await play(() => broken, { maxRetries: 9 }, { maxCostUsd: 0.09 });
    await expect(capped.outcome).rejects.toMatchObject({ name: 'BudgetExceededError' });
    expect(api!.requests).toHaveLength(1);
    expect(capped.task.costUsd).toBeGreaterThan(0.04);
  });
});

describe('faults that stay end as errors of the API, with what to do', () => {
  it.each<[string, Answer, RegExp]>([
    ['500', status(500, 'api_error', 'Internal', soon), /the API failed \(500\)/],
    ['403', status(403, 'permission_error', 'no'), /may not use the model "claude-opus-5-5" \(403\)/],
    ['402', status(402, 'billing_error', 'no credit'), /no credit \(402\)/],
    [
      '400',
      status(400, 'invalid_request_error', 'something is off'),
      /refuses the request \(400\)\. The provider said: something is off/,
    ],
    ['a dropped connection', { fault: 'drop' }, /can't be reached, asked 2 times.*Check the network/],
    ['a cut stream', { fault: 'truncate' }, /the answer can't be read, asked 2 times/],
  ])('%s', async (_, fault, message) => {
    const { outcome, task } = await play(() => fault);
    await expect(outcome).rejects.toMatchObject({
      name: 'AgentApiError',
      message: expect.stringMatching(message),
    });
    expect(task.turns).toHaveLength(0);
  });

  it('a wrong key names the variable and is not retried', async () => {
    const { outcome } = await play([done()], { apiKey: 'sk-wrong-key' });
    await expect(outcome).rejects.toThrow(
      /refuses the key \(401\)\. Check ANTHROPIC_API_KEY, or claude\(\{ apiKey \}\)/,
    );
    expect(api!.requests).toHaveLength(1);
  });

  it('a model that there is not', async () => {
    const { outcome } = await play(
      [done()],
      { model: 'claude-none' },
      { api: { models: ['claude-opus-5-5'] } },
    );
    await expect(outcome).rejects.toThrow(/there is no model "claude-none" for this key \(404\)/);
  });

  it('a model without the browser tool, with what to set instead', async () => {
    const model = 'claude-haiku-4-5';
    const { outcome } = await play([done()], { model }, { api: { withoutBrowserTool: [model] } });
    await expect(outcome).rejects.toThrow(
      `claude: the model "${model}" does not support the browser tool. Set another model, claude({ model: 'claude-opus-5-5' }), or another tool, claude({ tools: 'computer' }), or use aiSdk(), which needs none of the vendor's tools.`,
    );
  });

  it('a request that is refused for another reason than the tool, though it names it', async () => {
    const words = 'tools.0.browser_toolset_20260801.configs: Input should be a valid dictionary';
    const { outcome } = await play([status(400, 'invalid_request_error', words)]);
    await expect(outcome).rejects.toThrow(`the API refuses the request (400). The provider said: ${words}`);
  });

  it('an answer that never comes', async () => {
    const { outcome } = await play(() => ({ fault: 'slow', delayMs: 5_000 }), { requestTimeoutMs: 300 });
    await expect(outcome).rejects.toThrow(/no answer within 0\.3 s\. Raise claude\(\{ requestTimeoutMs \}\)/);
  });

  it('an address where nobody listens', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    const { port } = await new Promise<AddressInfo>(resolve =>
      closed.once('listening', () => resolve(closed.address() as AddressInfo)),
    );
    await new Promise(resolve => closed.close(resolve));
    const { outcome } = await play([], { baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
    await expect(outcome).rejects.toThrow(new RegExp(`http://127\\.0\\.0\\.1:${port}/? can't be reached`));
  });

  it('a conversation that the API finds too long is shortened once', async () => {
    const tooLong = status(
      400,
      'invalid_request_error',
      'prompt is too long: 210000 tokens > 200000 maximum',
    );
    const { outcome } = await play([reply(call('screenshot')), reply(call('screenshot')), tooLong, done()]);
    await outcome;
    const images = api!.requests.map(
      ({ body }) => JSON.stringify(body).match(/"type":"image"/g)?.length ?? 0,
    );
    expect(images).toEqual([0, 1, 2, 1]);
    await api!.close();
    const twice = await play([reply(call('screenshot')), tooLong, tooLong, done()]);
    await expect(twice.outcome).rejects.toThrow(/prompt is too long/);
  });

  it('a conversation is changed for two reasons, one after the other', async () => {
    const tooLong = status(400, 'invalid_request_error', 'prompt is too long: 210000 tokens');
    const foreign = status(400, 'invalid_request_error', 'Invalid `signature` in `thinking` block');
    const looks = ['a', 'b'].map(thought => reply(think(thought), call('screenshot')));
    const { outcome } = await play([...looks, tooLong, foreign, done()]);
    expect(await outcome).toEqual({ answer: 'Done.' });
    const kept = api!.requests.map(({ body }) =>
      ['image', 'thinking'].map(type => JSON.stringify(body).split(`"type":"${type}"`).length - 1),
    );
    expect(kept.slice(2)).toEqual([
      [2, 2],
      [1, 1],
      [1, 0],
    ]);
  });
});

describe('the key', () => {
  it('is in no error, also where the API echoes it', async () => {
    const { outcome } = await play(() => status(400, 'invalid_request_error', `your key ${KEY} is odd`));
    const error = (await outcome.catch((reason: Error) => reason)) as Error;
    expect(error.message).toContain('your key [key] is odd');
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(KEY);
    expect(error.cause).toBeUndefined();
  });

  it('is in no property of the agent', () => {
    const agent = claude({ apiKey: KEY });
    expect(JSON.stringify({ use: { taskproof: { agent } } })).not.toContain(KEY);
    expect(Object.keys(agent)).toEqual(['name', 'model', 'waits', 'preflight', 'run']);
  });
});
