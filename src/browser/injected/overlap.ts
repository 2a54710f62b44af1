// What lies over an element, what closes it, and which of several elements are one.
import { boxOf, hit, holds, largestOver, nameOf, parentOf, topOf } from './elements';

/** What lies over the target's middle, as a whole. */
export function overlayOn(target: Element): Element | null {
  const top = topOf(target);
  return top && !holds(target, top) ? largestOver(target, top) : null;
}

/**
 * What takes the mouse for the target and is a part of the same thing: a file input over its button, or the shape under a
 * text that lets the mouse through. What comes after the text in the document lies over it, and is no part of it.
 */
export function partOver(target: Element): Element | null {
  target.scrollIntoView({ block: 'nearest' });
  const top = topOf(target);
  if (!top || holds(target, top)) return null;
  if (top.matches('input[type=file]')) return top;
  let around: Element | null = target;
  while (around && getComputedStyle(around).pointerEvents === 'none') around = parentOf(around);
  const isUnder = top.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
  return around && !holds(around, document.body) && isUnder && holds(around, top) ? top : null;
}

/** The button or link with one of these names that is drawn over the cover, as a part of it or beside it. */
export function wayToClose(cover: Element, names: RegExp[]): Element | undefined {
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

/** The smallest boxes that hold one of the things, as indexes. What a box holds follows it at once. */
export function smallest(boxes: Element[], things: Node[]): number[] {
  const around = boxes.filter(box => things.some(thing => box !== thing && holds(box, thing as Element)));
  return around.flatMap((box, at) => (holds(box, around[at + 1] ?? null) ? [] : boxes.indexOf(box)));
}

/** The index of the only thing: one inside another, and links to one address, are one to a user. */
export function oneOf(things: Element[]): number | undefined {
  const [inner, second] = things.flatMap((thing, at) => (holds(thing, things[at + 1] ?? null) ? [] : at));
  const urls = new Set(things.map(link => link.getAttribute('href')));
  return second === undefined ? inner : urls.size === 1 && !urls.has(null) ? 0 : undefined;
}
