// Finds the element at a point, or with the focus, tells what it is, and makes a locator that still finds it on another day.
import type { ElementHandle, Frame, FrameLocator, Locator, Page } from '@playwright/test';
import * as elements from '../injected/elements';
import { evaluateUnseen } from '../page-calls';
import type { Point } from '../reading/tree';
import { within } from '../waiting';

declare const { controlAround, holds, roleOf, topOf, wordsFor }: typeof elements;

/** The longest wait for the words for an element. */
const DESCRIBE_LIMIT_MS = 1_000;

export type Handle = ElementHandle<Element>;

/** An element by its place in the document. */
export interface Placed {
  place: Locator;
}

/** What to click to hit a point: the control there, or the exact spot on another element. With null: what has the focus. */
export async function targetAt(
  page: Page,
  point: Point | null,
  controlOf: typeof closestControl = closestAlone,
) {
  const found = await readAt(page, point, placeAt, controlOf, cssPathOf);
  if (!found) return undefined;
  const { path, position } = found.result;
  // Without a position, the element's middle.
  return { element: await placeIn(found.frame, path), position };
}

/** Runs in the page. */
function placeAt(
  element: Element,
  point: Point | null,
  controlOf: typeof closestControl,
  toPath: typeof cssPathOf,
) {
  const control = point && controlOf(element);
  const { x, y } = element.getBoundingClientRect();
  const position = point && !control ? { x: Math.round(point.x - x), y: Math.round(point.y - y) } : undefined;
  return { path: toPath(control ?? element), position };
}

/**
 * Reads the element at a point of the viewport, or the one with the focus, through frames and shadow roots. Outside of
 * frames, it asks the page once, where a handle would take ten requests.
 *
 * @param read runs in the element's document, with the element, the point there, and `args`: functions that run there,
 * too, and JSON.
 * @returns undefined if nothing is there
 */
export async function readAt<Result, Args extends unknown[]>(
  page: Page,
  point: Point | null,
  read: (element: Element, point: Point | null, ...args: Args) => Result,
  ...args: Args
): Promise<{ result: Result; frame: Frame } | undefined> {
  const given = args.map(arg => (typeof arg === 'function' ? `(${arg})` : JSON.stringify(arg)));
  const reading = (at: Point | null) => `(${read})(${['element', JSON.stringify(at), ...given].join()})`;
  const script = `(element => !element ? null : /^i?frame$/.test(element.localName) ? 'frame' : { result: ${reading(point)} })((${elements.hit})(${JSON.stringify(point)}))`;
  const found = (await evaluateUnseen(page, script)) as { result: Result } | 'frame' | null;
  if (found !== 'frame') return found ? { ...found, frame: page.mainFrame() } : undefined;
  const inner = await inFrame(page.mainFrame(), point);
  if (!inner) return undefined;
  const inDocument = new Function('element', `return ${reading(inner.point)}`) as (
    element: Element,
  ) => Result;
  return { result: (await inner.element.evaluate(inDocument)) as Result, frame: inner.frame };
}

/** Runs in the page, with the functions of elements.ts. */
function describe(element: Element) {
  const acted = controlAround(element) ?? element.closest('[role],[onclick],[contenteditable]');
  const target = (acted instanceof HTMLLabelElement && acted.control) || acted || element;
  const inputType = target instanceof HTMLInputElement ? target.type : undefined;
  return { words: wordsFor(target), tag: target.localName, inputType };
}

/** Runs in the page, with the functions of elements.ts. The control that a click on the element is for; null if the point on it matters. */
function closestControl(element: Element): Element | null {
  const control = controlAround(element);
  if (!control || roleOf(control) === 'slider') return null;
  const middle = topOf(control);
  const inner = middle && holds(control, middle) && controlAround(middle);
  // In the middle of a tree's item there may be another one. A label's field does what the label does.
  const isFree = !inner || inner === control || inner === (control as HTMLLabelElement).control;
  return isFree ? control : null;
}

const SOURCE = Object.values(elements).join('\n');
/** A function that can be sent to a page alone, made of one that uses those of elements.ts. */
export const alone = <Read>(read: Read & { name: string }) =>
  new Function('...given', `${SOURCE}\n${read}\nreturn ${read.name}(...given)`) as Read;
const describeAlone = alone(describe);
const closestAlone = alone(closestControl);

/** The element at a point of the viewport, or with the focus, through frames and shadow roots; undefined if unknown. */
export async function elementAt(page: Page, point: Point | null) {
  return (await within(readAt(page, point, describeAlone), DESCRIBE_LIMIT_MS))?.result;
}

/** An element's place in the document: exact for now, and enough for Playwright to make a durable locator of it. */
export async function placeOf(element: Handle): Promise<Locator> {
  const frame = await element.ownerFrame();
  if (!frame) throw new Error('the element has no document any more');
  return (await placeIn(frame, await element.evaluate(cssPathOf))).place;
}

export async function placeIn(frame: Frame, path: string): Promise<Placed> {
  return { place: (await scopeOf(frame)).locator(path) };
}

async function scopeOf(frame: Frame): Promise<Page | FrameLocator> {
  if (!frame.parentFrame()) return frame.page();
  const element = await frame.frameElement();
  return (await placeOf(element as Handle)).contentFrame();
}

interface InFrame {
  frame: Frame;
  element: Handle;
  /** In the frame's viewport. */
  point: Point | null;
}

async function inFrame(frame: Frame, point: Point | null): Promise<InFrame | undefined> {
  const element = (await frame.evaluateHandle(elements.hit, point)).asElement();
  if (!element) return undefined;
  const inner = await element.contentFrame();
  const corner = inner && point && (await element.evaluate(innerCorner));
  const inside = corner && { x: point.x - corner.x, y: point.y - corner.y };
  return (inner && (await inFrame(inner, inside))) ?? { frame, element, point };
}

/** Runs in the page. The upper left corner of an iframe's document. */
function innerCorner(element: Element): Point {
  const { x, y } = element.getBoundingClientRect();
  return { x: x + element.clientLeft, y: y + element.clientTop };
}

/** Runs in the page. */
export function closestScrollable(element: Element): Element | null {
  for (let node: Element | null = element; node && node !== document.body; ) {
    const { overflowX, overflowY } = getComputedStyle(node);
    const scrolls = /auto|scroll/;
    if (scrolls.test(overflowY) && node.scrollHeight > node.clientHeight) return node;
    if (scrolls.test(overflowX) && node.scrollWidth > node.clientWidth) return node;
    node = node.parentElement ?? (node.getRootNode() as ShadowRoot).host ?? null;
  }
  return null;
}

/** Runs in the page. A CSS path from the root, with Playwright's `>>` before a shadow root. */
export function cssPathOf(element: Element): string {
  const segments: string[] = [];
  let parts: string[] = [];
  let node: Element | null = element;
  while (node) {
    const parent: ParentNode | null = node.parentNode;
    const index = parent ? [...parent.children].indexOf(node) + 1 : 1;
    parts.unshift(`${CSS.escape(node.localName)}:nth-child(${index})`);
    if (parent instanceof ShadowRoot) {
      segments.unshift(parts.join(' > '));
      parts = [];
      node = parent.host;
    } else node = parent instanceof Element ? parent : null;
  }
  segments.unshift(parts.join(' > '));
  return segments.join(' >> ');
}
