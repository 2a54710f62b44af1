// The browser as an agent meets it: which tab is active, and what happens beside the agent's own actions.
import type { EventEmitter } from 'node:events';
import type { BrowserContext, Dialog, Download, Page } from '@playwright/test';

/** Notices beyond this number are counted, not kept: a page in a loop must not fill the memory. */
const MAX_NOTICES = 200;
/** Characters of a notice that are kept: a dialog's text may be megabytes long. */
const MAX_NOTICE = 1_000;
/** A page that opens tabs in a loop gets no further ones: each costs a process, or a share of one. */
const MAX_TABS = 20;
/** Downloads beyond this number are cancelled: they are files on the disk until the trial ends. */
const MAX_DOWNLOADS = 50;

export class Session {
  /** Oldest first; the last one is the active tab. */
  private tabs: Page[];
  /** Everything that happened beside the agent's own actions, in order, up to a limit. */
  readonly notices: string[] = [];
  private droppedNotices = 0;
  private downloads = 0;
  private taken = 0;
  private readonly openDialogs = new Set<Dialog>();
  private readonly disposers: (() => void)[] = [];

  constructor(
    readonly context: BrowserContext,
    page: Page,
  ) {
    this.tabs = [...context.pages().filter(other => other !== page), page];
    for (const tab of this.tabs) this.watch(tab);
    const onPage = (opened: Page) => this.follow(opened);
    const onDialog = (dialog: Dialog) => this.answer(dialog);
    context.on('page', onPage);
    context.on('dialog', onDialog);
    this.disposers.push(
      () => context.off('page', onPage),
      () => context.off('dialog', onDialog),
    );
  }

  /** The active tab. A closed one only where no tab is left. */
  get page(): Page {
    return this.tabs.at(-1)!;
  }

  activate(page: Page): void {
    if (page.isClosed()) throw new Error('activate: this tab is closed');
    this.tabs = [...this.tabs.filter(tab => tab !== page), page];
  }

  /** Turns away from a tab that never got beyond its blank page: its navigation was refused. */
  leaveBlankTab(): void {
    const before = this.tabs.findLast(tab => tab.url() !== 'about:blank');
    if (this.page.url() === 'about:blank' && before) this.activate(before);
  }

  notice(sentence: string): void {
    if (this.notices.length < MAX_NOTICES) this.notices.push(sentence.slice(0, MAX_NOTICE));
    else this.droppedNotices++;
  }

  takeNotices(): string[] {
    const fresh = this.notices.slice(this.taken);
    this.taken = this.notices.length;
    if (this.droppedNotices) fresh.push(`And ${this.droppedNotices} more such events.`);
    this.droppedNotices = 0;
    return fresh;
  }

  /** Closes dialogs that someone left open: they block the page, its screenshot and its grading. */
  async dismissOpenDialogs(): Promise<void> {
    const left = [...this.openDialogs];
    this.openDialogs.clear();
    // A dialog that its listener did answer refuses to be answered twice.
    await Promise.allSettled(left.map(dialog => dialog.dismiss()));
  }

  dispose(): void {
    for (const dispose of this.disposers.splice(0)) dispose();
  }

  private follow(opened: Page): void {
    if (this.tabs.length >= MAX_TABS) {
      this.notice(`A new tab was closed at once: ${MAX_TABS} are open already.`);
      void opened.close().catch(() => undefined);
      return;
    }
    this.tabs.push(opened);
    this.notice(`A new tab opened and is now the active one (${opened.url() || 'about:blank'}).`);
    this.watch(opened);
  }

  private watch(page: Page): void {
    const onClose = () => {
      const wasActive = this.page === page;
      if (this.tabs.length > 1) this.tabs = this.tabs.filter(tab => tab !== page);
      if (wasActive && this.page !== page)
        this.notice(`The tab was closed; the active one is now ${this.page.url()}.`);
    };
    const onDownload = (download: Download) => {
      const what = `"${download.suggestedFilename()}" from ${download.url()}`;
      if (++this.downloads <= MAX_DOWNLOADS) return this.notice(`A download began: ${what}.`);
      this.notice(`A download was cancelled, the trial had ${MAX_DOWNLOADS} already: ${what}.`);
      void download.cancel().catch(() => undefined);
    };
    page.on('close', onClose);
    page.on('download', onDownload);
    this.disposers.push(
      () => page.off('close', onClose),
      () => page.off('download', onDownload),
    );
  }

  /** Left open until someone answers it: to answer it once more would show as a failed step. */
  private watchDialog(dialog: Dialog): void {
    this.openDialogs.add(dialog);
    for (const method of ['accept', 'dismiss'] as const) {
      const answer = dialog[method].bind(dialog);
      dialog[method] = (...given: []) => {
        this.openDialogs.delete(dialog);
        return answer(...given);
      };
    }
  }

  /**
   * Answers as Playwright does where nobody listens. Our own listener turns Playwright's answer off,
   * so it is given here, and a listener of the agent or of the suite keeps the right to answer.
   */
  private answer(dialog: Dialog): void {
    const page = dialog.page();
    const othersListen = listeners(page) > 0 || listeners(this.context) > 1;
    if (othersListen) {
      this.watchDialog(dialog);
      return;
    }
    const accepts = dialog.type() === 'beforeunload' || dialog.type() === 'alert';
    this.notice(
      `A dialog (${dialog.type()}) said "${dialog.message()}" and was ${accepts ? 'accepted' : 'dismissed'}.`,
    );
    void (accepts ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
  }
}

/** Pages and contexts take Node's EventEmitter methods, as their documentation says; their types name a few only. */
function listeners(emitter: Page | BrowserContext | null): number {
  return emitter ? (emitter as unknown as EventEmitter).listenerCount('dialog') : 0;
}
