// The text of elements as a browser lays it out: what is slotted into shadow roots stands where its slot is.
import { everyElement, parentOf } from './elements';

/**
 * Of all elements that match, each in its own tree; empty if it is not rendered. Null if nothing on the page is slotted, or if
 * another number match: Playwright's selectors cross the borders of shadow roots.
 */
export function slottedTexts(selector: string, count: number): string[] | null {
  const all = [...everyElement()];
  const around = new Set<Element>();
  for (const slot of all.filter(each => each instanceof HTMLSlotElement && each.assignedNodes().length))
    for (let each: Element | null = slot; each && !around.has(each); each = parentOf(each)) around.add(each);
  if (!around.size) return null;
  const matching = all.filter(each => each.matches(selector));
  return matching.length === count ? matching.map(each => laidOut(each, around)) : null;
}

/** @param around the elements that have a slot with something in it, at any depth */
function laidOut(element: Element, around: ReadonlySet<Element>): string {
  const { display } = getComputedStyle(element);
  if (display === 'none') return '';
  const text = around.has(element)
    ? childrenOf(element)
        .map(child => textOf(child, element, around))
        .join('')
    : renderedText(element, display);
  return /^(?:inline|contents)/.test(display) ? text : `\n${text}\n`;
}

function textOf(node: Node, parent: Element, around: ReadonlySet<Element>): string {
  if (node instanceof Element) return laidOut(node, around);
  return node instanceof Text ? lettersOf(node, parent) : '';
}

function childrenOf(element: Element): Node[] {
  const slotted = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
  return slotted.length ? slotted : [...(element.shadowRoot ?? element).childNodes];
}

function renderedText(element: Element, display: string): string {
  if (display !== 'contents' && !element.checkVisibility()) return '';
  if (element instanceof HTMLBRElement) return '\n';
  if (element instanceof HTMLSelectElement)
    return Array.from(element.selectedOptions, ({ label }) => label).join('\n');
  if (element instanceof HTMLInputElement)
    return /^(?:submit|button|reset)$/.test(element.type) ? element.value : '';
  return element instanceof HTMLElement ? element.innerText : (element.textContent ?? '');
}

function lettersOf(text: Text, parent: Element): string {
  const { visibility, textTransform } = getComputedStyle(parent);
  const range = document.createRange();
  range.selectNodeContents(text);
  if (visibility !== 'visible' || !range.getClientRects().length) return '';
  if (textTransform === 'uppercase') return text.data.toUpperCase();
  return textTransform === 'lowercase' ? text.data.toLowerCase() : text.data;
}
