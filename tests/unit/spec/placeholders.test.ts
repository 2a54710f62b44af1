import { describe, expect, test } from 'vitest';
import { type TaskSpec, taskSpecSchema } from '../../../src/spec';
import { placeholdersIn, uniqueByName, uniqueByValue, withData } from '../../../src/spec/placeholders';
import { minimal } from './specs';

const specWith = (more: object): TaskSpec => taskSpecSchema.parse({ ...minimal, ...more });
const data = { trial: 3, unique: 'k3fz90ab' };

test.each<[object, object]>([
  [{ goal: 'Create {{unique}}, the {{trial}}.' }, { goal: 'Create k3fz90ab, the 3.' }],
  [{ goal: '{{ unique }} {{unique}}' }, { goal: 'k3fz90ab k3fz90ab' }],
  [{ entryUrl: 'https://a.test/{{unique}}?n={{trial}}' }, { entryUrl: 'https://a.test/k3fz90ab?n=3' }],
  ...[
    (of: string) => ({ type: 'url', pattern: `**/${of}/*` }),
    (of: string) => ({ type: 'network', urlPattern: `**/api/${of}` }),
    (of: string) => ({ type: 'dom', selector: `#u-${of}`, state: 'text', text: `User ${of}` }),
  ].map((made): [object, object] => [
    { assertions: [made('{{unique}}-{{trial}}')] },
    { assertions: [made('k3fz90ab-3')] },
  ]),
  [{ judge: 'User {{unique}} exists.' }, { judge: 'User k3fz90ab exists.' }],
  // Not ours: these stay.
  [{ goal: '{{user}} {unique} {{}} {{unique {{Unique}}' }, {}],
  [{ description: '{{unique}}', tags: ['{{unique}}'] }, {}],
])('%j becomes %j', (written, used) => {
  const spec = specWith(written);
  const before = JSON.stringify(spec);
  expect(withData(spec, data)).toStrictEqual(specWith({ ...written, ...used }));
  expect(JSON.stringify(spec)).toBe(before);
});

test('what was prepared has a value; what an object inherits has none', () => {
  const spec = specWith({ goal: 'Order {{order}} of {{user}}, {{trial}}: {{toString}}' });
  const { goal } = withData(spec, { ...data, user: 'ada', order: 12 });
  expect(goal).toBe('Order 12 of ada, 3: {{toString}}');
});

describe('a value does not become a part of the syntax around it', () => {
  const filled = (assertion: object, values: Record<string, string>) => {
    const spec = specWith({ specVersion: 'playwright/1', assertions: [assertion] });
    return withData(spec, { ...data, ...values }).assertions[0];
  };
  const value = `O"Brien's \\ (a.b)`;

  test('of a selector', () => {
    const dom = (selector: string) => filled({ type: 'dom', selector }, { value });
    expect(dom('[title="{{value}}"]')).toMatchObject({ selector: `[title="O\\"Brien\\'s \\\\ (a.b)"]` });
    // It may be given as a whole.
    expect(filled({ type: 'dom', selector: '{{value}}' }, { value: '[title="A"]' })).toMatchObject({
      selector: '[title="A"]',
    });
  });

  test('of a regular expression', () => {
    const { regex } = filled({ type: 'answer', regex: '^order {{value}} {{other}} \\d$' }, { value }) as {
      regex: string;
    };
    expect(new RegExp(regex, 'u').test(`order ${value} {{other}} 7`)).toBe(true);
    expect(new RegExp(regex, 'u').test(`order O"Brien's \\ a.b {{other}} 7`)).toBe(false);
  });

  const noUrl = /URL glob, but has characters that no URL has.*encodeURIComponent/;
  const anyText = /URL glob, but has `\*`, which stands for any characters there. Use a value without it$/;

  test.each([
    ['two words', noUrl],
    ['ü', noUrl],
    ['"', noUrl],
    ['{x}', noUrl],
    ['a*b', anyText],
  ])('of a glob: %s is refused', (each, message) => {
    for (const assertion of [
      { type: 'url', pattern: '**/{{value}}' },
      { type: 'network', urlPattern: '**/{{value}}' },
    ])
      expect(() => filled(assertion, { value: each })).toThrow(message);
  });

  test('of a query: what would end it is refused', () => {
    const address = (entryUrl: string, value: string) =>
      withData(specWith({ entryUrl }), { ...data, value }).entryUrl;
    for (const value of ['a&b', 'a#b'])
      expect(() => address('http://shop.test/?q={{value}}', value)).toThrow(
        /^the value of \{\{value\}\} has `&` or `#`, which would end it in entryUrl.*encodeURIComponent/,
      );
    expect(address('http://shop.test/?q={{value}}', 'a b/ü')).toBe('http://shop.test/?q=a b/ü');
    expect(address('http://shop.test/{{value}}', 'a?b=1&c=2#d')).toBe('http://shop.test/a?b=1&c=2#d');
  });

  test('of a glob: what a URL can hold stays, and so do other texts', () => {
    const whole = 'http://shop.test/a%20b/?q=1&r=~x#y';
    expect(filled({ type: 'url', pattern: '{{value}}' }, { value: whole })).toMatchObject({ pattern: whole });
    const body = { pattern: '*{{value}}', selector: '"{{value}}"' };
    expect(filled({ type: 'network', urlPattern: '**', body }, { value })).toMatchObject({
      body: { pattern: `*${value}`, selector: `"${value}"` },
    });
  });
});

describe('placeholders are found with their places', () => {
  test.each<[object, object[]]>([
    [{}, []],
    [{ goal: '{{trial}} {{trial}}' }, [{ name: 'trial', known: true, path: 'goal' }]],
    [{ goal: '{{ user name }}' }, [{ name: 'user name', known: false, path: 'goal' }]],
    [
      { assertions: [{ type: 'dom', selector: '#{{unique}}', state: 'text', text: '{{Unique}}' }] },
      [
        { name: 'unique', known: true, path: 'assertions[0].selector' },
        { name: 'Unique', known: false, path: 'assertions[0].text' },
      ],
    ],
  ])('%j', (written, found) => {
    expect(placeholdersIn(specWith(written))).toEqual(found);
  });
});

test('a recording names the value of {{unique}}; without one it stays as it is', () => {
  const value = { text: 'undefined k3fz90ab', list: ['k3fz90ab!'] };
  expect(uniqueByName(value, 'k3fz90ab')).toEqual({ text: 'undefined {{unique}}', list: ['{{unique}}!'] });
  const shown = { name: 'Activate U-K3FZ90AB of k3fz90ab' };
  expect(uniqueByName(shown, 'k3fz90ab')).toEqual({ name: 'Activate U-{{UNIQUE}} of {{unique}}' });
  expect(uniqueByValue('U-{{UNIQUE}} of {{unique}}, {{Unique}}', 'x1y2z3w4')).toBe(
    'U-X1Y2Z3W4 of x1y2z3w4, X1y2z3w4',
  );
  expect(uniqueByName(value, undefined)).toBe(value);
  expect(uniqueByName(value, '')).toBe(value);
});
