// Looks for the requests that a `network` assertion asks for, or must not find.
import type { NetworkEvent } from '../data/record';
import type { NetworkAssertion } from '../spec';
import { hostOf } from '../spec/url';
import { urlGlob } from '../spec/url-glob';
import { shorten } from '../text/line';
import { bodiesInWords, shownBody, WantedBody } from './body';
import { boundsOf, canBreakLater, type GradedState, timesInWords } from './holds';

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

type Log = Pick<GradedState, 'network' | 'isFull' | 'bodyOf' | 'secrets'>;

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

/** @param sent the requests with the URL and the method */
function lookInto(sent: NetworkEvent[], assertion: NetworkAssertion, log: Log): string | null {
  const { status, never } = assertion;
  const body = wantedIn(assertion, log);
  // Those that left the browser.
  const left = sent.filter(event => !event.keptByWorker && !event.answeredBy);
  // `data:` and `blob:` have a status, too.
  const real = left.filter(event => /^https?:/.test(event.url));
  // Those that a server answered as asked for, whatever their bodies.
  const answered = real.filter(event => statusMatches(status, event.status));
  const hasBody = (event: NetworkEvent) => body === undefined || body.isIn(log.bodyOf?.(event));
  const held = answered.filter(hasBody);
  // What the log lacks of a body may be what is looked for.
  const mayHave = (event: NetworkEvent) => hasBody(event) || whyUnsure(event, log, body) !== undefined;
  // Also if it failed, or a service worker kept it: the server may have answered when the page was gone.
  const isOpen = ({ status, answeredBy, url }: NetworkEvent) =>
    status === null && !answeredBy && /^https?:/.test(url);
  const open = sent.filter(isOpen).filter(mayHave);
  const [found] = (status === undefined ? real : answered).filter(mayHave);
  if (never && found) return whySent(assertion, found, log);
  if (never) return open[0] ? `${requestInWords(assertion)} was sent, but ${whyOpen(open[0])}` : null;
  const { min, max } = boundsOf(assertion.count);
  // A request without a known answer or body may be one too many.
  const most = max === Number.POSITIVE_INFINITY ? held.length : answered.filter(mayHave).length + open.length;
  if (held.length >= min && most <= max) return null;
  const isCounted = assertion.count !== undefined && (held.length > 0 || min === 0);
  if (isCounted) return miscounted(assertion, most, most - held.length);
  if (!answered.length || body === undefined) return whyNone(assertion, sent, left);
  const bodies = answered.map(each => log.bodyOf?.(each));
  const isChanged = bodies.slice(0, 3).some(each => body.isChangedIn(each));
  const changed = isChanged ? ': it is there in other letters, spaces or another encoding' : '';
  return `${requestInWords(assertion)} was sent with ${bodiesInWords(bodies, log.secrets)}, not with ${shownBody(assertion.body)}${changed}`;
}

const wantedIn = ({ body }: NetworkAssertion, { secrets }: Log) =>
  body === undefined ? undefined : new WantedBody(body, secrets);

/** Why the log can't tell whether it had the body: undefined if it can. */
function whyUnsure(event: NetworkEvent, { bodyOf }: Log, wanted: WantedBody | undefined) {
  return ['GET', 'HEAD'].includes(event.method) ? undefined : wanted?.whyUnsure(bodyOf?.(event));
}

function whySent(assertion: NetworkAssertion, found: NetworkEvent, log: Log): string {
  const { method, url, status, failure } = found;
  const outcome = status === null ? (failure ?? 'not answered') : `answered with ${status}`;
  const unsure = whyUnsure(found, log, wantedIn(assertion, log));
  const body = unsure ? ` with a body that ${unsure}` : bodyInWords(assertion);
  return `${method} ${shorten(url, 300)} was sent${body} (${outcome})`;
}

const whyOpen = ({ failure }: NetworkEvent) =>
  failure ? `its answer is unknown (${failure})` : 'is not answered yet';

function miscounted(assertion: NetworkAssertion, times: number, open: number): string {
  const request =
    requestInWords(assertion) + (assertion.status === undefined ? '' : ` with ${assertion.status}`);
  const wanted = timesInWords(assertion.count!);
  const unsure = open ? ` (of ${open} the answer is unknown)` : '';
  return `${request} was sent${bodyInWords(assertion)} ${timesInWords(times)}, not ${wanted}${unsure}`;
}

function whyNone(assertion: NetworkAssertion, sent: NetworkEvent[], left: NetworkEvent[]): string {
  const { status } = assertion;
  const request = requestInWords(assertion);
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
