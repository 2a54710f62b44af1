// What scrolls, how far it is scrolled, and scrolling an element into view.
import type { Point } from '../geometry';
import { cssPathOf, parentOf } from './elements';

/** The path of an element, what scrolls it, how far its ancestors are scrolled, and where one has room to scroll. */
export function scrollsAround(element: Element) {
  const scroller = closestScrollable(element);
  return { path: cssPathOf(element), scroller: scroller && cssPathOf(scroller), ...placesAround(element) };
}

function closestScrollable(element: Element): Element | null {
  const scrolls = /auto|scroll/;
  for (let node: Element | null = element; node && node !== document.body; node = parentOf(node)) {
    const { overflowX, overflowY } = getComputedStyle(node);
    if (scrolls.test(overflowY) && node.scrollHeight > node.clientHeight) return node;
    if (scrolls.test(overflowX) && node.scrollWidth > node.clientWidth) return node;
  }
  return null;
}

function placesAround(start: Element) {
  const found: number[] = [scrollX, scrollY];
  const room = { up: false, down: false, left: false, right: false };
  for (let element: Element | null = start; element; element = parentOf(element)) {
    const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = element;
    if (scrollHeight > clientHeight || scrollWidth > clientWidth) found.push(scrollTop, scrollLeft);
    room.up ||= scrollTop > 0;
    room.down ||= scrollTop + clientHeight < scrollHeight - 1;
    // In right-to-left layouts, scrollLeft is below zero.
    room.left ||= scrollWidth > clientWidth + 1;
    room.right ||= scrollLeft + clientWidth < scrollWidth - 1;
  }
  return { places: found.join(), room };
}

/** Whether an element or an ancestor of it has scrolled, or does so within `limitMs`. */
export async function hasScrolled(path: string, places: string, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  do {
    let element: Element | null = null;
    let root: ParentNode | null = document;
    for (const part of path.split(' >> ')) {
      element = root?.querySelector(part) ?? null;
      root = element?.shadowRoot ?? null;
    }
    // A list that replaces its elements has scrolled.
    if (!element || placesAround(element).places !== places) return true;
    await new Promise(resolve => setTimeout(resolve, 16));
  } while (performance.now() < end);
  return false;
}

/** Returns the element's middle in the viewport; null in a frame. */
export function bringIntoView(element: Element): Point | null {
  const { top, left, bottom, right } = element.getBoundingClientRect();
  if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth)
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = element.getBoundingClientRect();
  return window === window.top ? { x: x + width / 2, y: y + height / 2 } : null;
}
