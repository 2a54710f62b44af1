// claude({ client }): the real clients of the vendor's SDK, of another copy of it, of Bedrock and of Vertex.
import { createRequire } from 'node:module';
import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import Anthropic from '@anthropic-ai/sdk';
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { OAuth2Client } from 'google-auth-library';
import { describe, expect, it } from 'vitest';
import { type ClaudeClient, type ClaudeOptions, claude } from '../../../src';
import { harness, html } from '../../support/claude-harness';
import { type ClaudeSetup, playClaude } from '../../support/claude-play';
import { type Answer, brokenCall, call, done, reply, type Script, status } from '../../support/messages-api';

const pages = harness({ '/': html('<h1>Hello</h1>') });
const KEY = 'the-key-of-this-test';
const SECRET = 'the-aws-secret-of-this-test';
/** What configs that are ES modules import is another class than what the built library requires, and the reverse. */
const Other = createRequire(import.meta.url)('@anthropic-ai/sdk').default as typeof Anthropic;

function google(): OAuth2Client {
  const client = new OAuth2Client();
  client.setCredentials({ access_token: KEY, expiry_date: Date.now() + 3_600_000 });
  return client;
}

const CLIENTS: Record<string, [make: (baseURL: string) => ClaudeClient, model: string]> = {
  vendor: [baseURL => new Anthropic({ baseURL, apiKey: KEY }), 'claude-opus-5-5'],
  'another copy': [baseURL => new Other({ baseURL, authToken: KEY }), 'claude-opus-5-5'],
  'a gateway': [
    baseURL =>
      new Anthropic({ baseURL, apiKey: null, authToken: null, defaultHeaders: { Authorization: KEY } }),
    'anthropic/claude-opus-5-5',
  ],
  'bedrock, signed': [
    baseURL => new AnthropicBedrock({ baseURL, awsAccessKey: KEY, awsSecretKey: SECRET }),
    'global.anthropic.claude-opus-5-5-20260801-v1:0',
  ],
  'bedrock, with a token': [
    baseURL => new AnthropicBedrock({ baseURL, apiKey: KEY }),
    'us.anthropic.claude-opus-5-5-v1',
  ],
  vertex: [
    baseURL =>
      new AnthropicVertex({ baseURL, region: 'global', projectId: 'shop', authClient: google() as never }),
    'claude-opus-5-5@20260801',
  ],
};

async function playWith(
  options: (url: string) => ClaudeOptions,
  script: Script,
  api: ClaudeSetup['api'] = {},
) {
  const setup = { wantsAnswer: true, options, api: { apiKey: KEY, ...api } };
  return playClaude(await pages.samePage(), script, setup);
}

function play(name: string, script: Script, options: ClaudeOptions = {}, api: ClaudeSetup['api'] = {}) {
  const [make, model] = CLIENTS[name]!;
  return playWith(url => ({ client: make(url), model, maxRetries: 1, ...options }), script, api);
}

const refused = (code: number, message: string) => status(code, 'x', { message });
const problem = async (outcome: Promise<unknown>) => {
  const error = await outcome.then(
    () => expect.fail('the trial went through'),
    (reason: Error) => reason,
  );
  expect(error.name, error.stack).toBe('AgentApiError');
  return error.message;
};

describe.each(Object.keys(CLIENTS))('%s', name => {
  it('plays a task: priced, thinking, its answers read to the end', async () => {
    const { outcome, task, requests } = await play(name, [reply(call('read_page')), done()]);
    await outcome;
    const [first] = requests;
    expect(requests.map(({ status, problem }) => problem ?? status)).toEqual([200, 200]);
    expect(first!.body).toMatchObject({
      model: CLIENTS[name]![1],
      stream: true,
      thinking: { type: 'adaptive' },
    });
    expect(task.turns).toHaveLength(2);
    const counted = task.turns.flatMap(({ usage }) => usage);
    expect(counted.map(({ outputTokens }) => outputTokens)).toEqual(
      requests.map(({ usage }) => usage!.output_tokens),
    );
    expect(task.costUsd).toBeGreaterThan(0);
  });

  it('what the API refuses is told in its words, without what the client holds', async () => {
    const { outcome } = await play(name, [
      refused(400, `anthropic_beta: invalid beta flag, ${KEY}${name.startsWith('bedrock, s') ? SECRET : ''}`),
    ]);
    expect(await problem(outcome)).toMatch(
      /^claude: the API refuses the request \(400\)\. The provider said: anthropic_beta: invalid beta flag, (\[key\])+ \(request \S+\)$/,
    );
  });

  it('a toolset that the provider does not take names what to use instead', async () => {
    const words =
      "tools.0: Input tag 'browser_toolset_20260801' found using 'type' does not match any of the expected tags: 'bash_20250124', 'custom'";
    const { outcome } = await play(name, [refused(400, words)]);
    const message = await problem(outcome);
    expect(message).toContain('does not support the browser tool. Set another model');
    expect(message).toContain('aiSdk()');
    expect(message).toContain('found using');
  });

  it('credentials that are refused name the client', async () => {
    const { outcome } = await play(name, [done()], {}, { apiKey: 'another-key' });
    expect(await problem(outcome)).toMatch(
      /the API refuses the key \(401\)\. Check how the client of claude\(\{ client \}\) is created/,
    );
  });
});

describe.each(['another copy', 'bedrock, signed', 'vertex'])('%s: answers on their way', name => {
  it('an answer that breaks off, or can not be read, is paid and asked for again', async () => {
    const broken = { ...reply(brokenCall('left_click', '{"target": nonsense}')), outputTokens: 2_000 };
    const cut: Answer = { fault: 'truncate' };
    const busy = name.startsWith('bedrock') ? 'throttlingException' : 'overloaded_error';
    const failed: Answer = { fault: 'stream-error', type: busy };
    const { outcome, task, requests } = await play(name, [cut, failed, broken, done()], { maxRetries: 3 });
    await outcome;
    expect(requests).toHaveLength(4);
    expect(task.turns.flatMap(({ usage }) => usage).map(({ outputTokens }) => outputTokens)).toContain(2_000);
  });

  it('a stream that goes silent is ended, one that pings is not, unless it only pings', async () => {
    const pings: Answer = { fault: 'pings', forMs: 700, everyMs: 100, reply: done() };
    const { outcome } = await play(name, [pings], { requestTimeoutMs: 500, maxRetries: 0 });
    await outcome;
    const silent: Answer = { fault: 'pings', forMs: 60_000, everyMs: 60_000 };
    const second = await play(name, [silent], { requestTimeoutMs: 500, maxRetries: 0 });
    expect(await problem(second.outcome)).toMatch(/no data for 0\.5 s/);
    const endless: Answer = { fault: 'pings', forMs: 60_000, everyMs: 20 };
    const third = await play(name, [endless], { requestTimeoutMs: 400, maxRetries: 0 });
    expect(await problem(third.outcome)).toMatch(/only pings for 4 s/);
  });
});

describe('a client that can not authenticate', () => {
  it('for want of AWS credentials', async () => {
    const client = (baseURL: string) =>
      new AnthropicBedrock({
        baseURL,
        providerChainResolver: async () => async () => {
          throw new Error('Could not load credentials from any providers');
        },
      });
    const model = 'anthropic.claude-opus-5-5-v1';
    const { outcome } = await playWith(url => ({ client: client(url), model, maxRetries: 0 }), [done()]);
    expect(await problem(outcome)).toMatch(
      /^claude: the client can't authenticate: .*AWS credentials.*Could not load credentials from any providers/,
    );
  });

  it('for want of a project', async () => {
    const client = (baseURL: string) =>
      Object.assign(new AnthropicVertex({ baseURL, region: 'global', authClient: google() as never }), {
        projectId: null,
      });
    const model = 'claude-opus-5-5@20260801';
    const { outcome } = await playWith(url => ({ client: client(url), model }), [done()]);
    expect(await problem(outcome)).toMatch(/^claude: the request failed: No projectId was given/);
  });
});

it("a request goes the client's own way: its fetch, its headers, its middleware", async () => {
  const asked: string[] = [];
  const client = (baseURL: string) =>
    new Anthropic({
      ...{ baseURL, apiKey: KEY, defaultHeaders: { 'x-team': 'web' } },
      fetch: (url, init) => {
        asked.push('fetch');
        return fetch(url, init);
      },
      middleware: [
        (request, next) => {
          asked.push('middleware');
          return next(request);
        },
      ],
    });
  const { outcome, requests } = await playWith(url => ({ client: client(url) }), [done()]);
  await outcome;
  expect(asked).toEqual(['middleware', 'fetch']);
  expect(requests[0]!.headers['x-team']).toBe('web');
});

it.each<[string, ClaudeOptions]>([
  ['a client', { client: new AnthropicBedrock({ awsAccessKey: KEY, awsSecretKey: SECRET }) }],
  ['a key', { apiKey: KEY }],
])('what is secret of %s is in no property of the agent', (_, options) => {
  const agent = claude(options);
  expect(JSON.stringify({ use: { taskproof: { agent } } })).not.toMatch(new RegExp(`${KEY}|${SECRET}`));
  expect(Object.keys(agent)).toEqual(['name', 'model', 'waits', 'preflight', 'run']);
});
