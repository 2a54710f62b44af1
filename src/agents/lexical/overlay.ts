// Closes an overlay over a target, if it has a button for that.
import type { Locator } from '@playwright/test';
import { shorten } from '../../browser/driver/tree';
import { elementAtPoint, type Handle, placeOf } from '../../browser/durable-locator';
import { within } from '../../browser/waiting';
import type { Actor } from './act';
import { exists, Stuck } from './find';

/** Names of buttons that close an overlay, likeliest first. Consent is only given if it can't be refused. */
export const CLOSERS = {
  close:
    /^\s*(?:close|dismiss|hide|skip|no,? thanks|not now|(?:maybe )?later|got it|[×✕✖✗⨯x])(?![\p{L}\p{N}]).*$/iu,
  reject:
    /^\s*(?:reject|decline|refuse|deny|disagree|cancel|no\b|(?:only|use) (?:strictly )?(?:necessary|essential)|(?:strictly )?(?:necessary|essential) (?:cookies )?only|continue without).*$/i,
  accept: /^\s*(?:accept|agree|i agree|allow|ok(?:ay)?\b|yes\b|confirm|continue|understood|i understand).*$/i,
};

/** @throws Stuck that names the overlay, if it has no button to close it. */
export async function uncover(actor: Actor, target: Locator, message: string): Promise<void> {
  const handle = await coverOf(actor, target);
  if (!handle) return;
  const way = await handle.evaluateHandle(wayToClose, Object.values(CLOSERS));
  const button = way.asElement() as Handle | null;
  // Not with `point`, which would try to close what is over the button, too.
  if (button) return actor.act('click', { do: 'click', locator: await placeOf(button) });
  const cover = await placeOf(handle);
  await actor.press('Escape');
  if (!(await exists(cover.filter({ visible: true })))) return;
  const tag = /<[^\n]*?>(?= (?:from|intercepts))/.exec(message)?.[0] ?? 'something';
  const shown = shorten((await within(cover.innerText(), 1_000)) ?? '', 80);
  throw new Stuck(
    `${shorten(tag, 120)}${shown ? ` ("${shown}")` : ''} covers it, and no button on it is called "Close" or the like`,
  );
}

/** The largest element over a target's middle that does not contain the target. */
async function coverOf({ page }: Actor, target: Locator): Promise<Handle | null> {
  const box = await within(target.boundingBox({ timeout: 1_000 }), 1_000);
  const top = box && (await elementAtPoint(page, { x: box.x + box.width / 2, y: box.y + box.height / 2 }));
  if (!top) return null;
  const cover = await target.evaluateHandle(largestOver, top, { timeout: 1_000 });
  return cover.asElement() as Handle | null;
}

/** Runs in the page. */
function largestOver(target: Element, top: Element): Element {
  let cover = top;
  while (cover.parentElement && !cover.parentElement.contains(target)) cover = cover.parentElement;
  return cover;
}

/** Runs in the page. The button or link with one of these names that is drawn over the cover, as a part of it or beside it. */
function wayToClose(cover: Element, names: RegExp[]): Element | undefined {
  const ways = [...cover.ownerDocument.querySelectorAll<HTMLElement>('button,a,[role=button],[title]')];
  const onTop = ways.filter(way => {
    const { x, y, width, height } = way.getBoundingClientRect();
    const stack = cover.ownerDocument.elementsFromPoint(x + width / 2, y + height / 2);
    return way.contains(stack[0] ?? null) && stack.some(each => cover.contains(each));
  });
  const nameOf = (way: HTMLElement) =>
    way.ariaLabel ||
    way.innerText.trim() ||
    way.title ||
    // An icon: its HTML says what it is.
    (/close|dismiss|\b(?:times|x-?mark|cross)\b/i.test(way.outerHTML) ? 'close' : '');
  return names.map(name => onTop.find(way => name.test(nameOf(way)))).find(Boolean);
}
