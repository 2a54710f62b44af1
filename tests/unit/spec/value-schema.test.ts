import { describe, expect, test } from 'vitest';
import { problemsIn } from '../../../src/spec/errors';
import { frozen } from '../../../src/spec/load';
import { type JsonSchema, problemOfJsonSchema, valuesOf } from '../../../src/spec/value-schema';

const problems = (schema: JsonSchema, value: unknown) => {
  const { error } = valuesOf(frozen(schema as never)).safeParse(value);
  return error ? problemsIn(error, 'it') : [];
};

describe('a value is refused', () => {
  test.each<[JsonSchema, unknown, string]>([
    [{ required: ['total'] }, {}, 'it: Instance does not have required property "total"'],
    [{ required: ['total'] }, 'five', 'it: Instance type "string" is invalid. Expected "object"'],
    [{ properties: { total: { minimum: 3 } } }, { total: '5' }, 'total: Instance type "string" is invalid'],
    [{ properties: { total: { type: 'number' } } }, [], 'it: Instance type "array" is invalid'],
    [{ items: { required: ['sku'] } }, [{ sku: 1 }, 'A4'], '[1]: Instance type "string" is invalid'],
    [{ minItems: 2 }, [1], 'it: Array has too few items'],
    [{ type: 'array', uniqueItems: true }, [1, 1], 'it: Duplicate items'],
    [{ type: 'array', contains: { const: 3 } }, [1, 2], ''],
    [{ type: 'object', additionalProperties: false }, { x: 1 }, 'it: Property "x" does not match'],
    [{ type: 'object', minProperties: 1 }, {}, 'it: '],
    [{ type: 'object', propertyNames: { pattern: '^a' } }, { b: 1 }, ''],
    [{ type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 }, 'it: '],
    [JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}'), { a: 1 }, 'it: '],
    [{ type: 'object', not: { required: ['error'] } }, { error: 1 }, 'it: '],
    [{ oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1, b: 2 }, 'it: '],
    [{ properties: { 'a/b': { type: 'null' } } }, { 'a/b': 1 }, '["a/b"]: '],
    [{ $defs: { id: { pattern: '^A' } }, properties: { id: { $ref: '#/$defs/id' } } }, { id: 4 }, 'id: '],
    [{ type: 'string', format: 'date' }, '2026-02-31', 'it: '],
    [{ required: ['toString'] }, {}, 'it: '],
    [{ maxProperties: 3 }, 'I could not find it.', 'Expected "object"'],
    [{ propertyNames: { pattern: '^a' } }, 'none', 'Expected "object"'],
    [{ dependentRequired: { card: ['cvc'] } }, 'none', 'Expected "object"'],
    [{ properties: { due: { format: 'date' } } }, { due: 20260314 }, 'due: '],
    [
      JSON.parse('{"if":{"required":["a"]},"then":{"properties":{"a":{"minimum":100}}}}'),
      { a: 'none' },
      'it: ',
    ],
  ])('%j: %j', (schema, value, problem) => {
    expect(problemOfJsonSchema(schema)).toBeUndefined();
    expect(problems(schema, value)).not.toEqual([]);
    expect(problems(schema, value)[0]).toContain(problem);
  });
});

test.each<[JsonSchema, unknown]>([
  [{}, 'anything'],
  [{ required: ['total'], properties: { total: { type: 'number' } } }, { total: 5 }],
  [{ enum: [null, 'a'], minLength: 1 }, null],
  [{ anyOf: [{ minimum: 3 }, { minLength: 3 }] }, 'abc'],
  [{ minimum: 3, minLength: 3 }, 'abc'],
  [{ type: ['integer', 'null'] }, null],
  [{ properties: { type: { const: 'x' }, required: { type: 'boolean' } } }, { type: 'x', required: true }],
  [{ type: 'object', properties: { a: true } }, { a: 1 }],
  [
    { type: 'object', additionalProperties: { type: 'number' } },
    { '\ud800': 1, '50%': 2 },
  ],
])('%j takes %j', (schema, value) => {
  expect(problemOfJsonSchema(schema)).toBeUndefined();
  expect(problems(schema, value)).toEqual([]);
});

describe('a schema is refused', () => {
  test.each<[unknown, string]>([
    [{ requierd: ['total'] }, 'it: Unrecognized key: "requierd"'],
    [{ properties: { total: { typ: 'number' } } }, 'properties.total: Unrecognized key: "typ"'],
    [{ type: 'nope' }, 'type: "nope" is not a type of JSON Schema'],
    [{ anyOf: [{ type: ['string', 'nil'] }] }, 'anyOf[0].type: ["string","nil"] is not a type'],
    [{ required: 'total' }, 'required: '],
    [{ properties: { total: 'number' } }, 'properties.total: '],
    [
      { properties: { due: { format: 'datetime' } } },
      'properties.due.format: "datetime" is not checked. Formats: date, time, ',
    ],
    [{ pattern: '(' }, 'pattern: is not a regular expression'],
    [{ minItems: -1 }, 'minItems: '],
    [{ $ref: '#/$defs/gone' }, 'the reference "#/$defs/gone" leads nowhere'],
    [{ $ref: 'https://example.com/schema' }, 'leads nowhere'],
    [[], 'it: '],
    [null, 'it: '],
    ['x', 'it: '],
  ])('%j: %s', (schema, problem) => expect(problemOfJsonSchema(schema)).toContain(problem));
});

test('a page may have keywords of its own, and its formats are its own to check', () => {
  const schema = { type: 'object', properties: { to: { type: 'string', format: 'x-mail', 'x-order': 1 } } };
  expect(problemOfJsonSchema(schema, 'page')).toBeUndefined();
  const values = valuesOf(schema, 'page');
  expect(values.safeParse({ to: 'ann' }).success).toBe(true);
  expect(values.safeParse({ to: 1 }).success).toBe(false);
});
