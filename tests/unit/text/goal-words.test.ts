// The words of a goal that tell one thing from others.
import { expect, test } from 'vitest';
import { cutAround, goalWords, keepsWords, soughtIn, wordsIn } from '../../../src/text/goal-words';

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
  ['Mon\u00adstera', 'Monstera'],
])('%s and %s are the same word', (one, other) => expect(wordsIn(one)).toEqual(wordsIn(other)));

test.each([
  ['100', '1'],
  ['10', '1.0'],
  ['12A', '12F'],
  ['3', '13'],
])('%s and %s are not', (one, other) => expect(wordsIn(one)).not.toEqual(wordsIn(other)));

test('words may stand in several texts, and among others', () => {
  const goal = goalWords('Delete the member Alice Ahmed of Design.');
  const keeps = (recorded: string, ...there: string[]) => keepsWords(recorded, 'row', there, goal);
  expect(keeps('Ahmed, Alice, Berlin', 'Dr. Ahmed', 'Alice (away)')).toBe(true);
  expect(keeps('Ahmed, Alice, Berlin', 'Ahmed', 'Alicea')).toBe(false);
});

test.each<[goal: string, name: string, now: string, isIt: boolean]>([
  ['Buy the iPhone 15', 'iPhone 15', 'iPhone 15 Pro', false],
  ['Buy the iPhone 15', 'iPhone 15', 'iPhone 15 (refurbished)', true],
  ['Enrol in the C# course', 'C# course', 'C++ course', false],
  ['Buy 10 kg of sand', '10 kg', '10 t', false],
  ['Remove Anna', 'Anna', 'Anna Berg', false],
  ['Remove Anna', 'Anna', 'Anna, Berlin', true],
  ['Remove Anna', 'Anna', 'Anna - Berlin', true],
  ['Remove Anna', 'Anna', 'Anna-Lena', false],
  ['Remove Anna', 'Anna', 'Marie\u2011Anna', false],
  ['Remove Alice Ahmed', 'Alice Ahmed', 'Alice\nAhmed', true],
  ['Order the E-Book', 'E-Book', 'E\u2011BOOK', true],
  ['Pay $40', '$40', '$40.00', true],
  ['Pay $40', '$40', '$400', false],
])('%s: %j and %j', (goal, name, now, isIt) =>
  expect(keepsWords(name, 'row', [now], goalWords(goal))).toBe(isIt),
);

test.each<[goal: string, text: string, scope: 'row' | 'dialog' | 'page', words: string]>([
  ['Log in as Anna and open Orders', 'See your Orders and more', 'page', ''],
  ['Log in as Anna and open Orders', 'Hello Anna', 'page', 'anna'],
  ['Pay 25 € to Bob', 'Total: 25 €', 'page', '25'],
  ['Pay 25 € to Bob', 'Free shipping from 25 €', 'page', ''],
  ['Pay 25 € to Bob', 'You pay 25 € now, by card', 'dialog', '25'],
  ['Add 2 pots of Fern', '2 left', 'row', ''],
  ['Add 2 pots of Fern', 'Fern', 'row', 'fern'],
  ['archive hello today', 'sent today', 'row', ''],
  ['Delete this customer: Bob', 'Bob', 'page', 'bob'],
  ['Cancel the visit of Dr. Schmidt', 'Schmidt', 'page', 'schmidt'],
  ['Delete anna@example.com', 'anna@example.com', 'page', 'anna example com'],
])('%s: of %j (%s) count: %s', (goal, text, scope, words) =>
  expect(soughtIn(text, scope, goalWords(goal)).join(' ')).toBe(words),
);

test('a long text is cut around its word, not around the name of a secret, and begins with a whole word', () => {
  const filling = 'lorem ipsum '.repeat(12);
  const text = `<secret>USER</secret> ${filling}the user Falcon ${filling}`;
  expect(cutAround({ text, word: 'user' })).toMatch(/^(?:lorem|ipsum) .*the user Falcon/);
  expect(cutAround({ text: `${'x'.repeat(150)} ${'y'.repeat(90)} Falcon`, word: 'falcon' })).toBe('Falcon');
});
