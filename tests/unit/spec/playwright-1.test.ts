// `specVersion: "playwright/1"`: what it has beyond 0.1, and what is refused with what to write instead.
import { describe, expect, it, test } from 'vitest';
import { parseTaskSpec, safeParseTaskSpec, type TaskSpec, taskSpecSchema } from '../../../src/spec';
import { atBase, atSite, placeholdersIn, withData } from '../../../src/spec/placeholders';
import { issuesOf, minimal, source } from './specs';

const newer = (assertion: object, fields: object = {}) =>
  source({ specVersion: 'playwright/1', assertions: [assertion], ...fields });
const older = (assertion: object) => source({ assertions: [assertion] });

const answer = (fields: object) => ({ type: 'answer', ...fields });
const network = (fields: object) => ({ type: 'network', urlPattern: '**', ...fields });
const dom = (fields: object) => ({ type: 'dom', selector: 'li', ...fields });

describe('is read', () => {
  test.each([
    answer({ text: 'Sunday' }),
    answer({ equals: '11' }),
    answer({ regex: '^\\d+$' }),
    answer({ number: 1299, tolerance: 0.5 }),
    answer({ number: -1 }),
    answer({ date: '2028-02-29' }),
    answer({ oneOf: ['11', '11:00'] }),
    answer({ matches: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] } }),
    network({ count: 1 }),
    network({ count: 0 }),
    network({ count: { min: 1, max: 2 } }),
    network({ count: { max: 3 } }),
    network({ never: true, method: 'DELETE' }),
    network({ body: 'fern' }),
    network({ body: { items: [{ id: 1 }], note: null } }),
    network({ body: [1, 2] }),
    dom({ count: 3 }),
    dom({ state: 'attached', count: { min: 2 } }),
    dom({ state: 'text', text: 'Fern', count: 2, hidden: true }),
    dom({ value: '' }),
    { type: 'download', name: '*.csv', text: 'Fern' },
    // All of 0.1.
    { type: 'url', pattern: '**' },
    dom({ state: 'absent' }),
    network({ method: 'POST', status: '2xx' }),
  ])('%j', assertion => {
    const { assertions } = parseTaskSpec(newer(assertion));
    expect(assertions).toMatchObject([assertion]);
    expect(taskSpecSchema.parse(JSON.parse(newer(assertion))).assertions).toEqual(assertions);
  });

  test('an entryUrl that is a path; its host is known with the baseURL', () => {
    const spec = parseTaskSpec(newer(answer({ text: 'x' }), { entryUrl: '/plants?sort=price' }));
    expect(spec).toMatchObject({ entryUrl: '/plants?sort=price', allowedDomains: [] });
    const own = { entryUrl: '/plants', allowedDomains: ['shop.test'] };
    expect(parseTaskSpec(newer(answer({ text: 'x' }), own)).allowedDomains).toEqual(['shop.test']);
  });
});

describe('is refused', () => {
  test.each<[object, string, RegExp]>([
    [answer({}), '', /needs one of `text`, `equals`/],
    [answer({ text: 'a', number: 1 }), '.number', /has `text` and `number`: keep one/],
    [answer({ text: ' ' }), '.text', /must not be empty/],
    [answer({ regex: '(' }), '.regex', /is not a JavaScript regular expression: Unterminated group$/],
    [answer({ number: '1299' }), '.number', /must be a finite number, got a string/],
    [answer({ number: 1, tolerance: -1 }), '.tolerance', /must be at least 0/],
    [answer({ text: 'a', tolerance: 1 }), '.tolerance', /only allowed with `number`/],
    [answer({ date: '14.3.2026' }), '.date', /such as "2026-03-14"/],
    [answer({ date: '2026-02-30' }), '.date', /does not exist/],
    [answer({ oneOf: [] }), '.oneOf', /must not be an empty list/],
    [answer({ matches: { type: 'nonsense' } }), '.matches', /is not a JSON Schema/],
    [answer({ matches: 'x' }), '.matches', /must be/],
    [answer({ text: 'a', contains: 'b' }), '.contains', /unknown key `contains`/],
    [network({ count: -1 }), '.count', /a whole number of at least 0/],
    [network({ count: 1.5 }), '.count', /a whole number/],
    [network({ count: {} }), '.count', /at least one of them/],
    [
      network({ count: { min: 2, most: 3 } }),
      '.count.most',
      /unknown key `most` \(known here: `min`, `max`\)/,
    ],
    [network({ count: { min: 2, max: 1 } }), '.count', /min must not be above max|at least one of them/],
    [network({ never: false }), '.never', /must be true, or left out/],
    [network({ never: true, count: 0 }), '.never', /not allowed together with `count`/],
    [answer({ number: 2 ** 53 }), '.number', /is beyond 9007199254740991, where digits get lost: use `text`/],
    [network({ body: { order: [{ id: 2 ** 53 }] } }), '.body', /has a number beyond 9007199254740991/],
    [network({ body: '' }), '.body', /must not be empty/],
    [network({ body: 5 }), '.body', /must be a string, a mapping or a list/],
    [dom({ state: 'absent', count: 1 }), '.count', /not allowed with `state: absent`/],
    [dom({ state: 'text', text: 'x', value: 'y' }), '.value', /only allowed with `state: visible`/],
    [dom({ hidden: true }), '.hidden', /only allowed with `state: text`/],
    [{ type: 'download' }, '.name', /is required, but missing/],
    [{ type: 'url', pattern: '**', count: 1 }, '.count', /unknown key `count`/],
  ])('%j', (assertion, field, message) => {
    const issues = issuesOf(newer(assertion));
    expect(issues).toContainEqual(
      expect.objectContaining({ path: `assertions[0]${field}`, message: expect.stringMatching(message) }),
    );
    expect(new Set(issues.map(({ path }) => path)).size).toBe(issues.length);
    for (const { line, column } of issues) expect([line, column]).toEqual([1, expect.any(Number)]);
  });

  test.each([
    [answer({ text: 'a' }), 'assertions[0].type', 'type answer'],
    [{ type: 'download', name: '*' }, 'assertions[0].type', 'type download'],
    [network({ count: 1 }), 'assertions[0].count', '`count`'],
    [network({ never: true }), 'assertions[0].never', '`never`'],
    [network({ body: 'x' }), 'assertions[0].body', '`body`'],
    [dom({ value: 'x' }), 'assertions[0].value', '`value`'],
  ])('in 0.1: %j', (assertion, path, what) => {
    const message = `${what} needs specVersion: "playwright/1" instead of "0.1"`;
    expect(issuesOf(older(assertion))).toMatchObject([{ path, message }]);
  });

  it('but a field of an assertion that stands beside it is unknown there', () => {
    for (const version of ['0.1', 'playwright/1']) {
      const beside = source({ specVersion: version, type: 'dom', count: 1 });
      expect(issuesOf(beside).map(({ message }) => message)).toEqual([
        expect.stringMatching(/^unknown key `type`/),
        expect.stringMatching(/^unknown key `count`/),
      ]);
    }
  });

  it('a path in 0.1, and a path that is another host', () => {
    expect(issuesOf(source({ entryUrl: '/plants' }))[0]!.message).toMatch(
      /a path needs specVersion: "playwright\/1"/,
    );
    expect(safeParseTaskSpec(newer(answer({ text: 'x' }), { entryUrl: '//evil.test/' })).ok).toBe(false);
    const secret = issuesOf(newer(answer({ text: 'x' }), { entryUrl: 'https://user:hunter2@shop.test/' }));
    expect(JSON.stringify(secret)).not.toContain('hunter2');
  });
});

test('placeholders are replaced in all new fields', () => {
  const spec = taskSpecSchema.parse({
    ...minimal,
    specVersion: 'playwright/1',
    entryUrl: '/?trial={{trial}}',
    assertions: [
      answer({ oneOf: ['{{unique}}'] }),
      answer({ matches: { type: 'object', properties: { id: { const: '{{unique}}' } } } }),
      network({ body: { order: { note: '{{unique}}' } } }),
      dom({ value: '{{unique}}' }),
      { type: 'download', name: 'order-{{trial}}.csv', text: '{{unique}}' },
    ],
  }) as TaskSpec;
  expect(placeholdersIn(spec)).toHaveLength(7);
  const filled = JSON.stringify(withData(spec, { trial: 2, unique: 'k4x' }));
  expect(filled).not.toContain('{{');
  expect(filled).toContain('order-2.csv');
});

test('a path stands at the baseURL, and so do globs that begin with a slash', () => {
  const spec = taskSpecSchema.parse({
    ...minimal,
    specVersion: 'playwright/1',
    entryUrl: '/plants?sort=price',
    assertions: [
      { type: 'url', pattern: '/order/**' },
      network({ urlPattern: '/api/orders' }),
      answer({ text: '/x' }),
    ],
  });
  expect(atBase(spec, 'http://127.0.0.1:4173/shop/')).toMatchObject({
    entryUrl: 'http://127.0.0.1:4173/plants?sort=price',
    allowedDomains: ['127.0.0.1'],
    assertions: [
      { pattern: 'http://127.0.0.1:4173/order/**' },
      { urlPattern: 'http://127.0.0.1:4173/api/orders' },
      { text: '/x' },
    ],
  });
  expect(() => atBase(spec, undefined)).toThrow('Set use.baseURL in the Playwright config');
  for (const wrong of ['localhost:4173', 'shop.test', '/shop', 'file:///shop'])
    expect(() => atBase(spec, wrong)).toThrow(`use.baseURL must be an http: or https: URL`);
  const whole = taskSpecSchema.parse(minimal);
  expect(atBase(whole, undefined)).toBe(whole);
});

test('a glob with a whole origin is compared as browsers write it', () => {
  const urls = (glob: string, site: object, specVersion = 'playwright/1') => {
    const assertions = [{ type: 'url', pattern: glob }, network({ urlPattern: glob })];
    const spec = taskSpecSchema.parse({
      ...minimal,
      specVersion,
      entryUrl: 'http://Shop.test:80/a',
      assertions,
    });
    return atSite(spec, site).assertions.map(each =>
      'pattern' in each ? each.pattern : 'urlPattern' in each && each.urlPattern,
    );
  };
  const twice = (glob: string) => [glob, glob];
  expect(urls('HTTP://Shop.test:80/A**', {})).toEqual(twice('http://shop.test/A**'));
  expect(urls('http://127.1:3000/', {})).toEqual(twice('http://127.0.0.1:3000/'));
  for (const glob of ['http://Sh*p.test/', '**/Shop', 'http://Shop?.test/', 'http://Shop:x/', 'http://*:80/'])
    expect(urls(glob, {})).toEqual(twice(glob));
  expect(urls('**/api/büro/my file/**', {})).toEqual(twice('**/api/b%C3%BCro/my%20file/**'));
  expect(urls('http://bücher.test/b%C3%BCro/\ud83d', {})).toEqual(
    twice('http://xn--bcher-kva.test/b%C3%BCro/%EF%BF%BD'),
  );
  for (const site of [{}, { origin: 'http://preview.test' }])
    expect(urls('**/büro', site, '0.1')).toEqual(twice('**/büro'));
  expect(urls('http://Shop.test:80/', {}, '0.1')).toEqual(twice('http://Shop.test:80/'));
  for (const version of ['0.1', 'playwright/1'])
    expect(urls('http://Shop.test/**', { origin: 'http://preview.test' }, version)).toEqual(
      twice('http://preview.test/**'),
    );
});

test.each(['text=Order placed', 'xpath=//li', '//li', 'role=button'])(
  'a selector of another kind than CSS is refused before a trial plays: %s',
  selector => {
    expect(issuesOf(newer(dom({ selector })))).toMatchObject([
      { path: 'assertions[0].selector', message: expect.stringContaining('must be CSS') },
    ]);
  },
);

test.each(['[data-a="text=x"]', 'a[href="//li"]', 'li:has-text("a=b")'])('CSS stays valid: %s', selector => {
  expect(parseTaskSpec(newer(dom({ selector }))).assertions).toMatchObject([{ selector }]);
});

test.each<[string, object]>([
  ['pattern', { type: 'url', pattern: '**?p=<secret>PW</secret>' }],
  ['selector', dom({ selector: '[value="<secret>PW</secret>"]', state: 'absent' })],
  ['text', dom({ state: 'text', text: '<secret>PW</secret>', count: 0 })],
  ['value', dom({ value: 'a <secret>PW</secret>' })],
  ['urlPattern', network({ urlPattern: '**/<secret>PW</secret>', never: true })],
  ['name', { type: 'download', name: '<secret>PW</secret>.csv' }],
  ['text', { type: 'download', name: '*.csv', text: '<secret>PW</secret>' }],
])('a secret in `%s` of %j is refused: nothing would be compared with its value', (field, assertion) => {
  expect(issuesOf(newer(assertion))).toMatchObject([
    { path: `assertions[0].${field}`, message: expect.stringContaining('must not name a secret') },
  ]);
  expect(() => parseTaskSpec(newer(network({ body: { pw: '<secret>PW</secret>' } })))).not.toThrow();
});

test('patterns for WebSockets are refused', () => {
  for (const urlPattern of ['ws://**', 'WSS://shop.test/pay'])
    expect(issuesOf(newer(network({ urlPattern, never: true })))).toMatchObject([
      {
        path: 'assertions[0].urlPattern',
        message: 'WebSockets are not recorded: assert on what the page shows',
      },
    ]);
});

test.each([
  ...['api/pay', '*/api/pay', '//shop.test/pay', '*', '*.test/**', 'https?://shop.test/**'],
  ...['ftp://shop.test/**', '/api/pay#done', '**/pay#done'],
])('a glob that no URL matches is refused, since `never` would hold: %s', urlPattern => {
  expect(issuesOf(newer(network({ urlPattern, never: true })))).toMatchObject([
    { path: 'assertions[0].urlPattern', message: expect.stringContaining('can match no request') },
  ]);
});

test.each([
  ...['/api/pay', '**/pay', '**', 'http://shop.test/**', 'https://**', 'HTTP://shop.test/**'],
  ...['*://shop.test/**', '*//shop.test/**', '?ttp://shop.test/', '{{api}}/pay'],
])('a glob that URLs match is not: %s', urlPattern => {
  const spec = newer(network({ urlPattern, never: true }));
  expect(safeParseTaskSpec(spec)).toMatchObject({ ok: true });
});

test('a glob that begins with a slash is of the site, also if entryUrl is a whole URL', () => {
  const of = (specVersion: string) =>
    taskSpecSchema.parse({ ...minimal, specVersion, assertions: [{ type: 'url', pattern: '/cart/**' }] });
  const { origin } = new URL(minimal.entryUrl);
  expect(atSite(of('playwright/1'), {}).assertions).toMatchObject([{ pattern: `${origin}/cart/**` }]);
  expect(atSite(of('playwright/1'), { origin: 'http://preview.test' }).assertions).toMatchObject([
    { pattern: 'http://preview.test/cart/**' },
  ]);
  expect(atSite(of('0.1'), {}).assertions).toMatchObject([{ pattern: '/cart/**' }]);
});

test('an address with a user name or a password is refused, if the spec begins there', () => {
  const secret = 'http://ada:violet@127.0.0.1:4173';
  const [relative, whole] = ['/plants', 'https://shop.test/'].map(entryUrl =>
    taskSpecSchema.parse({ ...minimal, specVersion: 'playwright/1', entryUrl }),
  );
  for (const site of [{ baseURL: secret }, { origin: secret }, { origin: 'http://ada@shop.test' }])
    expect(() => atSite(relative!, site)).toThrow(/^(?:use\.baseURL|origin) has .*Set use\.httpCredentials/);
  expect(() => atSite(whole!, { origin: secret })).toThrow('httpCredentials');
  expect(atSite(whole!, { baseURL: secret })).toEqual(whole);
  expect(atSite(relative!, { baseURL: secret, origin: 'http://shop.test' }).entryUrl).toBe(
    'http://shop.test/plants',
  );
});
