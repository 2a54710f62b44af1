// The paths by which trials are compared: without host, query, and what differs from trial to trial.
import { UNIQUE } from '../../spec/placeholders';
import { parsedUrl } from '../../spec/url';
import { beginning, oneLine } from '../../text/line';

const MAX_PATH = 300;

/** @param url of a page's fingerprint: of http addresses only path, query and fragment */
export function fingerprintPath(url: string, unknown: string): string {
  return url.startsWith('/')
    ? (comparablePath(`http://page${url}`) ?? unknown)
    : oneLine(url, MAX_PATH) || unknown;
}

/** The path of an http address, with the route in its fragment if it has one; null for other addresses. */
export function comparablePath(url: string | null): string | null {
  const { protocol, pathname, hash } = parsedUrl(beginning(url ?? '')) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const route = /^#!?\/[^?]*/.exec(hash!)?.[0] ?? '';
  return oneLine(generalPath(pathname! + route), MAX_PATH);
}

/** Replaces numbers, dates and the like, which differ from trial to trial, by `*`. Parsing has encoded `{{unique}}`. */
export function generalPath(path: string): string {
  return path.replaceAll(encodeURI(UNIQUE), UNIQUE).replace(/(?<=\/)[\da-f-]+(?=\/|$|#)/gi, part => {
    const digit = part.search(/\d/);
    return (digit >= 0 && part.length - digit >= 8) || /^\d+$/.test(part) ? '*' : part;
  });
}
