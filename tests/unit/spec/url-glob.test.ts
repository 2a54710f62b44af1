import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { urlGlob } from '../../../src/spec/url-glob';

// Properties try hundreds of inputs, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

describe('the table of the format', () => {
  it.each([
    ['**/order/confirmed**', 'https://shop.example.com/order/confirmed?id=9', true],
    ['**/order/confirmed**', 'https://shop.example.com/order/confirmed/step/2', true],
    ['**/order/confirmed**', 'https://shop.example.com/order/confirm', false],
    ['https://example.com/*', 'https://example.com/pricing', true],
    ['https://example.com/*', 'https://example.com/a/b', false],
    ['**/api/orders', 'https://x.com/api/orders', true],
    ['**/api/orders', 'https://x.com/api/orders?q=1', false],
    ['**example.com/a.b**', 'https://example.com/a.b/c', true],
    ['**example.com/a.b**', 'https://example.com/aXb/c', false],
    ['**/v?/orders', 'https://x.com/v2/orders', true],
    ['**/v?/orders', 'https://x.com/v10/orders', false],
    ['**/wiki/Mercury_(planet)', 'https://en.wikipedia.org/wiki/Mercury_(planet)', true],
    ['**/wiki/Mercury_(planet)', 'https://en.wikipedia.org/wiki/Mercury_planet', false],
    ['**/.well-known/**', 'https://x.com/.well-known/a/b', true],
    ['**/.well-known/**', 'https://x.com/well-known/a', false],
  ])('%s against %s: %s', (pattern, url, matches) => {
    expect(urlGlob(pattern)(url)).toBe(matches);
  });
});

describe('what globs elsewhere do otherwise', () => {
  it.each([
    // Anchored at both ends, and whole.
    ['example.com', 'https://example.com', false],
    ['https://example.com/', 'https://example.com', false],
    ['https://example.com/a', 'https://example.com/a/', false],
    ['**/x', 'x', false],
    ['**/x', '/x', true],
    ['', '', true],
    ['', 'a', false],
    // `**` wherever it stands, and empty.
    ['**iana.org**', 'https://www.iana.org/domains', true],
    ['a**b', 'a/x/y/b', true],
    ['a**b', 'ab', true],
    ['https://x.com/**/y', 'https://x.com/y', false],
    ['**/..', 'https://x.com/a/../..', true],
    ['***', 'a/b', true],
    ['**', 'https://x.com/../.git\nx', true],
    // `*` stays in its segment, and may be empty.
    ['https://x.com/*', 'https://x.com/', true],
    ['https://*/a', 'https://x.com/a', true],
    ['https://*/a', 'https://x.com/b/a', false],
    ['*', 'a/', false],
    ['a*', 'a?b#c.d', true],
    // `?` is one character, whichever.
    ['a?b', 'a/b', true],
    ['a?b', 'ab', false],
    ['?', '\u{1F600}', true],
    ['**/search?q=*', 'https://x.com/search/q=a', true],
    // A `*` that has to stop short so that `?` can be the slash.
    ['*?*x', 'ab/x', true],
    ['*?*x', 'ab/c/x', false],
    // Case.
    ['**/Trial', 'https://x.com/trial', false],
    ['HTTPS://x.com/', 'https://x.com/', false],
    // Everything else is itself.
    ['a(b|c)', 'a(b|c)', true],
    ['a[bc]', 'ab', false],
    ['a{b,c}', 'ab', false],
    ['@(a)', 'a', false],
    ['+(a)', 'aa', false],
    ['!(a)', 'b', false],
    ['!a', 'b', false],
    ['a.b', 'aXb', false],
    ['a|b', 'a', false],
    ['^a$', 'a', false],
    ['a\\*', 'a*', false],
    ['a\\*', 'a\\bc', true],
    ['a//b', 'a/b', false],
    ['%2F', '/', false],
  ])('%j against %j: %s', (pattern, url, matches) => {
    expect(urlGlob(pattern)(url)).toBe(matches);
  });
});

/** The dialect said as plainly as possible, at exponential cost. */
function reference(pattern: string, url: string): boolean {
  if (pattern === '') return url === '';
  if (pattern.startsWith('**')) {
    return reference(pattern.slice(2), url) || (url !== '' && reference(pattern, url.slice(1)));
  }
  if (pattern.startsWith('*')) {
    return reference(pattern.slice(1), url) || (/^[^/]/.test(url) && reference(pattern, url.slice(1)));
  }
  if (url === '') return false;
  return (pattern[0] === '?' || pattern[0] === url[0]) && reference(pattern.slice(1), url.slice(1));
}

describe('any pattern', () => {
  it('matches what the plainest matcher matches', () => {
    const text = (letters: string, maxLength: number) =>
      fc.string({ unit: fc.constantFrom(...letters), maxLength });
    let matched = 0;
    fc.assert(
      fc.property(text('ab/?**.(', 7), text('ab/?.(', 8), (pattern, url) => {
        const expected = reference(pattern, url);
        matched += Number(expected);
        expect(urlGlob(pattern)(url)).toBe(expected);
      }),
      { numRuns: 5000 },
    );
    expect(matched).toBeGreaterThan(50);
  });
});

// Each of these runs for minutes or years in a backtracking matcher; vitest's own limit is the bound.
describe('long patterns and long URLs', () => {
  const long = 'a'.repeat(1000);
  it.each([
    ['**a'.repeat(60), long, true],
    [`${'**a'.repeat(60)}**b`, long, false],
    [`${'*a'.repeat(60)}*b`, long, false],
    [`${'*?'.repeat(60)}b`, 'a/'.repeat(1000), false],
    [`${'**/'.repeat(100)}x`, '/'.repeat(1000), false],
    [`${'**/*'.repeat(100)}x`, 'a/'.repeat(1000), false],
    ['*'.repeat(1000), long, true],
    ['?'.repeat(1000), long, true],
    ['?'.repeat(1001), long, false],
    [long, long, true],
  ])('%.12s...', (pattern, url, matches) => {
    expect(urlGlob(pattern)(url)).toBe(matches);
  });
});
