import { expect, test } from 'vitest';
import { problemOfSchema, problemsWith } from '../../../../src/browser/page-tools/page-tools';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const text = { type: 'string' };

test.each<[string, unknown, unknown, RegExp]>([
  ['a wrong type', object({ a: text }), { a: 1 }, /^a: .*Expected "string"/],
  ['a default is no value', object({ a: { ...text, default: 'x' } }, { required: ['a'] }), {}, /"a"/],
  [
    'required fields of an object that does not say so',
    { properties: { a: text }, required: ['a'] },
    {},
    /"a"/,
  ],
  ['what `not` describes', { not: { type: 'object' } }, {}, /./],
  [
    'an absent field that all objects inherit',
    object({ toString: text }, { required: ['toString'] }),
    {},
    /./,
  ],
  [
    'a reference of an older draft',
    object(
      { a: { $ref: '#/definitions/T' } },
      { definitions: { T: text }, $schema: 'http://json-schema.org/draft-07/schema#' },
    ),
    { a: 1 },
    /^a: /,
  ],
  ['a field that is called as a keyword', object({ not: text, if: text }), { not: 1 }, /^not: /],
])('refuses by %s', (_, schema, input, problem) => {
  expect(problemsWith(schema, input).join('\n')).toMatch(problem);
});

test.each<[string, unknown, unknown]>([
  ['what fits', object({ a: text }, { required: ['a'] }), { a: 'x' }],
  ['a format, which is the page’s to check', object({ a: { ...text, format: 'email' } }), { a: 'x' }],
  ['a schema that is none', { type: 'nope' }, { a: 1 }],
  ['no schema', null, { a: 1 }],
  ['a reference that leads out', { $ref: 'https://example.com/schema' }, { a: 1 }],
  ['one of two required fields', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1 }],
  ...['^\\p{L}+$', '^\\P{N}+$', '^\\u{e9}+$'].map((pattern): [string, unknown, unknown] => [
    `a pattern with ${pattern}`,
    object({ a: { ...text, pattern } }),
    { a: 'é' },
  ]),
  [
    'fields by such a pattern, and no others',
    object({}, { patternProperties: { '^\\p{L}+$': text }, additionalProperties: false }),
    { é: 'x' },
  ],
  ['an absent field that all objects inherit', object({ constructor: text, toString: text }), {}],
  ['a schema that is itself', { $ref: '#' }, { a: 1 }],
  ['nesting without end', JSON.parse(`${'{"items":'.repeat(5_000)}{}${'}'.repeat(5_000)}`), {}],
])('takes %s', (_, schema, input) => {
  expect(problemsWith(schema, input)).toEqual([]);
});

test('a pattern that would take for ever refuses', () => {
  const schema = object({ a: { ...text, pattern: '^(a+)+$' } });
  expect(problemsWith(schema, { a: `${'a'.repeat(60)}!` }).join()).toMatch(/can't be checked/);
});

test.each<[unknown, string | undefined]>([
  [object({}), undefined],
  [object({ a: { type: 'nope' } }), 'nope'],
  [{ type: 'string' }, 'not "object"'],
  [undefined, 'missing'],
  [object({ a: { $ref: '#/$defs/gone' } }), 'gone'],
])('%j is a schema of an object, or says why not: %s', (schema, problem) => {
  if (problem === undefined) expect(problemOfSchema(schema)).toBeUndefined();
  else expect(problemOfSchema(schema)).toContain(problem);
});
