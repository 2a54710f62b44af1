import type { Browser, Page } from '@playwright/test';
import { afterEach } from 'vitest';

/**
 * Pages that the tests of a file have one after the other, since a new one costs four times as much as a navigation. For
 * tests that leave nothing behind in the page's context and in its objects; after one that fails, its pages are closed.
 */
export function usedPages(browser: () => Browser) {
  const free: Page[] = [];
  const taken: Page[] = [];

  async function giveBack(page: Page, isSound: boolean): Promise<void> {
    if (!isSound || page.isClosed()) return page.context().close();
    const tabs = page.context().pages();
    await Promise.all(tabs.map(tab => tab !== page && tab.close()));
    free.push(page);
  }
  afterEach(async ({ task }) => {
    await Promise.all(taken.splice(0).map(page => giveBack(page, task.result?.state !== 'fail')));
  });

  return {
    /** One that no other has until the test ends. It shows what the last test left. */
    async take(): Promise<Page> {
      const used = free.pop();
      // A pointer that stays would hover what comes to lie below it.
      await used?.mouse.move(0, 0);
      const page = used ?? (await (await browser().newContext()).newPage());
      taken.push(page);
      return page;
    },
  };
}
