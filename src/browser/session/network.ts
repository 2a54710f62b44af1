// The requests of a context's pages, popups and workers, in order.
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { BrowserContext, Download, Request, Response } from '@playwright/test';
import type { NetworkEvent } from '../../data/record';
import { cutText } from '../../text/line';
import { listen } from '../waiting';

export type SeenRequest = Pick<NetworkEvent, 'url' | 'method' | 'resourceType'>;

export type NetworkLog = ReturnType<typeof recordNetwork>;

/** With secrets: it is kept in memory alone. */
export interface SentBody {
  text: string;
  type: string;
  whole: boolean;
}

/**
 * The guard (`guard`) and the endpoint for programs (`program`) mark answers that no server gave with this response header. Its
 * name differs in each process, so that no server can send it.
 */
export const ANSWERED_BY = `taskproof-answered-by-${randomBytes(8).toString('hex')}`;

/** Chromium's mark of its own answers: it redirects http itself for a host that requires https (HSTS). */
export const OF_BROWSER = 'non-authoritative-reason';

/**
 * Whether Playwright itself answered, since it could not connect with `use.clientCertificates`. Checked on Playwright 1.65.1
 * (SocksProxyConnection): these are all its headers. HTTP/2 has no status text.
 */
export function isPlaywrights(answer: Response): boolean {
  const { 'content-type': type = '', 'content-length': _, ...others } = answer.headers();
  const isBare = type.startsWith('text/html') && Object.keys(others).length === 0;
  const isOwn = answer.status() === 503 && /^(?:Internal Server Error)?$/.test(answer.statusText());
  return isOwn && isBare && !answer.fromServiceWorker();
}

const NOT_CONNECTED = 'Playwright could not connect with `clientCertificates`';

export const MAX_EVENTS = 20_000;
const MAX_URL_LENGTH = 8_192;
const MAX_BODY = 200_000;
const MAX_BODIES = 20_000_000;
const MAX_HEAD = 60;

/** @param options `onFull` is called once, when the log is full: further requests of a page in a loop must cost nothing. */
export function recordNetwork(context: BrowserContext, { maxEvents = MAX_EVENTS, onFull = () => {} } = {}) {
  const startedAt = performance.now();
  const events: NetworkEvent[] = [];
  let isFull = false;
  const byRequest = new WeakMap<Request, NetworkEvent>();
  /** Events that only the guard (`added`) or only the context (`reported`) has seen so far. */
  const unpaired = { added: new Map<string, NetworkEvent[]>(), reported: new Map<string, NetworkEvent[]>() };
  const bodies = new WeakMap<NetworkEvent, SentBody>();
  let bodiesLeft = MAX_BODIES;
  let isWanted = (_: SeenRequest): boolean => false;

  const keepBody = (begun: Request, event: NetworkEvent): void => {
    if (bodiesLeft <= 0 || !isWanted(event)) return;
    // A redirect keeps the body, but does not repeat its type.
    const typeOf = (each: Request | null): string =>
      each ? (each.headers()['content-type'] ?? typeOf(each.redirectedFrom())) : '';
    const type = typeOf(begun);
    // Null if there is none, or the browser does not tell it, as with files and blobs.
    const bytes = begun.postDataBuffer();
    const sent = bytes?.toString();
    const text = (sent ?? '').slice(0, MAX_BODY);
    bodiesLeft -= text.length;
    const isRead = sent !== undefined && isUtf8(bytes!) && !(isForm.test(type) && hasOtherBytes(sent));
    const body = { text, type, whole: isRead && sent.length <= MAX_BODY };
    bodies.set(event, body);
    // Without bytes, the text is whole only if the request has no body. A DELETE without one may leave out its length.
    const noteLength = ({ 'content-length': length }: Record<string, string>) => {
      body.whole = length === '0' || (length === undefined && event.method === 'DELETE');
    };
    if (sent === undefined) begun.allHeaders().then(noteLength, () => undefined);
  };

  const now = () => Math.round(performance.now() - startedAt);
  const append = (seen: SeenRequest): NetworkEvent => {
    const event: NetworkEvent = {
      url: shortened(seen.url),
      method: seen.method.toUpperCase(),
      status: null,
      resourceType: seen.resourceType,
      startedAtMs: now(),
    };
    if (events.length < maxEvents) events.push(event);
    else if (!isFull) {
      isFull = true;
      stop();
      onFull();
    }
    return event;
  };

  const request = (begun: Request): void => {
    const seen = { url: begun.url(), method: begun.method(), resourceType: begun.resourceType() };
    const known = unpaired.added.get(keyOf(seen))?.shift();
    const event = known ?? append(seen);
    event.resourceType = seen.resourceType;
    // A document has no pair: the guard adds only those that the context does not report.
    if (!known && seen.resourceType !== 'document') leave(unpaired.reported, seen, event);
    // Assumed until there is an answer: some requests never get one.
    if (context.serviceWorkers().length > 0 && !begun.serviceWorker()) event.keptByWorker = true;
    byRequest.set(begun, event);
    keepBody(begun, event);
  };
  const response = (answer: Response): void => {
    const event = byRequest.get(answer.request());
    if (!event) return;
    const { [ANSWERED_BY]: by, [OF_BROWSER]: upgraded } = answer.headers();
    if (by !== undefined) event.answeredBy = by === 'guard' ? by : 'program';
    else if (upgraded !== undefined) event.answeredBy = 'browser';
    else if (isPlaywrights(answer)) Object.assign(event, { status: null, failure: NOT_CONNECTED });
    else {
      event.status = answer.status();
      event.answeredAfterMs ??= now() - event.startedAtMs;
    }
    if (answer.fromServiceWorker()) event.keptByWorker = true;
    else delete event.keptByWorker;
  };
  const requestfailed = (failed: Request): void => {
    const event = byRequest.get(failed);
    if (event) event.failure = failed.failure()?.errorText ?? 'failed';
  };

  // If a link has `download`, only the guard sees the request, not Chromium's context. If an answer has `content-disposition`, the
  // context reports that the request failed.
  const unreported = new WeakSet<NetworkEvent>();
  const taken = new WeakSet<NetworkEvent>();
  const download = async (begun: Download): Promise<void> => {
    const seen = { url: begun.url(), method: 'GET', resourceType: 'document' };
    const isReported = (event: NetworkEvent) =>
      event.url === shortened(seen.url) &&
      !taken.has(event) &&
      (event.failure !== undefined || unreported.has(event));
    const reported = events.findLast(isReported);
    if (reported) return void taken.add(reported);
    if (!/^https?:/.test(seen.url)) return;
    const event = append(seen);
    const failure = await begun.failure().catch(() => undefined);
    // A browser only saves successful answers. Without the guard, nothing tells their status.
    if (failure === null) event.status = 200;
    else event.failure = failure ?? 'failed';
  };

  const stop = listen(context, { request, response, requestfailed, download });
  return {
    /** `performance.now()` when it began. */
    startedAt,
    /** Live: events and their statuses are added as the browser reports them. */
    events: events as readonly NetworkEvent[],
    /** If it is, further requests are not in it. */
    get isFull() {
      return isFull;
    },
    /** Adds a request that the guard saw. The context may report the same one before or after: that makes one event. */
    add(seen: SeenRequest) {
      const isDocument = seen.resourceType === 'document';
      const reported = isDocument ? undefined : unpaired.reported.get(keyOf(seen))?.shift();
      const event = reported ?? append(seen);
      if (isDocument) unreported.add(event);
      else if (!reported) leave(unpaired.added, seen, event);
      return ({ status, failure }: { status?: number; failure?: string }) => {
        // The guard only sees requests that leave the browser.
        if (event.status === null && status !== undefined) delete event.keptByWorker;
        if (event.failure !== NOT_CONNECTED) event.status ??= status ?? null;
        if (failure !== undefined) event.failure ??= failure;
      };
    },
    /** Keeps the bodies of these requests from now on. By default none is kept: they contain what people type. */
    keepBodies(wanted: (seen: SeenRequest) => boolean): void {
      isWanted = wanted;
    },
    bodyOf: (event: NetworkEvent): SentBody | undefined => bodies.get(event),
    stop,
  };
}

const isForm = /^application\/x-www-form-urlencoded/i;
/** Whether the form comes from a page that is not UTF-8. */
const hasOtherBytes = (form: string) => [...new URLSearchParams(form)].flat().join().includes('\ufffd');

function leave(unpaired: Map<string, NetworkEvent[]>, seen: SeenRequest, event: NetworkEvent): void {
  const others = unpaired.get(keyOf(seen));
  if (others) others.push(event);
  else unpaired.set(keyOf(seen), [event]);
}

/** Without the fragment: Playwright's URLs have it, those of Chromium's protocol don't. */
function keyOf({ method, url }: SeenRequest): string {
  return `${method.toUpperCase()} ${shortened(url).replace(/#.*/s, '')}`;
}

function shortened(url: string): string {
  const most = url.startsWith('data:')
    ? Math.min(url.indexOf(',') + 1 || MAX_HEAD, MAX_HEAD)
    : MAX_URL_LENGTH;
  return cutText(url, most);
}
