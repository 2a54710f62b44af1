// The session of a trial's browser: which tab is active, when it has settled, and what happens besides the agent's actions.
import type { BrowserContext, Download, Page } from '@playwright/test';
import { Activity, NAVIGATION_LIMIT_MS } from './activity';
import { Dialogs } from './dialogs';
import { evaluateUnseen } from './evaluate';
import type { Guard } from './guard';
import { listen } from './listen';
import { Signal, within } from './waiting';

/** Notices beyond this number are counted, not kept: a page in a loop must not fill the memory. */
const MAX_NOTICES = 200;
/** Characters of a notice that are kept. */
const MAX_NOTICE = 1_000;
/** A page that opens tabs in a loop gets no further ones: each costs a process, or a share of one. */
const MAX_TABS = 20;
/** Downloads beyond this number are cancelled: they are files on the disk until the trial ends. */
const MAX_DOWNLOADS = 50;
/** The longest wait for a page's next tasks; and for those of a page that let the last wait pass. */
const TASKS_LIMIT_MS = 1_000;
const HANGING_LIMIT_MS = 50;

/** To be run in a page: what its tasks put off to the next one was put off before this, and has run once it resolves. */
const NEXT_TASKS = 'new Promise(done => { setTimeout(done); })';
const PARSED = `new Promise(done => document.readyState === 'loading' ? addEventListener('DOMContentLoaded', done) : done())`;

export class Session {
  /** The active tab last. */
  private tabs: Page[];
  /** All tabs in the order in which they opened, as recordings number them. */
  private readonly numbered: Page[];
  readonly dialogs: Dialogs;
  /** What happened besides the agent's own actions, in order, up to a limit. */
  readonly notices: string[] = [];
  /** Takes the values of secrets out of notices, before they are cut. */
  mask = (text: string): string => text;
  private droppedNotices = 0;
  private downloads = 0;
  private taken = 0;
  private readonly activity: Activity;
  private readonly tabsChanged = new Signal();
  /** Tabs that the browser announced and Playwright never reported: they are not waited for again. */
  private missing = 0;
  private readonly hanging = new WeakSet<Page>();
  private readonly disposers: (() => void)[] = [];
  private guard: Pick<Guard, 'targets' | 'documents'> | undefined;
  /** New tabs whose document is still to be judged. */
  private readonly judged = new Set<Page>();
  /** Those whose navigation was refused meanwhile. */
  private readonly refused = new WeakSet<Page>();

  /** @param page is the active tab, and has the number 0 */
  constructor(
    readonly context: BrowserContext,
    page: Page,
  ) {
    const others = context.pages().filter(other => other !== page);
    this.tabs = [...others, page];
    this.numbered = [page, ...others];
    this.dialogs = new Dialogs(
      context,
      sentence => this.notice(sentence),
      text => this.mask(text),
    );
    this.activity = new Activity(context, this.tabsChanged.fire);
    for (const tab of this.tabs) this.watch(tab);
    const unlisten = listen(context, { page: opened => this.follow(opened) });
    this.disposers.push(unlisten, this.dialogs.dispose, this.activity.dispose);
  }

  /** Some browsers announce tabs before Playwright reports them; and a tab becomes active only if it may stay. */
  guardedBy(guard: Pick<Guard, 'targets' | 'documents'> | undefined): void {
    this.guard = guard;
    guard?.targets?.onGone(this.tabsChanged.fire);
  }

  /**
   * Runs `check` on the active tab. Its document must be of an admitted host, before and after.
   *
   * @throws if it is not, so that nothing is graded by what another host made; and what `check` throws.
   */
  async onAdmitted<T>(check: (page: Page) => Promise<T>): Promise<T> {
    const documents = this.guard?.documents;
    if (!documents) return check(this.page);
    const end = performance.now() + NAVIGATION_LIMIT_MS;
    while (!(await documents.mayStayNow(this.page))) {
      if (performance.now() > end) throw new Error('The active tab shows a document of another host.');
      await this.tabsChanged.next(HANGING_LIMIT_MS);
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
  }

  /** Leaves a tab that is still blank because its navigation was refused. */
  leaveBlankTab(): void {
    const before = this.tabs.findLast(tab => tab.url() !== 'about:blank');
    if (this.page.url() === 'about:blank' && before) this.activate(before);
    for (const page of this.judged) this.refused.add(page);
  }

  /** Counted from 0. A closed tab keeps its number. */
  numberOf(page: Page): number {
    return Math.max(0, this.numbered.indexOf(page));
  }

  /** The tab with that number, after waiting for one that is about to open; undefined if it does not open. */
  async tabAt(number: number, timeoutMs: number): Promise<Page | undefined> {
    const end = performance.now() + timeoutMs;
    while (!this.numbered[number] && performance.now() < end)
      await this.tabsChanged.next(end - performance.now());
    return this.numbered[number];
  }

  notice(sentence: string): void {
    if (this.notices.length < MAX_NOTICES) this.notices.push(this.mask(sentence).slice(0, MAX_NOTICE));
    else this.droppedNotices++;
  }

  takeNotices(): string[] {
    const fresh = this.notices.slice(this.taken);
    this.taken = this.notices.length;
    if (this.droppedNotices) fresh.push(`And ${this.droppedNotices} more such events.`);
    this.droppedNotices = 0;
    return fresh;
  }

  /**
   * Waits, in bounds, until the tabs that a page's tasks open are there: Playwright brings a tab only with its first
   * response, long after the browser has announced it. Where nothing opens, it costs a millisecond.
   */
  async followTabs(from: Page = this.page): Promise<void> {
    const known = new Set(this.tabs);
    await Promise.all([...new Set([from, this.page])].map(page => this.run(page, NEXT_TASKS)));
    const end = performance.now() + NAVIGATION_LIMIT_MS;
    while ((this.unreported > this.missing || this.judged.size) && performance.now() < end)
      await this.tabsChanged.next(end - performance.now());
    this.missing = Math.max(0, this.unreported);
    if (!known.has(this.page)) await this.run(this.page, PARSED);
  }

  /**
   * Waits, in bounds, while `page`, or a tab that it opened, is at work because of something begun at `since`
   * (`performance.now()`).
   *
   * @returns false if a document is still loading.
   */
  async settle(page: Page, since: number): Promise<boolean> {
    await this.followTabs(page);
    const settled = await Promise.all(
      [...new Set([page, this.page])].map(tab => this.activity.settle(tab, since)),
    );
    return !settled.includes(false);
  }

  /** Whether the active tab is at work because of something begun at `since`. */
  isBusy(since: number): boolean {
    return this.activity.isBusy(this.page, since);
  }

  dispose(): void {
    for (const dispose of this.disposers.splice(0)) dispose();
  }

  private get unreported(): number {
    if (!this.guard?.targets) return this.activity.opensTab ? 1 : 0;
    return this.guard.targets.tabs - this.context.pages().length;
  }

  /** Runs a script and waits for it, up to a limit. Over the protocol if possible, which adds no step to reports. */
  private async run(page: Page, script: string): Promise<void> {
    // Such a page answers nothing.
    if (page.isClosed() || this.activity.isLeaving(page) || this.dialogs.isOpenOn(page)) return;
    const ran = evaluateUnseen(page, script).then(
      () => true,
      () => true,
    );
    const limit = this.hanging.has(page) ? HANGING_LIMIT_MS : TASKS_LIMIT_MS;
    if (await within(ran, limit)) this.hanging.delete(page);
    else this.hanging.add(page);
  }

  /** What an expression is in the page. Shows in no report; undefined if the page does not answer. */
  ask(page: Page, expression: string): Promise<unknown> {
    return within(evaluateUnseen(page, expression), TASKS_LIMIT_MS);
  }

  private follow(opened: Page): void {
    this.numbered.push(opened);
    if (this.tabs.length + this.judged.size >= MAX_TABS) {
      this.notice(`A new tab was closed at once: ${MAX_TABS} are open already.`);
      void opened.close().catch(() => undefined);
    } else {
      const stays = this.guard?.documents.mayStay(opened) ?? true;
      if (stays === true) this.join(opened);
      else if (stays) {
        this.judged.add(opened);
        void stays.then(yes => {
          this.judged.delete(opened);
          if (yes && !opened.isClosed()) this.join(opened);
          this.tabsChanged.fire();
        });
      }
    }
    this.tabsChanged.fire();
  }

  private join(opened: Page): void {
    this.tabs.push(opened);
    this.notice(`A new tab opened and is now the active one (${opened.url() || 'about:blank'}).`);
    this.watch(opened);
    if (this.refused.has(opened)) this.leaveBlankTab();
  }

  private watch(page: Page): void {
    const close = () => {
      const wasActive = this.page === page;
      if (this.tabs.length > 1) this.tabs = this.tabs.filter(tab => tab !== page);
      if (wasActive && this.page !== page)
        this.notice(`The tab was closed; the active one is now ${this.page.url()}.`);
    };
    const download = (begun: Download) => {
      const what = `"${begun.suggestedFilename()}" from ${begun.url()}`;
      if (++this.downloads <= MAX_DOWNLOADS) return this.notice(`A download began: ${what}.`);
      this.notice(`A download was cancelled, the trial had ${MAX_DOWNLOADS} already: ${what}.`);
      void begun.cancel().catch(() => undefined);
    };
    this.disposers.push(listen(page, { close, download }));
  }
}
