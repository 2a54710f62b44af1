// Finds the element at a point, or with the focus, tells what it is, and makes a locator that still finds it on another day.
import type { ElementHandle, Frame, Locator, Page } from '@playwright/test';
import { callInPage, injected, unseen } from '../in-page';
import type { Point } from '../injected/elements';
import type * as readers from '../injected/pointing';
import { within } from '../waiting';

/** The longest wait for the words for an element. */
const DESCRIBE_LIMIT_MS = 1_000;

export type Handle = ElementHandle<Element>;

/** What to click to hit a point: the control there, or (with `spotAt`) the exact spot. With null: what has the focus. */
export async function targetAt(page: Page, point: Point | null, what: 'controlAt' | 'spotAt' = 'controlAt') {
  const found = await readAt(page, point, what);
  if (!found) return undefined;
  const { path, position } = found.result;
  // Without a position, the element's middle.
  return { element: await placeIn(found.frame, path), position };
}

type Reader = 'controlAt' | 'describeAt' | 'scrollsAt' | 'spotAt';
type ResultAt<Name extends Reader> = NonNullable<ReturnType<(typeof readers)[Name]>>['result'];

/**
 * Reads the element at a point of the viewport, or the one with the focus, through frames and shadow roots. Outside of
 * frames, it asks the page once.
 *
 * @returns undefined if nothing is there
 */
export function readAt<Name extends Reader>(page: Page, point: Point | null, name: Name) {
  return readIn(page.mainFrame(), point, name);
}

async function readIn<Name extends Reader>(
  frame: Frame,
  point: Point | null,
  name: Name,
): Promise<{ result: ResultAt<Name>; frame: Frame } | undefined> {
  const found = (await callInPage<Reader>(frame, name, point)) as readers.AtPoint<ResultAt<Name>> | null;
  if (!found?.frame) return found ? { result: found.result, frame } : undefined;
  const { path, corner } = found.frame;
  const element = await unseen(frame.page(), () => frame.locator(path).elementHandle());
  const inner = await element?.contentFrame();
  const inside = point && { x: point.x - corner.x, y: point.y - corner.y };
  return (inner && (await readIn(inner, inside, name))) ?? { result: found.result, frame };
}

/** The element at a point of the viewport, or with the focus, through frames and shadow roots; undefined if unknown. */
export async function elementAt(page: Page, point: Point | null) {
  return (await within(readAt(page, point, 'describeAt'), DESCRIBE_LIMIT_MS))?.result;
}

/** An element's place in the document: exact for now, and enough for Playwright to make a durable locator of it. */
export async function durableLocator(element: Handle): Promise<Locator> {
  const frame = await element.ownerFrame();
  if (!frame) throw new Error('the element has no document any more');
  return placeIn(frame, await element.evaluate(injected('cssPathOf')));
}

export async function placeIn(frame: Frame, path: string): Promise<Locator> {
  if (!frame.parentFrame()) return frame.page().locator(path);
  const element = await frame.frameElement();
  return (await durableLocator(element as Handle)).contentFrame().locator(path);
}
