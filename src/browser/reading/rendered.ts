// The texts that elements show: without what is hidden, and as changed by CSS (`text-transform`).
import type { ElementHandle, Locator } from '@playwright/test';
import { renderedTextsIn } from '../../playwright/inside/texts';

/** The texts of all elements that match now. */
export async function renderedTexts(locator: Locator): Promise<string[]> {
  const texts = await renderedTextsIn(locator);
  if (texts) return texts;
  const elements = await locator.elementHandles();
  return Promise.all(elements.map(each => each.innerText().catch(() => textOfSvg(each))));
}

/** SVG has no `innerText`: what is hidden is taken out of its `textContent`, and so are titles. */
async function textOfSvg(element: ElementHandle): Promise<string> {
  const hidden = await element.$$('css=* >> visible=false');
  const [whole, ...parts] = await Promise.all([element, ...hidden].map(each => each.textContent()));
  let outer = '';
  return parts.reduce<string>((text, part) => {
    // A part inside the last one is gone already.
    if (!part || outer.includes(part)) return text;
    outer = part;
    return text.replace(part, '');
  }, whole ?? '');
}
