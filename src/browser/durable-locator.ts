// Makes a locator that still finds its element on another day.
import type { ElementHandle, Frame, FrameLocator, Locator, Page } from '@playwright/test';
import { evaluateUnseen } from './evaluate';

type Point = { x: number; y: number };
export type Handle = ElementHandle<Element>;

/** The element at a point of the viewport, through frames and shadow roots. */
export function elementAtPoint(page: Page, point: Point): Promise<Handle | undefined> {
  return inFrame(page.mainFrame(), point);
}

/** The element with the focus, through frames and shadow roots; undefined if there is none. */
export function elementWithFocus(page: Page): Promise<Handle | undefined> {
  return inFrame(page.mainFrame(), null);
}

/** An element by its place in the document. */
export interface Placed {
  place: Locator;
}

/** What to act on to hit a point. */
export interface Aim {
  element: Placed | Handle;
  /** Where on it. Default: its middle. */
  position?: Point;
}

/** What to click to hit a point: the control there, or the exact spot on another element. With null: what has the focus. */
export async function targetAt(page: Page, point: Point | null): Promise<Aim | undefined> {
  const found = await readAt(page, point, placeAt, [closestControl, pathOf, point]);
  if (found !== 'frame') return found ? aimAt(page, found) : undefined;
  const element = await inFrame(page.mainFrame(), point);
  if (!element || !point) return element && { element };
  const clickable = (await element.evaluateHandle(closestControl)).asElement();
  return clickable ? { element: clickable } : spotOn(element, point);
}

/** The element at a point, and where on it the point is. */
export async function spotAt(page: Page, point: Point): Promise<Required<Aim> | undefined> {
  const found = await readAt(page, point, placeAt, [() => null, pathOf, point]);
  if (found !== 'frame') return found ? (aimAt(page, found) as Required<Aim>) : undefined;
  const hit = await elementAtPoint(page, point);
  return hit && spotOn(hit, point);
}

function aimAt(page: Page, { path, position }: { path: string; position: Point | undefined }): Aim {
  return { element: { place: page.locator(path) }, ...(position && { position }) };
}

/** Runs in the page. */
function placeAt(
  element: Element,
  controlOf: typeof closestControl,
  toPath: typeof pathOf,
  point: Point | null,
) {
  const control = point && controlOf(element);
  const { x, y } = element.getBoundingClientRect();
  const position = point && !control ? { x: Math.round(point.x - x), y: Math.round(point.y - y) } : undefined;
  return { path: toPath(control ?? element), position };
}

/**
 * Reads the element at a point of the viewport, or the one with the focus, through shadow roots. It asks the page once,
 * where a handle would take ten requests.
 *
 * @param read runs in the page, with the element and `args`: functions that run there, too, and JSON.
 * @returns 'frame' if a frame has it, null if nothing is there
 */
export async function readAt<Result, Args extends unknown[]>(
  page: Page,
  point: Point | null,
  read: (element: Element, ...args: Args) => Result,
  args: Args,
): Promise<Result | 'frame' | null> {
  const given = args.map(arg => (typeof arg === 'function' ? `(${arg})` : JSON.stringify(arg)));
  const script = `(element => !element ? null : /^i?frame$/.test(element.localName) ? 'frame' : (${read})(${['element', ...given].join()}))((${hit})(${JSON.stringify(point)}))`;
  return (await evaluateUnseen(page, script)) as Result | 'frame' | null;
}

async function spotOn(element: Handle, point: Point): Promise<Required<Aim> | undefined> {
  const box = await element.boundingBox();
  if (!box) return undefined;
  return { element, position: { x: Math.round(point.x - box.x), y: Math.round(point.y - box.y) } };
}

/** The element that scrolls another; undefined if it is the page itself, or none. */
export async function scrollableAround(element: Handle): Promise<Handle | undefined> {
  return (await element.evaluateHandle(closestScrollable)).asElement() ?? undefined;
}

/** An element's place in the document: exact for now, and enough for Playwright to make a durable locator of it. */
export async function placeOf(element: Handle): Promise<Locator> {
  const frame = await element.ownerFrame();
  if (!frame) throw new Error('the element has no document any more');
  return (await scopeOf(frame)).locator(await element.evaluate(pathOf));
}

async function scopeOf(frame: Frame): Promise<Page | FrameLocator> {
  if (!frame.parentFrame()) return frame.page();
  const element = await frame.frameElement();
  return (await placeOf(element as Handle)).contentFrame();
}

async function inFrame(frame: Frame, point: Point | null): Promise<Handle | undefined> {
  const element = (await frame.evaluateHandle(hit, point)).asElement();
  const inner = await element?.contentFrame();
  if (!element || !inner) return element ?? undefined;
  const corner = point && (await element.evaluate(innerCorner));
  const within = point && corner ? { x: point.x - corner.x, y: point.y - corner.y } : null;
  return (await inFrame(inner, within)) ?? element;
}

/** Runs in the page. The upper left corner of an iframe's document. */
function innerCorner(element: Element): Point {
  const { x, y } = element.getBoundingClientRect();
  return { x: x + element.clientLeft, y: y + element.clientTop };
}

/** Runs in the page. The element at a point, or with the focus, through shadow roots. */
function hit(point: Point | null): Element | null {
  const inside = (root: Document | ShadowRoot) =>
    point ? root.elementFromPoint(point.x, point.y) : root.activeElement;
  let found = inside(document);
  for (let inner = found; inner; inner = inner.shadowRoot && inside(inner.shadowRoot)) found = inner;
  const nothing = !point && (found === document.body || found === document.documentElement);
  return nothing ? null : found;
}

/** Runs in the page. The control that a click on the element is for; null if the point on it matters. */
function closestControl(element: Element): Element | null {
  const control = element.closest(
    'a[href],button,input,select,textarea,summary,label,option,[role=button],[role=link],[role=tab],[role=option],[role=menuitem],[role=checkbox],[role=radio],[role=switch]',
  );
  const isRange = control instanceof HTMLInputElement && control.type === 'range';
  return isRange ? null : control;
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
export function pathOf(element: Element): string {
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
