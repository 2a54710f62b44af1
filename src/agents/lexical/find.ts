// Finds the element that a clause names, with Playwright's locators. Exact names first, then names that differ in case and spacing,
// then names that contain the label; in an open dialog first, then on the page, then in its frames. It checks whether an
// element is there with `normalize`, which shows in no report.
import type { FrameLocator, Locator, Page } from '@playwright/test';
import { injected } from '../../browser/in-page';
import { unseen } from '../../browser/page-calls';
import { sleep, within } from '../../browser/waiting';
import { pathOf } from '../../data/action';
import { shorten } from '../../text/shorten';
import type { Actor } from './act';
import type { Wanted } from './clause';

export type Scope = Page | FrameLocator | Locator;
/** A label to look for: a string is the whole name, in its case. */
export type Name = string | RegExp;
/** The locators of a kind of element by its name, likeliest first. */
export type Builder = (scope: Scope, name: Name) => Locator[];

type Places = AsyncGenerator<[nearer: number, place: Scope]>;

/** An element is not found, or is ambiguous. The message is the reason to give up. */
export class Stuck extends Error {
  override name = 'Stuck';
}

/** Nothing on the page is what a clause asks for. */
export class NotFound extends Stuck {}

/** The longest wait for one check. A busy page answers late. */
const LOOK_MS = 3_000;
/** Time for the exact name to appear, before a name that only contains the label is accepted. */
const GRACE_MS = 600;
const POLL_MS = 100;
/** The longest wait for a page that is still drawing. */
const DRAWING_MS = 20_000;
const MAX_FRAMES = 8;
const CONTAINERS =
  'tr,li,article,section,fieldset,form,details,dialog,nav,aside,[role=row],[role=listitem],[role=article],[role=region],[role=group],[role=radiogroup],[role=dialog],[role=tabpanel],[role=treeitem],[role=option]';
const MAX_NAMES = 6;
const NAMED = /^\s*- '?(\w+)(?: "((?:\\.|[^"\\])*)"|(?=:|$| \[))/;
const FIELDS = ['textbox', 'combobox', 'searchbox', 'spinbutton'];
const KINDS = [...'tab button link menuitem treeitem option checkbox radio switch'.split(' '), ...FIELDS];

export const any = (...all: Locator[]): Locator => all.reduce((one, other) => one.or(other));
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const spaced = (label: string) => escaped(label.trim()).replace(/[\s_-]+/g, '[\\s_-]*');
const whole = (label: string) => new RegExp(`^[\\s:*+•›»]*${spaced(label)}[\\s:*.…!?›»▾▼]*$`, 'i');
const holding = (label: string) => new RegExp(`(?<![\\p{L}\\p{N}])${spaced(label)}(?![\\p{L}\\p{N}])`, 'iu');
export const isPart = (name: Name) => name instanceof RegExp && name.source.startsWith('(?<!');

/** What Playwright finds now; undefined if that takes long. Shows in no report. */
const now = <T>(page: Page, looking: () => Promise<T>) => within(unseen(page, looking), LOOK_MS);

/** Whether the element is there now. Shows in no report. */
export async function exists(locator: Locator): Promise<boolean> {
  return (await within(locator.normalize(), LOOK_MS)) !== undefined;
}

export const isA = (locator: Locator, css: string) => exists(locator.and(locator.page().locator(css)));
const visible = (locator: Locator) => locator.filter({ visible: true });

export async function openDialog(page: Page): Promise<Locator | undefined> {
  const dialog = visible(page.locator('dialog[open],[role$=dialog],[aria-modal=true]')).last();
  return (await exists(dialog)) ? dialog : undefined;
}

async function scopesOf(page: Page): Promise<Scope[]> {
  const dialog = await openDialog(page);
  const length = Math.min(page.frames().length - 1, MAX_FRAMES);
  const frames = Array.from({ length }, (_, at) => page.locator('iframe,frame').nth(at).contentFrame());
  return [...(dialog ? [dialog] : []), page, ...frames];
}

export interface FindOptions {
  /** Default: the agent's. */
  timeoutMs?: number;
  /** Also accept hidden elements: a styled checkbox hides its input. */
  hidden?: boolean;
  /** Accept the first of several, to see it, not to act on it. */
  several?: boolean;
  /** A field to type into is sought: the reason to give up names no others. */
  typed?: boolean;
}

/**
 * Waits for the element that a clause names.
 *
 * @param builders one for each kind of thing that will do, likeliest first
 * @returns its locator, and the index of the builder that found it
 * @throws Stuck if there is none in time, or several.
 */
export async function find(
  { page, task, timeout }: Actor,
  target: Wanted,
  builders: Builder[],
  options: FindOptions = {},
) {
  const { session, signal } = task;
  const { timeoutMs = timeout } = options;
  const began = performance.now();
  const grace = Math.min(GRACE_MS, timeoutMs / 2);
  let [end, size] = [began + timeoutMs, await session.sizeOf(page)];
  for (;;) {
    const names = namesOf(target, performance.now() - began >= grace);
    const found = await look(page, target, builders, options, names);
    if (found) return found;
    if (performance.now() > end) {
      const drawn = await session.sizeOf(page);
      const isDrawing = timeoutMs >= 1_000 && (drawn !== size || session.isBusy(0));
      if (!isDrawing || end - began > DRAWING_MS)
        throw new NotFound(await whatIsThere(page, target, options));
      [end, size] = [end + timeoutMs / 2, drawn];
    }
    await sleep(POLL_MS, signal);
  }
}

export function namesOf({ label, names }: Wanted, takesPart: boolean): Name[] {
  if (names) return [names];
  if (/^[x×]$/i.test(label)) return [label, /^\s*(?:[x×✕✖]|close)\s*$/i];
  return label ? [label, whole(label), ...(takesPart ? [holding(label)] : [])] : [''];
}

async function look(page: Page, target: Wanted, builders: Builder[], options: FindOptions, names: Name[]) {
  const scopes = await scopesOf(page);
  const tries = names.flatMap(name => scopes.map(scope => ({ name, scope })));
  for (const { name, scope } of tries)
    for (const [by, build] of builders.entries())
      for (const [at, things] of build(scope, name).entries())
        for await (const [nearer, place] of placesOf(page, scope, target.place, things)) {
          const locator = await single(target, options, build(place, name)[at]!, nearer);
          if (locator) return { locator, by };
        }
}

/** The smallest row, card or section that contains both the place's label and the element. Without a place, the scope. */
async function* placesOf(page: Page, scope: Scope, place: string | undefined, thing: Locator): Places {
  if (!place) return yield [0, scope];
  const things = await now(page, () => thing.elementHandles());
  if (!things?.length) return;
  const label = holding(place);
  const labelled = scope.locator(`[aria-label=${JSON.stringify(place)} i]`);
  for (const [nearer, kinds] of [CONTAINERS, `${CONTAINERS},div`].entries()) {
    const boxes = scope.locator(`:is(${kinds})`);
    // The text of a row runs together: "AliceEdit".
    const cells = boxes.filter({ has: any(page.getByText(label), page.getByPlaceholder(label)) });
    const all = any(cells, boxes.filter({ hasText: label }), boxes.and(labelled));
    const at = (await now(page, () => all.evaluateAll(injected('smallest'), things))) ?? [];
    // An index among those that hold the label: others may come and go.
    if (at.length) yield [nearer, any(...at.slice(0, 3).map(index => all.nth(index)))];
  }
}

/** The one element that a locator finds; undefined if there is none. @throws Stuck if there are several. */
async function single(target: Wanted, { hidden, several }: FindOptions, locator: Locator, nearer: number) {
  const shown = hidden ? locator : visible(locator);
  if (!(await exists(shown.first()))) return undefined;
  const nth = several ? (target.nth ?? 0) : target.nth;
  if (nth !== undefined) return (await exists(shown.nth(nth))) ? shown.nth(nth) : undefined;
  if (!(await exists(shown.nth(1)))) return shown;
  const only = await now(locator.page(), () => shown.evaluateAll(injected('oneOf')));
  if (only !== undefined) return shown.nth(only);
  // A form may hold several: then the smaller part of it decides, which comes next.
  if (target.place && !nearer) return undefined;
  const count = (await exists(shown.nth(2))) ? 'several things' : 'two things';
  const label = target.label || target.kind;
  throw new Stuck(
    `${count} ${target.label ? `are called "${label}"` : 'fit'} on ${pathOf(locator.page().url())}: say which, as in \`the 2nd "${label}"\` or \`"${label}" in the row "..."\``,
  );
}

type Thing = { role: string; name: string };

/** `nothing called "Dependencies" on /detail/x; there are tabs "Readme", "Versions"` */
async function whatIsThere(page: Page, target: Wanted, { typed }: FindOptions): Promise<string> {
  const { label, kind = 'thing', place, names } = target;
  const sought = label ? `called "${label}"${names ? ' or the like' : ''}` : `that is a ${kind}`;
  const where = `${place ? ` beside "${place}"` : ''}${typed ? ' to type into' : ''} on ${pathOf(page.url())}`;
  const snapshot = await within(page.ariaSnapshot({ timeout: LOOK_MS }), LOOK_MS);
  const things = (snapshot ?? '').split('\n').flatMap(line => {
    const [, role = '', name = ''] = NAMED.exec(line) ?? [];
    const isOne = typed ? FIELDS.includes(role) : name && KINDS.includes(role);
    return isOne ? [{ role, name: name.replace(/\\(.)/g, '$1') }] : [];
  });
  const groups = near(things, target);
  return `nothing ${sought}${where}${groups.length ? `; there ${listed(groups)}` : ''}`;
}

/** Names that share words with the label, the most first; else those of its kind; else all, the rarest kind first. */
function near(things: Thing[], { label, kind = '' }: Wanted): Thing[] {
  const words = label.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const shared = ({ name }: Thing) => words.filter(word => name.toLowerCase().includes(word)).length;
  const alike = things.filter(shared).sort((one, other) => shared(other) - shared(one));
  const same = things.filter(({ role }) => kind.replace(/\W/g, '').startsWith(role));
  const all = things.sort((one, other) => KINDS.indexOf(one.role) - KINDS.indexOf(other.role));
  return [alike, same, all].find(some => some.length) ?? [];
}

function listed(things: Thing[]): string {
  const some = things.slice(0, MAX_NAMES);
  const parts = [...new Set(some.map(({ role }) => role))].map(role => {
    const called = some.filter(thing => thing.role === role);
    const names = called.map(({ name }) => (name ? `"${shorten(name, 60)}"` : 'one without a name'));
    return `${called.length > 1 ? `${role.replace(/x$/, 'xe')}s` : role} ${[...new Set(names)].join(', ')}`;
  });
  return `${things.length > 1 ? 'are' : 'is'} ${parts.join(', ')}`;
}
