// Which findings touch what a failed trial was about.
import { describe, expect, it } from 'vitest';
import type { Sighting } from '../../../src/browser/injected/look';
import type { TurnRecord } from '../../../src/data/record';
import { type Aims, aimsOf, relevantOf } from '../../../src/trial/examine';

const click = (locator: string, url = '/shop') => ({
  do: 'click' as const,
  locator,
  tab: 0,
  before: { url, content: 'a' },
  after: { url, content: 'b' },
});
const turn = (title: string, more: Partial<TurnRecord> = {}): TurnRecord => ({
  ...{
    number: 1,
    title,
    actions: [{ title }],
    narration: '',
    outcome: 'ok',
    notices: [],
    url: 'http://x/shop',
  },
  ...{ startedAtMs: 0, durationMs: 0, screenshot: null },
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: 0 },
  ...more,
});
const GOAL = 'Click "Add", then "Basket". Enter "Jo" into "Name" and click "Pay".';

describe('aims', () => {
  const rows: { what: string; turns: TurnRecord[]; reason?: string; aims: Partial<Aims> }[] = [
    { what: 'no turns', turns: [], aims: { sought: [], next: ['add', 'basket', 'jo'], used: [] } },
    { what: 'the next of the goal', turns: [turn('click "Add"')], aims: { next: ['basket', 'jo', 'name'] } },
    {
      what: 'the next after the last one that was told of',
      turns: [turn('type'), turn('x', { actions: [{ title: 'enter "Jo" into textbox "Name"' }] })],
      aims: { next: ['pay'] },
    },
    {
      what: 'what a failed turn was about, and not what is there instead',
      turns: [
        turn('click "Basket"', {
          outcome: 'error',
          error: 'nothing called "Basket" on /; there are links "Home"',
        }),
      ],
      aims: { sought: ['basket'] },
    },
    {
      what: 'the control that a failed action meant, whatever is told of it',
      turns: [
        turn('shop', {
          actions: [
            { title: 'click "the link"', control: 'link "Basket"', error: 'covered by "Cookies"' },
            { title: 'click "Pay"', error: 'x' },
          ],
        }),
      ],
      reason: 'I see no "Sum"',
      aims: { sought: ['basket', 'pay'] },
    },
    {
      what: 'the next after the last that an action meant or typed',
      turns: [
        turn('x', { actions: [{ title: 'x', recorded: [{ ...click('a'), control: 'link "Basket"' }] }] }),
        turn('y', { actions: [{ title: 'y', recorded: [{ ...click('b'), do: 'fill', text: 'Jo' }] }] }),
      ],
      aims: { next: ['name', 'pay'] },
    },
    {
      what: 'what the agent gave up on',
      turns: [],
      reason: 'I see no “Basket” here',
      aims: { sought: ['basket'] },
    },
    {
      what: 'what was used on the page where it ended',
      turns: [
        turn('a', { actions: [{ title: 'a', recorded: [click('home', '/')] }] }),
        turn('b', {
          actions: [{ title: 'b', recorded: [click('one', '/shop?q=1#x'), click('one'), click('two')] }],
        }),
      ],
      aims: { used: ['one', 'one', 'two'].map(locator => ({ locator, failed: false, unkept: false })) },
    },
    {
      what: 'a field that typing did not change',
      turns: [
        turn('a', {
          actions: [
            {
              title: 'a',
              recorded: [{ ...click('one'), do: 'fill', text: 'x', after: { url: '/shop', content: 'a' } }],
            },
          ],
        }),
      ],
      aims: { used: [{ locator: 'one', failed: true, unkept: true }] },
    },
    {
      what: 'what failed on the page where it ended, long ago',
      turns: [
        turn('click "Name"', { outcome: 'error', error: 'x' }),
        turn('click "Far"', { outcome: 'error', error: 'x', url: 'http://x/far' }),
        turn('b'),
        turn('c'),
        turn('d'),
      ],
      aims: { sought: ['name'] },
    },
    {
      what: 'what was used in the last turns alone',
      turns: [
        turn('a', { actions: [{ title: 'a', recorded: [click('one')] }] }),
        turn('b'),
        turn('c'),
        turn('d'),
      ],
      aims: { used: [] },
    },
    {
      what: 'apostrophes that quote nothing',
      turns: [],
      reason: `I can't say what's there`,
      aims: { sought: [] },
    },
  ];
  it.each(rows)('$what', ({ turns, reason = null, aims }) => {
    expect(aimsOf(GOAL, turns, reason, 'http://127.0.0.1:1/shop?q=2')).toMatchObject(aims);
  });
});

describe('relevant', () => {
  const BOX = { x: 100, y: 100, width: 80, height: 30 };
  const sighting = (more: Partial<Sighting>): Sighting => ({
    ...{ kind: 'no_name', selector: '.x', text: '', names: [], hints: '', boxes: [BOX] },
    ...more,
  });
  const rows: {
    what: string;
    of?: Partial<Sighting>;
    aims?: Partial<Aims>;
    known?: Partial<Parameters<typeof relevantOf>[2]>;
    is: boolean;
  }[] = [
    { what: 'nothing that nobody asked for', is: false },
    { what: 'a dialog that nothing closes', of: { kind: 'dialog_trap' }, is: true },
    { what: 'what was used last', known: { touched: [{ ...BOX, failed: false, unkept: false }] }, is: true },
    {
      what: 'what was drawn in what was used',
      known: { touched: [{ x: 110, y: 105, width: 60, height: 20, failed: false, unkept: false }] },
      is: true,
    },
    {
      what: 'what was clicked at',
      known: { touched: [{ x: 120, y: 110, width: 0, height: 0, failed: false, unkept: false }] },
      is: true,
    },
    {
      what: 'not a button that was used, and is disabled since',
      of: { kind: 'disabled', names: ['pay'] },
      aims: { sought: ['pay'] },
      known: {
        touched: [
          { ...BOX, failed: true, unkept: false },
          { ...BOX, failed: false, unkept: false },
        ],
      },
      is: false,
    },
    {
      what: 'a button that was tried in vain',
      of: { kind: 'disabled' },
      known: { touched: [{ ...BOX, failed: true, unkept: false }] },
      is: true,
    },
    {
      what: 'not all that holds what was used',
      of: { boxes: [{ x: 0, y: 0, width: 900, height: 600 }] },
      known: { touched: [{ ...BOX, failed: false, unkept: false }] },
      is: false,
    },
    {
      what: 'not what is beside what was used',
      known: { touched: [{ ...BOX, x: 200, failed: false, unkept: false }] },
      is: false,
    },
    {
      what: 'what was sought',
      of: { kind: 'covered', names: ['basket'] },
      aims: { sought: ['basket'] },
      is: true,
    },
    {
      what: 'what the goal names next',
      of: { kind: 'disabled', names: ['pay now'] },
      aims: { next: ['pay'] },
      is: true,
    },
    {
      what: 'no part of a word',
      of: { kind: 'covered', names: ['payments'] },
      aims: { next: ['pay'] },
      is: false,
    },
    {
      what: 'what its author called so',
      of: { hints: 'icon cart basket' },
      aims: { next: ['basket'] },
      is: true,
    },
    {
      what: 'not by what its author called it, if another has the name',
      of: { hints: 'icon basket' },
      aims: { next: ['basket'] },
      known: { usable: ['basket'] },
      is: false,
    },
    { what: 'what has no name, if what was sought is not there', aims: { sought: ['basket'] }, is: true },
    {
      what: 'not so if it is there',
      aims: { sought: ['basket'] },
      known: { usable: ['basket (2)'] },
      is: false,
    },
    {
      what: 'not so what has a name',
      of: { kind: 'covered', names: ['home'] },
      aims: { sought: ['basket'] },
      is: false,
    },
    { what: 'not so for what the goal names next', aims: { next: ['basket'] }, is: false },
  ];
  it.each(rows)('$what', ({ of = {}, aims = {}, known = {}, is }) => {
    const all = { sought: [], next: [], used: [], ...aims };
    expect(relevantOf([sighting(of)], all, { touched: [], usable: [], ...known })).toEqual([is]);
  });

  it('none of many without a name', () => {
    const many = Array.from({ length: 4 }, () => sighting({}));
    const aims = { sought: ['basket'], next: [], used: [] };
    expect(relevantOf(many, aims, { touched: [], usable: [] })).toEqual([false, false, false, false]);
  });
});
