// Finds the element that a clause names. Exact names first, then names that differ in case and spacing, then names that
// contain the label; in an open dialog first, then on the page, then in its frames. None of that shows in reports.
import type { Locator, Page } from '@playwright/test';
import { injected } from '../../browser/in-page';
import { unseen } from '../../browser/page-calls';
import { sleep, within } from '../../browser/waiting';
import { pathOf } from '../../data/action';
import { shorten } from '../../text/shorten';
import type { SessionTask } from '../agent';
import { Stuck, type Target } from './goal';
import { type Builder, type Scope, thatHolds, whole } from './locators';

/** Nothing on the page is what a clause asks for. */
export class NotFound extends Stuck {}

/** The longest wait for one check. A busy page answers late. */
const LOOK_MS = 3_000;
/** Time for the whole name to appear, before a name that only contains the label is accepted. */
const GRACE_MS = 600;
const POLL_MS = 100;
/** The longest wait for a page that is still drawing. */
const DRAWING_MS = 20_000;
const MAX_FRAMES = 8;
const DIALOG = 'dialog[open],[role$=dialog],[aria-modal=true]';
const NAMED =
  /- '?(tab|button|link|menuitem|treeitem|option|checkbox|radio|switch|textbox|combobox|searchbox|spinbutton) "((?:\\.|[^"\\])*)"/g;

/** What Playwright finds now; undefined if that takes long. */
export const now = <T>(page: Page, looking: () => Promise<T>) => within(unseen(page, looking), LOOK_MS);
export const isA = (found: Locator, css: string) =>
  now(found.page(), () => found.evaluate(injected('matches'), css));

/**
 * Waits for the element that a clause names.
 *
 * @param builders one for each kind of thing that will do, likeliest first
 * @returns its locator, and the index of the builder that found it
 * @throws NotFound if there is none in time, Stuck if there are several.
 */
export async function find(task: SessionTask, target: Target, builders: Builder[], timeoutMs: number) {
  const began = performance.now();
  let [end, size] = [began + timeoutMs, await task.session.sizeOf(task.page)];
  for (;;) {
    const takesPart = performance.now() - began >= Math.min(GRACE_MS, timeoutMs / 2);
    const found = await look(task.page, target, builders, takesPart);
    if (found) return found;
    if (performance.now() > end) {
      const drawn = await task.session.sizeOf(task.page);
      const isDrawing = timeoutMs >= 1_000 && (drawn !== size || task.session.isBusy(0));
      if (!isDrawing || end - began > DRAWING_MS) throw new NotFound(await whatIsThere(task.page, target));
      [end, size] = [end + timeoutMs / 2, drawn];
    }
    await sleep(POLL_MS, task.signal);
  }
}

async function look(page: Page, target: Target, builders: Builder[], takesPart: boolean) {
  const dialog = page.locator(DIALOG).filter({ visible: true }).last();
  const length = Math.min(page.frames().length - 1, MAX_FRAMES);
  const frames = Array.from({ length }, (_, at) => page.locator('iframe,frame').nth(at).contentFrame());
  const scopes: Scope[] = [...((await now(page, () => dialog.count())) ? [dialog] : []), page, ...frames];
  for (const name of [target.label, whole(target.label), ...(takesPart ? [thatHolds(target.label)] : [])])
    for (const scope of scopes)
      for (const [by, build] of builders.entries())
        for (const things of build(scope, name)) {
          const locator = await single(page, target, things.filter({ visible: true }));
          if (locator) return { locator, by };
        }
}

async function single(page: Page, { label, place, nth }: Target, things: Locator) {
  const which = { place: place ? thatHolds(place) : undefined, nth };
  const [at, second] = (await now(page, () => things.evaluateAll(injected('meant'), which))) ?? [];
  if (second === undefined) return at === undefined ? undefined : things.nth(at);
  throw new Stuck(
    `several things are called "${label}" on ${pathOf(page.url())}: say which, as in \`the 2nd "${label}"\` or \`"${label}" in the row "..."\``,
  );
}

/** `nothing called "Pay" on /cart; there is button "Pay now", link "Help"`: names that share words with the label come first. */
async function whatIsThere(page: Page, { label, place }: Target): Promise<string> {
  const snapshot = (await within(page.ariaSnapshot({ timeout: LOOK_MS }), LOOK_MS)) ?? '';
  const words = label.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const shared = (thing: string) => words.filter(word => thing.toLowerCase().includes(word)).length;
  const things = [...snapshot.matchAll(NAMED)]
    .map(([, role, name]) => `${role} "${shorten(name!.replace(/\\(.)/g, '$1'), 60)}"`)
    .sort((one, other) => shared(other) - shared(one));
  const where = `${place ? ` beside "${place}"` : ''} on ${pathOf(page.url())}`;
  const list = [...new Set(things)].slice(0, 6).join(', ');
  return `nothing called "${label}"${where}${list ? `; there is ${list}` : ''}`;
}
