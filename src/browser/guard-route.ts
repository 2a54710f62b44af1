// The guard by Playwright's public routing, for browsers that have nothing better. It refuses the first request
// of a navigation. What it can't stop it reports: routing is not asked about a redirect's next hop, nor about the
// first request of a tab that the user opens (control click).
// Any routing turns the HTTP cache and CORS preflights off for the whole context.
import type { BrowserContext, Request, Response, Route } from '@playwright/test';
import { isDocument } from './activity';
import type { GuardSink } from './guard';

/** @returns a function that removes the guard */
export async function guardByRoute(context: BrowserContext, sink: GuardSink): Promise<() => Promise<void>> {
  const refused = new WeakSet<Request>();
  const leaves = (request: Request) => isDocument(request) && !sink.allowed(request.url());
  const decide = (route: Route, request: Request): Promise<void> => {
    if (!leaves(request)) return route.fallback();
    refused.add(request);
    sink.refused(request.url(), 'navigation');
    return route.fulfill({ status: 204 });
  };
  // Redirects, and what another route let go before this one was asked.
  const check = (request: Request): void => {
    if (leaves(request) && !refused.has(request)) sink.refused(request.url(), 'escaped');
  };
  const onResponse = (response: Response): void => check(response.request());
  context.on('response', onResponse);
  context.on('requestfailed', check);
  await context.route('**/*', decide);
  return async () => {
    context.off('response', onResponse);
    context.off('requestfailed', check);
    await context.unroute('**/*', decide).catch(() => {});
  };
}
