// Looks for the requests that a `network` assertion asks for, or must not find.
import { isDeepStrictEqual } from 'node:util';
import type { SentBody } from '../browser/session/network';
import type { NetworkEvent } from '../data/record';
import type { NetworkAssertion } from '../spec';
import { hostOf } from '../spec/url';
import { urlGlob } from '../spec/url-glob';
import { flat, parsedJson, shorten, textOfWindows } from '../text/line';
import { inTexts, type Mask } from '../text/mask';
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
  const body = wantedBody(assertion, log);
  // Those that left the browser.
  const left = sent.filter(event => !event.keptByWorker && !event.answeredBy);
  // `data:` and `blob:` have a status, too.
  const real = left.filter(event => /^https?:/.test(event.url));
  // Those that a server answered as asked for, whatever their bodies.
  const answered = real.filter(event => statusMatches(status, event.status));
  const hasBody = (event: NetworkEvent) => body === undefined || holdsBody(sentBody(event, log), body);
  const held = answered.filter(hasBody);
  // What the log lacks of a body may be what is looked for.
  const mayHave = (event: NetworkEvent) => hasBody(event) || whyUnread(event, log, body) !== undefined;
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
  const bodies = bodiesInWords(
    answered.map(each => log.bodyOf?.(each)),
    log,
  );
  return `${requestInWords(assertion)} was sent with ${bodies}, not with ${shownBody(assertion.body)}`;
}

/** With the values of secrets: what was sent is compared as it is, and masked where it is shown. */
function wantedBody({ body }: NetworkAssertion, { secrets }: Log): NetworkAssertion['body'] {
  const values = new Map(Object.entries(secrets?.values ?? {}));
  // Without a value, as before a code is computed, nothing is it.
  const filled = (mark: string, name: string) => values.get(name.trim()) || mark;
  return inTexts(body, text => text.replace(/<secret>([^<>]*)<\/secret>/g, filled));
}

/** A secret of digits counts as a text, also if it was sent as a number. */
function sentBody(event: NetworkEvent, { bodyOf, secrets }: Log): SentBody | undefined {
  const sent = bodyOf?.(event);
  const codes = Object.values(secrets?.values ?? {}).filter(value => /^\d+$/.test(value));
  const isCode = (value: unknown) => typeof value === 'number' && codes.includes(String(value));
  const json = sent && codes.length ? parsedJson(sent.text.trim()) : undefined;
  const text = JSON.stringify(json, (_, value) => (isCode(value) ? String(value) : value));
  return json === undefined || text === JSON.stringify(json) ? sent : { ...sent!, text };
}

/** Why the log can't tell whether it had the body: undefined if it can. */
function whyUnread(event: NetworkEvent, log: Log, wanted: NetworkAssertion['body']) {
  if (wanted === undefined || ['GET', 'HEAD'].includes(event.method)) return undefined;
  const sent = sentBody(event, log);
  if (!sent?.whole) return 'was not read in full';
  if (typeof wanted !== 'object' || formOf(sent) || holdsBody(sent, wanted)) return undefined;
  const items = itemsIn(sent.text);
  if (items.some(item => isPartOf(wanted, item))) return 'has it among other items';
  return items.includes(undefined) ? 'is neither JSON nor a form' : undefined;
}

/** The values in JSON, in lists of lists, or in lines of JSON: several calls may share a request. Undefined where that is not JSON. */
function itemsIn(text: string): unknown[] {
  const lines = () => text.split('\n').filter(line => line.trim());
  const queue = [parsedJson(text.trim()) ?? lines().map(parsedJson)];
  const items: unknown[] = [];
  // A page may nest lists deeply.
  for (const value of queue)
    if (Array.isArray(value)) for (const item of value) queue.push(item);
    else items.push(value);
  return items;
}

function whySent(assertion: NetworkAssertion, found: NetworkEvent, log: Log): string {
  const { method, url, status, failure } = found;
  const outcome = status === null ? (failure ?? 'not answered') : `answered with ${status}`;
  const unread = whyUnread(found, log, wantedBody(assertion, log));
  const body = unread ? ` with a body that ${unread}` : bodyInWords(assertion);
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

const shownBody = (body: unknown, mask: Mask = text => text) => shorten(mask(JSON.stringify(body)), 200);

/** The bodies that were sent: the first three. */
function bodiesInWords(bodies: readonly (SentBody | undefined)[], { secrets }: Log): string {
  const { mask = (text: string) => text } = secrets ?? {};
  const shown = bodies.map(body => {
    if (!body?.text) return 'no body that can be read';
    const fields = jsonOf(body.text) ?? formOf(body);
    if (fields === undefined) return `"${shorten(mask(body.text), 200)}"`;
    return shownBody(fields instanceof Map ? Object.fromEntries(fields) : fields, mask);
  });
  return [...new Set(shown)].slice(0, 3).join(', ');
}

/** A body must contain a wanted text; a wanted mapping or list must be part of its JSON, or of its form's fields. */
function holdsBody(sent: SentBody | undefined, wanted: NonNullable<NetworkAssertion['body']>): boolean {
  if (!sent) return false;
  if (typeof wanted === 'string') {
    const fields = formOf(sent);
    const texts = [...(fields?.values() ?? [])].flat().concat(textsInJson(sent.text));
    return [sent.text, ...texts].some(text => flat(text).includes(flat(wanted)));
  }
  const json = jsonOf(sent.text);
  if (json !== undefined) return isPartOf(wanted, json);
  const fields = formOf(sent);
  return fields !== undefined && !Array.isArray(wanted) && isPartOfForm(wanted, fields);
}

/** As `toMatchObject`: objects may hold more, lists have the same length. */
function isPartOf(wanted: unknown, sent: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === sent;
  if (typeof sent !== 'object' || sent === null || Array.isArray(wanted) !== Array.isArray(sent))
    return false;
  if (Array.isArray(wanted) && wanted.length !== (sent as unknown[]).length) return false;
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(sent, key) && isPartOf(value, (sent as Record<string, unknown>)[key]),
  );
}

/** All values of each field. */
type Fields = Map<string, string[]>;

/** A form only has texts. A list asks for all values of a field, in order. */
function isPartOfForm(wanted: Record<string, unknown>, fields: Fields): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const sent = fields.get(name) ?? [];
    if (Array.isArray(value)) return isDeepStrictEqual(value.map(asInForm), sent);
    return typeof value !== 'object' && sent.includes(asInForm(value));
  });
}

/** Browsers send the line breaks of a form as CR and LF, scripts as they like. */
const asInForm = (value: unknown) => String(value).replace(/\r\n/g, '\n');

/** `\s` and `trim()` skip a byte order mark, too. */
const jsonOf = (text: string) => (/^\s*[[{]/.test(text) ? parsedJson(text.trim()) : undefined);

/** The texts in JSON as they were before quotes and line breaks were escaped. */
function textsInJson(text: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(text.trim(), (_, value) => void (typeof value === 'string' && texts.push(value)));
  } catch {
    // Not JSON, or nested too deeply.
  }
  return texts;
}

/** The fields of a form in a browser's encoding; a file counts by its name. Undefined if it is not a form. */
function formOf({ text, type }: SentBody): Fields | undefined {
  if (/^application\/x-www-form-urlencoded/i.test(type)) return byName(decodedFields(text));
  // `enctype="text/plain"`; a script may send such text, too.
  const lines = /^text\/plain/i.test(type) ? [...text.matchAll(/^([^=\r\n]+)=(.*)$/gm)] : [];
  if (lines.length) return byName(lines.map(([, name, value]) => [name!, value!.replace(/\r$/, '')]));
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(type)?.[1];
  if (boundary === undefined) return undefined;
  const parts = text.split(`--${boundary}`).flatMap(part => {
    // Not with one regular expression, which a page could make slow.
    const at = part.indexOf('\r\n\r\n');
    const head = part.slice(0, at);
    const name = at < 0 ? undefined : /;\s*name="([^"]*)"/i.exec(head)?.[1];
    if (!name) return [];
    const file = /;\s*filename="([^"]*)"/i.exec(head)?.[1];
    return [[unescaped(name), file === undefined ? part.slice(at + 4, -2) : unescaped(file)] as const];
  });
  return byName(parts);
}

function decodedFields(text: string): [string, string][] {
  const fields = [...new URLSearchParams(text)];
  if (!fields.flat().some(each => each.includes('\ufffd'))) return fields;
  // A page that is not UTF-8 most often has Windows' single-byte encoding.
  const asUtf8 = (byte: string) => encodeURIComponent(textOfWindows(Buffer.from(byte.slice(1), 'hex')));
  return [...new URLSearchParams(text.replace(/%[89a-f][\da-f]/gi, asUtf8))];
}

/** Browsers escape only these. */
const unescaped = (name: string) => name.replace(/%(22|0D|0A)/g, unit => decodeURIComponent(unit));

function byName(entries: readonly (readonly [string, string])[]): Fields {
  const fields: Fields = new Map();
  for (const [name, value] of entries) fields.set(name, [...(fields.get(name) ?? []), asInForm(value)]);
  return fields;
}
