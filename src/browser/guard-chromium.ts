// The guard for Chromium, over the DevTools protocol. One session on the browser itself sees the requests of all
// targets; a session on a page would miss the first request of a popup. Requests are only held until it is decided whether
// they may go on: unlike Playwright's routing, this keeps the HTTP cache and CORS preflights as they are.
import type { BrowserContext, CDPSession } from '@playwright/test';
import type { GuardSink } from './guard';
import { Targets } from './targets';

/** The fields that are used of the protocol's `Fetch.requestPaused`. */
interface Paused {
  requestId: string;
  request: { url: string; method: string; headers: Record<string, string> };
  /** Of a page's main frame, and of a shared worker, this is the id of its target. */
  frameId: string;
  resourceType: string;
  /** Missing if the page does not know the request: its document is gone, or it had none. */
  networkId?: string;
  redirectedRequestId?: string;
  responseStatusCode?: number;
  responseErrorReason?: string;
}

/** Types of requests that the context's events may miss. */
const LOGGED = ['Ping', 'XHR'] as const;

/** @returns a function that removes the guard, and the known targets; undefined if the browser lacks the protocol */
export async function guardByProtocol(context: BrowserContext, sink: GuardSink) {
  const browser = context.browser();
  if (browser?.browserType().name() !== 'chromium') return undefined;
  const session = await browser.newBrowserCDPSession().catch(() => undefined);
  if (!session) return undefined;
  // Interception and discovery end with the session, and requests that are held go on.
  const release = () => session.detach().catch(() => {});
  try {
    const targets = await Targets.of(context, session);
    const guard = new ProtocolGuard(session, targets, sink);
    session.on('Fetch.requestPaused', paused => void guard.paused(paused));
    const types = ['Document', 'Other', ...(sink.network ? LOGGED : [])] as const;
    await session.send('Fetch.enable', {
      patterns: types.map(resourceType => ({ urlPattern: '*', resourceType })),
    });
    return { release, targets };
  } catch {
    // A remote browser may speak the protocol but refuse any of this.
    await release();
    return undefined;
  }
}

class ProtocolGuard {
  /** By request id: called with its response. */
  readonly #awaited = new Map<string, (outcome: { status?: number; failure?: string }) => void>();

  constructor(
    private readonly session: CDPSession,
    private readonly targets: Targets,
    private readonly sink: GuardSink,
  ) {}

  /** Answers a held request. Never rejects, since the request or the browser may be gone by then. */
  async paused(paused: Paused): Promise<void> {
    try {
      if (paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined)
        await this.#responded(paused);
      else if (paused.resourceType === 'Document') await this.#decide(paused);
      else if (paused.resourceType === 'Other') await this.#decideWorker(paused);
      else await this.#log(paused);
    } catch {}
  }

  async #decide(paused: Paused): Promise<void> {
    const { requestId } = paused;
    const page = await this.targets.ownPage(paused.frameId);
    if (!page || this.sink.allowed(paused.request.url)) {
      await this.session.send('Fetch.continueRequest', { requestId });
      return;
    }
    // An empty answer keeps the current document. Most failures would replace it by an error page.
    const answered = this.session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
    // Without a URL, the tab was opened for this request. Playwright reports it only once it has a document.
    const isFresh = page.url === '';
    const how = isFresh ? 'popup' : paused.redirectedRequestId ? 'redirect' : 'navigation';
    this.sink.refused(paused.request.url, how);
    await answered;
    if (isFresh) await this.session.send('Target.closeTarget', { targetId: page.targetId });
  }

  /** A service worker of another host could send requests even when no page of that host is open. */
  async #decideWorker({ requestId, frameId, request }: Paused): Promise<void> {
    const isWorkers = Object.keys(request.headers).some(name => name.toLowerCase() === 'service-worker');
    if (!isWorkers || this.sink.allowed(request.url) || !(await this.targets.isOwnWorker(frameId))) {
      await this.session.send('Fetch.continueRequest', { requestId });
      return;
    }
    this.sink.refused(request.url, 'service_worker');
    await this.session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
  }

  async #log(paused: Paused): Promise<void> {
    const { requestId, request } = paused;
    // Preflights are the browser's own. The context's events leave them out, too.
    const isPreflight = 'Access-Control-Request-Method' in request.headers;
    const isLogged = !isPreflight && this.targets.isOwn(paused.frameId);
    const resourceType = paused.resourceType === 'Ping' ? 'ping' : 'fetch';
    const seen = { url: request.url, method: request.method, resourceType };
    const tell = isLogged ? this.sink.network?.add(seen) : undefined;
    // The context's own events have the status of the others.
    const interceptResponse = tell !== undefined && paused.networkId === undefined;
    if (tell && interceptResponse) this.#awaited.set(requestId, tell);
    await this.session.send('Fetch.continueRequest', { requestId, interceptResponse });
  }

  async #responded({ requestId, responseStatusCode, responseErrorReason }: Paused): Promise<void> {
    this.#awaited.get(requestId)?.({ status: responseStatusCode, failure: responseErrorReason });
    this.#awaited.delete(requestId);
    await this.session.send('Fetch.continueRequest', { requestId });
  }
}
