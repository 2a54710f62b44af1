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

test('short values and secrets stay as they are', () => {
  const turns = turnOf('ord-1a2b', 'Ada');
  expect(turnsWith({ turns, data: { who: 'Ada', pw: '<secret>PW</secret>' } }, { who: 'Bo', pw: 'x' })).toBe(
    turns,
  );
});
