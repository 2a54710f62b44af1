// No key in what is said of a request that failed, also where nobody knows the key: a model can be wrapped, or have a `fetch` of its own.
import { expect, test } from 'vitest';
import { problemOf, RequestFailed } from '../../../../src/agents/model/send';

const KEY = 'corp-gw-KdXoA-ok1';
const asked = {
  factory: 'aiSdk' as const,
  ...{ model: 'm', requestTimeoutMs: 1_000, key: 'its key' },
  address: `http://api.test/v1?key=${KEY}`,
};
const said = (words: string, status: number | undefined = 418) =>
  problemOf(new RequestFailed({ status, words }, 1), asked, []);

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
  const lost = new RequestFailed({ without: 'connection', words: 'refused' }, 1);
  expect(problemOf(lost, asked, [])).toContain("the API at http://api.test/v1?key=[key] can't be reached");
});

test.each([
  'Incorrect API key provided: see https://platform.test/account/api-keys.',
  'Your authentication token: unauthenticated',
  'max_tokens: 100000000 is too many',
  'mail us at help@platform.test',
])('words that are no key stay: %s', words => expect(said(words)).toContain(words));
