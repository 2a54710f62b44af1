import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pricesOf } from '../../../src/agents/claude/pricing';

test('the Python program of browser-use counts with the prices of claude()', () => {
  const table = JSON.parse(readFileSync('agent-programs/browser-use/prices.json', 'utf8'));
  expect(Object.keys(table)).toContain('claude-opus-5-5');
  for (const [model, prices] of Object.entries(table)) expect(prices, model).toEqual(pricesOf({ model }));
});
