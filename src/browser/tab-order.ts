// Tabs by number, in the order in which they were opened: a recording names them so, and whoever plays it counts the same.
import type { BrowserContext, Page } from '@playwright/test';

export class TabOrder {
  private readonly tabs: Page[];
  private readonly context: BrowserContext;
  private readonly onPage = (page: Page) => void this.tabs.push(page);

  /** @param firstPage has the number 0 */
  constructor(firstPage: Page) {
    this.context = firstPage.context();
    this.tabs = [firstPage, ...this.context.pages().filter(page => page !== firstPage)];
    this.context.on('page', this.onPage);
  }

  dispose(): void {
    this.context.off('page', this.onPage);
  }

  numberOf(page: Page): number {
    return Math.max(0, this.tabs.indexOf(page));
  }

  /** Undefined where so many were not opened yet. A closed tab keeps its number. */
  at(number: number): Page | undefined {
    return this.tabs[number];
  }
}
