import { type Schema, Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { resultsJsonSchema } from '../../../src/data/results';
import { taskSpecJsonSchema, taskSpecSchema } from '../../../src/spec';
import { minimal } from './specs';

type Node = Record<string, unknown> & { properties: Record<string, Node>; oneOf: Node[]; items: Node };
const schema = taskSpecJsonSchema('0.1') as unknown as Node;

// Byte for byte the schema of 0.1 is held by tests/unit/data/version-0.1.test.ts.
describe('the JSON Schema for editors', () => {
  it.each([
    ['https://example.com', true],
    ['http://[::1]:3000/a?b@c', true],
    ['https://user:pass@example.com', false],
    ['ftp://example.com', false],
    ['https://müller.example/{id}?q=ä b', true],
    ['https://Example.COM:65535/', true],
    ['https://example.com:65536/', false],
    ['https://[::1]:99999/', false],
    ['https://./', false],
    ['https://example.com./', true],
  ])('has a pattern for entryUrl: %s', (entryUrl, good) => {
    const { pattern, format } = schema.properties.entryUrl as unknown as { pattern: string; format?: string };
    expect(format).toBeUndefined();
    expect(new RegExp(pattern, 'u').test(entryUrl)).toBe(good);
    const allowedDomains = ['example.com'];
    expect(taskSpecSchema.safeParse({ ...minimal, entryUrl, allowedDomains }).success).toBe(good);
  });

  it.each(['Example.com', '*.EXAMPLE.com', 'localhost', 'a_b', 'https://x'])(
    'has a pattern for hosts: %s',
    host => {
      const { items } = schema.properties.allowedDomains as unknown as { items: { pattern: string } };
      const good = taskSpecSchema.safeParse({ ...minimal, allowedDomains: [host] }).success;
      expect(new RegExp(items.pattern, 'u').test(host)).toBe(good);
    },
  );

  it('is plain JSON, and chooses by the version', () => {
    const both = taskSpecJsonSchema();
    expect(JSON.parse(JSON.stringify(both))).toEqual(both);
    const { $schema, ...older } = schema;
    expect(both).toMatchObject({ $schema, if: { required: ['specVersion'] }, else: older });
    const { then: newer } = both as { then: Node };
    expect(newer.properties.specVersion).toMatchObject({ const: 'playwright/1' });
    expect((newer.properties.assertions as Node).items.oneOf).toHaveLength(5);
  });

  it.each<[string, object, boolean]>([
    ['a body', { type: 'network', urlPattern: '**', body: { order: [1, { id: 'a' }] } }, true],
    ['a body that is none', { type: 'network', urlPattern: '**', body: 5 }, false],
    ['a structured answer', { type: 'answer', matches: { type: 'object' } }, true],
  ])('is followed by a validator: %s', (_, assertion, good) => {
    const spec = { ...minimal, specVersion: 'playwright/1', assertions: [assertion] };
    const validator = new Validator(taskSpecJsonSchema() as Schema, '7');
    expect(validator.validate(spec).valid).toBe(good);
    expect(taskSpecSchema.safeParse(spec).success).toBe(good);
  });

  it.each([taskSpecJsonSchema(), resultsJsonSchema()])('refers to what it has', whole => {
    const names =
      JSON.stringify(whole).match(/(?<="\$ref":"#\/definitions\/|"\$ref":"#\/\$defs\/)[^"]+/g) ?? [];
    const { definitions = {}, $defs = {} } = whole as Record<string, object>;
    for (const name of names) expect({ ...definitions, ...$defs }).toHaveProperty([name]);
  });
});
