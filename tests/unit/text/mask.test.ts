import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inTexts, secretMask } from '../../../src/text/mask';
import { anyCharacter } from '../../support/any-character';

const SECRET = `Hünter's "2" <&>/ =+`;
const masked = '<secret>PW</secret>';
const mask = secretMask({ PW: SECRET });
const inHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What programs and browsers make of a text. Each is the whole value. */
const FORMS: Record<string, (text: string) => string> = {
  plain: text => text,
  'upper case': text => text.toUpperCase(),
  'lower case': text => text.toLowerCase(),
  component: encodeURIComponent,
  'component in lower case': text => encodeURIComponent(text).toLowerCase(),
  'form of a page': text => `${new URLSearchParams({ a: text })}`.slice(2),
  query: text => new URL(`http://x/?${text.replace(/#/g, '%23')}|`).search.slice(1, -1),
  JSON: text => JSON.stringify(text).slice(1, -1),
  'JSON in ASCII': text =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^ -~]/g, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON in JSON': text => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
  HTML: inHtml,
  'HTML with &#39;': text => inHtml(text).replaceAll("'", '&#39;'),
  'URL in JSON': text => JSON.stringify(encodeURI(text)).slice(1, -1),
  'blanks as a page keeps them': text => text.replaceAll(' ', '\u00a0'),
  'blanks as lines': text => text.replaceAll(' ', '\n  '),
  NFD: text => text.normalize('NFD'),
  'HTML with &nbsp;': text => inHtml(text).replaceAll(' ', '&nbsp;'),
  'HTML with a name for each': text =>
    Object.entries({ ü: 'uuml', Ü: 'Uuml', "'": 'apos', '/': 'sol', '=': 'equals', '+': 'plus' }).reduce(
      (written, [character, name]) => written.replaceAll(character, `&${name};`),
      inHtml(text),
    ),
  'HTML with names of what nobody sees': text =>
    inHtml(text).replaceAll('te', 't&shy;&zwj;&ZeroWidthSpace;e'),
  'name of a file': text => text.replace(/["~*/:<>?\\|]/g, '_'),
  'HTML with numbers alone': text => [...text].map(letter => `&#${letter.codePointAt(0)}`).join(''),
  'a shell': text => text.replaceAll("'", String.raw`'\''`),
  'JSON in capitals': text =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^ -~]/g, letter => `\\U${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'doubled quotes': text => text.replaceAll("'", "''"),
  "YAML in '...'": text => JSON.stringify(text).slice(1, -1).replaceAll("'", "''"),
  'source code': text =>
    text
      .replace(/[\\"']/g, String.raw`\$&`)
      .replace(/[\x80-\xff]/g, letter => `\\x${letter.charCodeAt(0).toString(16)}`),
  'source code with \\u{}': text =>
    text.replace(/[\\"'\x80-\xff]/g, letter => `\\u{${letter.charCodeAt(0).toString(16)}}`),
  'form of a page in Latin-1': text =>
    text
      .replace(/[^\w ]/g, letter =>
        letter > '\xff' ? letter : `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`,
      )
      .replaceAll(' ', '+'),
  'characters that nobody sees': text => [...text].join('\u200b\ufffe'),
  'soft hyphens': text => [...text].join('\u00ad'),
  'colours of a terminal': text => [...text].join('\u001b[31m'),
  'a title for a terminal': text => [...text].join('\u001b]0;x\u0007'),
  base64: text => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  base64url: text => Buffer.from(text).toString('base64url'),
};

test.each([
  ['kadıköy1453', 'KADIKÖY1453'],
  ['paſſword12', 'PASSWORD12'],
])('the upper case of %s, which folds to it in one direction alone', (value, shown) => {
  expect(secretMask({ PW: value })(`it shows ${shown}`)).toBe(`it shows ${masked}`);
  expect(secretMask({ A: value, PW: shown })(shown)).not.toContain(shown);
});

test('a value with characters that nobody sees, shown without them', () => {
  expect(secretMask({ PW: 'hun\u00adter2' })('it shows hunter2')).toBe(`it shows ${masked}`);
});

test.each(['Zürich', 'Çağla', 'señor', 'Þórr', 'naïve'])(
  'the names that HTML has for the letters of %s',
  value => {
    const accents: Record<string, string> = {
      ...{ '\u0300': 'grave', '\u0301': 'acute', '\u0303': 'tilde', '\u0306': 'breve', '\u0308': 'uml' },
      ...{ '\u0327': 'cedil' },
    };
    const letters: Record<string, string> = { Þ: '&THORN;' };
    const written = value
      .normalize('NFD')
      .replace(/(.)(\p{M})/gu, (_, letter, accent) => `&${letter}${accents[accent]};`)
      .replace(/[^ -~]/g, letter => letters[letter]!);
    expect(secretMask({ PW: value })(`it shows ${written}`)).toBe(`it shows ${masked}`);
  },
);

describe('forms of a secret', () => {
  for (const [name, form] of Object.entries(FORMS))
    test(name, () => {
      expect(mask(`before ${form(SECRET)} after`)).toBe(`before ${masked} after`);
    });

  test.each([0, 1, 2])('within the base64 of a longer text, %i bytes after a boundary', before => {
    const text = Buffer.from(`${'u'.repeat(before)}${SECRET}:and more`).toString('base64');
    const got = mask(`Basic ${text}`);
    expect(got).toContain(masked);
    const core = Buffer.from(SECRET).toString('base64').slice(4, -4);
    expect(got).not.toContain(core);
  });

  test.each([
    ['what a limit on length left of it', 'Fill "Hünter\'s…', `Fill "${masked}…`],
    [
      'of an encoded one',
      `?q=${encodeURIComponent(SECRET).slice(0, 20)}… (9,000 characters)`,
      `?q=${masked}… (9,000 characters)`,
    ],
    ['too little to know it by', 'Fill "Hün…', 'Fill "Hün…'],
    ['the same letters elsewhere', "Hünter's hat", "Hünter's hat"],
  ])('%s', (_, text, expected) => {
    expect(mask(text)).toBe(expected);
  });

  test('long ones, too, wherever they are cut', () => {
    const token = Array.from(
      { length: 900 },
      (_, index) => 'abcdefghijklmnopqrstuvw'[(index * index) % 23],
    ).join('');
    for (const kept of [4, 23, 24, 25, 200, 899])
      expect(secretMask({ TOKEN: token })(`x ${token.slice(0, kept)}…`)).toBe('x <secret>TOKEN</secret>…');
  });

  test('one that has a "…" of its own, cut or not', () => {
    const own = secretMask({ PW: 'first… and then the second half' });
    expect(own('first… and then the secxxx')).toBe('<secret>PW</secret>… and then the secxxx');
    expect(own('first… and then the second…')).toBe(`${masked}…`);
    expect(own('first… and then the second half')).toBe(masked);
  });

  test('of 1 to 3 characters: only where they are a word of their own', () => {
    const short = secretMask({ CVC: '123', AND: 'a&b' });
    expect(short('CVC 123, card 41234, "123"; a&b; a&amp;b; baa&b')).toBe(
      'CVC <secret>CVC</secret>, card 41234, "<secret>CVC</secret>"; <secret>AND</secret>; <secret>AND</secret>; baa&b',
    );
  });

  test('the longest one is named, also if it is encoded and holds another', () => {
    const both = secretMask({ SHORT: 'secret', LONG: 'the secret word' });
    expect(both('?q=the%20secret%20word&r')).toBe('?q=<secret>LONG</secret>&r');
  });

  test('of two that begin alike, the one that stands there counts, not one that may be cut there', () => {
    const both = secretMask({ A: 'acme-prod-user', B: 'acme&x9Kq3' });
    expect(both('typed acme&x9Kq3…')).toBe('typed <secret>B</secret>…');
  });

  test('two that overlap are both masked', () => {
    const both = secretMask({ ONE: 'abcdefg', TWO: 'defghijkl' });
    expect(both('x abcdefghijkl')).toBe('x <secret>TWO</secret>');
  });

  test('of one that is very long, and of many', () => {
    const long = 'The quick brown fox 1234. '.repeat(5_000).trim();
    expect(secretMask({ PW: long })(`a ${long} b`)).toBe(`a ${masked} b`);
    const tokens = Array.from({ length: 300 }, (_, at) => `eyJhbGciOiJIUzI1NiJ9.${`${at}x`.repeat(30)}`);
    const all = secretMask(Object.fromEntries(tokens.map((token, at) => [`T${at}`, token])));
    for (const [at, token] of tokens.entries())
      expect(all(`a ${token} b`)).toBe(`a <secret>T${at}</secret> b`);
  });

  test('in the snapshot of a page, as Playwright writes it', () => {
    const quotes = secretMask({ PW: `it's-my-{pass}1\\` });
    expect(quotes(`- 'textbox "it''s-my-{pass}1\\\\" [ref=e1]'`)).toBe(`- 'textbox "${masked}" [ref=e1]'`);
  });

  test('an empty one is none', () => {
    expect(secretMask({ A: '', B: '  ' })('a text')).toBe('a text');
  });

  test('the longer of two is named, and a name that stands there already stays', () => {
    const both = secretMask({ SHORT: 'secret', LONG: 'the secret word' });
    expect(both('the secret word, secret, <secret>SHORT</secret>')).toBe(
      '<secret>LONG</secret>, <secret>SHORT</secret>, <secret>SHORT</secret>',
    );
  });
});

test('every text in a value', () => {
  expect(inTexts({ a: [SECRET], b: 1, c: { d: `x${SECRET}` } }, mask)).toEqual({
    a: [masked],
    b: 1,
    c: { d: `x${masked}` },
  });
  const keys = { [SECRET]: 1, a: [{ [`k ${SECRET}`]: SECRET }] };
  expect(inTexts(keys, mask)).toEqual({ ...keys, a: [{ [`k ${SECRET}`]: masked }] });
  expect(inTexts(keys, mask, 'changed')).toEqual({ [masked]: 1, a: [{ [`k ${masked}`]: masked }] });
});

describe('whatever the value and the text around it', () => {
  const value = fc
    .oneof(
      fc.string({ minLength: 4, maxLength: 40 }),
      fc.string({ minLength: 4, maxLength: 40, unit: anyCharacter }),
      fc.stringMatching(/^[A-Za-z0-9$%&/\\"'<>+ äöüß]{4,24}$/),
    )
    .filter(
      text =>
        // White space counts as one character, however long it is: shorter values are masked as whole words alone.
        text.trim().replace(/\s+/g, ' ').length >= 4 &&
        text === Buffer.from(text).toString() &&
        !/[\r\n\t]|<sec/i.test(text),
    );
  const around = fc.string({ maxLength: 30 });

  test('no form survives, and to mask once more changes nothing', () => {
    fc.assert(
      fc.property(
        value,
        around,
        around,
        fc.constantFrom(...Object.keys(FORMS)),
        (secret, before, after, kind) => {
          // Base64 of a text with blanks at its ends is that of the text with them.
          const form = FORMS[kind]!(secret.trim());
          // A terminal drops such characters, or ends a code with them.
          fc.pre(!kind.includes('terminal') || !/\p{Cc}/u.test(secret));
          // Too little is left of it.
          fc.pre(kind !== 'name of a file' || secret.trim().replace(/["~*/:<>?\\|]/g, '').length >= 6);
          // With what stands behind it, this would be another character.
          fc.pre(![before, form].some(part => /(?:%[\da-f]?|\\\w{0,4}|&#?\w{0,8}|')$/i.test(part)));
          fc.pre(!(form.endsWith('%25') && /^[\da-f]/i.test(after)));
          fc.pre(!(/\\U[\da-f]{4,7}$/i.test(form) && /^[\da-f]/i.test(after)));
          const text = `${before}${form}${after}`;
          const hide = secretMask({ PW: secret });
          const got = hide(text);
          expect(got.replaceAll(masked, '')).not.toContain(form);
          expect(got).toContain(masked);
          expect(hide(got)).toBe(got);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('nor does one that is encoded twice, in any two ways', () => {
    const ways = ['component', 'form of a page', 'JSON', 'HTML', 'HTML with &#39;', 'doubled quotes'];
    fc.assert(
      fc.property(
        value,
        around,
        fc.constantFrom(...ways),
        fc.constantFrom(...ways),
        (secret, before, inner, outer) => {
          const form = FORMS[outer]!(FORMS[inner]!(secret.trim()));
          const got = secretMask({ PW: secret })(`${before} ${form}`);
          expect(got.replaceAll(masked, '')).not.toContain(form);
          expect(got).toContain(masked);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('each of two secrets is masked, by its name', () => {
    fc.assert(
      fc.property(value, value, around, (one, two, between) => {
        const both = secretMask({ ONE: `1st${one}`, TWO: `2nd${two}` });
        const got = both(`1st${one}|${between}|2nd${two}`);
        expect(got).toMatch(/^<secret>ONE<\/secret>/);
        expect(got).toContain('<secret>TWO</secret>');
        expect(both(got)).toBe(got);
      }),
      { numRuns: 50 },
    );
  });
});

test.each<[string, (size: number) => string]>([
  ['page', size => `Hünter's "2" <eyJhbGci ${'aGVsbG8 &amp; %20 '.repeat(3)}`.repeat(size / 80)],
  ['control sequence', size => `\u001b${'#'.repeat(size)}`],
  ['list in a control sequence', size => `\u001b${'1;'.repeat(size / 2)}`],
])('a %s of a megabyte takes time in proportion', (_, page) => {
  const several = secretMask({ PW: SECRET, TOKEN: 'eyJhbGciOiJIUzI1NiJ9.'.repeat(40), CVC: '123' });
  const time = (text: string) => {
    const from = performance.now();
    several(text);
    return performance.now() - from;
  };
  time(page(100_000));
  const [small, large] = [time(page(125_000)), time(page(1_000_000))];
  expect(large, `${small} ms for an eighth of it`).toBeLessThan(Math.max(small, 20) * 40);
});

test.each(['¥100°é½', 'a≂̸bŒ∞≤', 'x…y—z†'])('HTML has names for all of %s', secret => {
  const names: Record<string, string> = {
    '¥': 'yen',
    '°': 'deg',
    é: 'eacute',
    '½': 'frac12',
    Œ: 'OElig',
    '∞': 'infin',
    '≤': 'le',
  };
  const more = { '≂̸': 'NotEqualTilde', '…': 'hellip', '—': 'mdash', '†': 'dagger' };
  const html = Object.entries({ ...names, ...more }).reduce(
    (text, [character, name]) => text.replaceAll(character, `&${name};`),
    secret,
  );
  expect(html).toContain('&');
  expect(secretMask({ PW: secret })(`<p>${html}</p>`)).toBe(`<p>${masked}</p>`);
});

test('a key is masked line by line, as a diff shows it', () => {
  const lines = [
    '-----BEGIN KEY-----',
    'MIIEvQIBADANBgkqhkiG9w0B',
    'AQEFAASCBKcwggSjAgEAAoIB',
    'short',
    '-----END KEY-----',
  ];
  const hidden = secretMask({ PW: lines.join('\n') });
  expect(hidden(lines.map(line => `- ${line}`).join('\n'))).toBe(
    [masked, masked, masked, 'short', masked].map(line => `- ${line}`).join('\n'),
  );
  expect(hidden(lines.join('\n'))).toBe(masked);
});
