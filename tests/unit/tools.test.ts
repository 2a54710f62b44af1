import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkedInput, TOOLS } from '../../src/agents/tools';

test.each(Object.entries(TOOLS))(
  '%s can be offered to any model: a description and a JSON Schema',
  (_, tool) => {
    expect(tool.description).toMatch(/^[A-Z].*\.$/);
    expect(z.toJSONSchema(tool.input)).toMatchObject({ type: 'object' });
  },
);

test.each([
  ['left_click', { target: { type: 'ref' } }, 'Invalid input for left_click. target.ref: '],
  ['left_click', {}, 'target: expected {"type": "ref", "ref": "ref_7"} or {"type": "coordinate"'],
  ['key', { text: 'a', repeat: 1000 }, 'repeat: '],
  ['scroll', 'down', 'Invalid input for scroll. input: '],
] as const)('%s refuses %j in words', (name, input, message) => {
  expect(() => checkedInput<unknown>(name, TOOLS[name].input, input)).toThrow(message);
});
