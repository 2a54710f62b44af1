// Which differences make another control of what a replay found.
import { expect, test } from 'vitest';
import { otherControl } from '../../../../src/agents/replay/same';

const size = { x: 0, y: 0, width: 10, height: 10 };
const place = (control: string) => ({ control, ...size });
const BY_NAME = "getByRole('button', { name: 'x' })";
const COUNTED = `${BY_NAME}.nth(1)`;

const BY_ID = "getByTestId('pay')";
const LONG = 'link "Order 9 of Ada Byron, deliv…"';

test.each<[string, locator: string, was: string, is: string, goal: string, 'same' | 'noted' | 'other']>([
  ['the same', BY_NAME, 'button "Pay $9"', 'button "Pay $9"', 'Click "Pay $9"', 'same'],
  ['a number of the goal', BY_NAME, 'button "Pay $9"', 'button "Pay $999"', 'Click "Pay $9"', 'other'],
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
  const { why, differs } = otherControl(
    { locator, place: place(was) },
    { place: place(is), beside: '' },
    goal,
  );
  expect(why ? 'other' : differs ? 'noted' : 'same').toBe(expected);
  if (expected !== 'same') expect(why ?? differs).toBe(`${was} is now ${is}`);
});

test.each<[string, locator: string, was: string, is: string, goal: string, isOther: boolean]>([
  ['another row', COUNTED, 'Order 1042 Cancel', 'Order 3055 Cancel', 'Cancel order 1042', true],
  ['another row of a test id', BY_ID, 'Order 1042', 'Order 3055', 'Cancel order 1042', true],
  ['other words beside a test id', "getByTestId('add')", 'Add a fern', 'Only 3 left', 'Add a fern', false],
  ['words of every goal', COUNTED, 'Into the cart', 'Sold', 'Put one into the bag', false],
  ['a row of no goal', COUNTED, 'Order 1042 Cancel', 'Order 3055 Cancel', 'Cancel an order', false],
  ['its row says more', COUNTED, 'Order 1042 Cancel', 'Sale! Order 1042 Cancel', 'Cancel order 1042', false],
  ['it is found by its name alone', BY_NAME, 'Order 1042', 'Order 3055', 'Cancel order 1042', false],
])('what is beside it: %s', (_, locator, was, is, goal, isOther) => {
  const recorded = { locator, place: place('button "Cancel"'), beside: was };
  const { why } = otherControl(recorded, { place: place('button "Cancel"'), beside: is }, goal);
  expect(why).toBe(isOther ? `button "Cancel" beside "${was}" is now one beside "${is}"` : undefined);
});

test('in a frame only what is beside it is known', () => {
  const found = { place: null, beside: 'Order 2' };
  expect(otherControl({ locator: COUNTED, beside: 'Order 1' }, found, 'Cancel order 1')).toEqual({
    why: 'the control beside "Order 1" is now one beside "Order 2"',
  });
});
