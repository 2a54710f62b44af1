// Errors of requests to a model are told without keys.
import { expect, test } from 'vitest';
import { withoutKeys } from '../../../../src/agents/model/problem';

const KEY = 'ABSK-0123456789-of-this-test';

test.each([
  ['whole', `the key ${KEY} is odd`, 'the key [key] is odd'],
  ['cut by a limit', `the key ${KEY.slice(0, 15)}…`, 'the key [key]…'],
  ['cut, with words behind', `x-api-key: ${KEY.slice(0, 6)}… (request 7)`, 'x-api-key: [key]… (request 7)'],
  ['another word that is cut', 'the page is ABou…', 'the page is ABou…'],
])('%s', (_, text, told) => {
  expect(withoutKeys(text, [KEY])).toBe(told);
});
