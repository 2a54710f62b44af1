// Errors of requests to a model are told without keys.
import { expect, test } from 'vitest';
import { quotedWords, withoutKeys } from '../../../../src/agents/model/problem';

const KEY = 'ABSK-0123456789-of-this-test';

test.each([['in words', `the key ${KEY} is odd`, 'the key [key] is odd']])('%s', (_, text, told) => {
  expect(withoutKeys(text, [KEY])).toBe(told);
});

test('a key is masked before the text is cut', () => {
  expect(quotedWords(`${'x'.repeat(290)} ${KEY}`, [KEY])).toBe(`${'x'.repeat(290)} [key]`);
});
