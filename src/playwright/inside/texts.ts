// Reads the rendered texts of many elements by one request, in Playwright's own world. Public calls take a request for each element, or
// read in the page's world. Checked on Playwright 1.65.1: `expect(locator).toHaveText([], { useInnerText: true })` asks the same, and its
// failure has the texts.
import type { Locator } from '@playwright/test';
import { unseen } from './calls';

type Expecting = {
  _expect?(matcher: string, options: object): Promise<{ received?: { value?: unknown } }>;
};

/** @returns undefined if some are SVG elements, or if this version of Playwright does not return texts */
export async function renderedTextsIn(locator: Locator): Promise<string[] | undefined> {
  const { _expect: ask } = locator as Expecting;
  // Playwright looks once, however short the timeout is.
  const options = { expectedText: [], isNot: false, useInnerText: true, timeout: 1 };
  const answer = await unseen(locator.page(), async () => ask?.call(locator, 'to.have.text.array', options));
  const texts = answer?.received?.value;
  return Array.isArray(texts) && texts.every(text => typeof text === 'string') ? texts : undefined;
}
