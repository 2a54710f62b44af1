import { expect, it } from 'vitest';
import { lexical } from '../../../../src/agents/lexical';

it.each([
  [{ depth: 3 }, /lexical\(\): depth: unknown option. Known options: name, actionTimeoutMs/],
  [{ actionTimeoutMs: 5 }, /lexical\(\): actionTimeoutMs: /],
  [{ name: '' }, /lexical\(\): name: /],
])('refuses %j', (options, message) => {
  expect(() => lexical(options as never)).toThrow(message);
});
