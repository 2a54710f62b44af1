// What takes the mouse for an element, and what closes that.
import { boxOf, hit, holds, largestOver, nameOf, parentOf, topOf } from './elements';

export interface Over {
  /** A part of the same thing: a file input over its button, or the shape under a text that lets the mouse through. */
  part?: Element;
  /** The button or link that closes what is over it. */
  way?: Element;
}

/** @param closers names of buttons that close something, likeliest first */
export function overIt(target: Element, closers: RegExp[]): Over {
  target.scrollIntoView({ block: 'nearest' });
  const top = topOf(target);
  if (!top || holds(target, top)) return {};
  if (top.matches('input[type=file]')) return { part: top };
  let around: Element | null = target;
  while (around && getComputedStyle(around).pointerEvents === 'none') around = parentOf(around);
  // What comes after the element in the document lies over it. What is around a button is no part of it.
  const isUnder = top.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
  const isIn = around && !holds(around, document.body) && isUnder && holds(around, top);
  if (isIn) return target.matches('button,a,[role=button]') ? {} : { part: top };
  const way = wayToClose(largestOver(target, top), closers);
  return way ? { way } : {};
}

/** The button or link with one of these names that is drawn over the cover, as a part of it or beside it. */
function wayToClose(cover: Element, names: RegExp[]): Element | undefined {
  const root = cover.getRootNode() as Document | ShadowRoot;
  const all: Element[] = [...document.querySelectorAll('*')];
  for (const { shadowRoot } of all) if (shadowRoot) all.push(...shadowRoot.querySelectorAll('*'));
  const onTop = all.filter(way => {
    if (!way.matches('button,a,[role=button],[title]')) return false;
    const { x, y, width, height } = boxOf(way);
    const middle = { x: x + width / 2, y: y + height / 2 };
    const isOver = () => root.elementsFromPoint(middle.x, middle.y).some(each => holds(cover, each));
    return holds(way, hit(middle)) && isOver();
  });
  const called = (way: Element) =>
    // An icon: its HTML says what it is.
    nameOf(way) || (/close|dismiss|\b(?:times|x-?mark|cross)\b/i.test(way.outerHTML) ? 'close' : '');
  return names.map(name => onTop.find(way => name.test(called(way)))).find(Boolean);
}
