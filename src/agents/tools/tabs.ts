// The tabs of the trial with ids for the model, and the list of tabs in every result.
import type { Page } from '@playwright/test';
import { DriverError } from '../../browser/errors';
import { within } from '../../browser/waiting';
import type { DriverTask } from './driver';

const TITLE_LIMIT_MS = 1_000;
const MAX_TABS = 100;

export class Tabs {
  /** The tabs that the model has been told of. */
  private known: Page[];

  constructor(private readonly task: Pick<DriverTask, 'session' | 'mask'>) {
    this.known = task.session.context.pages();
  }

  get active(): Page {
    return this.task.session.page;
  }

  idOf(page: Page): string {
    return `tab_${this.task.session.numberOf(page) + 1}`;
  }

  /** The tab with this id; without one, the active tab. @throws DriverError if the tab is closed or unknown. */
  get(tabId?: string | null): Page {
    if (!tabId) return this.active;
    const page = this.open().find(tab => this.idOf(tab) === tabId);
    if (page) return page;
    const list = this.open().map(tab => this.idOf(tab));
    throw new DriverError(`There is no open tab ${JSON.stringify(tabId)}. Open tabs: ${list.join(', ')}.`);
  }

  open(): Page[] {
    return this.task.session.context.pages().filter(page => !page.isClosed());
  }

  /** A tab as models see it. */
  async entry(page: Page) {
    const title = (await within(page.title(), TITLE_LIMIT_MS)) ?? '';
    const url = page.url() === 'about:blank' ? '' : page.url();
    return {
      tab_id: this.idOf(page),
      title: this.task.mask(title),
      url: this.task.mask(url),
      ...(page === this.active && { active: true }),
    };
  }

  /** The open tabs, with those opened since the last call as changes. */
  async state() {
    const pages = this.open();
    // If there are too many, the active one is never left out.
    const shown = pages.slice(-MAX_TABS);
    if (pages.includes(this.active) && !shown.includes(this.active)) shown[0] = this.active;
    const tabs = await Promise.all(shown.map(page => this.entry(page)));
    if (tabs.length > 0 && !tabs.some(tab => tab.active)) tabs.at(-1)!.active = true;
    const changes = shown
      .filter(page => !this.known.includes(page))
      .map(page => ({ type: 'tab_opened' as const, tab_id: this.idOf(page) }));
    this.known = pages;
    return { tabs, ...(changes.length > 0 && { state_changes: changes }) };
  }
}
