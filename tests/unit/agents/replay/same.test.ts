// Which differences make another control of what a replay found.
import { expect, test } from 'vitest';
import { leftOut, otherControl } from '../../../../src/agents/replay/same';
import type { Neighbour } from '../../../../src/data/action';
import { goalWords } from '../../../../src/text/goal-words';

const size = { x: 0, y: 0, width: 10, height: 10 };
const place = (control: string) => ({ control, ...size });
const beside = (text: string, scope: Neighbour['scope'] = 'row') => (text ? [{ scope, text }] : []);
const BY_NAME = "getByRole('button', { name: 'x' })";
const BY_ID = "getByTestId('pay')";
const LONG = 'link "Order 9 of Ada Byron, deliv…"';

test.each<[string, locator: string, was: string, is: string, goal: string, 'same' | 'noted' | 'other']>([
  ['the same', BY_NAME, 'button "Pay $9"', 'button "Pay $9"', 'Click "Pay $9"', 'same'],
  ['a number of the goal', BY_NAME, 'button "Pay $9"', 'button "Pay $999"', 'Click "Pay $9"', 'other'],
  ['it written otherwise', BY_NAME, 'button "Pay $1,080.00"', 'button "Pay $9,080.00"', 'Pay $1080', 'other'],
  ['a seat of the goal', BY_ID, 'button "12A"', 'button "12F"', 'Take the seat 12A', 'other'],
  ['a number of the site', BY_NAME, 'button "Cart (2)"', 'button "Cart (3)"', 'Open the cart', 'noted'],
  ['a longer name', BY_NAME, 'button "Save"', 'button "Do not save"', 'Click "Save"', 'other'],
  ['another name of a test id', BY_ID, 'button "Pay"', 'button "Buy"', 'Order it', 'noted'],
  ['it names what the goal names', BY_ID, 'button "Pay $9"', 'button "Pay $8"', 'Pay 9', 'other'],
  ['it lost its name', BY_ID, 'button "Pay"', 'button', 'Order it', 'noted'],
  ['a number as a word', BY_NAME, 'button "2nd of May"', 'button "3rd of May"', 'Pick a day', 'noted'],
  ['one that is cut', BY_NAME, LONG, 'link "Order 10 of Ada Byron, deli…"', 'Open it', 'noted'],
  ['another that is cut', BY_NAME, LONG, 'link "Order 10 of Bo Diddley, del…"', 'Open it', 'other'],
  ['it had none', BY_NAME, 'div.card', 'div.row', 'Order it', 'same'],
  ['another case', BY_NAME, 'button "PAY"', 'button "Pay"', 'Order it', 'noted'],
])('a name: %s', (_, locator, was, is, goal, expected) => {
  const found = { place: place(is), isOn: null, isEmpty: null, beside: [] };
  const { why, differs } = otherControl({ locator, place: place(was) }, found, goalWords(goal));
  expect(why ? 'other' : differs ? 'noted' : 'same').toBe(expected);
  if (expected !== 'same') expect(why ?? differs).toBe(`${was} is now ${is}`);
});

test.each([
  ["locator('div')", true],
  ["locator('#list div')", true],
  ["locator('#list > div')", true],
  ["getByTestId('list').locator('div')", true],
  ["getByTestId('list').locator('div').nth(1)", true],
  ["getByTestId('list').getByRole('button')", true],
  ["getByRole('button')", true],
  ["locator('div:nth-child(2)')", true],
  ["getByTestId('plan').first()", true],
  // These say themselves which one is meant.
  ["getByTestId('plan')", false],
  ["locator('#list .opt.pro')", false],
  ['locator(\'[data-plan="pro"]\')', false],
  ["getByRole('button', { name: 'Pro' })", false],
])('a control without a name has its classes, if its locator only counts: %s', (locator, isOther) => {
  const found = { place: place('div'), isOn: null, isEmpty: null, beside: [], hints: 'opt basic' };
  const recorded = { place: place('div'), locator, hints: 'opt pro' };
  const { why } = otherControl(recorded, found, goalWords('Choose'));
  expect(why !== undefined).toBe(isOther);
});

test.each<[string, locator: string, was: string, is: string, goal: string, isOther: boolean]>([
  [
    'another name in a list with a test id',
    "getByTestId('list').getByText('x')",
    'Red shirt',
    'Blue shirt',
    'Order the red shirt',
    true,
  ],
  ['another row', BY_NAME, 'Order 1042', 'Order 3055', 'Cancel order 1042', true],
  ['another row of a test id', BY_ID, 'Alice', '', 'Cancel the order of Alice', true],
  ['a short name', BY_NAME, 'Bo', '', 'Delete Bo', true],
  ['a name of two characters', BY_NAME, '李明', '张伟', '删除李明', true],
  ['that name with a title', BY_NAME, '李明', '李明先生', '删除李明', false],
  ['other words beside a test id', BY_ID, 'Add a fern', '', 'Add a fern', false],
  ['other words beside a name', BY_NAME, 'Red shirt', 'Blue shirt', 'Order the red shirt', true],
  ['words of every goal', BY_NAME, 'Into the cart', '', 'Put one into the bag', false],
  ['its row says more', BY_NAME, 'Order 1042', 'Sale! Order 1042', 'Cancel order 1042', false],
  ['it is in the name by now', BY_NAME, 'Cancel', '', 'Cancel "Cancel"', false],
])('what is beside it: %s', (_, locator, was, is, goal, isOther) => {
  const recorded = { locator, place: place('button "Cancel"'), beside: beside(was) };
  const found = { place: place('button "Cancel"'), isOn: null, isEmpty: null, beside: beside(is) };
  const { why } = otherControl(recorded, found, goalWords(goal));
  expect(why).toBe(isOther ? `button "Cancel" is no longer beside "${was}"` : undefined);
});

test('in a dialog and on a page only names count, and no digit among other words', () => {
  const goal = goalWords('Take 3 of the red ones for Ada at $49');
  const gone = (text: string, scope: Neighbour['scope']) =>
    otherControl(
      { beside: beside(text, scope) },
      { place: null, isOn: null, isEmpty: null, beside: [] },
      goal,
    ).why;
  expect(gone('Only 3 left', 'page')).toBeUndefined();
  expect(gone('red', 'page')).toBeUndefined();
  expect(gone('3', 'page')).toBe('the control is no longer beside "3"');
  expect(gone('You pay $49 now', 'dialog')).toBe('the control is no longer beside "You pay $49 now"');
});

test('in a frame only what is beside it is known', () => {
  const found = { place: null, isOn: null, isEmpty: null, beside: beside('Order 2') };
  const recorded = { locator: BY_NAME, beside: beside('Order 1') };
  expect(otherControl(recorded, found, goalWords('Cancel order 1'))).toEqual({
    why: 'the control is no longer beside "Order 1"',
  });
});

test('a switch that is on by now is not clicked', () => {
  const recorded = { place: place('switch "News"'), isOn: false };
  const compare = (isOn: boolean | null) =>
    otherControl(recorded, { place: place('switch "News"'), isOn, isEmpty: null, beside: [] }, goalWords(''))
      .why;
  expect(compare(true)).toBe('switch "News" is on, and was off in the recording');
  expect([compare(false), compare(null)]).toEqual([undefined, undefined]);
});

test('what the goal no longer has is named', () => {
  const recorded = [...beside('Alice Ahmed'), ...beside('<secret>MAIL</secret>')];
  expect(leftOut(recorded, goalWords('Delete Bob Brandt'))).toBe('Alice Ahmed');
  expect(leftOut(recorded, goalWords('Delete Alice'))).toBeUndefined();
});
