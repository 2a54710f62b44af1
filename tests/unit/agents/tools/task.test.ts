import { expect, test } from 'vitest';
import { answerTools } from '../../../../src/agents/tools/task';
import type { JsonSchema } from '../../../../src/spec/value-schema';

const id = { type: 'string', pattern: '^A' };

test.each<[string, JsonSchema, unknown, unknown]>([
  ['an object', { type: 'object', required: ['sku'] }, { sku: 1 }, {}],
  [
    'a list',
    { type: 'array', items: { $ref: '#/$defs/id' }, $defs: { id } },
    { value: ['A4'] },
    { value: ['B'] },
  ],
  [
    'a list of an older draft',
    { type: 'array', items: { $ref: '#/definitions/id' }, definitions: { id } },
    { value: ['A4'] },
    { value: ['B'] },
  ],
  [
    'a list by name',
    { type: 'array', items: { $ref: '#id' }, $defs: { id: { ...id, $anchor: 'id' } } },
    { value: ['A4'] },
    { value: ['B'] },
  ],
])('the tool for %s takes what fits, and nothing else', (_, schema, right, wrong) => {
  const [tool] = answerTools(schema);
  expect(tool!.input.safeParse(right).success).toBe(true);
  expect(tool!.input.safeParse(wrong).success).toBe(false);
});
