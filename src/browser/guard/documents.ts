// Finds out which hosts made the documents in a context's tabs. A document can appear without a request that could be
// refused: a frame of another host writes it into a blank tab or makes it a `blob:`, or the browser has prefetched it.
// The tab leaves such a document at once. The page is to blame, not the agent.
import { setTimeout } from 'node:timers/promises';
import type { BrowserContext, Frame, Page } from '@playwright/test';
import { hostOf } from '../../spec/url';
import { protocolOf } from '../in-page';
import { listen, within } from '../waiting';
import type { GuardSink } from './guard';
import { type Targets, targetOf } from './targets';

/** After this many returns, a tab is left on a blank page: its page would go on forever. */
const MAX_RETURNS = 3;
/** A tab that is still open after this is asked to close again. */
const CLOSING_LIMIT_MS = 250;
/** While a tab moves to another process, the browser may not answer what is asked of it. */
const MOVING_LIMIT_MS = 5_000;
const MOVING_RETRY_MS = 20;
/** The maker of a blank document, if it has no name. It is never an admitted host. */
const UNKNOWN = 'about:blank';

export type Documents = ReturnType<typeof watchDocuments>;

/** @param targets undefined if the browser does not tell who made a document */
export function watchDocuments(context: BrowserContext, sink: GuardSink, targets: Targets | undefined) {
  const answers = new WeakMap<Page, boolean | Promise<boolean>>();
  const leaving = new WeakSet<Page>();
  const returns = new WeakMap<Page, number>();
  /** Tabs that no page opened: they are brought back. All others are closed. */
  const kept = new WeakSet(context.pages());
  /** Tabs that were left on our own blank page. */
  const cleared = new WeakSet<Page>();
  const strange = new WeakMap<Page, number>();
  const framed = new WeakSet<Page>();
  /** Tabs with a frame of another host, now or earlier. */
  const mixed = new WeakSet<Page>();

  /** Whether the tab may show its document. If not, the tab is closed or brought back. A promise only for blank pages. */
  const mayStay = (page: Page): boolean | Promise<boolean> => answers.get(page) ?? mayStayNow(page);
  const mayStayNow = (page: Page): boolean | Promise<boolean> => {
    const answer = check(page);
    answers.set(page, answer);
    return answer;
  };
  /** How often the tab has shown a document whose URL is not of an admitted host, such as a blank one. */
  const strangeDocuments = (page: Page): number => strange.get(page) ?? 0;

  const onPage = async (page: Page): Promise<void> => {
    noteFrames(page);
    const stays = mayStay(page);
    // A closed opener is not reported. So if the first document of a tab may not stay, a page opened the tab.
    if (!(await page.opener()) && (await stays)) kept.add(page);
  };
  const onNavigated = (frame: Frame): void => {
    const page = frame.page();
    if (frame.parentFrame() !== null) noteFrame(frame);
    else {
      cleared.delete(page);
      if (!isKnown(frame.url())) strange.set(page, strangeDocuments(page) + 1);
      void mayStayNow(page);
    }
  };
  const noteFrames = (page: Page): void => {
    for (const frame of page.frames()) if (frame !== page.mainFrame()) noteFrame(frame);
  };
  const noteFrame = (frame: Frame): void => {
    framed.add(frame.page());
    if (!isBlank(frame.url()) && !sink.allowed(frame.url())) mixed.add(frame.page());
  };
  /** On an admitted host, or the browser's own page for a site that did not answer. */
  const isKnown = (url: string): boolean => sink.allowed(url) || url.startsWith('chrome-error:');

  const check = (page: Page): boolean | Promise<boolean> => {
    const url = page.url();
    if (isKnown(url)) return true;
    if (leaving.has(page)) return false;
    const isOurs = cleared.has(page) || (!answers.has(page) && targets?.openedBlank === false);
    if (isBlank(url)) return isOurs || checkBlank(page);
    // If every request can be refused, only the page itself can get to another host.
    const isPagesDoing = url.startsWith('blob:') || (targets && hostOf(url) !== undefined);
    if (isPagesDoing) return refuse(page, url);
    sink.refused(url, 'escaped');
    return true;
  };
  const checkBlank = async (page: Page): Promise<boolean> => {
    const maker = await (targets ? makerOf(page, targets) : guessMaker(page));
    if (leaving.has(page)) return false;
    // In the meantime, the tab may have opened a document of its own site.
    const isGone = page.isClosed() || sink.allowed(page.url());
    return maker === undefined || sink.allowed(maker) || isGone || refuse(page, maker);
  };

  /** The origin that a blank document inherits, as the browser reports it; `UNKNOWN` if it has no name, undefined if no page made it. */
  const makerOf = (page: Page, targets: Targets): Promise<string | undefined> =>
    onceMoved(
      () => askForMaker(page, targets),
      () => !page.isClosed(),
    ).catch(() => (page.isClosed() ? undefined : UNKNOWN));
  const askForMaker = async (page: Page, targets: Targets): Promise<string | undefined> => {
    const { targetId, openerId, openerFrameId } = await targetOf(page);
    const session = (await protocolOf(page))!;
    try {
      return (await session.send('Storage.getStorageKeyForFrame', { frameId: targetId })).storageKey;
    } catch (error) {
      if (!/opaque origin/.test(String(error))) throw error;
    }
    // Its origin is opaque (Chromium 156): the tab has no opener, or a `data:` frame made the document.
    if (openerId !== undefined) return (openerFrameId === openerId && targets.urlOf(openerId)) || UNKNOWN;
    if (!framed.has(page)) return undefined;
    const { entries, currentIndex } = await session.send('Page.getNavigationHistory');
    return entries[currentIndex]?.transitionType === 'typed' ? undefined : UNKNOWN;
  };
  /** The public API does not tell which frame made it, only whether one of another host may have. */
  const guessMaker = async (page: Page): Promise<string | undefined> => {
    const makers = [page, await page.opener()];
    return makers.some(maker => maker && mixed.has(maker)) ? UNKNOWN : undefined;
  };

  const refuse = (page: Page, url: string): false => {
    leaving.add(page);
    sink.refused(url, 'page_escape');
    void leave(page)
      .catch(() => {})
      .then(() => {
        leaving.delete(page);
        if (!page.isClosed()) void mayStayNow(page);
      });
    return false;
  };
  /** Closes a tab that a page opened; brings any other one back to where it was. */
  const leave = async (page: Page): Promise<void> => {
    if (!kept.has(page) && context.pages().length > 1) return close(page);
    const times = (returns.get(page) ?? 0) + 1;
    returns.set(page, times);
    if (times <= MAX_RETURNS && (await goBack(page))) return;
    const before = strangeDocuments(page);
    await page.goto('about:blank');
    // Otherwise the page has already replaced our blank document with its own.
    if (strangeDocuments(page) === before + 1) cleared.add(page);
  };

  context.pages().forEach(noteFrames);
  const stop = listen(context, { page: onPage, framenavigated: onNavigated });
  return { mayStay, mayStayNow, strangeDocuments, stop };
}

/**
 * If Chromium is to close a tab while a new document moves it to another process, it answers `success`, but the tab stays.
 * `page.close()` then waits forever, and a second call sends nothing. Only a call with `runBeforeUnload` is sent each time.
 */
async function close(page: Page): Promise<void> {
  const closed = page.close().then(() => true);
  while (!(await within(closed, CLOSING_LIMIT_MS))) await page.close({ runBeforeUnload: true });
}

/** After a new document has moved the tab to another process, Chromium does not know the tab's history for a moment. */
async function goBack(page: Page): Promise<boolean> {
  const back = () => page.goBack({ waitUntil: 'commit' });
  return (await onceMoved(back, error => /Not attached to an active page/.test(String(error)))) !== null;
}

/** Asks again for up to 5 seconds, as long as the error is one that `passes` by itself. */
async function onceMoved<T>(ask: () => Promise<T>, passes: (error: unknown) => boolean): Promise<T> {
  const end = performance.now() + MOVING_LIMIT_MS;
  for (;;)
    try {
      return await ask();
    } catch (error) {
      if (!passes(error) || performance.now() > end) throw error;
      await setTimeout(MOVING_RETRY_MS);
    }
}

const isBlank = (url: string) => url === '' || url.startsWith('about:');
