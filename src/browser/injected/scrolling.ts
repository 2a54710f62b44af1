// What scrolls, and scrolling an element into view.
import type { Point } from '../geometry';
import { cssPathOf, parentOf } from './elements';

/** What scrolls an element, and where one of its ancestors has room to scroll. */
export function scrollsAround(element: Element) {
  const scroller = closestScrollable(element);
  return { path: cssPathOf(element), scroller: scroller && cssPathOf(scroller), room: roomAround(element) };
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

function roomAround(start: Element) {
  const room = { up: false, down: false, left: false, right: false };
  for (let element: Element | null = start; element; element = parentOf(element)) {
    const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = element;
    room.up ||= scrollTop > 0;
    room.down ||= scrollTop + clientHeight < scrollHeight - 1;
    // In right-to-left layouts, scrollLeft is below zero.
    room.left ||= scrollWidth > clientWidth + 1;
    room.right ||= scrollLeft + clientWidth < scrollWidth - 1;
  }
  return room;
}

/** Returns the element's middle in the viewport; null in a frame. */
export function bringIntoView(element: Element): Point | null {
  const { top, left, bottom, right } = element.getBoundingClientRect();
  if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth)
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = element.getBoundingClientRect();
  return window === window.top ? { x: x + width / 2, y: y + height / 2 } : null;
}
