// The element at a point of the viewport, or with the focus.
import type { Point } from '../geometry';
import { controlAround, cssPathOf, hit, holds, roleOf, topOf, wordsFor } from './elements';
import { scrollsAround } from './scrolling';

/** What is known of an element at a point, and where the frame is that the element shows, if it is one. */
export interface AtPoint<Result> {
  result: Result;
  /** The frame's element, and the upper left corner of its document. */
  frame: { path: string; corner: Point } | undefined;
}

/** @param point null for the element with the focus. @returns null if nothing is there */
function atPoint<Result>(point: Point | null, read: (element: Element) => Result): AtPoint<Result> | null {
  const element = hit(point);
  if (!element) return null;
  const { x, y } = element.getBoundingClientRect();
  const corner = { x: x + element.clientLeft, y: y + element.clientTop };
  const isFrame = /^i?frame$/.test(element.localName);
  return { result: read(element), frame: isFrame ? { path: cssPathOf(element), corner } : undefined };
}

/** What an element is: the control that it is a part of, or itself. */
export function describeAt(point: Point | null) {
  return atPoint(point, element => {
    const acted = controlAround(element) ?? element.closest('[role],[onclick],[contenteditable]');
    const target = (acted instanceof HTMLLabelElement && acted.control) || acted || element;
    const inputType = target instanceof HTMLInputElement ? target.type : undefined;
    return { words: wordsFor(target), tag: target.localName, inputType };
  });
}

/** What to click to hit a point: the middle of the control there, or the exact spot on another element. */
export function controlAt(point: Point | null) {
  return atPoint(point, element => {
    const control = point && closestControl(element);
    return control ? { path: cssPathOf(control), position: undefined } : spotOn(element, point);
  });
}

/** The exact spot on the element there. */
export function spotAt(point: Point | null) {
  return atPoint(point, element => spotOn(element, point));
}

/** What scrolls there, and where there is room to scroll. */
export function scrollsAt(point: Point | null) {
  return atPoint(point, scrollsAround);
}

function spotOn(element: Element, point: Point | null) {
  const { x, y } = element.getBoundingClientRect();
  const position = point ? { x: Math.round(point.x - x), y: Math.round(point.y - y) } : undefined;
  return { path: cssPathOf(element), position };
}

/** The control that a click on the element is for; null if the point on it matters. */
function closestControl(element: Element): Element | null {
  const control = controlAround(element);
  if (!control || roleOf(control) === 'slider') return null;
  const middle = topOf(control);
  const inner = middle && holds(control, middle) && controlAround(middle);
  // In the middle of a tree's item there may be another one. A label's field does what the label does.
  const isFree = !inner || inner === control || inner === (control as HTMLLabelElement).control;
  return isFree ? control : null;
}
