// Keeps the top-level pages of a context on the allowed hosts.
//
// On Chromium, a navigation to another host is answered with an empty 204 before it leaves the browser: the page stays
// where it was, with its state. In other browsers, the public API can refuse less. In all of them, a page that gets to
// another host anyway is reported, and so is a document that a frame of another host made (see documents.ts).
import type { BrowserContext, CDPSession, Request, Route } from '@playwright/test';
import { hostAllowed } from '../../spec/url';
import { debug } from '../../text/debug';
import { beginning } from '../../text/line';
import { unseen } from '../in-page';
import { ANSWERED_BY, type NetworkLog, OF_BROWSER } from '../session/network';
import { isDocument } from '../session/settling';
import { listen, within } from '../waiting';
import { watchDocuments } from './documents';
import { type Targets, targetsIn } from './targets';

/**
 * `navigation`: a page stayed where it was. `redirect`: the same, for a redirect from an allowed host.
 * `popup`: a new tab was closed before it loaded anything. `service_worker`: one of another host was not installed.
 * `page_escape`: the page itself put a document of that host into a tab, which was closed or brought back.
 * `escaped`: the agent got to that URL, or a request got out: such a trial can't count.
 */
export type RefusalKind = 'navigation' | 'redirect' | 'popup' | 'service_worker' | 'page_escape' | 'escaped';

export interface GuardOptions {
  allowedDomains: readonly string[];
  onRefused?(url: string, how: RefusalKind): void;
  network?: Pick<NetworkLog, 'add'>;
  /** `route`: guard as in browsers other than Chromium. Default: `best`. */
  means?: 'best' | 'route';
  maxRefusals?: number;
}

export type Guard = Awaited<ReturnType<typeof guardContext>>;

export interface GuardSink {
  allowed(url: string): boolean;
  refused(url: string, how: RefusalKind): void;
  network: Pick<NetworkLog, 'add'> | undefined;
}

const MAX_REFUSALS = 1_000;
/** The longest wait for the browser's answer, which may be queued behind a flood of events. Later messages are, too. */
const RELEASE_LIMIT_MS = 1_000;

export async function guardContext(context: BrowserContext, options: GuardOptions) {
  const { allowedDomains, onRefused, network, means = 'best', maxRefusals = MAX_REFUSALS } = options;
  const refusals: { url: string; how: RefusalKind }[] = [];
  const sink: GuardSink = {
    allowed: url => hostAllowed(url, allowedDomains),
    refused(given, how) {
      const url = beginning(given);
      debug('guard', () => `${how}: ${url}`);
      // An escape may be noticed twice: by its request, and by the page that it leads to.
      if (how === 'escaped' && refusals.some(known => known.how === how && known.url === url)) return;
      const isFirstEscape = how === 'escaped' && refusals.every(known => known.how !== how);
      if (refusals.length < maxRefusals || isFirstEscape) refusals.push({ url, how });
      onRefused?.(url, how);
    },
    network,
  };
  const byProtocol = means === 'best' ? await guardByProtocol(context, sink) : undefined;
  const release = byProtocol?.release ?? (await guardByRoute(context, sink));
  const documents = watchDocuments(context, sink, byProtocol?.targets);
  return {
    /** `protocol`: nothing gets out. `route`: redirects get out and are reported as escapes. */
    means: byProtocol ? ('protocol' as const) : ('route' as const),
    targets: byProtocol?.targets,
    documents,
    /** Adds no further requests to the network log. */
    endLog: () => void byProtocol?.endLog(),
    refusals: refusals as Readonly<typeof refusals>,
    /** Removes everything from the context and the browser. Never rejects; a second call does nothing. */
    dispose() {
      documents.stop();
      return within(release(), RELEASE_LIMIT_MS);
    },
  };
}

declare const anySession: CDPSession;
/**
 * A request that is held. If it comes from a page's main frame or from a shared worker, `frameId` is the id of the target.
 * `networkId` is missing if the page does not know the request: its document is gone, or it had none, or it is a download.
 */
type Paused = Parameters<Parameters<typeof anySession.on<'Fetch.requestPaused'>>[1]>[0];

const DECIDED = ['Document', 'Other'] as const;
const LOGGED = ['Ping', 'XHR'] as const;
const TYPES: Partial<Record<Paused['resourceType'], string>> = { Document: 'document', Ping: 'ping' };

/**
 * The guard for Chromium, over the DevTools protocol. One session on the browser itself sees the requests of all targets; a
 * session on a page would miss the first request of a popup. Requests are held only until they are decided on: unlike
 * Playwright's routing, this leaves the HTTP cache and CORS preflights as they are.
 *
 * @returns a function that removes the guard, and the known targets; undefined if the browser lacks the protocol
 */
async function guardByProtocol(context: BrowserContext, sink: GuardSink) {
  const browser = context.browser();
  if (browser?.browserType().name() !== 'chromium') return undefined;
  const session = await browser.newBrowserCDPSession().catch(() => undefined);
  if (!session) return undefined;
  // Interception and discovery end with the session, and requests that are held go on.
  const release = () => session.detach().catch(() => {});
  try {
    const targets = await targetsIn(context, session);
    const answer = answering(session, targets, sink);
    // Otherwise each answer would be a hidden step, which costs more with every request of the test.
    session.on('Fetch.requestPaused', paused => void unseen(session, () => answer(paused)));
    const hold = (types: readonly ('Document' | 'Other' | 'Ping' | 'XHR')[]) =>
      session.send('Fetch.enable', { patterns: types.map(resourceType => ({ resourceType })) });
    await hold(sink.network ? [...DECIDED, ...LOGGED] : DECIDED);
    return { release, targets, endLog: () => hold(DECIDED).catch(() => {}) };
  } catch {
    // A remote browser may speak the protocol but refuse any of this.
    await release();
    return undefined;
  }
}

/** Answers held requests. Never rejects, since the request or the browser may be gone by then. */
function answering(session: CDPSession, targets: Targets, sink: GuardSink) {
  const awaited = new Map<string, (outcome: { status?: number; failure?: string }) => void>();

  const refusesPage = async ({ requestId, frameId, redirectedRequestId, request: { url } }: Paused) => {
    const page = await targets.ownPage(frameId);
    if (!page || sink.allowed(url)) return false;
    // An empty answer keeps the current document. Most failures would replace it with an error page.
    const answered = session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 204,
      responseHeaders: [{ name: ANSWERED_BY, value: 'guard' }],
    });
    // A tab without a URL was opened for this request. Playwright reports it only once it has a document.
    const isFresh = page.url === '';
    sink.refused(url, isFresh ? 'popup' : redirectedRequestId ? 'redirect' : 'navigation');
    await answered;
    if (isFresh) await session.send('Target.closeTarget', { targetId: page.targetId });
    return true;
  };

  /** A service worker of another host could send requests even when no page of that host is open. */
  const refusesWorker = async ({ requestId, frameId, request }: Paused) => {
    const isWorkers = Object.keys(request.headers).some(name => name.toLowerCase() === 'service-worker');
    if (!isWorkers || sink.allowed(request.url) || !(await targets.isOwnWorker(frameId))) return false;
    sink.refused(request.url, 'service_worker');
    await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    return true;
  };

  const refuses: Partial<Record<Paused['resourceType'], (paused: Paused) => Promise<boolean>>> = {
    Document: refusesPage,
    Other: refusesWorker,
  };

  /**
   * @returns whether the response is needed, too. The context reports most responses, but not those of requests that outlive
   * their page, such as beacons. Their method is neither GET nor HEAD.
   */
  const log = ({ requestId, networkId, frameId, request, resourceType }: Paused): boolean => {
    // Preflights are the browser's own requests. The context does not report them either.
    const isPreflight = 'Access-Control-Request-Method' in request.headers;
    if (isPreflight || !targets.isOwn(frameId)) return false;
    const type = TYPES[resourceType] ?? 'fetch';
    const tell = sink.network?.add({ url: request.url, method: request.method, resourceType: type });
    if (!tell || (networkId !== undefined && ['GET', 'HEAD'].includes(request.method))) return false;
    awaited.set(requestId, tell);
    return true;
  };

  return async (paused: Paused): Promise<void> => {
    const { requestId, resourceType, responseStatusCode, responseErrorReason: failure } = paused;
    let interceptResponse: boolean | undefined;
    try {
      if (responseStatusCode !== undefined || failure !== undefined) {
        const marks = [ANSWERED_BY, OF_BROWSER];
        const isServers = !paused.responseHeaders?.some(({ name }) => marks.includes(name.toLowerCase()));
        const status = isServers ? responseStatusCode : undefined;
        awaited.get(requestId)?.({ status, failure });
        awaited.delete(requestId);
      } else {
        if (await refuses[resourceType]?.(paused)) return;
        // The context does not report documents of links with `download`, and of some background tabs (Chromium 156).
        const isLogged =
          resourceType === 'Document' ? paused.networkId === undefined : resourceType !== 'Other';
        if (isLogged) interceptResponse = log(paused);
      }
      await session.send('Fetch.continueRequest', { requestId, interceptResponse });
    } catch {}
  };
}

/**
 * The guard for other browsers than Chromium, by Playwright's public routing. It refuses the first request of a navigation.
 * What it can't stop, it reports: Playwright routes neither the next hop of a redirect nor the first request of a tab that
 * the user opens (control click). Routing turns off the HTTP cache and CORS preflights for the context.
 *
 * @returns a function that removes the guard
 */
async function guardByRoute(context: BrowserContext, sink: GuardSink): Promise<() => Promise<void>> {
  const refused = new WeakSet<Request>();
  const leaves = (request: Request) => isDocument(request) && !sink.allowed(request.url());
  const decide = (route: Route, request: Request): Promise<void> => {
    if (!leaves(request)) return route.fallback();
    refused.add(request);
    sink.refused(request.url(), 'navigation');
    return route.fulfill({ status: 204, headers: { [ANSWERED_BY]: 'guard' } });
  };
  // For redirects, and for requests that another route has already let through.
  const check = (request: Request): void => {
    if (leaves(request) && !refused.has(request)) sink.refused(request.url(), 'escaped');
  };
  const unlisten = listen(context, {
    response: response => check(response.request()),
    requestfailed: check,
  });
  await context.route('**/*', decide);
  return async () => {
    unlisten();
    await context.unroute('**/*', decide).catch(() => {});
  };
}
