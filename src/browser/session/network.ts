// The requests of a context's pages, popups and workers, in order.
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { BrowserContext, Download, Request, Response } from '@playwright/test';
import type { NetworkEvent } from '../../data/record';
import { cutText, parsedJson } from '../../text/line';
import { listen } from '../waiting';

export type SeenRequest = Pick<NetworkEvent, 'url' | 'method' | 'resourceType'>;

export type NetworkLog = ReturnType<typeof recordNetwork>;

export interface SentBody {
  text: string;
  type: string;
  /** Whether the text is all of it. */
  whole: boolean;
}

/**
 * The response header with which the guard (`guard`) and the endpoint for programs (`program`) mark answers that no server gave. Its
 * name differs in each process, so that no server sends it.
 */
export const ANSWERED_BY = `taskproof-answered-by-${randomBytes(8).toString('hex')}`;

/** Chromium's mark of its own answers: it redirects http itself for a host that requires https (HSTS). */
export const OF_BROWSER = 'non-authoritative-reason';

export const MAX_EVENTS = 20_000;
const MAX_URL_LENGTH = 8_192;
const MAX_BODY = 200_000;
const MAX_BODIES = 20_000_000;
const MAX_HEAD = 60;

/** @param options `onFull` is called once, when the log ends: what a page in a loop still sends must cost nothing. */
export function recordNetwork(context: BrowserContext, { maxEvents = MAX_EVENTS, onFull = () => {} } = {}) {
  const startedAt = performance.now();
  const events: NetworkEvent[] = [];
  let isFull = false;
  const byRequest = new WeakMap<Request, NetworkEvent>();
  /** Those of one observer, until the other one reports them. */
  const unpaired = { added: new Map<string, NetworkEvent[]>(), reported: new Map<string, NetworkEvent[]>() };
  const bodies = new WeakMap<NetworkEvent, SentBody>();
  let bodiesLeft = MAX_BODIES;
  let isWanted = (_: SeenRequest): boolean => false;
  let mask = (text: string): string => text;

  const keepBody = (begun: Request, event: NetworkEvent): void => {
    if (bodiesLeft <= 0 || !isWanted(event)) return;
    // A redirect that keeps the body does not say its type again.
    const typeOf = (each: Request | null): string =>
      each ? (each.headers()['content-type'] ?? typeOf(each.redirectedFrom())) : '';
    const type = typeOf(begun);
    // Null if there is none, or the browser does not tell it, as with files and blobs.
    const bytes = begun.postDataBuffer();
    const sent = bytes?.toString();
    const text = maskedBody((sent ?? '').slice(0, MAX_BODY), mask);
    bodiesLeft -= text.length;
    const isRead = sent !== undefined && isUtf8(bytes!) && !(isForm.test(type) && hasOtherBytes(sent));
    const body = { text, type, whole: isRead && sent.length <= MAX_BODY };
    bodies.set(event, body);
    const sentLength = (headers: Record<string, string>) => {
      const { 'content-length': length = event.method === 'DELETE' ? '0' : '' } = headers;
      body.whole ||= length === '0';
    };
    if (sent === undefined) begun.allHeaders().then(sentLength, () => undefined);
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
    // The guard adds documents that the context does not report: no pair.
    if (!known && seen.resourceType !== 'document') leave(unpaired.reported, seen, event);
    // Assumed until the answer tells: some requests never get one.
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

  // Chromium's context reports no request of a link with `download`: the guard does. Of one with `content-disposition` it says that it failed.
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
    /** Live: grows, and gets statuses, as the browser reports them. */
    events: events as readonly NetworkEvent[],
    /** Whether it has ended: further requests are not in it. */
    get isFull() {
      return isFull;
    },
    /** Adds a request that another observer saw: one event with that of the context, which may come before or after. */
    add(seen: SeenRequest) {
      // The guard adds those documents alone that the context does not report.
      const isDocument = seen.resourceType === 'document';
      const reported = isDocument ? undefined : unpaired.reported.get(keyOf(seen))?.shift();
      const event = reported ?? append(seen);
      if (isDocument) unreported.add(event);
      else if (!reported) leave(unpaired.added, seen, event);
      return ({ status, failure }: { status?: number; failure?: string }) => {
        // The guard sees what leaves the browser.
        if (event.status === null && status !== undefined) delete event.keptByWorker;
        event.status ??= status ?? null;
        if (failure !== undefined) event.failure ??= failure;
      };
    },
    /** Keeps the bodies of these requests from now on. Otherwise none is kept, since they hold what people type. */
    keepBodies(wanted: (seen: SeenRequest) => boolean, masked: (text: string) => string): void {
      isWanted = wanted;
      mask = masked;
    },
    bodyOf: (event: NetworkEvent): SentBody | undefined => bodies.get(event),
    stop,
  };
}

const isForm = /^application\/x-www-form-urlencoded/i;
/** Of a page that is not UTF-8. */
const hasOtherBytes = (form: string) => [...new URLSearchParams(form)].flat().join().includes('\ufffd');

/** JSON stays JSON: a number can hold a secret, and the mask's words are none. */
function maskedBody(body: string, mask: (text: string) => string): string {
  const text = mask(body);
  if (text === body) return text;
  const json = parsedJson(body);
  if (json === undefined || parsedJson(text) !== undefined) return text;
  const masked = (_: string, value: unknown) => {
    const said = typeof value === 'number' && mask(String(value));
    return said && said !== String(value) ? said : value;
  };
  return mask(JSON.stringify(json, masked));
}

function leave(unpaired: Map<string, NetworkEvent[]>, seen: SeenRequest, event: NetworkEvent): void {
  const others = unpaired.get(keyOf(seen));
  if (others) others.push(event);
  else unpaired.set(keyOf(seen), [event]);
}

/** Without the fragment, which Chromium's protocol leaves out of a URL, and Playwright does not. */
function keyOf({ method, url }: SeenRequest): string {
  return `${method.toUpperCase()} ${shortened(url).replace(/#.*/s, '')}`;
}

function shortened(url: string): string {
  const most = url.startsWith('data:')
    ? Math.min(url.indexOf(',') + 1 || MAX_HEAD, MAX_HEAD)
    : MAX_URL_LENGTH;
  return cutText(url, most);
}
