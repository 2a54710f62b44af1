// URLs, and which hosts a spec's `allowedDomains` admit. Both sides go through the URL parser, so that hosts are compared as a
// browser would connect to them: lower case, punycode, IPv4 in dotted form, no port.
import { isIP } from 'node:net';

/**
 * The URL in a text; undefined if it is not one. Not `URL.canParse`: in Node 20, once V8 has optimised it, it refuses letters such as
 * "ü" (seen on 20.20).
 */
export function parsedUrl(text: unknown): URL | undefined {
  try {
    return typeof text === 'string' ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
}

const BARE_HOST = /^[^:/?#@\\\s]+(:\d+)?$/;

/**
 * The host that a URL leads to, in the browser's own notation and without a trailing dot.
 * A `blob:` URL has the host of the origin that made it. Undefined for other schemes than http(s), and for what is not a
 * URL: these are never on an allowed host.
 */
export function hostOf(urlOrHost: string): string | undefined {
  const text = BARE_HOST.test(urlOrHost) ? `http://${urlOrHost}` : urlOrHost;
  const url = parsedUrl(text);
  if (!url) return undefined;
  if (url.protocol === 'blob:') return url.origin === 'null' ? undefined : hostOf(url.origin);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return url.hostname.replace(/\.$/, '') || undefined;
}

/**
 * `*.example.com` admits hosts below example.com at any depth, not example.com itself. An IP address matches only itself,
 * never a wildcard. Ports don't count. Only http and https URLs can be allowed, and `blob:` URLs of such pages.
 */
export function hostAllowed(urlOrHost: string, allowedDomains: readonly string[]): boolean {
  const host = hostOf(urlOrHost);
  return host !== undefined && allowedDomains.some(domain => admits(domain, host));
}

function admits(domain: string, host: string): boolean {
  if (!domain.startsWith('*.')) return BARE_HOST.test(domain) && hostOf(domain) === host;
  const parent = domain.slice(2);
  const parentHost = BARE_HOST.test(parent) ? hostOf(parent) : undefined;
  return parentHost !== undefined && isIP(host) === 0 && host.endsWith(`.${parentHost}`);
}
