import { expect, test } from 'vitest';
import { shapeOf, wantedAnswer } from '../../../src/spec/wanted-answer';

test('the shape of a schema has nothing of what it checks', () => {
  const schema = {
    $defs: { money: { type: 'number', minimum: 12, multipleOf: 0.01 } },
    type: 'object',
    required: ['sku', 'price'],
    additionalProperties: false,
    properties: {
      // A property of the name of a keyword.
      const: { const: 'A-1', description: 'The article.' },
      price: { $ref: '#/$defs/money', default: 12.5 },
      days: { type: 'array', items: { enum: ['Sunday'] }, minItems: 1, uniqueItems: true },
      state: { enum: ['sold out', 'in stock', null] },
      note: { anyOf: [{ type: 'string', pattern: 'x' }, { type: 'null' }] },
    },
  };
  expect(shapeOf(schema)).toEqual({
    $defs: { money: { type: 'number' } },
    type: 'object',
    required: ['sku', 'price'],
    additionalProperties: false,
    properties: {
      const: { type: 'string', description: 'The article.' },
      price: { $ref: '#/$defs/money' },
      days: { type: 'array', items: { type: 'string' } },
      state: { type: ['string', 'null'], enum: ['sold out', 'in stock', null] },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
  });
});

test.each([
  [[{ type: 'dom' }], false],
  [[{ type: 'dom' }, { type: 'answer' }], true],
  [[{ type: 'answer' }, { type: 'answer', matches: { type: 'array', minItems: 2 } }], { type: 'array' }],
  [
    [
      { type: 'answer', matches: { type: 'object' } },
      { type: 'answer', matches: { required: ['a'] } },
    ],
    { allOf: [{ type: 'object' }, { required: ['a'] }] },
  ],
  [
    [
      { type: 'answer', matches: { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } } },
      { type: 'answer', matches: { required: ['a'] } },
    ],
    { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } },
  ],
])('what an agent is told of %j', (assertions, told) => {
  expect(wantedAnswer(assertions)).toEqual(told);
});
