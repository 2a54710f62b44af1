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

type Log = Pick<GradedState, 'network' | 'isFull' | 'bodyOf'>;

/** @returns a function that says why it does not hold, or null */
export function networkLook(assertion: NetworkAssertion): (log: Log) => string | null {
  const isIt = askedFor(assertion);
  return log => {
    const reason = lookInto(log.network.filter(isIt), assertion, log);
    if (!log.isFull || (reason === null && !canBreakLater(assertion))) return reason;
    const ended = `the page sent more than ${log.network.length} requests, and later ones were not recorded`;
    return reason === null ? ended : `${reason}; ${ended}`;
  };
}

function lookInto(sent: NetworkEvent[], assertion: NetworkAssertion, log: Log): string | null {
  const { status, body, never } = assertion;
  const left = sent.filter(event => !event.keptByWorker && !event.answeredBy);
  // `data:` and `blob:` have a status, too.
  const real = left.filter(event => /^https?:/.test(event.url));
  const answered = real.filter(event => statusMatches(status, event.status));
  const hasBody = (event: NetworkEvent) => body === undefined || holdsBody(log.bodyOf?.(event), body);
  const held = answered.filter(hasBody);
  // Those that break what must not be sent.
  const mayHave = (event: NetworkEvent) => hasBody(event) || isUnread(event, log);
  const pending = real.filter(event => event.status === null && event.failure === undefined).filter(mayHave);
  // Without a status to ask for, one that failed counts, too: it may have reached the server.
  const [found] = (status === undefined ? real : answered).filter(mayHave);
  if (never && found) return whySent(assertion, found, log);
  if (never) return pending.length ? `${requestInWords(assertion)} was sent, but is not answered yet` : null;
  const { min, max } = boundsOf(assertion.count);
  // What is not answered yet, or can't be read, may be one too many.
  const most =
    max === Number.POSITIVE_INFINITY ? held.length : answered.filter(mayHave).length + pending.length;
  if (held.length >= min && most <= max) return null;
  const isCounted = assertion.count !== undefined && (held.length > 0 || min === 0);
  if (isCounted) return miscounted(assertion, most, most - held.length);
  return whyNone(assertion, { sent, left, answered }, log);
}

/** Whether it may have had more of a body than the log has. */
function isUnread(event: NetworkEvent, { bodyOf }: Log): boolean {
  return !['GET', 'HEAD'].includes(event.method) && !bodyOf?.(event)?.whole;
}

function whySent(assertion: NetworkAssertion, found: NetworkEvent, log: Log): string {
  const { method, url, status, failure } = found;
  const outcome = status === null ? (failure ?? 'not answered') : `answered with ${status}`;
  const isKnown = assertion.body === undefined || !isUnread(found, log);
  const body = isKnown ? bodyInWords(assertion) : ' with a body that was only partly recorded';
  return `${method} ${shorten(url, 300)} was sent${body} (${outcome})`;
}

function miscounted(assertion: NetworkAssertion, times: number, pending: number): string {
  const request =
    requestInWords(assertion) + (assertion.status === undefined ? '' : ` with ${assertion.status}`);
  const wanted = timesInWords(assertion.count!);
  const open = pending ? ` (${pending} not answered yet)` : '';
  return `${request} was sent${bodyInWords(assertion)} ${timesInWords(times)}, not ${wanted}${open}`;
}

/** Why none matches. */
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
  const ours = sent[0]!.answeredBy === 'browser' ? 'the browser' : "the agent's program";
  const by = sent.some(event => event.keptByWorker) ? 'a service worker' : ours;
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
