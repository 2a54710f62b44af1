// Finds the element at a point, or with the focus, tells what it is, and makes a locator that still finds it another day. Reads
// such locators back, too.
import type { ElementHandle, Frame, FrameLocator, Locator, Page } from '@playwright/test';
import { callInPage, unseen } from '../in-page';
import type { Point } from '../injected/elements';
import type * as readers from '../injected/pointing';
import { callOn } from '../on-elements';
import { within } from '../waiting';

const DESCRIBE_LIMIT_MS = 1_000;

export type Handle = ElementHandle<Element>;

/** What to click to hit a point: the control there, or (with `spotAt`) the exact spot. Null stands for the element with the focus. */
export async function targetAt(page: Page, point: Point | null, what: 'controlAt' | 'spotAt' = 'controlAt') {
  const found = await readAt(page.mainFrame(), point, what);
  if (!found) return undefined;
  const { path, ...told } = found.result;
  // Without a position, the element's middle.
  return { ...told, element: await placeIn(found.frame, path) };
}

type PointReader = 'controlAt' | 'scrollsAt' | 'spotAt';
type At<Name extends PointReader> = NonNullable<ReturnType<(typeof readers)[Name]>>;

/** Reads the element at a point, or with the focus, through frames and shadow roots; undefined if nothing is there. */
export async function readAt<Name extends PointReader>(
  frame: Frame,
  point: Point | null,
  name: Name,
): Promise<{ result: At<Name>['result']; frame: Frame } | undefined> {
  const found = (await callInPage<PointReader>(frame, name, point)) as At<Name> | null;
  if (!found?.frame) return found ? { result: found.result, frame } : undefined;
  const { path, corner, scale } = found.frame;
  const element = await unseen(frame.page(), () => frame.locator(path).elementHandle());
  const inner = await element?.contentFrame();
  const inside = point && { x: (point.x - corner.x) / scale, y: (point.y - corner.y) / scale };
  return (inner && (await readAt(inner, inside, name))) ?? { result: found.result, frame };
}

/** The element at a point of the viewport, or with the focus, through frames and shadow roots; undefined if unknown. */
export async function elementAt(page: Page, point: Point | null) {
  return (await within(readAt(page.mainFrame(), point, 'controlAt'), DESCRIBE_LIMIT_MS))?.result;
}

/** An element's place in the document: exact for now, and enough for Playwright to make a durable locator of it. */
export async function durableLocator(element: Handle): Promise<Locator> {
  const frame = await element.ownerFrame();
  if (!frame) throw new Error('the element has no document any more');
  return placeIn(frame, await callOn(element, 'cssPathOf', undefined, undefined, frame.page()));
}

export async function placeIn(frame: Frame, path: string): Promise<Locator> {
  if (!frame.parentFrame()) return frame.page().locator(path);
  const element = await frame.frameElement();
  return (await durableLocator(element as Handle)).contentFrame().locator(path);
}

const METHODS =
  /^(?:and|contentFrame|filter|first|frameLocator|getBy(?:AltText|Label|Placeholder|Role|TestId|Text|Title)|last|locator|nth|or)$/;

type Scope = Page | Locator | FrameLocator;

/** Reads a locator as Playwright writes it. It is parsed: text from a file must never run as code. */
export function locatorOf(page: Page, expression: string): Locator {
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(expression);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const take = (character: string) => match(new RegExp(`\\s*\\${character}\\s*`, 'y')) !== null;
  const list = <T>(close: string, item: () => T): T[] => {
    const items: T[] = [];
    while (!take(close)) {
      if (items.length > 0 && !take(',')) throw new Error(`\`${close}\` is missing`);
      items.push(item());
    }
    return items;
  };
  const option = (): [string, unknown] => {
    const name = match(/[a-zA-Z]+/y)?.[0];
    if (!name || !take(':')) throw new Error('an option must be `name: value`');
    return [name, value()];
  };
  const value = (): unknown => {
    if (take('{')) return Object.fromEntries(list('}', option));
    const [quoted] = match(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/sy) ?? [];
    if (quoted) return unquoted(quoted);
    if (/^['"]/.test(expression.slice(at))) throw new Error('a string has no closing quote');
    const [, source, flags] = match(/\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+)\/([a-z]*)/y) ?? [];
    if (source) return new RegExp(source, flags);
    const [literal] = match(/-?\d+(?:\.\d+)?|(?:true|false)\b/y) ?? [];
    return literal ? JSON.parse(literal) : chain();
  };
  const chain = (): Scope => {
    let scope: Scope = page;
    do {
      const name = match(/[a-zA-Z]+/y)?.[0] ?? '';
      if (!METHODS.test(name)) throw new Error(`there is no ${name ? `\`${name}\`` : 'method'} here`);
      const method: unknown = (scope as unknown as Record<string, unknown>)[name];
      if (typeof method !== 'function') throw new Error(`\`${name}\` can't be used here`);
      if (!take('(')) throw new Error('`(` is missing');
      scope = method.apply(scope, list(')', value));
    } while (take('.'));
    return scope;
  };
  try {
    const scope = chain();
    if (at < expression.length) throw new Error('unexpected text after the locator');
    if (!('click' in scope)) throw new Error('it is a frame, not an element');
    return scope as Locator;
  } catch (error) {
    const place = `character ${at + 1} of ${JSON.stringify(expression)}`;
    throw new Error(`not a locator: ${(error as Error).message} (${place})`);
  }
}

/** Reads a quoted text as JSON, which has the escapes that Playwright writes. */
function unquoted(text: string): string {
  const json = text
    .slice(1, -1)
    .replace(/\\(.)|"/gs, (all, escaped) => (escaped ? all.replace("\\'", "'") : '\\"'));
  return JSON.parse(`"${json}"`);
}
