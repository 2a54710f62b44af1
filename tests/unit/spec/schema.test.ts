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
    ['goal of 2000 emoji', { goal: '\u{1F600}'.repeat(2000) }],
    ['tags', { tags: ['x', 'a b'] }],
    ['description', { description: '' }],
    ['http', { entryUrl: 'http://localhost:3000/a?b#c' }],
    ['HTTPS', { entryUrl: 'HTTPS://Example.com' }],
    ['an @ in the path', { entryUrl: 'https://example.com/@user:x' }],
    ['IPv6 with allowedDomains', { entryUrl: 'http://[::1]:3000/', allowedDomains: ['localhost'] }],
    [
      'domains',
      { allowedDomains: ['example.com', '*.example.com', 'localhost', '*.localhost', '127.0.0.1'] },
    ],
    ['domains in capitals and punycode', { allowedDomains: ['Example.COM', 'xn--mnchen-3ya.de', 'a--b.c'] }],
    ['maxSteps 1', { maxSteps: 1 }],
    ['maxSteps 200', { maxSteps: 200 }],
    ['maxCostUsd 1000', { maxCostUsd: 1000 }],
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
    ['judge of 2000', { judge: 'x'.repeat(2000) }],
  ])('%s', (_, fields) => {
    expect(bothAccept(fields)).toMatchObject(fields);
  });
});

describe('refused, with the path', () => {
  const at = (path: string, fields: Record<string, unknown>) =>
    [path, JSON.stringify(fields).slice(0, 70), fields] as const;
  const each = (field: string, values: unknown[]) => values.map(value => at(field, { [field]: value }));
  it.each([
    ...each('id', ['', 'A', '-a', 'a_b', 'a'.repeat(65), 'a\n', undefined, 1]),
    ...each('goal', ['', 'x'.repeat(2001)]),
    at('description', { description: 1 }),
    at('tags[1]', { tags: ['x', ''] }),
    ...each('entryUrl', [undefined, '', 'http:example.com', 'https://', 'ftp://example.com']),
    ...each(
      'entryUrl',
      ['user:pass@', 'user@', ':pass@'].map(user => `https://${user}example.com`),
    ),
    at('allowedDomains', { entryUrl: 'http://[::1]:3000/' }),
    ...each('allowedDomains', [[], 'example.com']),
    ...[
      ...['https://example.com', 'example.com:80', 'example.com/', '[::1]', '*', '*.*.example.com'],
      ...['a.*.com', '*example.com', '.example.com', 'example.com.', 'a..b', '-a.com', 'a-.com'],
      ...['user@example.com', 'a b', '', 'm\u00fcnchen.de', 'example.com\n'],
    ].map(domain => at('allowedDomains[0]', { allowedDomains: [domain] })),
    ...each('maxSteps', [0, 201, 1.5]),
    ...each('maxCostUsd', [0, -1, 1000.01, '1']),
    ...[0, 26, 2.5, undefined].map(k => at('passPolicy.k', { passPolicy: { k, minPasses: 1 } })),
    ...[undefined, 0, 6, 1.5].map(minPasses =>
      at('passPolicy.minPasses', { passPolicy: { k: 5, minPasses } }),
    ),
    at('passPolicy', { passPolicy: 5 }),
    ...each('assertions', [undefined, [], url]),
    at('assertions[0]', asserting('url')),
    at('assertions[1].type', asserting(url, { type: 'link' })),
    ...[undefined, 'toString'].map(type => at('assertions[0].type', asserting({ type, pattern: '**' }))),
    ...[undefined, ''].flatMap(missing => [
      at('assertions[0].pattern', asserting({ ...url, pattern: missing })),
      at('assertions[0].selector', asserting({ ...dom, selector: missing })),
      at('assertions[0].urlPattern', asserting({ ...network, urlPattern: missing })),
    ]),
    at('assertions[0].description', asserting({ ...url, description: 1 })),
    at('assertions[0].state', asserting({ ...dom, state: 'gone' })),
    ...[undefined, '', ' \n '].map(text =>
      at('assertions[0].text', asserting({ ...dom, state: 'text', text })),
    ),
    ...[undefined, 'visible', 'attached', 'absent', 'hidden'].map(state =>
      at('assertions[0].text', asserting({ ...dom, state, text: 'x' })),
    ),
    ...['get', 'TRACE', 'CONNECT', ''].map(method =>
      at('assertions[0].method', asserting({ ...network, method })),
    ),
    ...[99, 600, 200.5, '200', '0xx', '6xx', '2XX', '2xxx', 'xx', null, true].map(status =>
      at('assertions[0].status', asserting({ ...network, status })),
    ),
    ...each('judge', ['', 'x'.repeat(2001)]),
    ...each('specVersion', [0.1, true]),
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
    const message = expect.stringMatching(
      /^must be a string in quotes(?:, got a number \(0.1\))?: write specVersion: "0.1"$/,
    );
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
