// Finds the element that a clause names, with Playwright's locators. Exact names first, then names that differ in case and spacing,
// then names that contain the label; in an open dialog first, then on the page, then in its frames. It checks whether an
// element is there with `normalize`, which shows in no report.
import type { FrameLocator, Locator, Page } from '@playwright/test';
import { pathOf } from '../../browser/page-action';
import { sleep, within } from '../../browser/waiting';
import type { Actor } from './act';
import type { Target } from './clause';
import { whatIsThere } from './explain';

type Scope = Page | FrameLocator | Locator;
/** A label to look for: a string is the whole name, in its case. */
export type Name = string | RegExp;
/** The locators of a kind of element by its name, likeliest first. */
export type Builder = (scope: Scope, name: Name) => Locator[];

/** An element is not found, or is ambiguous. The message is the reason to give up. */
export class Stuck extends Error {
  override name = 'Stuck';
}

/** The longest wait for one check. A busy page answers late. */
const LOOK_MS = 3_000;
/** Time for the exact name to appear, before a name that only contains the label is accepted. */
const GRACE_MS = 600;
const POLL_MS = 100;
/** The longest wait for a page that is still drawing. */
const DRAWING_MS = 20_000;
const SIZE = 'document.getElementsByTagName("*").length';
const MAX_FRAMES = 8;
const CONTAINERS =
  'tr,li,article,section,fieldset,form,details,dialog,nav,aside,[role=row],[role=listitem],[role=article],[role=region],[role=group],[role=radiogroup],[role=dialog],[role=tabpanel],[role=treeitem],[role=option]';
const NOT_TYPED = ['button', 'submit', 'reset', 'image', 'hidden', 'checkbox', 'radio', 'file'];
const FIELD = [
  `input${NOT_TYPED.map(type => `:not([type=${type}])`).join('')}`,
  'textarea,select,[contenteditable=true],[contenteditable=""],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider],[role=listbox]',
].join(',');
type Role = Parameters<Page['getByRole']>[0];
const CLICKABLE =
  'button link tab menuitem menuitemcheckbox menuitemradio option treeitem checkbox radio switch combobox'.split(
    ' ',
  ) as Role[];
const TYPED = 'textbox searchbox combobox spinbutton slider listbox'.split(' ') as Role[];
const CHECKED = 'checkbox radio switch menuitemcheckbox menuitemradio'.split(' ') as Role[];
const ROLES_OF_KIND: [kind: RegExp, roles: Role[]][] = [
  [/^button/, ['button']],
  [/^link/, ['link']],
  [/^tab/, ['tab']],
  [/^menu/, ['menuitem', 'menuitemcheckbox', 'menuitemradio']],
  [/^option/, ['option', 'radio']],
  [/^check/, ['checkbox']],
  [/^radio/, ['radio']],
  [/^switch|^toggle/, ['switch']],
  [/^tree|^node|^file|^folder/, ['treeitem']],
  [/^icon|^image|^picture/, ['img']],
];

export const any = (...all: Locator[]): Locator => all.reduce((one, other) => one.or(other));
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const spaced = (label: string) => escaped(label.trim()).replace(/[\s_-]+/g, '[\\s_-]*');
const whole = (label: string) => new RegExp(`^[\\s:*+•›»]*${spaced(label)}[\\s:*.…!?›»▾▼]*$`, 'i');
const holding = (label: string) => new RegExp(`(?<![\\p{L}\\p{N}])${spaced(label)}(?![\\p{L}\\p{N}])`, 'iu');
const isPart = (name: Name) => name instanceof RegExp && name.source.startsWith('(?<!');

export function byRoles(scope: Scope, roles: readonly Role[], name: Name): Locator {
  return any(...roles.map(role => scope.getByRole(role, name === '' ? {} : { name, exact: true })));
}

/** What is clicked: by role, then by a title or a text that is the label as a whole. */
export const clickables =
  (kind?: string): Builder =>
  (scope, name) => {
    const roles = ROLES_OF_KIND.find(([pattern]) => kind && pattern.test(kind))?.[1];
    if (name === '') return roles ? [byRoles(scope, roles, name)] : [];
    const summary = scope.getByText(name, { exact: true }).locator('xpath=ancestor-or-self::summary');
    const loose = isPart(name)
      ? []
      : [
          scope.getByTitle(name, { exact: true }),
          scope.getByText(name, { exact: true }),
          scope.getByAltText(name, { exact: true }),
        ];
    return [
      ...(roles ? [byRoles(scope, roles, name)] : []),
      any(byRoles(scope, CLICKABLE, name), summary),
      ...loose,
    ];
  };

/** Fields that take a text or a choice. */
export const fields: Builder = (scope, name) => {
  const field = scope.locator(FIELD);
  if (name === '') return [field];
  const keys = typeof name === 'string' ? ['name', 'id', 'type'] : [];
  const beside = scope
    .getByText(name, { exact: true })
    .locator(
      'xpath=(following-sibling::*[1]|../following-sibling::*[1])/descendant-or-self::*[self::input or self::textarea or self::select][1]',
    );
  return [
    any(scope.getByLabel(name, { exact: true }).and(field), byRoles(scope, TYPED, name)),
    scope.getByPlaceholder(name, { exact: true }),
    ...keys.map(key => scope.locator(`[${key}=${JSON.stringify(name)}]`).and(field)),
    ...(isPart(name) ? [] : [beside.and(field)]),
  ];
};

export const checks: Builder = (scope, name) => {
  const box = scope.locator('input[type=checkbox],input[type=radio]');
  return [any(byRoles(scope, CHECKED, name), scope.getByLabel(name, { exact: true }).and(box))];
};

/** Native lists that have such an option. */
export const listsWith: Builder = (scope, name) => [
  byRoles(scope, ['option'], name).locator('xpath=ancestor::select'),
];

export const fileInputs: Builder = (scope, name) => {
  const input = scope.locator('input[type=file]');
  return [scope.getByLabel(name, { exact: true }).and(input), ...clickables()(scope, name)];
};

export const texts: Builder = (scope, name) => [
  any(byRoles(scope, CLICKABLE, name), scope.getByText(name, { exact: true })),
  any(
    scope.getByLabel(name, { exact: true }),
    scope.getByAltText(name, { exact: true }),
    scope.getByTitle(name, { exact: true }),
  ),
];

/** Whether the element is there now. Shows in no report. */
export async function exists(locator: Locator): Promise<boolean> {
  const found = await within(
    locator.normalize().then(() => true),
    LOOK_MS,
  );
  return found === true;
}

export const isA = (locator: Locator, css: string) => exists(locator.and(locator.page().locator(css)));
const visible = (locator: Locator) => locator.filter({ visible: true });

export async function openDialog(page: Page): Promise<Locator | undefined> {
  const dialogs = page.locator('dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]');
  const dialog = visible(dialogs).last();
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
}

export interface Found {
  locator: Locator;
  /** Index of the builder that found it. */
  by: number;
}

/**
 * Waits for the element that a clause names.
 *
 * @param builders one for each kind of thing that will do, likeliest first
 * @throws Stuck if there is none in time, or several.
 */
export async function find(
  { page, task, timeout }: Actor,
  target: Target,
  builders: Builder[],
  options: FindOptions = {},
): Promise<Found> {
  const { session, signal } = task;
  const { timeoutMs = timeout } = options;
  const began = performance.now();
  const grace = Math.min(GRACE_MS, timeoutMs / 2);
  let [end, size] = [began + timeoutMs, await session.ask(page, SIZE)];
  for (;;) {
    const found = await look(page, target, builders, options, performance.now() - began >= grace);
    if (found) return found;
    if (performance.now() > end) {
      const drawn = await session.ask(page, SIZE);
      const isDrawing = timeoutMs >= 1_000 && (drawn !== size || session.isBusy(0));
      if (!isDrawing || end - began > DRAWING_MS) throw new Stuck(await whatIsThere(page, target));
      [end, size] = [end + timeoutMs / 2, drawn];
    }
    await sleep(POLL_MS, signal);
  }
}

export function namesOf({ label, names }: Target, takesPart: boolean): Name[] {
  if (names) return [names];
  if (/^[x×]$/i.test(label)) return [label, /^\s*(?:[x×✕✖]|close)\s*$/i];
  return label ? [label, whole(label), ...(takesPart ? [holding(label)] : [])] : [''];
}

async function look(
  page: Page,
  target: Target,
  builders: Builder[],
  options: FindOptions,
  takesPart: boolean,
): Promise<Found | undefined> {
  const scopes = await scopesOf(page);
  const places = (scope: Scope, inner: Locator) =>
    target.place ? placesOf(page, scope, target.place, inner) : [scope];
  const ways = namesOf(target, takesPart).flatMap(name =>
    scopes.flatMap(scope =>
      builders.flatMap((build, by) =>
        build(page, name).flatMap((inner, at) =>
          places(scope, inner).map(place => ({ by, inner, locator: build(place, name)[at]! })),
        ),
      ),
    ),
  );
  for (const { by, inner, locator } of ways) {
    const found = await single(target, options, locator, inner);
    if (found) return { locator: found, by };
  }
  return undefined;
}

/** The smallest row, card or section that contains both the place's label and the element. */
function placesOf(page: Page, scope: Scope, place: string, thing: Locator): Locator[] {
  const label = holding(place);
  return [CONTAINERS, `${CONTAINERS},div`].map(kinds => {
    const holders = (within: Scope) => {
      const containers = within.locator(`:is(${kinds})`);
      const labelled = within.locator(`[aria-label=${JSON.stringify(place)} i]`);
      // The text of a row runs together: "AliceEdit".
      const cells = containers.filter({ has: page.getByText(label) });
      const all = any(cells, containers.filter({ hasText: label }), containers.and(labelled));
      return all.filter({ has: thing });
    };
    return holders(scope).filter({ hasNot: holders(page) });
  });
}

/** The one element that a locator finds; undefined if there is none. @throws Stuck if there are several. */
async function single(target: Target, options: FindOptions, locator: Locator, inner: Locator) {
  const { hidden, several } = options;
  const shown = hidden ? locator : visible(locator);
  if (!(await exists(shown.first()))) return undefined;
  if (target.nth !== undefined) {
    const wanted = shown.nth(target.nth);
    return (await exists(wanted)) ? wanted : undefined;
  }
  if (several) return shown.first();
  if (!(await exists(shown.nth(1)))) return shown;
  // One inside another is the same to a user.
  const innermost = shown.filter({ hasNot: inner });
  if ((await exists(innermost.first())) && !(await exists(innermost.nth(1)))) return innermost;
  const urls = new Set(await shown.evaluateAll(links => links.map(link => link.getAttribute('href'))));
  if (urls.size === 1 && !urls.has(null)) return shown.first();
  const count = (await exists(shown.nth(2))) ? 'several things' : 'two things';
  const label = target.label || target.kind;
  throw new Stuck(
    `${count} ${target.label ? `are called "${label}"` : 'fit'} on ${pathOf(locator.page().url())}: say which, as in \`the 2nd "${label}"\` or \`"${label}" in the row "..."\``,
  );
}
