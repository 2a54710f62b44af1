import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parseTaskSpec, SPEC_VERSION, safeParseTaskSpec, taskSpecSchema } from '../../../src/spec';
import { issuesOf, minimal, source } from './specs';

// Properties try hundreds of inputs, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const url = { type: 'url', pattern: '**' };
const dom = { type: 'dom', selector: 'h1' };
const network = { type: 'network', urlPattern: '**' };
const asserting = (...assertions: unknown[]) => ({ assertions });

/** Both ways in must agree: YAML through the parser, and a plain object through the schema. */
function bothAccept(fields: Record<string, unknown>) {
  const parsed = taskSpecSchema.parse({ ...minimal, ...fields });
  expect(parseTaskSpec(source(fields))).toEqual(parsed);
  return parsed;
}

function bothRefuse(fields: Record<string, unknown>): string[] {
  const result = taskSpecSchema.safeParse({ ...minimal, ...fields });
  expect(result.success).toBe(false);
  const issues = issuesOf(source(fields));
  if (!result.success) expect(issues.length).toBeGreaterThanOrEqual(result.error.issues.length);
  return issues.map(issue => issue.path);
}

describe('accepted', () => {
  it.each<[string, Record<string, unknown>]>([
    ['id of 1', { id: 'a' }],
    ['id of 64', { id: 'a'.repeat(64) }],
    ['id with hyphens', { id: 'a--b-' }],
    ['goal of 1', { goal: 'x' }],
    ['goal of 2000', { goal: 'x'.repeat(2000) }],
    ['goal of 2000 emoji', { goal: '\u{1F600}'.repeat(2000) }],
    ['tags', { tags: ['x', 'a b'] }],
    ['description', { description: '' }],
    ['http', { entryUrl: 'http://localhost:3000/a?b#c' }],
    ['HTTPS', { entryUrl: 'HTTPS://Example.com' }],
    ['an @ in the path', { entryUrl: 'https://example.com/@user:x' }],
    ['IPv4', { entryUrl: 'http://127.0.0.1:8080/' }],
    ['IPv6 with allowedDomains', { entryUrl: 'http://[::1]:3000/', allowedDomains: ['localhost'] }],
    [
      'domains',
      { allowedDomains: ['example.com', '*.example.com', 'localhost', '*.localhost', '127.0.0.1'] },
    ],
    ['domains in capitals and punycode', { allowedDomains: ['Example.COM', 'xn--mnchen-3ya.de', 'a--b.c'] }],
    ['maxSteps 1', { maxSteps: 1 }],
    ['maxSteps 200', { maxSteps: 200 }],
    ['maxCostUsd 1000', { maxCostUsd: 1000 }],
    ['k 1 of 1', { passPolicy: { k: 1, minPasses: 1 } }],
    ['k 25 of 25', { passPolicy: { k: 25, minPasses: 25 } }],
    ['url', asserting({ ...url, description: 'x' })],
    ['dom visible', asserting({ ...dom, state: 'visible', description: 'x' })],
    ['dom text', asserting({ ...dom, state: 'text', text: 'Thank you' })],
    ['dom absent', asserting({ ...dom, state: 'absent' })],
    ['dom hidden', asserting({ ...dom, state: 'hidden' })],
    ['network', asserting({ ...network, description: 'x' })],
    ['OPTIONS', asserting({ ...network, method: 'OPTIONS' })],
    ...[100, 599, '1xx', '5xx'].map(
      status => [`status ${status}`, asserting({ ...network, status })] as [string, Record<string, unknown>],
    ),
    ['judge of 1', { judge: 'x' }],
    ['judge of 2000', { judge: 'x'.repeat(2000) }],
  ])('%s', (_, fields) => {
    expect(bothAccept(fields)).toMatchObject(fields);
  });
});

describe('refused, with the path', () => {
  const at = (path: string, fields: Record<string, unknown>) =>
    [path, JSON.stringify(fields).slice(0, 70), fields] as const;
  it.each([
    at('id', { id: '' }),
    at('id', { id: 'A' }),
    at('id', { id: '-a' }),
    at('id', { id: 'a_b' }),
    at('id', { id: 'a'.repeat(65) }),
    at('id', { id: 'a\n' }),
    at('id', { id: undefined }),
    at('id', { id: 1 }),
    at('goal', { goal: '' }),
    at('goal', { goal: 'x'.repeat(2001) }),
    at('description', { description: 1 }),
    at('tags[1]', { tags: ['x', ''] }),
    at('entryUrl', { entryUrl: undefined }),
    at('entryUrl', { entryUrl: '' }),
    at('entryUrl', { entryUrl: 'http:example.com' }),
    at('entryUrl', { entryUrl: 'https://' }),
    at('entryUrl', { entryUrl: 'ftp://example.com' }),
    at('entryUrl', { entryUrl: 'https://user:pass@example.com' }),
    at('entryUrl', { entryUrl: 'https://user@example.com' }),
    at('entryUrl', { entryUrl: 'https://:pass@example.com' }),
    at('allowedDomains', { entryUrl: 'http://[::1]:3000/' }),
    at('allowedDomains', { allowedDomains: [] }),
    at('allowedDomains', { allowedDomains: 'example.com' }),
    ...[
      ...[
        'https://example.com',
        'example.com:80',
        'example.com/',
        '[::1]',
        '*',
        '*.*.example.com',
        'a.*.com',
      ],
      ...['*example.com', '.example.com', 'example.com.', 'a..b', '-a.com', 'a-.com', 'user@example.com'],
      ...['a b', '', 'm\u00fcnchen.de', 'example.com\n'],
    ].map(domain => at('allowedDomains[0]', { allowedDomains: [domain] })),
    at('maxSteps', { maxSteps: 0 }),
    at('maxSteps', { maxSteps: 201 }),
    at('maxSteps', { maxSteps: 1.5 }),
    at('maxCostUsd', { maxCostUsd: 0 }),
    at('maxCostUsd', { maxCostUsd: -1 }),
    at('maxCostUsd', { maxCostUsd: 1000.01 }),
    at('maxCostUsd', { maxCostUsd: '1' }),
    at('passPolicy.k', { passPolicy: { k: 0, minPasses: 1 } }),
    at('passPolicy.k', { passPolicy: { k: 26, minPasses: 1 } }),
    at('passPolicy.k', { passPolicy: { k: 2.5, minPasses: 1 } }),
    at('passPolicy.k', { passPolicy: { minPasses: 1 } }),
    at('passPolicy.minPasses', { passPolicy: { k: 5 } }),
    at('passPolicy.minPasses', { passPolicy: { k: 5, minPasses: 0 } }),
    at('passPolicy.minPasses', { passPolicy: { k: 5, minPasses: 6 } }),
    at('passPolicy.minPasses', { passPolicy: { k: 5, minPasses: 1.5 } }),
    at('passPolicy', { passPolicy: 5 }),
    at('assertions', { assertions: undefined }),
    at('assertions', asserting()),
    at('assertions', { assertions: url }),
    at('assertions[0]', asserting('url')),
    at('assertions[1].type', asserting(url, { type: 'link' })),
    at('assertions[0].type', asserting({ pattern: '**' })),
    at('assertions[0].type', asserting({ type: 'toString' })),
    at('assertions[0].pattern', asserting({ type: 'url' })),
    at('assertions[0].pattern', asserting({ ...url, pattern: '' })),
    at('assertions[0].description', asserting({ ...url, description: 1 })),
    at('assertions[0].selector', asserting({ type: 'dom' })),
    at('assertions[0].selector', asserting({ ...dom, selector: '' })),
    at('assertions[0].state', asserting({ ...dom, state: 'gone' })),
    at('assertions[0].text', asserting({ ...dom, state: 'text' })),
    at('assertions[0].text', asserting({ ...dom, state: 'text', text: '' })),
    at('assertions[0].text', asserting({ ...dom, state: 'text', text: ' \n ' })),
    ...[undefined, 'visible', 'attached', 'absent', 'hidden'].map(state =>
      at('assertions[0].text', asserting({ ...dom, state, text: 'x' })),
    ),
    at('assertions[0].urlPattern', asserting({ type: 'network' })),
    at('assertions[0].urlPattern', asserting({ ...network, urlPattern: '' })),
    ...['get', 'TRACE', 'CONNECT', ''].map(method =>
      at('assertions[0].method', asserting({ ...network, method })),
    ),
    ...[99, 600, 200.5, '200', '0xx', '6xx', '2XX', '2xxx', 'xx', null, true].map(status =>
      at('assertions[0].status', asserting({ ...network, status })),
    ),
    at('judge', { judge: '' }),
    at('judge', { judge: 'x'.repeat(2001) }),
    at('specVersion', { specVersion: 0.1 }),
    at('specVersion', { specVersion: true }),
  ])('%s: %s', (path, _, fields) => {
    expect(bothRefuse(fields)).toEqual([path]);
  });
});

describe('defaults', () => {
  it('fills in what is left out', () => {
    expect(bothAccept(asserting(dom))).toEqual({
      ...minimal,
      allowedDomains: ['example.com'],
      maxSteps: 20,
      passPolicy: { k: 1, minPasses: 1 },
      assertions: [{ ...dom, state: 'visible' }],
    });
  });

  it.each([
    ['https://Shop.Example.com:8443/a', 'shop.example.com'],
    ['https://example.com./', 'example.com'],
    ['http://localhost:3000', 'localhost'],
    ['http://127.0.0.1:3000', '127.0.0.1'],
    ['https://m\u00fcnchen.de', 'xn--mnchen-3ya.de'],
  ])('allows the host of %s: %s', (entryUrl, host) => {
    expect(bothAccept({ entryUrl }).allowedDomains).toEqual([host]);
  });

  it('does not share defaults between specs', () => {
    const first = taskSpecSchema.parse(minimal);
    first.passPolicy.k = 9;
    expect(taskSpecSchema.parse(minimal).passPolicy.k).toBe(1);
  });
});

describe('a plain object', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'with a cost of %s',
    maxCostUsd => {
      const result = taskSpecSchema.safeParse({ ...minimal, maxCostUsd });
      expect(result.error?.issues[0]).toMatchObject({ path: ['maxCostUsd'] });
    },
  );

  it.each([
    ['at the top', JSON.parse(`{"__proto__": {}, "specVersion": "0.1"}`), []],
    [
      'in the policy',
      { passPolicy: JSON.parse('{"k": 1, "minPasses": 1, "__proto__": {}}') },
      ['passPolicy'],
    ],
    [
      'in an assertion',
      asserting(JSON.parse('{"type":"url","pattern":"x","__proto__":1}')),
      ['assertions', 0],
    ],
  ])('with its own __proto__ %s', (_, fields, path) => {
    const spec = Object.defineProperties({ ...minimal }, Object.getOwnPropertyDescriptors(fields));
    const result = taskSpecSchema.safeParse(spec);
    expect(result.error?.issues).toMatchObject([{ path, keys: ['__proto__'] }]);
  });

  it.each([[undefined], ['0.2'], [0.1]])('of version %j', specVersion => {
    const { error } = taskSpecSchema.safeParse({ ...minimal, specVersion });
    const message = 'must be a string in quotes: write specVersion: "0.1"';
    expect(error!.issues).toMatchObject([{ path: ['specVersion'], message }]);
  });

  it('of any kind never makes the schema throw', () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        expect(taskSpecSchema.safeParse(value).success).toBe(false);
      }),
    );
  });
});

describe('any JSON', () => {
  const wild = fc.jsonValue({ maxDepth: 3 });
  it('in any field is answered, and what is accepted stays accepted', () => {
    const keys = [
      ...Object.keys(minimal),
      'tags',
      'allowedDomains',
      'maxSteps',
      'maxCostUsd',
      'passPolicy',
      'judge',
    ];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys, '__proto__', 'x'), wild), fields => {
        const text = source(fields);
        const result = safeParseTaskSpec(text);
        if (result.ok) expect(parseTaskSpec(JSON.stringify(result.spec))).toEqual(result.spec);
        else expect(result.error.message).not.toBe('');
      }),
      { numRuns: 150 },
    );
  });

  it('in an assertion is answered with paths inside that assertion', () => {
    const keys = ['type', 'selector', 'state', 'text', 'pattern', 'urlPattern', 'status', 'method'];
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...keys), wild),
        fc.constantFrom(url, dom, network),
        (assertion, known) => {
          const result = safeParseTaskSpec(source(asserting({ ...known, ...assertion })));
          if (result.ok) return;
          for (const { path } of issuesOf(source(asserting({ ...known, ...assertion }))))
            expect(path).toMatch(/^assertions\[0\]/);
        },
      ),
      { numRuns: 150 },
    );
  });
});

it('names its version', () => expect(SPEC_VERSION).toBe('0.1'));
