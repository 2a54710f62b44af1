// The guard by Chromium's DevTools protocol. One session on the browser itself sees the requests of all targets,
// popups' first ones included, which a session on a page misses. Requests are held only for a decision, and
// go on untouched: unlike Playwright's routing this leaves the HTTP cache and CORS preflights alone.
import type { BrowserContext, CDPSession } from '@playwright/test';
import type { GuardSink } from './guard';
import { Targets } from './targets';

/** What is used of the protocol's `Fetch.requestPaused`. */
interface Paused {
  requestId: string;
  request: { url: string; method: string; headers: Record<string, string> };
  /** Of a page's main frame, and of a shared worker, this is the id of its target. */
  frameId: string;
  resourceType: string;
  /** Missing if the page does not learn of the request: its document is gone, or it had none. */
  networkId?: string;
  redirectedRequestId?: string;
  responseStatusCode?: number;
  responseErrorReason?: string;
}

/** The protocol's names for what the context's events call `ping` and `fetch`. */
const LOGGED = new Map([
  ['Ping', 'ping'],
  ['XHR', 'fetch'],
]);

/** @returns a function that removes the guard, and the known targets; undefined without the protocol. */
export async function guardByProtocol(
  context: BrowserContext,
  sink: GuardSink,
): Promise<{ release: () => Promise<void>; targets: Targets } | undefined> {
  const browser = context.browser();
  if (browser?.browserType().name() !== 'chromium') return undefined;
  // A remote browser may speak the protocol and refuse any of this.
  let session: CDPSession | undefined;
  let targets: Targets;
  try {
    session = await browser.newBrowserCDPSession();
    targets = await Targets.of(context, session);
    const guard = new ProtocolGuard(session, targets, sink);
    session.on('Fetch.requestPaused', paused => void guard.paused(paused));
    const types = [
      'Document',
      'Other',
      ...(sink.network ? (LOGGED.keys() as Iterable<'Ping' | 'XHR'>) : []),
    ] as const;
    await session.send('Fetch.enable', {
      patterns: types.map(resourceType => ({ urlPattern: '*', resourceType })),
    });
  } catch {
    await session?.detach().catch(() => {});
    return undefined;
  }
  // Interception and discovery end with the session, and what is held at that moment goes on.
  const taken = session;
  return { release: () => taken.detach().catch(() => {}), targets };
}

class ProtocolGuard {
  /** What to tell of requests whose response was asked for. */
  readonly #awaited = new Map<string, (outcome: { status?: number; failure?: string }) => void>();

  constructor(
    private readonly session: CDPSession,
    private readonly targets: Targets,
    private readonly sink: GuardSink,
  ) {}

  /** Answers a held request. Never rejects: by the time of the answer the request or the browser may be gone. */
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
    // An empty answer keeps the document that is there; most failures would replace it by an error page.
    const answered = this.session.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
    // No URL yet: the tab was opened for this request, and Playwright reports it only once it has a document.
    const isFresh = page.url === '';
    this.sink.refused(
      paused.request.url,
      isFresh ? 'popup' : paused.redirectedRequestId ? 'redirect' : 'navigation',
    );
    await answered;
    if (isFresh) await this.session.send('Target.closeTarget', { targetId: page.targetId });
  }

  /** A service worker of another host could send requests when no page of it is left. */
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
    // Preflights are the browser's own; the context's events leave them out too.
    const isPreflight = 'Access-Control-Request-Method' in request.headers;
    const tell =
      this.sink.network && !isPreflight && this.targets.isOwn(paused.frameId)
        ? this.sink.network.add({
            url: request.url,
            method: request.method,
            resourceType: LOGGED.get(paused.resourceType) ?? 'other',
          })
        : undefined;
    // The status of all others comes with the context's own events.
    const interceptResponse = tell !== undefined && paused.networkId === undefined;
    if (tell && interceptResponse) this.#awaited.set(requestId, tell);
    await this.session.send('Fetch.continueRequest', {
      requestId,
      ...(interceptResponse && { interceptResponse }),
    });
  }

  async #responded({ requestId, responseStatusCode, responseErrorReason }: Paused): Promise<void> {
    this.#awaited.get(requestId)?.({ status: responseStatusCode, failure: responseErrorReason });
    this.#awaited.delete(requestId);
    await this.session.send('Fetch.continueRequest', { requestId });
  }
}
