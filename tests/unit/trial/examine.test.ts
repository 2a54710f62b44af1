// Which findings touch what a failed trial was about.
import { describe, expect, it } from 'vitest';
import type { Sighting } from '../../../src/browser/injected/look';
import type { Action, TurnRecord } from '../../../src/data/record';
import { type Aims, aimsOf, relevantOf } from '../../../src/trial/examine';
import { madeAction, madeTurn } from '../../support/records';

const click = (locator: string, url = '/shop') => madeAction({ do: 'click', locator }, url);
const fill = (text: string) => ({ ...click('one'), do: 'fill' as const, text });
const turn = (title: string, more: Partial<TurnRecord> = {}) =>
  madeTurn({ title, actions: [{ title }], url: 'http://x/shop', ...more });
const did = (...recorded: NonNullable<Action['recorded']>) =>
  turn('x', { actions: [{ title: 'x', recorded }] });
const failed = (title: string, url = 'http://x/shop') => turn(title, { outcome: 'error', error: 'x', url });
const GOAL = 'Click "Add", then "Basket". Enter "Jo" into "Name" and click "Pay".';

describe('aims', () => {
  const used = (...locators: string[]) =>
    locators.map(locator => ({ locator, failed: false, unkept: false }));
  const [b, c, d] = ['b', 'c', 'd'].map(title => turn(title)) as [TurnRecord, TurnRecord, TurnRecord];
  const covered = { title: 'click "the link"', control: 'link "Basket"', error: 'covered by "Cookies"' };
  const missing = 'nothing called "Basket" on /; there are links "Home"';
  const entered = { title: 'enter "Jo" into textbox "Name"' };
  it.each<[what: string, turns: TurnRecord[], reason: string | null, aims: Partial<Aims>]>([
    ['no turns', [], null, { sought: [], next: ['add', 'basket', 'jo'], used: [] }],
    ['the next of the goal', [turn('click "Add"')], null, { next: ['basket', 'jo', 'name'] }],
    [
      'the next after the last that was told',
      [b, turn('x', { actions: [entered] })],
      null,
      { next: ['pay'] },
    ],
    [
      'what a failed turn was about, and not what is there instead',
      [turn('click "Basket"', { outcome: 'error', error: missing })],
      null,
      { sought: ['basket'] },
    ],
    [
      'what the first failure was about',
      [failed('click "Basket"'), failed('enter "Jo" into "Name"')],
      null,
      { sought: ['basket', 'jo', 'name'], first: ['basket'], isTyped: false },
    ],
    ['a list', [failed('select "Basket" in "Name"')], null, { isTyped: true }],
    ['a button that is called so', [failed('click "Select all"')], null, { isTyped: false }],
    [
      'the control that a failed action meant, whatever is told of it',
      [turn('shop', { actions: [covered, { title: 'click "Pay"', error: 'x' }] })],
      'I see no "Sum"',
      { sought: ['basket', 'pay'] },
    ],
    [
      'the next after the last that an action meant or typed',
      [did({ ...click('a'), control: 'link "Basket"' }), did(fill('Jo'))],
      null,
      { next: ['name', 'pay'] },
    ],
    ['what the agent gave up on', [], 'I see no “Basket” here', { sought: ['basket'] }],
    ['apostrophes that quote nothing', [], `I can't say what's there`, { sought: [] }],
    [
      'what was used on the page where it ended',
      [did(click('home', '/')), did(click('one', '/shop?q=1#x'), click('one'), click('two'))],
      null,
      { used: used('one', 'one', 'two') },
    ],
    ['what was used in the last turns alone', [did(click('one')), b, c, d], null, { used: [] }],
    [
      'a field that typing did not change',
      [did({ ...fill('x'), after: { url: '/shop', content: 'a' } })],
      null,
      { used: [{ locator: 'one', failed: true, unkept: true }] },
    ],
    [
      'what failed on the page where it ended, long ago',
      [failed('click "Name"'), failed('click "Far"', 'http://x/far'), b, c, d],
      null,
      { sought: ['name'] },
    ],
  ])('%s', (_, turns, reason, aims) => {
    expect(aimsOf(GOAL, turns, reason, 'http://127.0.0.1:1/shop?q=2')).toMatchObject(aims);
  });
});

type Known = Parameters<typeof relevantOf>[2];

describe('relevant', () => {
  const BOX = { x: 100, y: 100, width: 80, height: 30 };
  const PAGE = { x: 0, y: 0, width: 900, height: 600 };
  const sighting = (more: Partial<Sighting>): Sighting => ({
    ...{ kind: 'no_name', selector: '.x', text: '', names: [], hints: '', boxes: [BOX], place: null },
    ...more,
  });
  const tried = (box: object, failed = false) => ({ ...BOX, ...box, failed, unkept: false });
  const touched = (box: object, failed = false) => ({ touched: [tried(box, failed)] });
  const [sought, next] = [{ sought: ['basket'] }, { next: ['basket'] }];
  const typed = { ...sought, isTyped: true };
  it.each<[what: string, is: boolean, Partial<Sighting>, Partial<Aims>, Partial<Known>?]>([
    ['nothing that nobody asked for', false, {}, {}],
    ['a dialog that nothing closes', true, { kind: 'dialog_trap' }, {}],
    ['what was used last', true, {}, {}, touched({})],
    ['what was drawn in what was used', true, {}, {}, touched({ x: 110, y: 105, width: 60, height: 20 })],
    ['what was clicked at', true, {}, {}, touched({ x: 120, y: 110, width: 0, height: 0 })],
    [
      'not a button that was used, and is disabled since',
      false,
      { kind: 'disabled', names: ['pay'] },
      { sought: ['pay'] },
      { touched: [tried({}, true), tried({})] },
    ],
    ['a button that was tried in vain', true, { kind: 'disabled' }, {}, touched({}, true)],
    ['not all that holds what was used', false, { boxes: [PAGE] }, {}, touched({})],
    ['not what is beside what was used', false, {}, {}, touched({ x: 200 })],
    ['not a field that took what was typed', false, { kind: 'no_label' }, {}, touched({})],
    ['a field that did not', true, { kind: 'no_label' }, {}, touched({}, true)],
    ['what was sought', true, { kind: 'covered', names: ['basket'] }, sought],
    ['what the goal names next', true, { kind: 'disabled', names: ['pay now'] }, { next: ['pay'] }],
    ['no part of a word', false, { kind: 'covered', names: ['payments'] }, { next: ['pay'] }],
    [
      'not what has the name among other words, if another is called so',
      false,
      { kind: 'covered', names: ['go to basket'] },
      sought,
      { usable: ['basket'] },
    ],
    ['what its author called so', true, { hints: 'icon cart basket' }, next],
    ['not by that, if another has the name', false, { hints: 'icon basket' }, next, { usable: ['basket'] }],
    ['what has no name, if what was sought is not there', true, {}, sought],
    [
      'not so a field, if something was clicked',
      false,
      { kind: 'no_label', text: 'textbox without a label' },
      sought,
    ],
    [
      'not so what has a text of its own',
      false,
      { kind: 'no_role', text: 'span "Help" reacts to clicks' },
      sought,
    ],
    ['not so a button, if something was typed', false, {}, typed],
    ['not so if it is there', false, {}, sought, { usable: ['basket (2)'] }],
    [
      'a field to type into, if a button has the name',
      true,
      { kind: 'no_label' },
      typed,
      { usable: ['basket'] },
    ],
    ['not so what is clicked', false, { kind: 'no_label' }, sought, { usable: ['basket'] }],
    ['a button, if a field has the name', true, {}, sought, { fields: ['basket'] }],
    ['not so what is typed into', false, {}, typed, { fields: ['basket'] }],
    ['no field, if one has the name', false, { kind: 'no_label' }, typed, { fields: ['basket'] }],
    [
      'what has no name, if the reason lists what is there, too',
      true,
      {},
      { sought: ['home', 'basket'], areListed: true },
      { usable: ['home'] },
    ],
    ['not so if a turn tried both', false, {}, { sought: ['home', 'basket'] }, { usable: ['home'] }],
    ['not so what has a name', false, { kind: 'covered', names: ['home'] }, sought],
    ['not so for what the goal names next', false, {}, next],
  ])('%s', (_, is, of, aims, known) => {
    const all = { sought: [], next: [], used: [], ...aims };
    expect(relevantOf([sighting(of)], all, { touched: [], usable: [], ...known })).toEqual([is]);
  });

  it('nothing that a later failure was about, if something explains the first', () => {
    const found = [sighting({}), sighting({ kind: 'disabled', names: ['pay'] })];
    const relevant = (first: string[]) =>
      relevantOf(
        found,
        { sought: ['basket', 'pay'], first, next: [], used: [] },
        { touched: [], usable: [] },
      );
    expect(relevant(['basket'])).toEqual([true, false]);
    expect(relevant([])).toEqual([true, true]);
  });

  it('no other without a name, if one is called so', () => {
    const aims = { sought: ['basket'], next: [], used: [] };
    const found = [sighting({}), sighting({ kind: 'no_role', names: ['basket.'] })];
    expect(relevantOf(found, aims, { touched: [], usable: [] })).toEqual([false, true]);
  });

  it('none of many without a name', () => {
    const many = Array.from({ length: 4 }, () => sighting({}));
    const aims = { sought: ['basket'], next: [], used: [] };
    expect(relevantOf(many, aims, { touched: [], usable: [] })).toEqual([false, false, false, false]);
  });
});
