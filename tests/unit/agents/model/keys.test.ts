// No key in what is said of a request that failed, also where nobody knows the key: a model can be wrapped, or have a `fetch` of its own.
import { expect, onTestFinished, test, vi } from 'vitest';
import { keysIn, problemOf } from '../../../../src/agents/model/send';
import { laneOf } from '../../../../src/limiter/shared';

const KEY = 'corp-gw-KdXoA-ok1';
const asked = {
  factory: 'aiSdk' as const,
  ...{ model: 'm', requestTimeoutMs: 1_000, key: 'its key' },
  address: `http://api.test/v1?key=${KEY}`,
};
const said = (words: string, status: number | undefined = 418) => problemOf({ status, words }, 1, asked, []);

test.each([
  `{"headers":{"x-goog-api-key":"${KEY}"}}`,
  `{'apiKey': '${KEY}', 'b': 1}`,
  `x-api-key: ${KEY}`,
  `Authorization: Basic ${KEY}`,
  `cookie=${KEY}; path=/`,
  `GET /v1?a=1&access_token=${KEY}&b=2`,
  `can't construct http://user:${KEY}@api.test/v1`,
  `can't construct https://${KEY}@api.test/v1`,
])('%s', words => {
  expect(said(words)).toContain('[key]');
  expect(said(words)).not.toContain(KEY);
});

test('the address that can not be reached', () => {
  const lost = { noAnswer: 'unreachable', words: 'refused' } as const;
  expect(problemOf(lost, 1, asked, [])).toContain("the API at http://api.test/v1?key=[key] can't be reached");
});

test.each([
  'Incorrect API key provided: see https://platform.test/account/api-keys.',
  'Your authentication token: unauthenticated',
  'max_tokens: 100000000 is too many',
  'mail us at help@platform.test',
])('words that are no key stay: %s', words => expect(said(words)).toContain(words));

test.each([
  ['taskproof:retry', 1],
  ['', 0],
])('the line that DEBUG=%s shows of a request that is sent again', async (topics, shown) => {
  vi.stubEnv('DEBUG', topics);
  vi.resetModules();
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  const { send } = await import('../../../../src/agents/model/send');
  let sent = 0;
  const request = {
    ...asked,
    lane: laneOf('m', [KEY]),
    keys: vi.fn(() => ['violet-42']),
    maxRetries: 1,
    signal: new AbortController().signal,
    waiting: <T>(promise: Promise<T>) => promise,
    spent: () => undefined,
    attempt: async () => {
      if (sent++) return { value: 'answer' };
      throw new Error(`no violet-42, x-api-key: ${KEY}`);
    },
    failureOf: (error: unknown) => ({ status: 500, words: String(error) }),
  };
  expect(await send(request)).toBe('answer');
  const lines = written.mock.calls.map(([line]) => String(line)).filter(line => /taskproof:retry/.test(line));
  expect(lines).toHaveLength(shown);
  // It may be the code of a provider.
  expect(request.keys).not.toHaveBeenCalled();
  if (shown) expect(lines[0]).toMatch(/request to the model again: broken 500 \+\d+ms\n$/);
});

test.each<[string, object, number | undefined, string[]]>([
  ['a short key of an option is none to mask', { apiKey: 'a' }, undefined, []],
  ['but has a limiter of its own', { apiKey: 'a' }, 1, ['a']],
  ['as has one in a header', new Headers({ 'x-api-key': 'a' }), 1, ['a']],
  ['a short value of another header is no key', new Headers({ 'x-worker': '3' }), 1, []],
  ["a long one may be a gateway's", new Headers({ 'x-worker': KEY }), 1, [KEY]],
])('%s', (_, holder, least, keys) => {
  expect(keysIn(holder, least)).toEqual(keys);
});
