// A recording with the values of another trial's `prepare`.
import { expect, test } from 'vitest';
import { turnsWith } from '../../../../src/agents/replay/values';
import type { RecordedTurn } from '../../../../src/data/recording';

const SEEN = { url: '/orders/ord-1a2b', content: 'x' };
const turnOf = (order: string, name: string, more: object = {}): RecordedTurn[] => [
  {
    title: `fill ${order}`,
    actions: [
      {
        title: `type ${order} for ${name}`,
        recorded: [
          {
            ...{ do: 'fill', text: `${order} for ${name}`, locator: `getByLabel('Order ${order}')`, tab: 0 },
            ...{ before: SEEN, after: SEEN, ...more },
          } as RecordedTurn['actions'][number]['recorded'][number],
        ],
      },
    ],
  },
];

test('its texts, titles and names have the values of this trial', () => {
  const recorded = { turns: turnOf('ord-1a2b', 'Ada Byron'), data: { order: 'ord-1a2b', name: 'Ada Byron' } };
  const seen = { url: '/orders/ord-9z8y', content: 'x' };
  expect(turnsWith(recorded, { order: 'ord-9z8y', name: 'Bo Diddley' })).toEqual(
    turnOf('ord-9z8y', 'Bo Diddley', { before: seen, after: seen }),
  );
});

test('a locator stays code', () => {
  const locator = "getByRole('textbox', { name: 'its name' })";
  const turns = turnOf('ord-1a2b', 'Ada', { locator });
  const [turn] = turnsWith({ turns, data: { what: 'name', kind: 'fill' } }, { what: "Bo's", kind: 'type' });
  expect(turn!.actions[0]!.recorded[0]).toMatchObject({
    do: 'fill',
    locator: "getByRole('textbox', { name: 'its Bo\\'s' })",
  });
});

test.each([
  ['the same value', { order: 'ord-1a2b' }],
  ['none', {}],
  ['another name', { basket: 'ord-9z8y' }],
])('nothing changes with %s', (_, data) => {
  const turns = turnOf('ord-1a2b', 'Ada');
  expect(turnsWith({ turns, data: { order: 'ord-1a2b' } }, data)).toBe(turns);
});

test('secrets stay as they are', () => {
  const turns = turnOf('ord-1a2b', 'Ada');
  expect(turnsWith({ turns, data: { pw: '<secret>PW</secret>' } }, { pw: 'x' })).toBe(turns);
});

const GOAL = 'Give Bob the role Admin under "User settings"';

test.each<[string, was: object, is: object, before: string, after: string]>([
  ['a short one', { order: 11 }, { order: 12 }, 'Order 11 of 110', 'Order 12 of 110'],
  [
    'a chain',
    { drop: 1001, keep: 1002 },
    { drop: 1002, keep: 1003 },
    'Drop 1001 of 1002',
    'Drop 1002 of 1003',
  ],
  ['swapped ones', { a: 'Alpha', b: 'Beta' }, { a: 'Beta', b: 'Alpha' }, 'Alpha to Beta', 'Beta to Alpha'],
  [
    'one that stays',
    { a: 'Ann', b: 'Ann Lee' },
    { a: 'Bo', b: 'Ann Lee' },
    'Ann and Ann Lee',
    'Bo and Ann Lee',
  ],
  ['a part of a word', { role: 'User' }, { role: 'Admin' }, 'Role UserAdmin', 'Role UserAdmin'],
  ['a part of a number', { price: 11 }, { price: 12 }, '11.50 and 1,011 for 11', '11.50 and 1,011 for 12'],
  ['a number behind letters', { order: 1042 }, { order: 2077 }, 'row1042', 'row2077'],
  ['words of the goal', { role: 'User' }, { role: 'Admin' }, 'User settings', 'User settings'],
  [
    'words of the goal among others',
    { role: 'User' },
    { role: 'Admin' },
    'link User settings of User',
    'link User settings of Admin',
  ],
  ['a name that the goal has itself', { who: 'Bob' }, { who: 'Ada' }, 'Bob', 'Bob'],
  ['one character', { count: 1 }, { count: 2 }, 'Page 1', 'Page 1'],
  ['one character as all', { count: 1 }, { count: 2 }, '1', '2'],
  ['a script without blanks', { who: '李明' }, { who: '张伟' }, '删除李明', '删除张伟'],
])('a value in a text: %s', (_, was, is, before, after) => {
  const turns = turnOf('ord-1a2b', 'Ada', { text: before, locator: `getByText('${before}')` });
  const [turn] = turnsWith({ turns, data: { ...was } }, { ...is }, GOAL);
  expect(turn!.actions[0]!.recorded[0]).toMatchObject({ text: after, locator: `getByText('${after}')` });
});
