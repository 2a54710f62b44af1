// The texts that elements show: without what is hidden, and as CSS changes them.
import type { Locator } from '@playwright/test';
import { renderedTextsIn } from '../../playwright/inside/texts';

/** Of all elements that match now. */
export async function renderedTexts(locator: Locator): Promise<string[]> {
  const texts = await renderedTextsIn(locator);
  if (texts) return texts;
  const elements = await locator.elementHandles();
  // SVG has no rendered text.
  const reading = elements.map(each => each.innerText().catch(() => each.textContent()));
  return (await Promise.all(reading)).map(text => text ?? '');
}
