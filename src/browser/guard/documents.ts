// Finds out which hosts made the documents in a context's tabs. A document can appear without a request that could be
// refused: a frame of another host writes it into a blank tab or makes it a `blob:`, or the browser has prefetched it.
// Such a document is left at once. The page does this, not the agent.
import { setTimeout } from 'node:timers/promises';
import type { BrowserContext, Frame, Page } from '@playwright/test';
import { hostOf } from '../../spec/url';
import { protocolOf } from '../in-page';
import { within } from '../waiting';
import type { GuardSink } from './guard';
import { type Targets, targetOf } from './targets';

/** A tab that is brought back more often than this is left on a blank page, since its page would go on forever. */
const MAX_RETURNS = 3;
/** A tab that is still open after this is asked to close again. */
const CLOSING_LIMIT_MS = 250;
/** While a tab moves to another process, the browser may not answer what is asked of it. */
const MOVING_LIMIT_MS = 5_000;
const MOVING_RETRY_MS = 20;
/** Stands for the maker of a blank document that has no name: it is of no admitted host. */
const UNKNOWN = 'about:blank';

export class Documents {
  readonly #answers = new WeakMap<Page, boolean | Promise<boolean>>();
  readonly #leaving = new WeakSet<Page>();
  readonly #returns = new WeakMap<Page, number>();
  /** Tabs that no page opened: they are brought back. All others are closed. */
  readonly #kept: WeakSet<Page>;
  readonly #cleared = new WeakSet<Page>();
  /** How often a tab has shown a document whose URL is not of an admitted host. */
  readonly #strange = new WeakMap<Page, number>();
  readonly #framed = new WeakSet<Page>();
  /** Tabs with a frame of another host, now or earlier. */
  readonly #mixed = new WeakSet<Page>();

  /** @param targets undefined if the browser does not tell who made a document */
  constructor(
    private readonly context: BrowserContext,
    private readonly sink: GuardSink,
    private readonly targets: Targets | undefined,
  ) {
    for (const page of context.pages()) this.#listen(page);
    this.#kept = new WeakSet(context.pages());
    context.on('page', this.#onPage);
  }

  stop(): void {
    this.context.off('page', this.#onPage);
    for (const page of this.context.pages()) page.off('framenavigated', this.#onNavigated);
  }

  /** Whether the tab may show its document. If not, the tab is closed or brought back. A promise only for blank pages. */
  mayStay(page: Page): boolean | Promise<boolean> {
    return this.#answers.get(page) ?? this.mayStayNow(page);
  }

  mayStayNow(page: Page): boolean | Promise<boolean> {
    const answer = this.#check(page);
    this.#answers.set(page, answer);
    return answer;
  }

  /** How often the tab has shown a document whose URL is not of an admitted host, such as a blank one. */
  strangeDocuments(page: Page): number {
    return this.#strange.get(page) ?? 0;
  }

  readonly #onPage = async (page: Page): Promise<void> => {
    this.#listen(page);
    const mayStay = this.mayStay(page);
    // A closed opener is not reported: if a tab without an opener has a first document that may not stay, a page opened it.
    if (!(await page.opener()) && (await mayStay)) this.#kept.add(page);
  };

  readonly #onNavigated = (frame: Frame): void => {
    const page = frame.page();
    if (frame.parentFrame() !== null) this.#noteFrame(frame);
    else {
      this.#cleared.delete(page);
      if (!this.#isKnown(frame.url())) this.#strange.set(page, this.strangeDocuments(page) + 1);
      void this.mayStayNow(page);
    }
  };

  #listen(page: Page): void {
    page.on('framenavigated', this.#onNavigated);
    for (const frame of page.frames()) if (frame !== page.mainFrame()) this.#noteFrame(frame);
  }

  #noteFrame(frame: Frame): void {
    this.#framed.add(frame.page());
    if (!isBlank(frame.url()) && !this.sink.allowed(frame.url())) this.#mixed.add(frame.page());
  }

  /** On an admitted host, or the browser's own page for a site that did not answer. */
  #isKnown(url: string): boolean {
    return this.sink.allowed(url) || url.startsWith('chrome-error:');
  }

  #check(page: Page): boolean | Promise<boolean> {
    const url = page.url();
    if (this.#isKnown(url)) return true;
    if (this.#leaving.has(page)) return false;
    const isNew = !this.#answers.has(page);
    const isOurs = this.#cleared.has(page) || (isNew && this.targets?.openedBlank === false);
    if (isBlank(url)) return isOurs || this.#checkBlank(page);
    // If every request can be refused, an agent can't get to another host.
    const isPagesDoing = url.startsWith('blob:') || (this.targets && hostOf(url) !== undefined);
    if (isPagesDoing) return this.#refuse(page, url);
    this.sink.refused(url, 'escaped');
    return true;
  }

  async #checkBlank(page: Page): Promise<boolean> {
    const maker = await (this.targets ? this.#makerOf(page, this.targets) : this.#guessMaker(page));
    if (this.#leaving.has(page)) return false;
    // In the meantime, it may have opened a document of its own site.
    const isGone = page.isClosed() || this.sink.allowed(page.url());
    return maker === undefined || this.sink.allowed(maker) || isGone || this.#refuse(page, maker);
  }

  /** The origin that a blank document inherits, as the browser reports it; `UNKNOWN` if it has no name, undefined if no page made it. */
  async #makerOf(page: Page, targets: Targets): Promise<string | undefined> {
    const maker = onceMoved(
      () => this.#askForMaker(page, targets),
      () => !page.isClosed(),
    );
    return maker.catch(() => (page.isClosed() ? undefined : UNKNOWN));
  }

  async #askForMaker(page: Page, targets: Targets): Promise<string | undefined> {
    const { targetId, openerId, openerFrameId } = await targetOf(page);
    const session = (await protocolOf(page))!;
    try {
      return (await session.send('Storage.getStorageKeyForFrame', { frameId: targetId })).storageKey;
    } catch (error) {
      if (!/opaque origin/.test(String(error))) throw error;
    }
    // An origin of its own (in the words of Chromium 156): without an opener, or because a `data:` frame made the document.
    if (openerId !== undefined) return (openerFrameId === openerId && targets.urlOf(openerId)) || UNKNOWN;
    if (!this.#framed.has(page)) return undefined;
    const { entries, currentIndex } = await session.send('Page.getNavigationHistory');
    return entries[currentIndex]?.transitionType === 'typed' ? undefined : UNKNOWN;
  }

  /** The public API does not tell which frame did it, only whether one of another host may have. */
  async #guessMaker(page: Page): Promise<string | undefined> {
    const makers = [page, await page.opener()];
    return makers.some(maker => maker && this.#mixed.has(maker)) ? UNKNOWN : undefined;
  }

  #refuse(page: Page, url: string): false {
    this.#leaving.add(page);
    this.sink.refused(url, 'page_escape');
    void this.#leave(page)
      .catch(() => {})
      .then(() => {
        this.#leaving.delete(page);
        if (!page.isClosed()) void this.mayStayNow(page);
      });
    return false;
  }

  /** Closes a tab that a page opened; brings any other one back to where it was. */
  async #leave(page: Page): Promise<void> {
    if (!this.#kept.has(page) && this.context.pages().length > 1) return close(page);
    const returns = (this.#returns.get(page) ?? 0) + 1;
    this.#returns.set(page, returns);
    const back = returns <= MAX_RETURNS && (await goBack(page));
    if (back) return;
    const before = this.strangeDocuments(page);
    await page.goto('about:blank');
    // Not if the page has already replaced our blank document by its own.
    if (this.strangeDocuments(page) === before + 1) this.#cleared.add(page);
  }
}

/**
 * If Chromium is asked to close a tab while a new document moves it to another process, it answers `success`, but the tab
 * stays. `page.close()` then waits forever, and a second call sends nothing. Only a call with `runBeforeUnload` is sent
 * each time.
 */
async function close(page: Page): Promise<void> {
  const closed = page.close().then(() => true);
  while (!(await within(closed, CLOSING_LIMIT_MS))) await page.close({ runBeforeUnload: true });
}

/**
 * For a moment after a new document has moved the tab to another process, Chromium does not know the tab's history. If
 * this gave up then, the trial would lose its page.
 */
async function goBack(page: Page): Promise<boolean> {
  const back = () => page.goBack({ waitUntil: 'commit' });
  return (await onceMoved(back, error => /Not attached to an active page/.test(String(error)))) !== null;
}

/** Asks again as long as what it fails by `passes`, for up to 5 seconds. */
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

function isBlank(url: string): boolean {
  return url === '' || url.startsWith('about:');
}
