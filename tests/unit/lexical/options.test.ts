import { expect, it } from 'vitest';
import { lexical } from '../../../src/agents/lexical';

it('has defaults', () => {
  expect(lexical()).toMatchObject({ name: 'lexical' });
  expect(lexical({ name: 'floor', depth: 0, patienceMs: 100, actionTimeoutMs: 500 })).toMatchObject({
    name: 'floor',
  });
});

it.each([
  [{ timeout: 1 }, 'lexical: unknown option `timeout` (there are name, actionTimeoutMs, patienceMs, depth)'],
  [
    { depth: 1.5, patienceMs: '2s' },
    '`patienceMs` must be a number of milliseconds; `depth` must be a whole number',
  ],
  [{ actionTimeoutMs: 5 }, 'lexical: `actionTimeoutMs` must be at least 100 ms'],
  [{ name: '' }, 'lexical: `name` must not be empty'],
  ['fast', 'lexical: the options must be an object'],
])('refuses %j', (options, message) => {
  expect(() => lexical(options as never)).toThrow(message);
});
