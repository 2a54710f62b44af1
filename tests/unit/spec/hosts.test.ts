import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hostAllowed, hostOf } from '../../../src/spec/url';

it.each<[allowed: string, urlOrHost: string, admitted: boolean]>([
  // Exact names.
  ['example.com', 'https://example.com/', true],
  ['example.com', 'http://example.com:8080/a?b#c', true],
  ['example.com:8080', 'http://example.com/', true],
  ['example.com', 'example.com', true],
  ['example.com', 'example.com:3000', true],
  ['example.com', 'https://www.example.com/', false],
  ['example.com', 'https://example.com.evil.org/', false],
  ['example.com', 'https://notexample.com/', false],
  ['example.com', 'https://evil.org/example.com', false],
  ['example.com', 'https://evil.org#@example.com', false],
  ['localhost', 'http://127.0.0.1:3000/', false],
  // Wildcards.
  ['*.example.com', 'https://a.example.com/', true],
  ['*.example.com', 'https://a.b.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['*.example.com', 'https://a.example.com.evil.org/', false],
  ['*.example.com', 'https://evilexample.com/', false],
  ['*.0.0.1', 'http://127.0.0.1/', false],
  ['*.127.0.0.1', 'http://127.0.0.1/', false],
  ['*', 'https://example.com/', false],
  ['*.*.com', 'https://a.example.com/', false],
  ['a.*.com', 'https://a.example.com/', false],
  // Notations of one host.
  ['Example.COM', 'https://eXample.com/', true],
  ['example.com', 'https://example.com./', true],
  ['example.com.', 'https://example.com/', true],
  ['*.example.com.', 'https://a.example.com/', true],
  ['*.example.com', 'https://a.example.com./', true],
  ['example.com', 'https://example.com../', false],
  ['bücher.de', 'https://xn--bcher-kva.de/', true],
  ['xn--bcher-kva.de', 'https://BÜCHER.de/', true],
  ['bücher.de', 'https://bucher.de/', false],
  // The second is written with a Cyrillic a.
  ['apple.com', 'https://аpple.com/', false],
  ['example.com', 'https://example。com/', true],
  ['example.com', 'https://%65xample.com/', true],
  ['example.com', 'https:\\\\example.com\\a', true],
  ['example.com', 'https:example.com', true],
  // Addresses.
  ['127.0.0.1', 'http://127.0.0.1:8080/', true],
  ['127.0.0.1', 'http://2130706433/', true],
  ['127.0.0.1', 'http://0x7f.1/', true],
  ['127.0.0.1', 'http://0177.0.0.1/', true],
  ['0x7f000001', 'http://127.0.0.1/', true],
  ['127.0.0.1', 'http://127.0.0.1./', true],
  ['127.0.0.1', 'http://127.0.0.1.evil.org/', false],
  ['127.0.0.1', 'http://[::1]/', false],
  ['127.0.0.1', 'http://[::ffff:127.0.0.1]/', false],
  // What `baseURL` or the page of `agent.run` gives; a spec can't name one.
  ['[::1]', 'http://[0:0::1]:3000/', true],
  ['[::1]', 'http://[::2]/', false],
  ['[::1]', 'http://localhost/', false],
  ['[::1].evil.org', 'http://[::1]/', false],
  // User names.
  ['example.com', 'https://example.com@evil.org/', false],
  ['example.com', 'https://example.com:80@evil.org/', false],
  ['example.com', 'https://evil.org@example.com/', true],
  ['example.com', 'https://evil.org\\@example.com/', false],
  ['example.com', 'example.com@evil.org', false],
  ['x@example.com', 'https://example.com/', false],
  // Other schemes.
  ['example.com', 'blob:https://example.com/6e3f', true],
  ['example.com', 'blob:https://evil.org/6e3f', false],
  ['example.com', 'blob:null/6e3f', false],
  ['example.com', 'ws://example.com/', false],
  ['example.com', 'ftp://example.com/', false],
  ['example.com', 'file://example.com/etc/passwd', false],
  ['example.com', 'data:text/html,example.com', false],
  ['example.com', 'view-source:https://example.com/', false],
  ['example.com', 'about:blank', false],
  ['example.com', '//example.com/', false],
  ['example.com', '/example.com', false],
  ['example.com', 'https://', false],
  ['example.com', '', false],
  ['', 'https://example.com/', false],
  ['https://example.com', 'https://example.com/', false],
  ['example.com/path', 'https://example.com/', false],
])('%s, %s: %s', (allowed, urlOrHost, admitted) => {
  expect(hostAllowed(urlOrHost, [allowed])).toBe(admitted);
});

it('admits what any of several domains admits', () => {
  const allowed = ['shop.example.com', '*.pay.example'];
  expect(hostAllowed('https://a.pay.example/', allowed)).toBe(true);
  expect(hostAllowed('https://shop.example.com/', allowed)).toBe(true);
  expect(hostAllowed('https://pay.example/', allowed)).toBe(false);
  expect(hostAllowed('https://shop.example.com/', [])).toBe(false);
});

it('never admits a host that has the allowed one as its beginning or as a mere tail', () => {
  fc.assert(
    fc.property(fc.domain(), fc.domain(), (allowed, other) => {
      fc.pre(hostOf(allowed) !== undefined && hostOf(other) !== undefined);
      expect(hostAllowed(`https://${allowed}/`, [allowed])).toBe(true);
      expect(hostAllowed(`https://${allowed}.${other}/`, [allowed, `*.${allowed}`])).toBe(
        `${allowed}.${other}`.toLowerCase().endsWith(`.${allowed.toLowerCase()}`),
      );
      expect(hostAllowed(`https://x${allowed}/`, [allowed, `*.${allowed}`])).toBe(false);
    }),
  );
});
