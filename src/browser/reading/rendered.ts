// The texts that elements show: without what is hidden, and as CSS changes them.
import type { Locator } from '@playwright/test';
import { renderedTextsIn } from '../../playwright/inside/texts';
import { injected } from '../in-page';

/** Of all elements that match now. */
export async function renderedTexts(locator: Locator): Promise<string[]> {
  const texts = await renderedTextsIn(locator);
  if (texts) return texts;
  const elements = await locator.elementHandles();
  const drawnText = injected('drawnText') as (element: Node) => string;
  return Promise.all(elements.map(each => each.innerText().catch(() => each.evaluate(drawnText))));
}
