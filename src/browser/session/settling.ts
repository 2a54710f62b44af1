// Knows when a page is busy because of an action: requests that the action caused, navigation, layout.
// It does not wait for an idle page.
import type { BrowserContext, Frame, Page, Request } from '@playwright/test';
import { debug } from '../../text/debug';
import { callInPage, unseen } from '../in-page';
import { listen, type Signal, within } from '../waiting';

export const LIMIT_MS = 5_000;
export const NAVIGATION_LIMIT_MS = 10_000;
/** A response that does not end in this time is a stream, and is not waited for. */
const STREAM_LIMIT_MS = 1_000;
export const LAYOUT_LIMIT_MS = 1_500;
/** Types of requests that don't change what the model sees, or never end. */
const IGNORED = /^(?:image|media|font|eventsource|websocket|ping|manifest|texttrack)$/;

export type Activity = ReturnType<typeof watchActivity>;

/** @param changed fires when a request ends, too */
export function watchActivity(context: BrowserContext, changed: Signal) {
  /** A request that has not ended at `streamsAt` counts as a stream. Infinity until it is answered. */
  const pending = new Map<Request, { startedAt: number; streamsAt: number }>();
  /** Requests that outlasted a wait: requests to the same URL are not waited for again. */
  const endless = new Set<string>();
  const ended = (request: Request): void => {
    pending.delete(request);
    changed.fire();
  };
  const unlisten = listen(context, {
    request: request => {
      if (!IGNORED.test(request.resourceType()) && !endless.has(keyOf(request)))
        pending.set(request, { startedAt: performance.now(), streamsAt: Infinity });
    },
    requestfinished: ended,
    requestfailed: ended,
    response: response => {
      const entry = pending.get(response.request());
      if (entry) entry.streamsAt = performance.now() + STREAM_LIMIT_MS;
    },
  });

  const at = (page: Page, since: number): Request[] => {
    const now = performance.now();
    return [...pending].flatMap(([request, { startedAt, streamsAt }]) => {
      const counts = startedAt >= since && now <= streamsAt;
      return counts && (frameOf(request)?.page() ?? page) === page ? [request] : [];
    });
  };
  const untilStream = (requests: Request[]): number => {
    const now = performance.now();
    const known = requests.map(request => pending.get(request)?.streamsAt ?? Infinity);
    // A request that is answered from now on can't count as a stream any sooner.
    return Math.max(1, Math.min(now + STREAM_LIMIT_MS, ...known) - now + 1);
  };
  return {
    /** Waits until `page` is no longer busy with what began after `since`, or a limit. False if a document still loads. */
    async settle(page: Page, since: number): Promise<boolean> {
      const began = performance.now();
      const end = (why: string, left: Request[]): boolean => {
        debug('settle', () => `${why} after ${Math.round(performance.now() - began)} ms: ${page.url()}`);
        for (const request of left) if (!isDocument(request)) endless.add(keyOf(request));
        return !left.some(isDocument);
      };
      for (;;) {
        // A page that waits for its next document does not answer.
        if (!at(page, since).some(isDocument)) await quiet(page);
        const left = at(page, since);
        if (left.length === 0) return end('quiet', left);
        if (page.isClosed()) return end('closed', left);
        const limit = left.some(isDocument) ? NAVIGATION_LIMIT_MS : LIMIT_MS;
        const budget = began + limit - performance.now();
        if (budget <= 0) return end(`still busy with ${left.map(keyOf).join(', ')}`, left);
        await changed.next(Math.min(budget, untilStream(left)));
      }
    },
    isBusy: (page: Page, since: number) => at(page, since).some(request => !endless.has(keyOf(request))),
    isLeaving: (page: Page) =>
      [...pending.keys()].some(request => isDocument(request) && frameOf(request)?.page() === page),
    /** Whether a tab is about to open: its first request has no frame yet. */
    get opensTab() {
      return [...pending.keys()].some(request => request.isNavigationRequest() && !frameOf(request));
    },
    dispose(): void {
      unlisten();
      pending.clear();
    },
  };
}

async function quiet(page: Page): Promise<void> {
  await parsed(page);
  await within(callInPage(page, 'drawn', LAYOUT_LIMIT_MS), LAYOUT_LIMIT_MS + 500);
}

export function parsed(page: Page): Promise<void> {
  const options = { timeout: NAVIGATION_LIMIT_MS };
  return unseen(page, () => page.waitForLoadState('domcontentloaded', options)).catch(() => undefined);
}

const keyOf = (request: Request) => `${request.method()} ${request.url().split('?')[0]}`;

/** Whether it is for the document of a tab: a frame's document leaves the page usable. */
export function isDocument(request: Request): boolean {
  return request.isNavigationRequest() && !frameOf(request)?.parentFrame();
}

/** Undefined for a worker's request, and for the first one of a tab that is about to open. */
function frameOf(request: Request): Frame | undefined {
  try {
    return request.frame();
  } catch {
    return undefined;
  }
}
