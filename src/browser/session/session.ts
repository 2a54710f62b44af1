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

/** More notices are counted, but not kept: a page in a loop must not fill the memory. */
const MAX_NOTICES = 200;
const MAX_NOTICE = 1_000;
/** More tabs are closed at once: a page may open them in a loop, and each costs a process, or a part of one. */
const MAX_TABS = 20;
/** More downloads are cancelled, since they stay on the disk until the trial ends. */
const MAX_DOWNLOADS = 50;
/** The longest wait for a tab that is announced and loads nothing: it is reported by then, or never, as after an empty answer. */
const UNREPORTED_LIMIT_MS = 3_000;
/** The longest wait for a page's next tasks, and for those of a page that did not answer the last time. */
const TASKS_LIMIT_MS = 1_000;
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
  /** Number of tabs that the browser announced but Playwright never reported: they are not waited for again. */
  private missing = 0;
  private readonly hanging = new WeakSet<Page>();
  private readonly disposers: (() => void)[] = [];
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
    for (const tab of this.tabs) this.watch(tab);
    const unlisten = listen(context, {
      page: opened => this.follow(opened),
      download: begun => this.download(begun),
    });
    this.disposers.push(unlisten, this.dialogs.dispose, this.activity.dispose);
  }

  /** From now on, waits for tabs that the browser has announced, and activates a new tab only if the guard lets it stay. */
  guardedBy(guard: Guard | undefined): void {
    this.guard = guard;
    guard?.targets?.onGone(this.changed.fire);
  }

  /** Throws if the active tab is not of an admitted host before and after: another host must not decide what is graded. */
  async onAdmitted<T>(check: (page: Page) => Promise<T>): Promise<T> {
    const documents = this.guard?.documents;
    if (!documents) return check(this.page);
    const end = performance.now() + NAVIGATION_LIMIT_MS;
    while (!(await documents.mayStayNow(this.page))) {
      if (performance.now() > end) throw new Error('The active tab shows a document of another host.');
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

  /** Whether the guard lets the tab show the document that it has now. */
  async mayShow(page: Page): Promise<boolean> {
    return this.guard?.documents.mayStayNow(page) ?? true;
  }

  /** The active tab. Only if no tab is left, it may be closed. */
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

  /** From now on, tabs that open are not the active one: what the agent left is graded. */
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

  /** The tab with this number, after waiting up to `timeoutMs` for it to open; undefined if it does not open. */
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

  /** Playwright reports a tab only with its first response, long after the browser has announced it. */
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

  /** Waits, up to a limit, while `page`, or a tab that it opened, is busy since then. False: a document still loads. */
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
    this.notice(`The page sent more than ${MAX_EVENTS} requests: the network log ended.`);
  }

  dispose(): void {
    for (const dispose of this.disposers.splice(0)) dispose();
  }

  private get unreported(): number {
    if (!this.guard?.targets) return this.activity.opensTab ? 1 : 0;
    return this.guard.targets.tabs - this.context.pages().length;
  }

  private async nextTasks(page: Page): Promise<void> {
    // Such a page does not answer.
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
    // One that only brought a download. With a window, the browser closes it itself.
    if (isFull || (opened.url() === '' && this.downloads.length)) void opened.close().catch(() => undefined);
    else {
      const stays = this.guard?.documents.mayStay(opened) ?? true;
      if (stays === true) this.join(opened);
      else if (stays) {
        this.unchecked.add(opened);
        void stays.then(yes => {
          this.unchecked.delete(opened);
          if (yes && !opened.isClosed()) this.join(opened);
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
    this.watch(opened);
    if (this.refused.has(opened)) this.leaveBlankTab();
  }

  private download(begun: Download): void {
    const what = `"${begun.suggestedFilename()}" from ${begun.url()}`;
    if (this.downloads.length < MAX_DOWNLOADS) {
      this.downloads.push(begun);
      this.notice(`A download began: ${what}.`);
    } else {
      this.notice(`A download was cancelled, the trial had ${MAX_DOWNLOADS} already: ${what}.`);
      void begun.cancel().catch(() => undefined);
    }
  }

  private debugTab(what: string, page: Page): void {
    debug('tabs', () => `${what} ${this.numberOf(page)}: ${page.url()}`);
  }

  private watch(page: Page): void {
    const close = () => {
      this.debugTab('closed', page);
      const wasActive = this.page === page;
      if (this.tabs.length > 1) this.tabs = this.tabs.filter(tab => tab !== page);
      if (wasActive && this.page !== page)
        this.notice(`The tab was closed; the active one is now ${this.page.url()}.`);
    };
    this.disposers.push(listen(page, { close }));
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
    /** `protocol`: the guard lets no request out. `route`: it reports those that get out. */
    guard: guard.means,
    /** Removes guard, log and listeners, since the worker's other tests use the same browser. */
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
  if (how === 'escaped') return `The page got to ${url}, which is outside the allowed domains (${allowed}).`;
  if (how === 'page_escape')
    return `The page itself showed a document of ${url}, outside the allowed domains (${allowed}). It was left at once.`;
  if (how === 'service_worker') return `A service worker of another host was not installed: ${url}.`;
  const what = { navigation: 'Going to', redirect: 'A redirect to', popup: 'A new tab for' }[how];
  return `${what} ${url} was refused: only ${allowed} may be visited. The page stayed where it was.`;
}
