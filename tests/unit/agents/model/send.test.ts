// What is sent again and what is waited for, with the vendor's own SDK against a server.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, expect, test as serialTest } from 'vitest';
import { settingsOf } from '../../../../src/agents/claude';
import { claudeSender } from '../../../../src/agents/claude/client';
import { RequestFailed } from '../../../../src/agents/model/send';
import { type Answer, done, type Script, startMessagesApi, status } from '../../../support/messages-api';

/** They wait most of the time. */
const test = serialTest.concurrent;
const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map(close => close())));

const refused = (code: number, type: string, headers = {}, message = type) =>
  status(code, type, { message, headers });
const soon = { 'retry-after': '0.01' };

interface Asking {
  baseURL?: string;
  maxRetries?: number;
  requestTimeoutMs?: number;
  apiKey?: string;
  maxRequests?: number;
}

async function ask(script: Script, { maxRetries = 0, maxRequests, apiKey, ...more }: Asking = {}) {
  const api = await startMessagesApi({ script, ...(apiKey && { apiKey }) });
  closers.push(() => api.close());
  const pricing = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  const options = { apiKey: api.apiKey, baseURL: api.url, maxRetries, pricing, ...more };
  const sender = claudeSender({ ...settingsOf(options), factory: 'claude' });
  const ended = new AbortController();
  const waits: string[] = [];
  const spent: (number | null)[] = [];
  const params = {
    model: 'claude-opus-5-5',
    max_tokens: 1_000,
    messages: [{ role: 'user' as const, content: 'Hello' }],
  };
  const send = () =>
    sender(params, {
      signal: ended.signal,
      maxRequests,
      spent: usage => spent.push(usage.costUsd),
      waiting: (promise, kind = 'model') => {
        waits.push(kind);
        return promise;
      },
    });
  /** Why a request failed, as a user reads it. */
  const problem = async () => {
    const error = await send().catch(reason => reason);
    expect(error).toBeInstanceOf(RequestFailed);
    return (error as RequestFailed).message;
  };
  return { api, send, problem, waits, spent, ended };
}

/** Passes connections on to a server, or refuses them. */
async function door(to: string) {
  const { port } = new URL(to);
  const sockets = new Set<Socket>();
  const pass = (from: Socket) => {
    const onward = connect(Number(port), '127.0.0.1');
    for (const socket of [from, onward]) sockets.add(socket.on('error', () => {}));
    from.pipe(onward).pipe(from);
  };
  const listen = (at: number) =>
    new Promise<Server>(resolve => {
      const server = createServer(pass);
      server.listen(at, '127.0.0.1', () => resolve(server));
    });
  let server = await listen(0);
  const own = (server.address() as AddressInfo).port;
  const shut = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>(resolve => server.close(() => resolve()));
  };
  const open = async () => {
    server = await listen(own);
  };
  closers.push(shut);
  return { url: `http://127.0.0.1:${own}`, shut, open };
}

test.each<[string, Answer]>([
  ['429 that says when to ask again', refused(429, 'rate_limit_error', soon)],
  ['429 that does not', refused(429, 'rate_limit_error')],
  ['529', refused(529, 'overloaded_error')],
  ['an overload told in the answer', { fault: 'stream-error', type: 'overloaded_error' }],
  ['502', refused(502, 'api_error')],
  ['503', refused(503, 'api_error')],
  ['504', refused(504, 'api_error')],
  ['a dropped connection', { fault: 'drop' }],
])('%s is waited out without any retry allowed, once the API has served', async (_, fault) => {
  const { api, send, waits } = await ask([done(), fault, fault, done()]);
  await send();
  await send();
  expect(api.requests).toHaveLength(4);
  expect(waits).toEqual(Array(4).fill(['limit', 'model']).flat());
});

test.each<[string, Answer, number, RegExp]>([
  ['500', refused(500, 'api_error'), 3, /^the API failed \(500\), asked 3 times\. Run again later\./],
  ['408', refused(408, 'timeout'), 3, /^the API refuses the request \(408\)/],
  ['409', refused(409, 'conflict'), 3, /^the API refuses the request \(409\)/],
  ['a broken answer', { fault: 'truncate' }, 3, /^the answer can't be read, asked 3 times/],
  ['503 of an API that never served', refused(503, 'api_error'), 3, /^the API failed \(503\), asked 3 times/],
  ['a connection that never was', { fault: 'drop' }, 3, /can't be reached, asked 3 times/],
  ['400', refused(400, 'invalid_request_error'), 1, /^the API refuses the request \(400\)/],
  [
    'a used-up balance',
    refused(400, 'invalid_request_error', {}, 'Your credit balance is too low'),
    1,
    /^the account has no credit \(400\)/,
  ],
  ['401', refused(401, 'authentication_error'), 1, /^the API refuses the key \(401\)/],
  ['402', refused(402, 'billing_error'), 1, /^the account has no credit \(402\)/],
  ['403', refused(403, 'permission_error'), 1, /^the key may not use the model/],
  [
    'a used-up quota',
    refused(429, 'insufficient_quota', soon, 'You exceeded your current quota'),
    1,
    /^the account has no credit \(429\)/,
  ],
])('%s ends after the retries that it deserves', async (_, fault, requests, message) => {
  const { api, problem } = await ask(() => fault, { maxRetries: 2 });
  expect(await problem()).toMatch(message);
  expect(api.requests).toHaveLength(requests);
});

test.each<[string, string, null[]]>([
  ['a login page', 'text/html', []],
  // What it cost is not known.
  ['a gateway that does not stream', 'application/json', [null, null]],
])('%s in place of the stream is told', async (_, mediaType, usages) => {
  const { problem, spent } = await ask(() => ({ fault: 'other', mediaType, body: '{"usage": {}}' }), {
    maxRetries: 1,
  });
  expect(await problem()).toMatch(
    `the answer can't be read, asked 2 times: it is ${mediaType}, not a stream of events. Check the API's address`,
  );
  expect(spent).toEqual(usages);
});

test('an API that served and is gone for longer than requestTimeoutMs ends the request', async () => {
  const { api, send, problem } = await ask(({ index }) => (index ? { fault: 'drop' } : done()), {
    requestTimeoutMs: 1_200,
  });
  await send();
  expect(await problem()).toMatch(/can't be reached, asked \d+ times/);
  expect(api.requests.length, 'it was waited for').toBeGreaterThan(2);
});

test('an API that is not there for a while is found again', async () => {
  const api = await startMessagesApi({ script: () => done() });
  closers.push(() => api.close());
  const { url, shut, open } = await door(api.url);
  const { send, waits } = await ask([], { baseURL: url });
  await send();
  await shut();
  const sent = send();
  await expect.poll(() => waits.length).toBeGreaterThan(5);
  await open();
  await sent;
  expect(api.requests).toHaveLength(2);
});

test('an address where nobody ever listened fails soon', async () => {
  const { url, shut } = await door('http://127.0.0.1:1');
  await shut();
  const { problem, waits } = await ask([], { baseURL: url, maxRetries: 1 });
  expect(await problem()).toMatch(/can't be reached, asked 2 times \(.*ECONNREFUSED.*\)\. Check the network/);
  expect(waits).toHaveLength(4);
});

test('silence ends a request when its time is up', async () => {
  const { problem, waits } = await ask(() => ({ fault: 'slow', delayMs: 60_000 }), {
    requestTimeoutMs: 200,
    maxRetries: 3,
  });
  expect(await problem()).toMatch(/^no answer within 0\.2 s\. Raise claude\(\{ requestTimeoutMs \}\)/);
  // Once, whether or not a busy server had read it by then.
  expect(waits).toEqual(['limit', 'model']);
});

test('what the headers say is left is kept', async () => {
  const left = (name: string, value: string | number) => ({
    [`anthropic-ratelimit-requests-${name}`]: String(value),
  });
  // From here, so that a busy machine does not shorten the wait that is left.
  const before = performance.now();
  const reset = new Date(Date.now() + 4_000).toISOString();
  const told = { ...left('limit', 2), ...left('remaining', 0), ...left('reset', reset) };
  const { send } = await ask([done(), refused(400, 'invalid_request_error', told), done()]);
  await send();
  await expect(send()).rejects.toThrow();
  await send();
  expect(performance.now() - before).toBeGreaterThan(1_000);
});

test('a trial that ends while its request waits sends nothing more', async () => {
  const { api, send, ended } = await ask(() => refused(429, 'rate_limit_error', { 'retry-after': '600' }));
  const sent = send();
  await expect.poll(() => api.requests.length).toBe(1);
  ended.abort(new Error('the trial is over'));
  await expect(sent).rejects.toThrow('the trial is over');
  expect(api.requests).toHaveLength(1);
});

test('each key has its own limiter, however short it is', async () => {
  const never: Script = () => ({ fault: 'pings', forMs: 60_000, everyMs: 60_000 });
  const first = await ask(never, { apiKey: 'a', maxRequests: 1 });
  const hanging = first.send().catch(() => {});
  await expect.poll(() => first.api.requests).toHaveLength(1);
  const other = await ask(never, { apiKey: 'b', maxRequests: 1, baseURL: first.api.url });
  expect(await other.problem()).toContain('the API refuses the key (401)');
  first.ended.abort();
  await hanging;
});
