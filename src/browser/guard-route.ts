// The guard for other browsers than Chromium, by Playwright's public routing. It refuses the first request of a
// navigation. What it can't stop, it reports: Playwright does not route the next hop of a redirect, nor the first request
// of a tab that the user opens (control click). Routing turns off the HTTP cache and CORS preflights for the context.
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
  // Redirects, and requests that another route has already let go.
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
