// Looks for the requests that a `network` assertion asks for, or must not find.
import type { NetworkEvent } from '../data/record';
import type { NetworkAssertion } from '../spec';
import { hostOf } from '../spec/url';
import { shorten } from '../text/line';
import { bodiesInWords, holdsBody, shownBody } from './body';
import { boundsOf, timesInWords } from './count';
import type { GradedState } from './holds';
import { urlGlob } from './url-glob';

type Asked = Pick<NetworkEvent, 'url' | 'method'>;

/** Matches each request once, and only those with the method: a page may send thousands, with long URLs. */
export function askedFor({ urlPattern, method }: NetworkAssertion): (request: Asked) => boolean {
  const matches = urlGlob(urlPattern);
  const known = new WeakMap<Asked, boolean>();
  return request => {
    if (method !== undefined && request.method !== method) return false;
    const is = known.get(request) ?? matches(request.url);
    known.set(request, is);
    return is;
  };
}

/** Whether a later request can break what holds now. */
export function canBreakLater({ never, count }: NetworkAssertion): boolean {
  return never !== undefined || boundsOf(count).max !== Number.POSITIVE_INFINITY;
}

interface Found {
  /** All that are asked for. */
  sent: readonly NetworkEvent[];
  /** Those that left the browser. */
  left: readonly NetworkEvent[];
  /** Those of them that a server answered as asked for, whatever their bodies. */
  answered: readonly NetworkEvent[];
}

type Log = Pick<GradedState, 'network' | 'bodyOf'>;

/** @returns a function that says why it does not hold, or null */
export function networkLook(assertion: NetworkAssertion): (log: Log) => string | null {
  const isIt = askedFor(assertion);
  return log => lookInto(log.network.filter(isIt), assertion, log);
}

function lookInto(sent: NetworkEvent[], assertion: NetworkAssertion, log: Log): string | null {
  const { status, body, never } = assertion;
  const left = sent.filter(event => !event.keptByWorker && !event.answeredBy);
  // `data:` and `blob:` have a status, too.
  const real = left.filter(event => /^https?:/.test(event.url));
  const answered = real.filter(event => statusMatches(status, event.status));
  const hasBody = (event: NetworkEvent) => body === undefined || holdsBody(log.bodyOf?.(event), body);
  const held = answered.filter(hasBody);
  const pending = real.filter(event => event.status === null && event.failure === undefined).filter(hasBody);
  // Without a status to ask for, one that failed counts, too: it may have reached the server.
  if (never) return whySent(assertion, status === undefined ? real.filter(hasBody) : held, pending);
  const { min, max } = boundsOf(assertion.count);
  // What is not answered yet may be one too many.
  const most = held.length + (max === Number.POSITIVE_INFINITY ? 0 : pending.length);
  if (held.length >= min && most <= max) return null;
  const isCounted = assertion.count !== undefined && (held.length > 0 || min === 0);
  if (isCounted) return miscounted(assertion, most, most - held.length);
  return whyNone(assertion, { sent, left, answered }, log);
}

function whySent(
  assertion: NetworkAssertion,
  [found]: readonly NetworkEvent[],
  pending: readonly NetworkEvent[],
): string | null {
  if (!found) return pending.length ? `${requestInWords(assertion)} was sent, and not answered yet` : null;
  const { method, url, status, failure } = found;
  const outcome = status === null ? (failure ?? 'not answered') : `answered with ${status}`;
  return `${method} ${shorten(url, 300)} was sent${bodyInWords(assertion)} (${outcome})`;
}

function miscounted(assertion: NetworkAssertion, times: number, pending: number): string {
  const request =
    requestInWords(assertion) + (assertion.status === undefined ? '' : ` with ${assertion.status}`);
  const wanted = timesInWords(assertion.count!);
  const open = pending ? ` (${pending} not answered yet)` : '';
  return `${request} was sent${bodyInWords(assertion)} ${timesInWords(times)}, not ${wanted}${open}`;
}

/** Why not even one is as asked for. */
function whyNone(assertion: NetworkAssertion, { sent, left, answered }: Found, { bodyOf }: Log): string {
  const { status, body } = assertion;
  const request = requestInWords(assertion);
  if (answered.length && body !== undefined)
    return `${request} was sent with ${bodiesInWords(answered.map(each => bodyOf?.(each)))}, not with ${shownBody(body)}`;
  const refused = sent.find(event => event.answeredBy === 'guard');
  if (refused)
    return `${request} was refused by the guard: add ${hostOf(refused.url) ?? 'its host'} to allowedDomains`;
  const seen = new Set(left.map(event => event.status ?? event.failure ?? 'no answer'));
  if (seen.size)
    return status === undefined
      ? `${request} was made, but no server answered it (${[...seen].join(', ')})`
      : `${request} was sent, but answered with ${[...seen].join(', ')} instead of ${status}`;
  if (!sent.length) return `no request matched ${request}`;
  const by = sent.some(event => event.keptByWorker) ? 'a service worker' : "the agent's program";
  return `${request} was made, but ${by} answered it, not the server`;
}
function statusMatches(wanted: NetworkAssertion['status'], status: number | null): boolean {
  if (status === null) return false;
  if (wanted === undefined) return true;
  return typeof wanted === 'number' ? status === wanted : Math.floor(status / 100) === Number(wanted[0]);
}

/** `POST "**\/orders" was sent with {"qty":1} and answered with 2xx` */
export function networkTitle(assertion: NetworkAssertion): string {
  const { status, never, count } = assertion;
  const times = count === undefined ? '' : ` ${timesInWords(count)}`;
  const answered = status === undefined ? '' : ` and answered with ${status}`;
  const sent = never ? 'was never sent' : 'was sent';
  return `${requestInWords(assertion)} ${sent}${bodyInWords(assertion)}${times}${answered}`;
}

function requestInWords({ method, urlPattern }: NetworkAssertion): string {
  return `${method ?? 'a request'} ${method ? '' : 'to '}"${urlPattern}"`;
}

function bodyInWords({ body }: NetworkAssertion): string {
  return body === undefined ? '' : ` with ${JSON.stringify(body)}`;
}
