// Performs one clause.
import type { Locator } from '@playwright/test';
import { type Hand, nameOf } from './act';
import type { Act, Clause, Target } from './clause';
import {
  type Builder,
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
const SEARCH = /search|find|filter|query|look ?up/i;

/** @throws Stuck if the page does not have what the clause names. */
export async function perform(hand: Hand, clause: Clause): Promise<void> {
  switch (clause.do) {
    case 'click':
      return hand.click(
        (await seek(hand, clause.target, [clickables(clause.target.kind)])).locator,
        clause.count,
      );
    case 'hover':
      return hand.hover((await seek(hand, clause.target, [clickables(clause.target.kind), texts])).locator);
    case 'focus':
      return hand.focus((await seek(hand, clause.target, [fields, clickables()])).locator);
    case 'expand':
      return expand(hand, clause.target);
    case 'path':
      return path(hand, clause.labels);
    case 'enter':
      return enter(hand, clause);
    case 'choose':
      return choose(hand, clause);
    case 'check':
      return check(hand, clause);
    case 'upload':
      return hand.upload(
        (await seek(hand, clause.target, [fileInputs], { hidden: true })).locator,
        clause.file,
      );
    case 'press':
      return hand.press(
        clause.key,
        clause.target && (await seek(hand, clause.target, [fields, clickables()])).locator,
      );
    case 'search':
      return search(hand, clause);
    case 'see':
      return see(hand, clause.target);
    case 'answer':
      return answer(hand, clause);
    case 'goto':
      return hand.go({ url: clause.url });
    default:
      return hand.go(clause.do);
  }
}

function seek(
  hand: Hand,
  target: Target,
  builders: Builder[],
  how: { hidden?: boolean; several?: boolean; timeoutMs?: number } = {},
): Promise<Found> {
  const { page, task, timeout } = hand;
  return find({ page, target, builders, timeoutMs: timeout, signal: task.signal, ...how });
}

const isA = async (hand: Hand, locator: Locator, css: string) => exists(locator.and(hand.page.locator(css)));

/** Each label is shown by the one before it: by a click, or by the mouse over it. */
async function path(hand: Hand, labels: string[]): Promise<void> {
  for (const [at, label] of labels.entries()) {
    const { locator } = await seek(hand, { label }, [clickables('menu item')]);
    const next = labels[at + 1];
    if (next === undefined) return hand.click(locator);
    await hand.hover(locator);
    const shown = await seek(hand, { label: next }, [clickables('menu item')], { timeoutMs: 300 }).catch(
      error => {
        if (error instanceof Stuck) return undefined;
        throw error;
      },
    );
    if (!shown) await hand.click(locator);
  }
}

async function expand(hand: Hand, target: Target): Promise<void> {
  const { locator } = await seek(hand, target, [clickables(target.kind)]);
  if (!(await isA(hand, locator, '[aria-expanded=true],details[open] > summary'))) await hand.click(locator);
}

/** What is read in a section that is closed is opened first. */
async function see(hand: Hand, target: Target): Promise<void> {
  hand.turn.readOnly();
  const { locator } = await seek(hand, target, [texts], { several: true });
  if (await isA(hand, locator, 'details:not([open]) > summary,[aria-expanded=false]:not(select,input)'))
    await hand.click(locator);
  else hand.turn.action({ title: `see ${await nameOf(locator)}` });
}

async function enter(hand: Hand, { target, value }: Of<'enter'>): Promise<void> {
  const { locator } = await seek(hand, target, [fields]);
  if (await isA(hand, locator, 'select')) return hand.select(locator, await optionOf(locator, value));
  await hand.enter(locator, value);
}

async function check(hand: Hand, { target, on }: Of<'check'>): Promise<void> {
  const { locator, by } = await seek(hand, target, [checks, clickables(target.kind)], { hidden: true });
  if (by === 0) await hand.check(locator, on, target.label);
  else await hand.click(locator.filter({ visible: true }).first());
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

async function choose(hand: Hand, { value, from }: Of<'choose'>): Promise<void> {
  if (from?.label) {
    const place: Builder = (scope, name) => clickables(value.kind)(scope, name);
    const field = await seek(hand, from, [fields], { timeoutMs: hand.timeout / 2 }).catch(
      error => error as Stuck,
    );
    if (field instanceof Error) {
      if (!(field instanceof Stuck)) throw field;
      // A group of radio buttons or the like: chosen in the section of that name.
      return choice(hand, { ...value, place: from.label }, place, field);
    }
    return pick(hand, field.locator, value.label);
  }
  await choice(hand, value, clickables(value.kind));
}

/** A radio button, an option of any list, or whatever has the name. */
async function choice(hand: Hand, value: Target, builder: Builder, otherwise?: Stuck): Promise<void> {
  const { locator, by } = await seek(hand, value, [checks, listsWith, builder], { hidden: true }).catch(
    error => {
      throw otherwise && error instanceof Stuck && /^nothing/.test(error.message) ? otherwise : error;
    },
  );
  if (by === 0) return hand.check(locator, true, value.label);
  if (by === 1) return hand.select(locator, await optionOf(locator, value.label));
  await hand.click(locator.filter({ visible: true }).first());
}

/** From a list, native or not. */
async function pick(hand: Hand, field: Locator, label: string): Promise<void> {
  if (await isA(hand, field, 'select')) return hand.select(field, await optionOf(field, label));
  if (!(await isA(hand, field, '[role=listbox]'))) await hand.click(field);
  const option = () => seek(hand, { label, kind: 'option' }, [clickables('option')], { timeoutMs: 1_500 });
  const found = await option().catch(error => {
    if (error instanceof Stuck && /^nothing/.test(error.message)) return undefined;
    throw error;
  });
  if (found) return hand.click(found.locator);
  // A list that is asked for by typing.
  if (await isA(hand, field, 'input,textarea')) await hand.enter(field, label);
  await hand.click((await seek(hand, { label, kind: 'option' }, [clickables('option')])).locator);
}

async function search(hand: Hand, { text, target }: Of<'search'>): Promise<void> {
  const boxes: Builder = (scope, name) => [
    scope.getByRole('searchbox').or(scope.locator('input[type=search]')),
    scope
      .getByRole('textbox', { name })
      .or(scope.getByRole('combobox', { name }))
      .or(scope.getByPlaceholder(name)),
    scope.locator('input[name=q],input[name=query],input[name=search]'),
  ];
  const sought = target ?? { label: 'Search', names: SEARCH };
  const { locator } = await seek(hand, sought, target ? [fields] : [boxes]);
  await hand.enter(locator, text);
  await hand.press('Enter', locator);
}

/** A native dialog was answered as it opened; any other is answered by its buttons. */
async function answer(hand: Hand, { how, native, button, what, text }: Of<'answer'>): Promise<void> {
  if (native && hand.answered.length) {
    hand.turn.readOnly();
    for (const said of hand.answered.splice(0))
      hand.turn.action({ title: `${how === 'accept' ? 'accept' : 'dismiss'} the dialog "${said}"` });
    return;
  }
  if (text && !button) throw new Stuck('no dialog asked for a text');
  if (button) return hand.click((await seek(hand, { label: button }, [clickables('button')])).locator);
  const target = { label: how, names: CLOSERS[how], kind: 'button', ...(what ? { place: what } : {}) };
  const found = await seek(hand, target, [clickables('button')], native ? { timeoutMs: 1_500 } : {}).catch(
    error => error as Error,
  );
  if (!(found instanceof Error)) return hand.click(found.locator);
  const dialog = await openDialog(hand.page);
  if (how !== 'close' || !dialog)
    throw found instanceof Stuck && native && !dialog ? new Stuck('no dialog opened') : found;
  await hand.press('Escape');
  if (await exists(dialog)) throw found;
}
