// Errors of requests to a model are told without keys.
import { expect, test } from 'vitest';
import { quotedWords } from '../../../../src/agents/model/problem';

const KEY = 'ABSK-0123456789-of-this-test';

test('a key is masked before the text is cut', () => {
  expect(quotedWords(`${'x'.repeat(290)} ${KEY}`, [KEY])).toBe(`${'x'.repeat(290)} [key]`);
});
