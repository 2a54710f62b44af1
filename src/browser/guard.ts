// Keeps the top-level pages of a context on the allowed hosts.
//
// On Chromium, a navigation to another host is answered with an empty 204 before it leaves the browser: the page stays
// where it was, with its state. In other browsers, the public API can refuse less. In all of them,
// a page that gets to another host anyway is reported, and so is a document that a frame of another host made (see
// guard-documents.ts).
import type { BrowserContext, Request, Route } from '@playwright/test';
import { isDocument } from './activity';
import { guardByProtocol } from './guard-chromium';
import { Documents } from './guard-documents';
import { hostAllowed } from './hosts';
import { listen } from './listen';
import type { NetworkLog } from './network-log';

/**
 * `navigation`: a page stayed where it was. `redirect`: the same, for a redirect from an allowed host.
 * `popup`: a new tab was closed before it loaded anything. `service_worker`: one of another host was not installed.
 * `page_escape`: the page itself put a document of that host into a tab, which was closed or brought back.
 * `escaped`: the agent got to that URL, or a request got out: such a trial can't count.
 */
export type RefusalKind = 'navigation' | 'redirect' | 'popup' | 'service_worker' | 'page_escape' | 'escaped';

export interface Refusal {
  url: string;
  how: RefusalKind;
}

export interface GuardOptions {
  /** Hostnames, optionally with a leading `*.`. */
  allowedDomains: readonly string[];
  /** Called for each refusal, also for those that `refusals` no longer keeps. */
  onRefused?(url: string, how: RefusalKind): void;
  /** Gets the requests that the guard sees but the context's events miss. */
  network?: Pick<NetworkLog, 'add'>;
  /** `route`: guard as in browsers other than Chromium. Default: `best`. */
  means?: 'best' | 'route';
}

export type Guard = Awaited<ReturnType<typeof guardContext>>;

export interface GuardSink {
  allowed(url: string): boolean;
  refused(url: string, how: RefusalKind): void;
  network: Pick<NetworkLog, 'add'> | undefined;
}

const MAX_REFUSALS = 1_000;

/**
 * Guards the pages that the context has and those that it opens, until `dispose`.
 *
 * @throws Playwright's error if the context or its browser is gone.
 */
export async function guardContext(context: BrowserContext, options: GuardOptions) {
  const { allowedDomains, onRefused, network, means = 'best' } = options;
  const refusals: Refusal[] = [];
  const sink: GuardSink = {
    allowed: url => hostAllowed(url, allowedDomains),
    refused(url, how) {
      // An escape may be noticed twice: by its request, and by the page that it leads to.
      if (how === 'escaped' && refusals.some(known => known.how === how && known.url === url)) return;
      if (refusals.length < MAX_REFUSALS) refusals.push({ url, how });
      onRefused?.(url, how);
    },
    network,
  };
  const byProtocol = means === 'best' ? await guardByProtocol(context, sink) : undefined;
  const release = byProtocol?.release ?? (await guardByRoute(context, sink));
  const documents = new Documents(context, sink, byProtocol?.targets);
  let disposed: Promise<void> | undefined;
  return {
    /** `protocol`: nothing gets out. `route`: redirects get out and are reported as escapes. */
    means: byProtocol ? ('protocol' as const) : ('route' as const),
    /** The tabs as the browser announces them; undefined if it does not. */
    targets: byProtocol?.targets,
    documents,
    /** The first 1,000. */
    refusals: refusals as readonly Refusal[],
    /** Removes everything from the context and the browser. Never rejects; a second call does nothing. */
    dispose() {
      documents.stop();
      disposed ??= release();
      return disposed;
    },
  };
}

/**
 * The guard for other browsers than Chromium, by Playwright's public routing. It refuses the first request of a
 * navigation. What it can't stop, it reports: Playwright does not route the next hop of a redirect, nor the first request
 * of a tab that the user opens (control click). Routing turns off the HTTP cache and CORS preflights for the context.
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
    return route.fulfill({ status: 204 });
  };
  // Redirects, and requests that another route has already let go.
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
