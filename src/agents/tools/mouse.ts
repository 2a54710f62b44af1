import type { Page } from '@playwright/test';
import {
  closestScrollable,
  cssPathOf,
  elementAt,
  placeIn,
  readAt,
  targetAt,
} from '../../browser/actions/locate';
import { DriverError } from '../../browser/errors';
import { evaluateUnseen } from '../../browser/page-calls';
import type { Point } from '../../browser/reading/tree';
import { within } from '../../browser/waiting';
import type { Driver, Target } from './driver';
import { holding, modifiersOf } from './keyboard';

/** CSS pixels of a notch of the wheel. */
const NOTCH = 100;
const DRAG_STEPS = 12;
/** Milliseconds for a wheel event to scroll something. */
const SCROLL_LIMIT_MS = 300;

export interface Click {
  button?: 'left' | 'right' | 'middle';
  count?: number;
  modifiers?: string | null | undefined;
}

/** @returns a hint for the model, if the click opens something that can't be seen */
export async function click(driver: Driver, page: Page, target: Target, how: Click) {
  const modifiers = modifiersOf(how.modifiers);
  const options = { button: how.button, clickCount: how.count };
  const draft = { do: 'click' as const, ...options, modifiers: modifiers.length ? modifiers : undefined };
  if (target.type === 'ref') {
    const { locator, node } = await driver.locate(page, target);
    await driver.performShown(page, { ...draft, locator });
    const isList = node.role === 'combobox';
    const tag = isList && (await locator.evaluate(({ localName }) => localName).catch(() => undefined));
    return hintFor(tag || undefined, node.inputType);
  }
  const point = await driver.pointOf(page, target);
  driver.mark(point);
  const [seen] = await Promise.all([elementAt(page, point), driver.recordAt(page, draft, point)]);
  await holding(page, modifiers, () => page.mouse.click(point.x, point.y, options));
  return hintFor(seen?.tag, seen?.inputType);
}

/** The browser opens its own lists, pickers and dialogs for these, which no picture or tree shows. */
function hintFor(tag: string | undefined, inputType: string | undefined): string | undefined {
  if (tag === 'select')
    return 'The list of a native select can not be seen: choose with form_input, or by keys.';
  if (inputType === 'file') return 'A file dialog can not be seen or used: files are given with file_upload.';
  if (inputType && ['date', 'time', 'datetime-local', 'month', 'week', 'color'].includes(inputType))
    return `The picker of a native ${inputType} field may not be seen: set the value with form_input.`;
  return undefined;
}

export async function hover(driver: Driver, page: Page, target: Target): Promise<void> {
  if (target.type === 'ref') {
    const { locator } = await driver.locate(page, target);
    return driver.performShown(page, { do: 'hover', locator });
  }
  return move(driver, page, target);
}

export async function move(driver: Driver, page: Page, to: Point): Promise<void> {
  await driver.recordAt(page, { do: 'hover' }, await driver.pointOf(page, to));
  await moveTo(driver, page, to);
}

async function moveTo(driver: Driver, page: Page, to: Point): Promise<void> {
  const point = await driver.pointOf(page, to);
  driver.mark(point);
  await page.mouse.move(point.x, point.y);
}

export async function press(driver: Driver, page: Page, at: Point): Promise<void> {
  await moveTo(driver, page, at);
  await page.mouse.down();
}

export async function release(driver: Driver, page: Page, at: Point): Promise<void> {
  const point = await driver.pointOf(page, at);
  driver.mark(point);
  // In steps, as a hand moves: drag and drop listens to moves on the way.
  await page.mouse.move(point.x, point.y, { steps: DRAG_STEPS });
  await page.mouse.up();
}

export async function drag(driver: Driver, page: Page, from: Point, to: Point, held?: string | null) {
  const modifiers = modifiersOf(held);
  const start = await driver.pointOf(page, from);
  const end = await driver.pointOf(page, to);
  if (modifiers.length === 0) {
    const [source, goal] = await Promise.all([start, end].map(point => targetAt(page, point, () => null)));
    const draft = { do: 'drag', position: source?.position, toPosition: goal?.position } as const;
    if (source && goal) await driver.recorder.record(page, draft, source.element, goal.element);
  }
  await holding(page, modifiers, async () => {
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await release(driver, page, to);
  });
}

/** @returns a hint for the model, if nothing has scrolled */
export async function scroll(
  driver: Driver,
  page: Page,
  at: Point,
  direction: 'up' | 'down' | 'left' | 'right',
  notches: number,
  held?: string | null,
): Promise<string | undefined> {
  const modifiers = modifiersOf(held);
  const point = await driver.pointOf(page, at);
  driver.mark(point);
  const way = notches * NOTCH;
  const x = direction === 'left' ? -way : direction === 'right' ? way : 0;
  const y = direction === 'up' ? -way : direction === 'down' ? way : 0;
  const seen = await readAt(page, point, scrollsAt, closestScrollable, cssPathOf, placesAround);
  const before = seen?.result;
  if (modifiers.length === 0) {
    // Without one, the page itself scrolls.
    const scroller = before?.scroller ? await placeIn(seen!.frame, before.scroller) : undefined;
    await driver.recorder.record(page, { do: 'scroll', x, y }, scroller);
  }
  await holding(page, modifiers, async () => {
    await page.mouse.move(point.x, point.y);
    await page.mouse.wheel(x, y);
  });
  // A frame under the pointer scrolls itself, which can't be seen from here.
  if (!before || seen?.frame !== page.mainFrame()) return undefined;
  const script = `(${hasMoved})(${placesAround}, ${JSON.stringify(before.path)}, ${JSON.stringify(before.places)}, ${SCROLL_LIMIT_MS})`;
  const hasRoom = before.room[direction];
  if (hasRoom && (await within(evaluateUnseen(page, script), SCROLL_LIMIT_MS * 2)) !== false)
    return undefined;
  return `Nothing scrolled: there may be no more to see further ${direction}.`;
}

/** Runs in the page. The path of an element, what scrolls it, and where there is room to scroll. */
function scrollsAt(
  element: Element,
  _: Point | null,
  scrollableOf: typeof closestScrollable,
  toPath: typeof cssPathOf,
  placesOf: typeof placesAround,
) {
  const scroller = scrollableOf(element);
  return { path: toPath(element), scroller: scroller && toPath(scroller), ...placesOf(element) };
}

/** Runs in the page. How far an element and its ancestors are scrolled, and in which directions one has room. */
function placesAround(start: Element) {
  const found: number[] = [window.scrollX, window.scrollY];
  const room = { up: false, down: false, left: false, right: false };
  for (let element: Element | null = start; element; ) {
    const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = element;
    if (scrollHeight > clientHeight || scrollWidth > clientWidth) found.push(scrollTop, scrollLeft);
    room.up ||= scrollTop > 0;
    room.down ||= scrollTop + clientHeight < scrollHeight - 1;
    // In right-to-left layouts, scrollLeft is below zero.
    room.left ||= scrollWidth > clientWidth + 1;
    room.right ||= scrollLeft + clientWidth < scrollWidth - 1;
    element = element.parentElement ?? (element.getRootNode() as ShadowRoot).host ?? null;
  }
  return { places: found.join(), room };
}

/** Runs in the page. Whether an element or an ancestor of it has scrolled, or does so within `limitMs`. */
async function hasMoved(placesOf: typeof placesAround, path: string, places: string, limitMs: number) {
  const end = performance.now() + limitMs;
  do {
    let element: Element | null = null;
    let root: ParentNode | null = document;
    for (const part of path.split(' >> ')) {
      element = root?.querySelector(part) ?? null;
      root = element?.shadowRoot ?? null;
    }
    // A list that replaces its elements has scrolled.
    if (!element || placesOf(element).places !== places) return true;
    await new Promise(resolve => setTimeout(resolve, 16));
  } while (performance.now() < end);
  return false;
}

export async function scrollTo(driver: Driver, page: Page, target: Target): Promise<void> {
  const { locator } = await driver.locate(page, target);
  // Not needed for a replay: the next step scrolls to its own element.
  driver.recorder.readOnly();
  await driver.show(locator);
}

/** `[x0, y0, x1, y1]` in CSS pixels. */
export async function regionOf(driver: Driver, page: Page, region: readonly number[]) {
  const [x0, y0, x1, y1] = region as [number, number, number, number];
  const from = await driver.pointOf(page, { x: Math.min(x0, x1), y: Math.min(y0, y1) });
  const to = await driver.pointOf(page, { x: Math.max(x0, x1), y: Math.max(y0, y1) });
  const [width, height] = [to.x - from.x, to.y - from.y];
  if (width < 1 || height < 1) throw new DriverError('zoom needs a region with a size: [x0, y0, x1, y1]');
  return { ...from, width, height };
}
