// The tabs of the trial with ids for the model, and the list of tabs in every result.
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { DriverError } from '../../browser/errors';
import { within } from '../../browser/waiting';
import type { SessionTask } from '../agent';
import { defineTool, none } from './tool';

const TITLE_LIMIT_MS = 1_000;

export class Tabs {
  /** The tabs that the model has been told of. */
  private known: Page[];

  constructor(private readonly task: Pick<SessionTask, 'session' | 'mask'>) {
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
    const tabs = await Promise.all(pages.map(page => this.entry(page)));
    if (tabs.length > 0 && !tabs.some(tab => tab.active)) tabs.at(-1)!.active = true;
    const changes = pages
      .filter(page => !this.known.includes(page))
      .map(page => ({ type: 'tab_opened' as const, tab_id: this.idOf(page) }));
    this.known = pages;
    return { tabs, ...(changes.length > 0 && { state_changes: changes }) };
  }
}

const oneTab = z.object({ tab_id: z.string().min(1).describe('tab_2') });

export const TAB_TOOLS = [
  defineTool({
    name: 'list_tabs',
    input: none,
    acts: false,
    words: () => 'list the tabs',
    handle: (_, { tabs }) => Promise.all(tabs.open().map(page => tabs.entry(page))),
  }),
  defineTool({
    name: 'new_tab',
    input: none,
    acts: true,
    words: () => 'open a new tab',
    async handle(_, driver, page) {
      await driver.perform(page, { do: 'new_tab' });
      return driver.tabs.entry(driver.session.page);
    },
  }),
  defineTool({
    name: 'switch_tab',
    description: 'Makes another tab the active one.',
    input: oneTab,
    acts: true,
    words: ({ tab_id }) => `switch to ${tab_id}`,
    async handle({ tab_id }, driver) {
      const page = driver.tabs.get(tab_id);
      driver.session.activate(page);
      await driver.perform(page, { do: 'switch_tab' });
      return driver.tabs.entry(page);
    },
  }),
  defineTool({
    name: 'close_tab',
    description: 'Closes a tab.',
    input: oneTab,
    acts: true,
    words: ({ tab_id }) => `close ${tab_id}`,
    async handle({ tab_id }, driver) {
      const page = driver.tabs.get(tab_id);
      if (driver.tabs.open().length === 1)
        throw new DriverError('This is the last open tab, which stays open.');
      await driver.perform(page, { do: 'close_tab' });
    },
  }),
];
