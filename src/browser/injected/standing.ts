// Where a control stands on the page, and beside what.
import { boxOf, controlAround, flatText, parentOf, wordsFor } from './elements';

/** The control that is or is around the element, and its place in the document; null in a frame. */
export function placeOf(element: Element) {
  if (window !== window.top) return null;
  const around = controlAround(element) ?? element;
  const control = (around as HTMLLabelElement).control ?? around;
  const { x, y, ...size } = boxOf(control);
  const [left, top] = [x + Math.round(scrollX), y + Math.round(scrollY)];
  return { control: wordsFor(control), x: left, y: top, ...size };
}

export const standing = (element: Element) => ({ place: placeOf(element), beside: besideOf(element) });

/** The text of the closest element around it that says more than the element itself: that of its row or card. */
function besideOf(element: Element): string {
  const own = flatText(spacedText(element), 200);
  for (let around = parentOf(element); around && around !== document.body; around = parentOf(around)) {
    const text = flatText(spacedText(around), 300);
    if (text.replace(own, '').trim()) return text;
  }
  return '';
}

/** The rendered text with a blank between elements: where they are apart by style alone, the browser writes `AliceAdminDelete`. */
export function spacedText(element: Element): string {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const seen: string[] = [];
  while (texts.nextNode())
    if (texts.currentNode.parentElement?.checkVisibility()) seen.push(texts.currentNode.nodeValue ?? '');
  return seen.join(' ');
}
