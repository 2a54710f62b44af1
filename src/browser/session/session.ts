// A trial's browser context: which tab is active, when it has settled, and what happens besides the agent's actions.
import type { BrowserContext, Download, Page } from '@playwright/test';
import { debug } from '../../text/debug';
import { beginning } from '../../text/line';
import { type Guard, type GuardOptions, guardContext, type RefusalKind } from '../guard/guard';
import { callInPage } from '../in-page';
import { listen, Signal, within } from '../waiting';
import { Dialogs } from './dialogs';
import { MAX_EVENTS, recordNetwork } from './network';
import { type Activity, NAVIGATION_LIMIT_MS, parsed, watchActivity } from './settling';

/** Further notices are only counted: a page in a loop must not fill the memory. */
const MAX_NOTICES = 200;
const MAX_NOTICE = 1_000;
/** Further tabs are closed at once: a page may open them in a loop, and most cost a process. */
const MAX_TABS = 20;
/** Further downloads are cancelled: they stay on the disk until the trial ends. */
const MAX_DOWNLOADS = 50;
/** The longest wait for a tab that is announced but loads nothing. After an empty response, Playwright never reports it. */
const UNREPORTED_LIMIT_MS = 3_000;
/** The longest wait for a page to run its next tasks. */
const TASKS_LIMIT_MS = 1_000;
/** The same, if the page did not answer the last time. */
const HANGING_LIMIT_MS = 50;

export class Session {
  private tabs: Page[];
  private readonly numbered: Page[];
  readonly dialogs: Dialogs;
  readonly downloads: Download[] = [];
  /** What happened besides the agent's own actions, in order: the first 200. */
  readonly notices: string[] = [];
  mask = (text: string): string => text;
  private droppedNotices = 0;
  private taken = 0;
  private keepsTab = false;
  private readonly activity: Activity;
  /** Fires when a tab opens, is admitted or goes, and when a request ends. */
  private readonly changed = new Signal();
  /** How many announced tabs Playwright never reported: they are not waited for again. */
  private missing = 0;
  private readonly hanging = new WeakSet<Page>();
  private readonly unlisten: () => void;
  private guard: Guard | undefined;
  private readonly unchecked = new Set<Page>();
  private readonly refused = new WeakSet<Page>();

  constructor(
    readonly context: BrowserContext,
    page: Page,
  ) {
    const others = context.pages().filter(other => other !== page);
    this.tabs = [...others, page];
    this.numbered = [page, ...others];
    this.dialogs = new Dialogs(this);
    this.activity = watchActivity(context, this.changed);
    this.unlisten = listen(context, {
      page: opened => this.follow(opened),
      pageclose: closed => this.has(closed) && this.leave(closed),
      download: begun => this.download(begun),
    });
  }

  /** With a guard, new tabs are waited for as soon as the browser announces them, and join only if the guard lets them stay. */
  guardedBy(guard: Guard | undefined): void {
    this.guard = guard;
    guard?.targets?.onGone(this.changed.fire);
  }

  /** Throws if the active tab leaves the allowed hosts before, during or after the check: another host must not decide a grade. */
  async onAdmitted<T>(check: (page: Page) => Promise<T>): Promise<T> {
    const documents = this.guard?.documents;
    if (!documents) return check(this.page);
    const end = performance.now() + NAVIGATION_LIMIT_MS;
    while (!(await documents.mayStayNow(this.page))) {
      if (performance.now() > end)
        throw new Error('The active tab shows a document of another host, so it was not checked.');
      await this.changed.next(HANGING_LIMIT_MS);
    }
    const { page } = this;
    const before = documents.strangeDocuments(page);
    const result = await check(page);
    if (documents.strangeDocuments(page) > before || !(await documents.mayStayNow(page)))
      throw new Error(
        'The active tab showed a document of another host, or a blank one, while it was checked.',
      );
    return result;
  }

  async mayShow(page: Page): Promise<boolean> {
    return this.guard?.documents.mayStayNow(page) ?? true;
  }

  /** The active tab. It is closed only if no tab is left. */
  get page(): Page {
    return this.tabs.at(-1)!;
  }

  has(page: Page): boolean {
    return this.tabs.includes(page);
  }

  activate(page: Page): void {
    if (page.isClosed()) throw new Error('activate: this tab is closed');
    this.tabs = [...this.tabs.filter(tab => tab !== page), page];
    this.debugTab('followed', page);
  }

  /** From now on, new tabs don't become active: the tab that the agent ended on is graded. */
  keepActiveTab(): void {
    this.keepsTab = true;
  }

  /** If the active tab is still blank because its navigation was refused, activates the tab before it. */
  leaveBlankTab(): void {
    const before = this.tabs.findLast(tab => tab.url() !== 'about:blank');
    if (this.page.url() === 'about:blank' && before) this.activate(before);
    for (const page of this.unchecked) this.refused.add(page);
  }

  /** Counted from 0. A closed tab keeps its number. */
  numberOf(page: Page): number {
    return Math.max(0, this.numbered.indexOf(page));
  }

  /** The tab with this number; undefined if it does not open within `timeoutMs`. */
  async tabAt(number: number, timeoutMs: number): Promise<Page | undefined> {
    const end = performance.now() + timeoutMs;
    while (!this.numbered[number] && performance.now() < end)
      await this.changed.next(end - performance.now());
    return this.numbered[number];
  }

  notice(sentence: string): void {
    if (this.notices.length < MAX_NOTICES)
      this.notices.push(this.mask(beginning(sentence)).slice(0, MAX_NOTICE));
    else this.droppedNotices++;
  }

  takeNotices(): string[] {
    const fresh = this.notices.slice(this.taken);
    this.taken = this.notices.length;
    if (this.droppedNotices) fresh.push(`And ${this.droppedNotices} more such events.`);
    this.droppedNotices = 0;
    return fresh;
  }

  /** Waits for announced tabs: Playwright reports a tab only with its first response, long after the browser announces it. */
  async followTabs(from: Page = this.page): Promise<void> {
    const known = new Set(this.tabs);
    await Promise.all([...new Set([from, this.page])].map(page => this.nextTasks(page)));
    const end = performance.now() + NAVIGATION_LIMIT_MS;
    let soon = performance.now() + UNREPORTED_LIMIT_MS;
    while (this.unreported > this.missing || this.unchecked.size) {
      const isLoading = this.activity.opensTab || this.unchecked.size > 0;
      const left = (isLoading ? end : Math.min(soon, end)) - performance.now();
      if (left <= 0) break;
      await this.changed.next(left);
      if (isLoading) soon = performance.now() + UNREPORTED_LIMIT_MS;
    }
    this.missing = Math.max(0, this.unreported);
    if (!known.has(this.page)) await within(parsed(this.page), TASKS_LIMIT_MS);
  }

  /** Waits until `page` and the active tab are no longer busy with what began after `since`. False if a document still loads. */
  async settle(page: Page, since: number): Promise<boolean> {
    await this.followTabs(page);
    const tabs = [...new Set([page, this.page])];
    const settled = await Promise.all(tabs.map(tab => this.activity.settle(tab, since)));
    return !settled.includes(false);
  }

  isBusy(since: number): boolean {
    return this.activity.isBusy(this.page, since);
  }

  /** From now on, requests are not waited for. */
  flooded(): void {
    this.activity.dispose();
    this.notice(
      `The page sent more than ${MAX_EVENTS} requests. The network log has none of the later ones.`,
    );
  }

  dispose(): void {
    this.unlisten();
    this.dialogs.dispose();
    this.activity.dispose();
  }

  private get unreported(): number {
    if (!this.guard?.targets) return this.activity.opensTab ? 1 : 0;
    return this.guard.targets.tabs - this.context.pages().length;
  }

  private async nextTasks(page: Page): Promise<void> {
    // A page in one of these states does not answer.
    if (page.isClosed() || this.activity.isLeaving(page) || this.dialogs.isOpenOn(page)) return;
    const ran = Promise.allSettled([callInPage(page, 'nextTasks')]);
    const limit = this.hanging.has(page) ? HANGING_LIMIT_MS : TASKS_LIMIT_MS;
    if (await within(ran, limit)) this.hanging.delete(page);
    else this.hanging.add(page);
  }

  private follow(opened: Page): void {
    this.numbered.push(opened);
    const isFull = this.tabs.length + this.unchecked.size >= MAX_TABS;
    if (isFull) this.notice(`A new tab was closed at once: ${MAX_TABS} are open already.`);
    // Headless browsers leave a tab open that was only opened for a download.
    if (isFull || (opened.url() === '' && this.downloads.length)) void opened.close().catch(() => undefined);
    else {
      const stays = this.guard?.documents.mayStay(opened) ?? true;
      if (stays === true) this.join(opened);
      else if (stays) {
        this.unchecked.add(opened);
        void stays.then(mayStay => {
          this.unchecked.delete(opened);
          if (mayStay && !opened.isClosed()) this.join(opened);
          this.changed.fire();
        });
      }
    }
    this.changed.fire();
  }

  private join(opened: Page): void {
    if (this.keepsTab) this.tabs.unshift(opened);
    else this.tabs.push(opened);
    this.debugTab('opened', opened);
    const more = this.keepsTab ? '' : ' and is now the active one';
    this.notice(`A new tab opened${more} (${opened.url() || 'about:blank'}).`);
    if (this.refused.has(opened)) this.leaveBlankTab();
  }

  private download(begun: Download): void {
    const what = `"${begun.suggestedFilename()}" from ${begun.url()}`;
    if (this.downloads.length < MAX_DOWNLOADS) {
      this.downloads.push(begun);
      this.notice(`A download began: ${what}.`);
    } else {
      this.notice(`A download was cancelled because the trial had ${MAX_DOWNLOADS} already: ${what}.`);
      void begun.cancel().catch(() => undefined);
    }
  }

  private debugTab(what: string, page: Page): void {
    debug('tabs', () => `${what} ${this.numberOf(page)}: ${page.url()}`);
  }

  private leave(closed: Page): void {
    this.debugTab('closed', closed);
    const wasActive = this.page === closed;
    if (this.tabs.length > 1) this.tabs = this.tabs.filter(tab => tab !== closed);
    if (wasActive && this.page !== closed)
      this.notice(`The tab was closed; the active one is now ${this.page.url()}.`);
  }
}

export type OpenSession = Awaited<ReturnType<typeof openSession>>;

export async function openSession(
  page: Page,
  allowedDomains: readonly string[],
  means: GuardOptions['means'] = 'best',
) {
  const context = page.context();
  const session = new Session(context, page);
  let guard: Guard | undefined;
  const onFull = () => {
    session.flooded();
    guard?.endLog();
  };
  const network = recordNetwork(context, { onFull });
  guard = await guardContext(context, {
    allowedDomains,
    network,
    means,
    onRefused: (url, how) => {
      if (how !== 'service_worker' && how !== 'page_escape') session.leaveBlankTab();
      session.notice(refusalNotice(url, how, allowedDomains));
    },
  });
  session.guardedBy(guard);
  return {
    session,
    network,
    refusals: guard.refusals,
    /** `protocol`: every request to another host is stopped. `route`: some get out, and are reported. */
    guard: guard.means,
    /** Removes guard, log and listeners: the worker's other tests use the same browser. */
    async close() {
      await session.dialogs.dismissOpen();
      session.guardedBy(undefined);
      await guard.dispose();
      network.stop();
      session.dispose();
    },
  };
}

function refusalNotice(url: string, how: RefusalKind, allowedDomains: readonly string[]): string {
  const allowed = allowedDomains.join(', ');
  if (how === 'escaped') return `The page reached ${url}, which is outside the allowed domains (${allowed}).`;
  if (how === 'page_escape')
    return `The page itself showed a document from ${url}, outside the allowed domains (${allowed}). The tab left it at once.`;
  if (how === 'service_worker')
    return `A service worker from ${url} was not installed: only ${allowed} may install one.`;
  const what = { navigation: 'Going to', redirect: 'A redirect to', popup: 'A new tab for' }[how];
  return `${what} ${url} was refused: only ${allowed} may be visited. The page stayed where it was.`;
}
