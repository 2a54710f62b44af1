import { describe, expect, it } from 'vitest';
import { K_MAX, taskSpecJsonSchema, taskSpecSchema } from '../../../src/spec';
import { minimal } from './specs';

type Node = Record<string, unknown> & { properties: Record<string, Node>; oneOf: Node[]; items: Node };
const schema = taskSpecJsonSchema('0.1') as unknown as Node;
const [url, dom, network] = (schema.properties.assertions as Node).items.oneOf as [Node, Node, Node];

describe('the JSON Schema for editors', () => {
  it('is of the draft that editors support best', () => {
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
  });

  it('requires only what a file must have', () => {
    expect(schema.required).toEqual(['specVersion', 'id', 'goal', 'entryUrl', 'assertions']);
    expect(url.required).toEqual(['type', 'pattern']);
    expect(dom.required).toEqual(['type', 'selector']);
    expect(network.required).toEqual(['type', 'urlPattern']);
  });

  it('has what 0.1 has: other tools read it, too', () => {
    const values = (node: Node) =>
      Object.entries(node.properties).map(([name, field]) =>
        [name, field.enum ?? field.const].flat().join(' ').trim(),
      );
    expect([url, dom, network].map(values)).toEqual([
      ['type url', 'pattern', 'description'],
      ['type dom', 'selector', 'state visible attached text absent hidden', 'text', 'description'],
      [
        'type network',
        'urlPattern',
        'method GET POST PUT PATCH DELETE HEAD OPTIONS',
        'status',
        'description',
      ],
    ]);
    expect(Object.keys(schema.properties)).toMatchInlineSnapshot(`
      [
        "specVersion",
        "id",
        "goal",
        "description",
        "tags",
        "entryUrl",
        "allowedDomains",
        "maxSteps",
        "maxCostUsd",
        "passPolicy",
        "assertions",
        "judge",
      ]
    `);
  });

  it('refuses unknown keys on every level', () => {
    for (const level of [schema, schema.properties.passPolicy, url, dom, network])
      expect(level).toMatchObject({ additionalProperties: false, type: 'object' });
  });

  it('describes every field of a spec', () => {
    for (const [name, field] of Object.entries(schema.properties))
      expect([name, typeof field.description]).toEqual([name, 'string']);
  });

  it('knows bounds and defaults', () => {
    expect(schema.properties.specVersion).toMatchObject({ const: '0.1' });
    expect(schema.properties.maxSteps).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 200,
      default: 20,
    });
    expect(schema.properties.maxCostUsd).toMatchObject({ exclusiveMinimum: 0, maximum: 1000 });
    expect(schema.properties.passPolicy).toMatchObject({ default: { k: 1, minPasses: 1 } });
    expect(dom.properties.state).toMatchObject({ default: 'visible' });
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    expect(dom).toMatchObject({ then: { required: ['text'] }, else: { properties: { text: false } } });
  });

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

  it('refuses more passes than trials', () => {
    const { allOf } = schema.properties.passPolicy as unknown as { allOf: object[] };
    expect(allOf).toHaveLength(K_MAX);
    expect(allOf).toContainEqual({
      if: { properties: { k: { const: 3 } }, required: ['k'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { minPasses: { maximum: 3 } } },
    });
  });

  it('is plain JSON, and chooses by the version', () => {
    const both = taskSpecJsonSchema();
    expect(JSON.parse(JSON.stringify(both))).toEqual(both);
    const { $schema, ...older } = schema;
    expect(both).toMatchObject({ $schema, if: { required: ['specVersion'] }, else: older });
    const { then: newer } = both as { then: Node };
    expect(newer.properties.specVersion).toMatchObject({ const: 'playwright/1' });
    expect((newer.properties.assertions as Node).items.oneOf).toHaveLength(5);
  });
});
