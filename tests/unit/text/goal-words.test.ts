// The words of a goal that tell one thing from others.
import { expect, test } from 'vitest';
import { goalWords, keepsWords, wordsIn } from '../../../src/text/goal-words';

test.each<[goal: string, names: string, others: string]>([
  ['Delete the user Alice Ahmed.', 'alice ahmed', 'delete user'],
  ['delete the red shirt', '', 'delete red shirt'],
  ['Click "delete" in the row of bob.', 'delete', 'click row bob'],
  ['Book Tue 3 March at 9:00. Then pay $1,080.00', 'tue 3 march 9:00 1080', 'book then pay'],
  ['DELETE THE USER BOB', '', 'delete user bob'],
  ['Take the seat 12A, and I pay', '12a', 'take seat pay'],
  ['Lösche „Zoë Müller“', 'zoë müller', 'lösche'],
  ['1. Open Orders\n2. Cancel it', 'orders', 'open cancel'],
  ['删除李明', '删除 除李 李明', ''],
])('%s', (goal, names, others) => {
  const words = goalWords(goal);
  expect([words.names.join(' '), words.others.join(' ')]).toEqual([names, others]);
});

test.each([
  ['$40', '40.00'],
  ['1,080', '1.080,00'],
  ['2.5', '2,50'],
  ['Zoe\u0308', 'ZOË'],
])('%s and %s are the same word', (one, other) => expect(wordsIn(one)).toEqual(wordsIn(other)));

test.each([
  ['100', '1'],
  ['10', '1.0'],
  ['12A', '12F'],
  ['3', '13'],
])('%s and %s are not', (one, other) => expect(wordsIn(one)).not.toEqual(wordsIn(other)));

test('words may stand in several texts, and among others', () => {
  const goal = goalWords('Delete Alice Ahmed.');
  expect(keepsWords('Alice Ahmed', true, ['Dr. Ahmed', 'Alice (away)'], goal)).toBe(true);
  expect(keepsWords('Alice Ahmed', true, ['Ahmed', 'Alicea'], goal)).toBe(false);
});
