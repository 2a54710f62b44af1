// Playwright's HTML report in a browser.
import type { Page } from '@playwright/test';

/** Opens a trial from the list of all. @returns what its page shows */
export async function openTrial(page: Page, title: string): Promise<string> {
  await page.getByText(title).first().click();
  await page.getByText('Test Steps').waitFor();
  return shownOn(page);
}

/** All that a page shows, as one line. */
export const shownOn = async (page: Page) => (await page.locator('body').innerText()).replace(/\s+/g, ' ');
