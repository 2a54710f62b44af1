// Which of several elements with a name is meant, and what stands there.
import { holds, parentOf } from './elements';

interface Which {
  /** Matches the label of the row, card or section that it is in. */
  place?: RegExp | undefined;
  /** 0 for the first, -1 for the last. */
  nth?: number | undefined;
}

/** The indexes of the elements that may be meant, two of them if that is not clear. */
export function meant(things: Element[], { place, nth }: Which): number[] {
  const near = place ? nearTo(things, place) : things;
  // One inside another, and links to one address, are one to a user.
  const inner = near.filter((thing, at) => !holds(thing, near[at + 1] ?? null));
  const urls = new Set(inner.map(link => link.getAttribute('href')));
  const most = urls.size === 1 && !urls.has(null) ? 1 : 2;
  const chosen = nth === undefined ? inner.slice(0, most) : inner.slice(nth).slice(0, 1);
  return chosen.map(thing => things.indexOf(thing));
}

/** Those in the smallest box that also has the label: in the row of that name, and not in what holds all rows. */
function nearTo(things: Element[], label: RegExp): Element[] {
  const known = new Map<Element, boolean>();
  const has = (box: Element) => {
    const isKnown = known.get(box) ?? says(box, label);
    known.set(box, isKnown);
    return isKnown;
  };
  const boxes = things.map(thing => {
    let box = parentOf(thing);
    while (box && box !== document.body && !has(box)) box = parentOf(box);
    return box === document.body ? null : box;
  });
  const isSmallest = (box: Element) => !boxes.some(other => other && other !== box && holds(box, other));
  return things.filter((_, at) => boxes[at] && isSmallest(boxes[at]));
}

function says(box: Element, label: RegExp): boolean {
  const named = [box, ...box.querySelectorAll('[aria-label],[placeholder]')];
  const names = named.map(each => each.getAttribute('aria-label') ?? each.getAttribute('placeholder') ?? '');
  return [textOf(box), ...names].some(text => label.test(text));
}

const textOf = (element: Element) => (element as HTMLElement).innerText ?? element.textContent ?? '';

/** A field's value, or a text with what stands beside it. */
export function textAt(element: Element): string {
  const field = element.closest('label')?.control ?? element;
  if ('value' in field && typeof field.value === 'string' && field.value) return field.value;
  return textOf(element.closest('tr,li,dl,details,[role=row]') ?? element).trim();
}

export const matches = (element: Element, css: string) => element.matches(css);
