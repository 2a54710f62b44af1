// Reads the rendered texts of many elements by one request, in Playwright's own world. Checked on Playwright 1.65.1: it is what
// `expect(locator).toHaveText([], { useInnerText: true })` asks, whose failure has the texts. The public calls take a request for each
// element, or read in the page's own world.
import type { Locator } from '@playwright/test';
import { unseen } from './calls';

type Expecting = {
  _expect?(matcher: string, options: object): Promise<{ received?: { value?: unknown } }>;
};

/** Undefined if elements of SVG are among them, or if this version of Playwright does not tell. */
export async function renderedTextsIn(locator: Locator): Promise<string[] | undefined> {
  const { _expect: ask } = locator as Expecting;
  // It is looked at once whatever the timeout is.
  const options = { expectedText: [], isNot: false, useInnerText: true, timeout: 1 };
  const answer = await unseen(locator.page(), async () => ask?.call(locator, 'to.have.text.array', options));
  const texts = answer?.received?.value;
  return Array.isArray(texts) && texts.every(text => typeof text === 'string') ? texts : undefined;
}
