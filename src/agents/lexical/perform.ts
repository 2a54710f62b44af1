// Performs one clause.
import { resolve } from 'node:path';
import type { Locator } from '@playwright/test';
import { sleep } from '../../browser/waiting';
import { type Actor, nameOf } from './act';
import type { Act, Clause, Target } from './clause';
import {
  any,
  type Builder,
  byRoles,
  checks,
  clickables,
  exists,
  type Found,
  fields,
  fileInputs,
  find,
  listsWith,
  namesOf,
  openDialog,
  Stuck,
  texts,
} from './find';
import { CLOSERS } from './overlay';

type Of<Name extends Act['do']> = Extract<Act, { do: Name }>;
const CLOSED = 'details:not([open]) > summary,[aria-expanded=false]:not(select,input)';
const SEARCH = /search|find|filter|query|look ?up/i;

/** @throws Stuck if the page does not have what the clause names. */
export async function perform(actor: Actor, clause: Clause): Promise<void> {
  const target = 'target' in clause ? clause.target : undefined;
  const at = async (builders: Builder[], hidden = false) =>
    (await find(actor, target!, builders, { hidden })).locator;
  switch (clause.do) {
    case 'click':
      return actor.click(await at([clickables(clause.target.kind)]), clause.count);
    case 'hover':
      return actor.point('hover over', {
        do: 'hover',
        locator: await at([clickables(clause.target.kind), texts]),
      });
    case 'focus':
      return actor.act('focus', { do: 'focus', locator: await at([fields, clickables()]) });
    case 'expand':
      return expand(actor, clause.target);
    case 'path':
      return path(actor, clause.labels);
    case 'enter':
      return enter(actor, clause);
    case 'choose':
      return choose(actor, clause);
    case 'check':
      return check(actor, clause);
    case 'upload':
      return actor.act(`upload "${clause.file}" to`, {
        do: 'upload',
        files: [resolve(actor.task.configDir, clause.file)],
        locator: await at([fileInputs], true),
      });
    case 'press':
      return actor.press(clause.key, target && (await at([fields, clickables()])));
    case 'search':
      return search(actor, clause);
    case 'see':
      return see(actor, clause.target);
    case 'answer':
      return answer(actor, clause);
    case 'wait':
      actor.turn.readOnly();
      return sleep(clause.seconds * 1_000, actor.task.signal);
    case 'goto':
      return actor.go({ url: clause.url });
    default:
      return actor.go(clause.do);
  }
}

/** Undefined if there is none: something else will do. */
function ifAny(found: Promise<Found>): Promise<Found | undefined> {
  return found.catch(error => {
    if (error instanceof Stuck && /^nothing/.test(error.message)) return undefined;
    throw error;
  });
}

const isA = async (actor: Actor, locator: Locator, css: string) =>
  exists(locator.and(actor.page.locator(css)));

/** Each label is shown by the one before it: by a click, or by the mouse over it. */
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

async function expand(actor: Actor, target: Target): Promise<void> {
  const { locator } = await find(actor, target, [clickables(target.kind)]);
  if (!(await isA(actor, locator, '[aria-expanded=true],details[open] > summary')))
    await actor.click(locator);
}

/** What is read in a section that is closed is opened first. */
async function see(actor: Actor, target: Target): Promise<void> {
  actor.turn.readOnly();
  const { locator } = await find(actor, target, [texts], { several: true });
  if (await isA(actor, locator, CLOSED)) await actor.click(locator);
  else actor.turn.action({ title: `see ${await nameOf(locator)}` });
}

async function enter(actor: Actor, { target, value }: Of<'enter'>): Promise<void> {
  const { locator } = await find(actor, target, [fields]);
  if (await isA(actor, locator, 'select')) return actor.select(locator, await optionOf(locator, value));
  await actor.enter(locator, value);
}

async function check(actor: Actor, { target, on }: Of<'check'>): Promise<void> {
  const { locator, by } = await find(actor, target, [checks, clickables(target.kind)], { hidden: true });
  if (by === 0) await actor.check(locator, on, target.label);
  else await actor.click(locator.filter({ visible: true }).first());
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
  throw new Stuck(`no option "${label}" in ${await nameOf(select)}; there are ${shown.join(', ')}`);
}

async function choose(actor: Actor, { value, from }: Of<'choose'>): Promise<void> {
  if (!from?.label) return choice(actor, value);
  const field = await ifAny(find(actor, from, [fields], { timeoutMs: actor.timeout / 2 }));
  if (field) return pick(actor, field.locator, value.label);
  // A group of radio buttons or the like: chosen in the section of that name.
  await choice(actor, { ...value, place: from.label });
}

/** A radio button, an option of any list, or whatever has the name. */
async function choice(actor: Actor, value: Target): Promise<void> {
  const builders = [checks, listsWith, clickables(value.kind)];
  const { locator, by } = await find(actor, value, builders, { hidden: true });
  if (by === 0) return actor.check(locator, true, value.label);
  if (by === 1) return actor.select(locator, await optionOf(locator, value.label));
  await actor.click(locator.filter({ visible: true }).first());
}

/** From a list, native or not. */
async function pick(actor: Actor, field: Locator, label: string): Promise<void> {
  if (await isA(actor, field, 'select')) return actor.select(field, await optionOf(field, label));
  if (!(await isA(actor, field, '[role=listbox]'))) await actor.click(field);
  const option = (timeoutMs: number) =>
    find(actor, { label, kind: 'option' }, [clickables('option')], { timeoutMs });
  const found = await ifAny(option(1_500));
  // A list that is asked for by typing.
  if (!found && (await isA(actor, field, 'input,textarea'))) await actor.enter(field, label);
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

/** A native dialog was answered as it opened; any other is answered by its buttons. */
async function answer(actor: Actor, { how, native, button, what, text }: Of<'answer'>): Promise<void> {
  if (native && actor.answered.length) {
    actor.turn.readOnly();
    for (const said of actor.answered.splice(0))
      actor.turn.action({ title: `${how === 'accept' ? 'accept' : 'dismiss'} the dialog "${said}"` });
    return;
  }
  if (text && !button) throw new Stuck('no dialog asked for a text');
  if (button) return actor.click((await find(actor, { label: button }, [clickables('button')])).locator);
  const target = { label: how, names: CLOSERS[how], kind: 'button', ...(what ? { place: what } : {}) };
  const sought = find(actor, target, [clickables('button')], native ? { timeoutMs: 1_500 } : {});
  const found = await ifAny(sought);
  if (found) return actor.click(found.locator);
  const dialog = await openDialog(actor.page);
  if (how !== 'close' || !dialog) {
    if (native && !dialog) throw new Stuck('no dialog opened');
    return void (await sought);
  }
  await actor.press('Escape');
  if (await exists(dialog)) await sought;
}
