// Closes what lies over a target, if it has a plain way to be closed.

import type { Locator } from '@playwright/test';
import { shorten } from '../../browser/driver/tree';
import { elementAtPoint, type Handle, placeOf } from '../../browser/durable-locator';
import { within } from '../../browser/waiting';
import type { Actor } from './act';
import { exists, Stuck } from './find';

/** What closes a thing, likeliest first. Consent is given only where it can't be refused. */
export const CLOSERS = {
  close:
    /^\s*(?:close|dismiss|hide|skip|no,? thanks|not now|(?:maybe )?later|got it|[×✕✖✗⨯x])(?![\p{L}\p{N}]).*$/iu,
  reject:
    /^\s*(?:reject|decline|refuse|deny|disagree|cancel|no\b|(?:only|use) (?:strictly )?(?:necessary|essential)|(?:strictly )?(?:necessary|essential) (?:cookies )?only|continue without).*$/i,
  accept: /^\s*(?:accept|agree|i agree|allow|ok(?:ay)?\b|yes\b|confirm|continue|understood|i understand).*$/i,
};

/** @throws Stuck that names what lies over the target. */
export async function uncover(actor: Actor, target: Locator, message: string): Promise<void> {
  const cover = await coverOf(actor, target);
  if (!cover) return;
  for (const name of Object.values(CLOSERS)) {
    const way = cover
      .getByRole('button', { name })
      .or(cover.getByRole('link', { name }))
      .or(cover.getByTitle(name))
      .filter({ visible: true })
      .first();
    if (!(await exists(way))) continue;
    await actor.click(way);
    return;
  }
  await actor.press('Escape');
  if (!(await exists(cover.filter({ visible: true })))) return;
  const tag = /<[^\n]*?>(?= (?:from|intercepts))/.exec(message)?.[0] ?? 'something';
  const shown = shorten((await within(cover.innerText(), 1_000)) ?? '', 80);
  throw new Stuck(
    `${shorten(tag, 120)}${shown ? ` ("${shown}")` : ''} covers it, and no button in it is called "Close" or the like`,
  );
}

/** The largest element over a target's middle that does not hold the target. */
async function coverOf({ page }: Actor, target: Locator): Promise<Locator | undefined> {
  const box = await within(target.boundingBox({ timeout: 1_000 }), 1_000);
  const top = box && (await elementAtPoint(page, { x: box.x + box.width / 2, y: box.y + box.height / 2 }));
  if (!top) return undefined;
  const element = await target.elementHandle({ timeout: 1_000 });
  const cover = (await top.evaluateHandle(largestWithout, element)).asElement() as Handle | null;
  return cover ? placeOf(cover) : undefined;
}

/** Runs in the page. */
function largestWithout(top: Element, target: Element | null): Element {
  let cover = top;
  while (cover.parentElement && !cover.parentElement.contains(target)) cover = cover.parentElement;
  return cover;
}
