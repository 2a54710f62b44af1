// Finds the element that a clause names: first by its exact name, then ignoring case and spacing, then by a part of its name.
import type { FrameLocator, Locator, Page } from '@playwright/test';
import { callInPage, unseen } from '../../browser/in-page';
import { callOn, callOnAll } from '../../browser/on-elements';
import { sleep, within } from '../../browser/waiting';
import { pathOf } from '../../spec/url';
import { escapePattern, shorten } from '../../text/line';
import type { SessionTask } from '../agent';
import { Stuck, type Target } from './goal';

/** Nothing on the page is what a clause asks for. */
export class NotFound extends Stuck {}

/** The longest wait for one check. A busy page answers late. */
const LOOK_MS = 3_000;
/** How long to look for the whole name before accepting a name that only contains the label. */
const GRACE_MS = 600;
const POLL_MS = 100;
/** The longest wait while a page still changes. */
const DRAWING_MS = 20_000;
const MAX_FRAMES = 8;
const DIALOG = 'dialog[open],[role$=dialog],[aria-modal=true]';
const NAMED =
  /- '?(tab|button|link|menuitem|treeitem|option|checkbox|radio|switch|textbox|combobox|searchbox|spinbutton) "((?:\\.|[^"\\])*)"/g;

/** What Playwright finds at once; undefined if the page does not answer in time. */
export const now = <T>(page: Page, looking: () => Promise<T>) => within(unseen(page, looking), LOOK_MS);
export const isA = (found: Locator, css: string) => now(found.page(), () => callOn(found, 'matches', css));
/** How many elements a page has; undefined if it does not answer. */
const sizeOf = (page: Page) => within(callInPage(page, 'countElements'), 1_000);

export async function find(task: SessionTask, target: Target, builders: Builder[], timeoutMs: number) {
  const began = performance.now();
  let [end, size] = [began + timeoutMs, await sizeOf(task.page)];
  for (;;) {
    const partsCount = performance.now() - began >= Math.min(GRACE_MS, timeoutMs / 2);
    const found = await look(task.page, target, builders, partsCount);
    if (found) return found;
    if (performance.now() > end) {
      const newSize = await sizeOf(task.page);
      const isDrawing = timeoutMs >= 1_000 && (newSize !== size || task.session.isBusy(0));
      if (!isDrawing || end - began > DRAWING_MS) throw new NotFound(await whatIsThere(task.page, target));
      [end, size] = [end + timeoutMs / 2, newSize];
    }
    await sleep(POLL_MS, task.signal);
  }
}

async function look(page: Page, target: Target, builders: Builder[], partsCount: boolean) {
  const dialog = page.locator(DIALOG).filter({ visible: true }).last();
  const length = Math.min(page.frames().length - 1, MAX_FRAMES);
  const frames = Array.from({ length }, (_, at) => page.locator('iframe,frame').nth(at).contentFrame());
  const scopes: Scope[] = [...((await now(page, () => dialog.count())) ? [dialog] : []), page, ...frames];
  const { label } = target;
  for (const name of [label, wholeName(label), ...(partsCount ? [partOfName(label)] : [])])
    for (const scope of scopes)
      for (const [by, build] of builders.entries())
        for (const candidates of build(scope, name)) {
          const locator = await single(page, target, candidates.filter({ visible: true }));
          if (locator) return { locator, by };
        }
}

async function single(page: Page, { label, place, nth }: Target, candidates: Locator) {
  if (!(await now(page, () => candidates.count()))) return undefined;
  const which = { place: place && partOfName(place).source, nth };
  const [at, second] = (await now(page, () => callOnAll(candidates, 'meant', which, LOOK_MS))) ?? [];
  if (second === undefined) return at === undefined ? undefined : candidates.nth(at);
  throw new Stuck(
    `several things are called "${label}" on ${pathOf(page.url())}: say which, as in \`the 2nd "${label}"\` or \`"${label}" in the row "..."\``,
  );
}

/** `nothing called "Pay" on /cart; there is button "Pay now", link "Help"`: names that share words with the label come first. */
async function whatIsThere(page: Page, { label, place }: Target): Promise<string> {
  const snapshot = (await within(page.ariaSnapshot({ timeout: LOOK_MS }), LOOK_MS)) ?? '';
  const words = label.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const shared = (control: string) => words.filter(word => control.toLowerCase().includes(word)).length;
  const controls = [...snapshot.matchAll(NAMED)]
    .map(([, role, name]) => `${role} "${shorten(name!.replace(/\\(.)/g, '$1'), 60)}"`)
    .sort((one, other) => shared(other) - shared(one));
  const where = `${place ? ` beside "${place}"` : ''} on ${pathOf(page.url())}`;
  const list = [...new Set(controls)].slice(0, 6).join(', ');
  return `nothing called "${label}"${where}${list ? `; there is ${list}` : ''}`;
}

// What a name may mean: builders of locators for each kind of control, likeliest first.

type Scope = Page | FrameLocator | Locator;
/** @param name a string is the whole name, with its case */
export type Builder = (scope: Scope, name: string | RegExp) => Locator[];

type Role = Parameters<Page['getByRole']>[0];

const EXACT = { exact: true };
const NOT_TYPED = ['button', 'submit', 'reset', 'image', 'hidden', 'checkbox', 'radio', 'file'];
const FIELD = `input${NOT_TYPED.map(type => `:not([type=${type}])`).join('')},textarea,select,[contenteditable=true],[contenteditable=""],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider],[role=listbox]`;
const TYPED_INTO =
  'self::input[not(@type="hidden")] or self::textarea or self::select or @contenteditable="true"';
const UNLABELLED = 'not(@aria-label or @aria-labelledby or ancestor::label or @id = //label/@for)';
/** The field right after a text, if it has no label of its own. */
const BESIDE = `xpath=(following::text()[normalize-space()] | following::*[${TYPED_INTO}])[1][${TYPED_INTO}][${UNLABELLED}]`;
const BEFORE = 'xpath=preceding::input[not(@type) or @type="text" or @type="email"][1]';
const CHECKED: Role[] = ['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'];
const CLICKED: Role[] = ['button', 'link', 'tab', 'menuitem', 'option', 'treeitem', 'combobox', ...CHECKED];
const TYPED: Role[] = ['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'listbox'];

const spaced = (label: string) => escapePattern(label.trim()).replace(/[\s_-]+/g, '[\\s_-]*');
/** Ignores case, spacing and marks around the name. */
export const wholeName = (label: string) => new RegExp(`^[\\s:*+•›»]*${spaced(label)}[\\s:*.…!?›»▾▼]*$`, 'i');
export const partOfName = (label: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${spaced(label)}(?![\\p{L}\\p{N}])`, 'iu');
const isWhole = (name: string | RegExp) => typeof name === 'string' || name.source.startsWith('^');

const any = (...all: Locator[]): Locator => all.reduce((one, other) => one.or(other));
const byRoles = (scope: Scope, roles: Role[], name: string | RegExp): Locator =>
  any(...roles.map(role => scope.getByRole(role, { name, exact: true })));

/** Controls to click: by role, then by a title or text that is the label as a whole. */
export const clickables =
  (kind = ''): Builder =>
  (scope, name) => {
    const text = scope.getByText(name, EXACT);
    return [
      ...CLICKED.filter(role => role === kind).map(role => byRoles(scope, [role], name)),
      any(byRoles(scope, CLICKED, name), text.locator('xpath=ancestor-or-self::summary')),
      ...(isWhole(name) ? [scope.getByTitle(name, EXACT), text, scope.getByAltText(name, EXACT)] : []),
    ];
  };

export const fields: Builder = (scope, name) => {
  const field = scope.locator(FIELD);
  const text = scope.getByText(name, EXACT).and(scope.locator(':not(button,button *)'));
  return [
    any(scope.getByLabel(name, EXACT).and(field), byRoles(scope, TYPED, name)),
    scope.getByPlaceholder(name, EXACT),
    ...(isWhole(name) ? [text.locator(BESIDE).and(field)] : []),
  ];
};
/** An open list comes before the control that opened it. */
export const lists: Builder = (scope, name) => [
  ...['[role=listbox]', 'select,[role=combobox]'].flatMap(css =>
    fields(scope, name).map(field => field.and(scope.locator(css))),
  ),
  any(scope.getByLabel(name, EXACT), byRoles(scope, ['button'], name)).and(
    scope.locator('[aria-haspopup=listbox]'),
  ),
];
export const passwords: Builder = scope => [scope.locator('input[type=password]')];
export const userNames: Builder = scope => [scope.locator('input[type=password]').first().locator(BEFORE)];

/** Boxes, or their labels: a styled box is often hidden. */
export const checks: Builder = (scope, name) => [
  any(
    byRoles(scope, CHECKED, name),
    scope.getByLabel(name, EXACT).and(scope.locator('input[type=checkbox],input[type=radio]')),
  ),
  scope.getByText(name, EXACT).locator('xpath=ancestor-or-self::label'),
];
export const listsWith: Builder = (scope, name) => [
  byRoles(scope, ['option'], name).locator('xpath=ancestor::select'),
];
export const menuItems: Builder = (scope, name) => clickables('menuitem')(scope.locator('[role=menu]'), name);
export const readables: Builder = (scope, name) => [
  any(byRoles(scope, CLICKED, name), scope.getByText(name, EXACT)),
  any(scope.getByLabel(name, EXACT), scope.getByAltText(name, EXACT), scope.getByTitle(name, EXACT)),
];
