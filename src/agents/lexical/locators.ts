// What may be meant by a name: Playwright's locators for each kind of thing, likeliest first.
import type { FrameLocator, Locator, Page } from '@playwright/test';

export type Scope = Page | FrameLocator | Locator;
/** @param name a string is the whole name, in its case */
export type Builder = (scope: Scope, name: string | RegExp) => Locator[];

type Role = Parameters<Page['getByRole']>[0];

const EXACT = { exact: true };
const NOT_TYPED = ['button', 'submit', 'reset', 'image', 'hidden', 'checkbox', 'radio', 'file'];
const FIELD = `input${NOT_TYPED.map(type => `:not([type=${type}])`).join('')},textarea,select,[contenteditable=true],[contenteditable=""],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider],[role=listbox]`;
const TYPED_INTO =
  'self::input[not(@type="hidden")] or self::textarea or self::select or @contenteditable="true"';
const UNLABELLED = 'not(@aria-label or @aria-labelledby or ancestor::label or @id = //label/@for)';
/** The field that follows a text at once, without a label of its own. */
const BESIDE = `xpath=(following::text()[normalize-space()] | following::*[${TYPED_INTO}])[1][${TYPED_INTO}][${UNLABELLED}]`;
const BEFORE = 'xpath=preceding::input[not(@type) or @type="text" or @type="email"][1]';
const CHECKED: Role[] = ['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'];
const CLICKED: Role[] = ['button', 'link', 'tab', 'menuitem', 'option', 'treeitem', 'combobox', ...CHECKED];
const TYPED: Role[] = ['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'listbox'];

export const escaped = (text: string) => text.trim().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const spaced = (label: string) => escaped(label).replace(/[\s_-]+/g, '[\\s_-]*');
/** The name, but for case, spacing and marks around it. */
export const whole = (label: string) => new RegExp(`^[\\s:*+•›»]*${spaced(label)}[\\s:*.…!?›»▾▼]*$`, 'i');
/** The name among other words. */
export const thatHolds = (label: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${spaced(label)}(?![\\p{L}\\p{N}])`, 'iu');
const isWhole = (name: string | RegExp) => typeof name === 'string' || name.source.startsWith('^');

export const any = (...all: Locator[]): Locator => all.reduce((one, other) => one.or(other));
const byRoles = (scope: Scope, roles: Role[], name: string | RegExp): Locator =>
  any(...roles.map(role => scope.getByRole(role, { name, exact: true })));

/** What is clicked: by role, then by a title or a text that is the label as a whole. */
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

/** Fields that take a text or a choice. */
export const fields: Builder = (scope, name) => {
  const field = scope.locator(FIELD);
  const text = scope.getByText(name, EXACT).and(scope.locator(':not(button,button *)'));
  return [
    any(scope.getByLabel(name, EXACT).and(field), byRoles(scope, TYPED, name)),
    scope.getByPlaceholder(name, EXACT),
    ...(isWhole(name) ? [text.locator(BESIDE).and(field)] : []),
  ];
};
export const lists: Builder = (scope, name) =>
  fields(scope, name).map(field => field.and(scope.locator('select,[role=listbox],[role=combobox]')));
export const passwords: Builder = scope => [scope.locator('input[type=password]')];
export const userNames: Builder = scope => [scope.locator('input[type=password]').first().locator(BEFORE)];

/** Boxes, or the label of one that is hidden, as styled ones are. */
export const checks: Builder = (scope, name) => [
  any(
    byRoles(scope, CHECKED, name),
    scope.getByLabel(name, EXACT).and(scope.locator('input[type=checkbox],input[type=radio]')),
  ),
  scope.getByText(name, EXACT).locator('xpath=ancestor-or-self::label'),
];
/** Native lists that have such an option. */
export const listsWith: Builder = (scope, name) => [
  byRoles(scope, ['option'], name).locator('xpath=ancestor::select'),
];
export const menuItems: Builder = (scope, name) => clickables('menuitem')(scope.locator('[role=menu]'), name);
/** What can be read. */
export const texts: Builder = (scope, name) => [
  any(byRoles(scope, CLICKED, name), scope.getByText(name, EXACT)),
  any(scope.getByLabel(name, EXACT), scope.getByAltText(name, EXACT), scope.getByTitle(name, EXACT)),
];
