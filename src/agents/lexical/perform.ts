// Performs one clause.
import { resolve } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { sleep } from '../../browser/waiting';
import { type Actor, CLOSERS, NAVIGATION_MS, takerOf, titleOf } from './act';
import type { Act, Answer, Clause } from './clause';
import {
  any,
  type Builder,
  exists,
  type FindOptions,
  find,
  isA,
  isPart,
  type Name,
  NotFound,
  namesOf,
  openDialog,
  type Scope,
  Stuck,
} from './find';

type Of<Name extends Act['do']> = Extract<Act, { do: Name }>;
const CLOSED = 'details:not([open]) > summary,[aria-expanded=false]:not(select,input)';
const EXACT = { exact: true };
const SEARCH = /search|find|filter|query|look ?up/i;
const NOT_TYPED = ['button', 'submit', 'reset', 'image', 'hidden', 'checkbox', 'radio', 'file'];
const FIELD = [
  `input${NOT_TYPED.map(type => `:not([type=${type}])`).join('')}`,
  'textarea,select,[contenteditable=true],[contenteditable=""],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider],[role=listbox]',
].join(',');
const TYPED_INTO =
  'self::input[not(@type="hidden")] or self::textarea or self::select or @contenteditable="true"';
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

/** @throws Stuck if the page does not have what the clause names. */
export async function perform(actor: Actor, clause: Clause): Promise<void> {
  const target = 'target' in clause && clause.target ? clause.target : undefined;
  const at = async (builders: Builder[], options?: FindOptions) =>
    (await find(actor, target!, builders, options)).locator;
  const item = clickables(target?.kind);
  switch (clause.do) {
    case 'click':
      return actor.click(await at([item]), clause.count);
    case 'hover':
      return actor.point('hover over', { do: 'hover', locator: await at([item, texts]) });
    case 'focus':
      return actor.act('focus', { do: 'focus', locator: await at([fields, clickables()]) });
    case 'expand': {
      const locator = await at([item]);
      if (await isA(locator, '[aria-expanded=true],details[open] > summary')) return;
      return actor.click(locator);
    }
    case 'see': {
      actor.turn.readOnly();
      const locator = await at([texts], { several: true });
      // It is the heading of a closed section: open that.
      if (await isA(locator, CLOSED)) return actor.click(locator);
      return actor.turn.action({ title: `see ${await titleOf(locator)}` });
    }
    case 'enter': {
      const locator = await at([fields], { typed: true });
      if (await isA(locator, 'select')) return actor.select(locator, await optionOf(locator, clause.value));
      return actor.enter(locator, clause.value);
    }
    case 'upload': {
      const files = [resolve(actor.task.configDir, clause.file)];
      const found = await at([fileInputs], { hidden: true });
      const locator = (await takerOf(found)) ?? found;
      return actor.act(`upload "${clause.file}" to`, { do: 'upload', files, locator });
    }
    case 'press':
      return actor.press(clause.key, target && (await at([fields, clickables()])));
    case 'path':
      return path(actor, clause.labels);
    case 'choose':
      return choose(actor, clause);
    case 'check':
      return check(actor, clause);
    case 'search':
      return search(actor, clause);
    case 'answer':
      return answer(actor, clause);
    case 'wait':
      actor.turn.readOnly();
      return sleep(clause.seconds * 1_000, actor.task.signal);
    case 'goto': {
      const url = new URL(clause.url, actor.page.url()).href;
      return actor.act(`go to ${url}`, { do: 'goto', url }, NAVIGATION_MS);
    }
    default:
      return actor.act(clause.source, { do: clause.do }, NAVIGATION_MS);
  }
}

/** Undefined if there is none. */
const ifAny = <T>(found: Promise<T>) =>
  found.catch(error => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });

/** Each item of a menu shows the next one: when the mouse is over it, or after a click. */
async function path(actor: Actor, labels: string[]): Promise<void> {
  const item = clickables('menu item');
  // A page may have a button of the same name.
  const inMenu: Builder = (scope, name) => item(scope.locator('[role=menu]'), name);
  for (const [at, label] of labels.entries()) {
    const { locator } = await find(actor, { label }, at ? [inMenu, item] : [item]);
    const next = labels[at + 1];
    if (next === undefined) return actor.click(locator);
    await actor.point('hover over', { do: 'hover', locator });
    const shown = await ifAny(find(actor, { label: next }, [inMenu], { timeoutMs: 800 }));
    if (!shown) await actor.click(locator);
  }
}

/** A checkbox, an option of any list, or whatever else has the name. */
async function check(actor: Actor, { target, on }: Omit<Of<'check'>, 'do'>, lists: Builder[] = []) {
  const builders = [checks, ...lists, clickables(target.kind)];
  const { locator, by } = await find(actor, target, builders, { hidden: true });
  if (by === 0) return actor.check(locator, on, target.label);
  if (by <= lists.length) return actor.select(locator, await optionOf(locator, target.label));
  await actor.click(locator.filter({ visible: true }).first());
}

/** The option's text as the page has it: the label itself, or the only one that holds it. */
async function optionOf(select: Locator, label: string): Promise<string> {
  const there = await select.locator('option').allTextContents();
  const texts = there.map(text => text.replace(/\s+/g, ' ').trim());
  for (const name of namesOf({ label }, true)) {
    const fit = texts.filter(text => (typeof name === 'string' ? text === name : name.test(text)));
    if (fit.length === 1 || (fit.length > 1 && name === label)) return fit[0]!;
  }
  const shown = texts.slice(0, 8).map(text => `"${text}"`);
  throw new Stuck(`no option "${label}" in ${await titleOf(select)}; there are ${shown.join(', ')}`);
}

async function choose(actor: Actor, { target, from }: Of<'choose'>): Promise<void> {
  const field = from && (await ifAny(find(actor, from, [lists, fields], { timeoutMs: actor.timeout / 2 })));
  if (field) return pick(actor, field.locator, target.label);
  // `from` may be the label of a group of radio buttons.
  await check(actor, { target: from ? { ...target, place: from.label } : target, on: true }, [listsWith]);
}

/** From a list, native or not. */
async function pick(actor: Actor, field: Locator, label: string): Promise<void> {
  if (await isA(field, 'select')) return actor.select(field, await optionOf(field, label));
  if (!(await isA(field, '[role=listbox]'))) await actor.click(field);
  const option = (timeoutMs: number) => find(actor, { label }, [clickables('option')], { timeoutMs });
  const found = await ifAny(option(1_500));
  // A list that only shows its options after typing.
  if (!found && (await isA(field, 'input,textarea'))) await actor.enter(field, label);
  await actor.click((found ?? (await option(actor.timeout))).locator);
}

async function search(actor: Actor, { text, target }: Of<'search'>): Promise<void> {
  const boxes: Builder = (scope, name) => [
    scope.getByRole('searchbox').or(scope.locator('input[type=search]')),
    any(byRoles(scope, ['textbox', 'combobox'], name), scope.getByPlaceholder(name)),
    scope.locator('input[name=q],input[name=query],input[name=search]'),
  ];
  const sought = target ?? { label: 'Search', names: SEARCH };
  const { locator } = await find(actor, sought, target ? [fields] : [boxes]);
  await actor.enter(locator, text);
  await actor.press('Enter', locator);
}

/** A dialog of the browser has been answered when it opened. Others are answered by their buttons. */
async function answer(actor: Actor, { how, native, given, what }: Answer): Promise<void> {
  if (native && actor.answered.length) {
    actor.turn.readOnly();
    for (const said of actor.answered.splice(0))
      actor.turn.action({ title: `${how === 'accept' ? 'accept' : 'dismiss'} the dialog "${said}"` });
    return;
  }
  const button = given ? { label: given } : { label: how, names: CLOSERS[how], kind: 'button', place: what };
  const timeoutMs = native && !given ? 1_500 : actor.timeout;
  const sought = find(actor, button, [clickables('button')], { timeoutMs });
  const found = await ifAny(sought);
  if (found) return actor.click(found.locator);
  const dialog = await openDialog(actor.page);
  if (native && !dialog) throw new Stuck('no dialog opened');
  if (how === 'close' && dialog) await actor.press('Escape');
  if (how !== 'close' || !dialog || (await exists(dialog))) await sought;
}

function byRoles(scope: Scope, roles: readonly Role[], name: Name): Locator {
  return any(...roles.map(role => scope.getByRole(role, name === '' ? {} : { name, exact: true })));
}

/** What is clicked: by role, then by a title or a text that is the label as a whole. */
const clickables =
  (kind?: string): Builder =>
  (scope, name) => {
    const roles = ROLES_OF_KIND.find(([pattern]) => kind && pattern.test(kind))?.[1];
    if (name === '') return roles ? [byRoles(scope, roles, name)] : [];
    const summary = scope.getByText(name, EXACT).locator('xpath=ancestor-or-self::summary');
    const loose = isPart(name)
      ? []
      : [scope.getByTitle(name, EXACT), scope.getByText(name, EXACT), scope.getByAltText(name, EXACT)];
    return [
      ...(roles ? [byRoles(scope, roles, name)] : []),
      any(byRoles(scope, CLICKABLE, name), summary),
      ...loose,
    ];
  };

/** Fields that take a text or a choice. */
const fields: Builder = (scope, name) => {
  const field = scope.locator(FIELD);
  if (name === '') return [field];
  const keys = typeof name === 'string' ? ['name', 'id', 'type'] : [];
  // What follows the text at once, without a label of its own.
  const beside = scope
    .getByText(name, EXACT)
    .and(scope.locator(':not(button,button *)'))
    .locator(
      `xpath=(following::text()[normalize-space()] | following::*[${TYPED_INTO}])[1][${TYPED_INTO}][not(@aria-label or @aria-labelledby or ancestor::label or @id = //label/@for)]`,
    );
  return [
    any(scope.getByLabel(name, EXACT).and(field), byRoles(scope, TYPED, name)),
    scope.getByPlaceholder(name, EXACT),
    ...keys.map(key => scope.locator(`[${key}=${JSON.stringify(name)}]`).and(field)),
    ...(isPart(name) ? [] : [beside.and(field)]),
  ];
};

const lists: Builder = (scope, name) =>
  fields(scope, name).map(field => field.and(scope.locator('select,[role=listbox],[role=combobox]')));

const checks: Builder = (scope, name) => {
  const box = scope.locator('input[type=checkbox],input[type=radio]');
  return [any(byRoles(scope, CHECKED, name), scope.getByLabel(name, EXACT).and(box))];
};

/** Native lists that have such an option. */
const listsWith: Builder = (scope, name) => [
  byRoles(scope, ['option'], name).locator('xpath=ancestor::select'),
];

const fileInputs: Builder = (scope, name) => {
  const input = scope.locator('input[type=file]');
  return [scope.getByLabel(name, EXACT).and(input), ...clickables()(scope, name)];
};

const texts: Builder = (scope, name) => [
  any(byRoles(scope, CLICKABLE, name), scope.getByText(name, EXACT)),
  any(scope.getByLabel(name, EXACT), scope.getByAltText(name, EXACT), scope.getByTitle(name, EXACT)),
];
