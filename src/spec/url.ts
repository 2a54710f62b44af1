// URLs, and which hosts a spec's `allowedDomains` admit. Hosts are compared as browsers write them: lower case, punycode, IPv4 in dotted
// form, no port.
import { isIP } from 'node:net';

/** Undefined if it is not a URL. We don't use `URL.canParse`: once V8 has optimised it, it refuses "ü" (seen on Node 20.20). */
export function parsedUrl(text: unknown, base?: string): URL | undefined {
  try {
    return typeof text === 'string' ? new URL(text, base) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it has a user name or a password. */
export function hasCredentials(url: unknown): boolean {
  const { username, password } = parsedUrl(url) ?? {};
  return Boolean(username || password);
}

export const NO_CREDENTIALS =
  'has a user name or a password, which reports would show. Set use.httpCredentials in the Playwright config instead.';

/** An address without its origin if it is on the tested site, so that it works on another deployment, too. */
export function portableUrl(url: string, entryUrl: string): string {
  const here = parsedUrl(url)?.origin === new URL(entryUrl).origin;
  return here ? pathOf(url) : url;
}

/** Path, query and fragment of an http(s) address; any other address unchanged. */
export function pathOf(url: string): string {
  const { protocol, pathname, search, hash } = parsedUrl(url) ?? {};
  return protocol === 'http:' || protocol === 'https:' ? `${pathname}${search}${hash}` : url;
}

const BARE_HOST = /^(?:\[[\da-f:.]+\]|[^:/?#@\\\s]+)(:\d+)?$/i;

/** The host as a browser writes it; of a `blob:` URL, its origin's. Undefined for schemes other than http(s), which are never allowed. */
export function hostOf(urlOrHost: string): string | undefined {
  const text = BARE_HOST.test(urlOrHost) ? `http://${urlOrHost}` : urlOrHost;
  const url = parsedUrl(text);
  if (!url) return undefined;
  if (url.protocol === 'blob:') return url.origin === 'null' ? undefined : hostOf(url.origin);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return url.hostname.replace(/\.$/, '') || undefined;
}

/** `*.example.com` admits hosts below it at any depth, not itself, and no IP address. Ports don't count. */
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
