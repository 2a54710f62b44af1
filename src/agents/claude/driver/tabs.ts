// The tabs of the trial under the ids that the model knows, and the report that goes with every result.
import { type BetaBrowserState, ToolError } from '@anthropic-ai/sdk/helpers/beta/toolsets';
import type { BetaBrowserStateTabEntry } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { Page } from '@playwright/test';
import type { AgentTask } from '../../agent';
import { within } from './time';

const TITLE_LIMIT_MS = 1_000;
const MAX_TABS = 100;

export class Tabs {
  private readonly ids = new Map<Page, string>();
  private opened: Page[] = [];
  private readonly onPage = (page: Page) => {
    this.idOf(page);
    this.opened.push(page);
  };

  constructor(private readonly task: AgentTask) {
    for (const page of task.context.pages()) this.idOf(page);
    task.context.on('page', this.onPage);
  }

  dispose(): void {
    this.task.context.off('page', this.onPage);
  }

  idOf(page: Page): string {
    const id = this.ids.get(page) ?? `tab_${this.ids.size + 1}`;
    this.ids.set(page, id);
    return id;
  }

  /** The tab with that id, the active one without. @throws ToolError for one that is closed or never was. */
  get(tabId?: string | null): Page {
    if (!tabId) return this.task.page;
    const page = this.open().find(tab => this.ids.get(tab) === tabId);
    if (page) return page;
    const list = this.open().map(tab => this.idOf(tab));
    throw new ToolError(`There is no open tab ${JSON.stringify(tabId)}. Open tabs: ${list.join(', ')}.`);
  }

  open(): Page[] {
    return this.task.context.pages().filter(page => !page.isClosed());
  }

  async entry(page: Page): Promise<BetaBrowserStateTabEntry> {
    const title = (await within(page.title(), TITLE_LIMIT_MS)) ?? '';
    const url = page.url() === 'about:blank' ? '' : page.url();
    return {
      tab_id: this.idOf(page),
      title: this.task.mask(title),
      url: this.task.mask(url),
      ...(page === this.task.page && { active: true }),
    };
  }

  /** Takes the tabs opened since the last report with it. */
  async state(): Promise<BetaBrowserState> {
    const pages = this.open();
    // Where there are too many, the active one is never left out.
    const shown = pages.slice(-MAX_TABS);
    if (pages.includes(this.task.page) && !shown.includes(this.task.page)) shown[0] = this.task.page;
    const tabs = await Promise.all(shown.map(page => this.entry(page)));
    if (tabs.length > 0 && !tabs.some(tab => tab.active)) tabs.at(-1)!.active = true;
    const changes = this.opened
      .filter(page => shown.includes(page))
      .map(page => ({ type: 'tab_opened' as const, tab_id: this.idOf(page) }));
    this.opened = [];
    return { tabs, ...(changes.length > 0 && { state_changes: changes }) };
  }
}
