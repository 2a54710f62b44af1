// Which answers an assertion holds on, and what it says of others.
import { describe, expect, test } from 'vitest';
import { answerTitle, lookAtAnswer } from '../../../src/grading/answer';
import type { AnswerAssertion } from '../../../src/spec';
import { ANSWERS } from './answers';

describe.each(ANSWERS)('%j', (asked, right, wrong) => {
  const assertion: AnswerAssertion = { type: 'answer', ...asked };
  test.each(right)('holds on %j', answer => expect(lookAtAnswer(assertion, answer)).toBeNull());
  test.each(wrong)('does not hold on %j', answer => expect(lookAtAnswer(assertion, answer)).not.toBeNull());
});

test('about a hundred answers, as many right as wrong', () => {
  const [right, wrong] = [1, 2].map(side => ANSWERS.flatMap(each => each[side as 1 | 2]).length) as [
    number,
    number,
  ];
  expect(right + wrong).toBeGreaterThanOrEqual(100);
  expect(Math.min(right, wrong)).toBeGreaterThan(40);
});

const SCHEMA = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
test.each<[Omit<AnswerAssertion, 'type'>, string | object | null, string]>([
  [{ number: 1299 }, 'It costs $1,499.', 'the answer gives 1499 ("It costs $1,499."), not 1299'],
  [{ number: 5, tolerance: 1 }, '7', 'the answer gives 7 ("7"), not 5 ± 1'],
  [{ number: 5 }, 'Who knows?', 'the answer gives no number ("Who knows?"), expected 5'],
  [
    { number: 5 },
    '5 or 6',
    'the answer gives several numbers, and marks none as the result: 5, 6 ("5 or 6"), expected 5',
  ],
  [
    { date: '2026-03-14' },
    'March 13-14',
    'the answer gives several dates, and marks none as the result: March 13, 14 ("March 13-14"), expected 2026-03-14',
  ],
  [
    { number: 30 },
    '12 + 18\n30',
    'the answer gives several numbers, and marks none as the result: 12, 18, 30 ("12 + 18 30"), expected 30',
  ],
  [{ date: '2026-03-14' }, 'May 1', 'the answer gives 05-01 ("May 1"), not 2026-03-14'],
  [{ text: 'red' }, 'blue', 'the answer "blue" does not contain "red"'],
  [{ equals: 'red' }, 'Blue.', 'the answer is "Blue.", not "red"'],
  [{ oneOf: ['a', 'b'] }, 'c', 'the answer is "c", not "a" or "b"'],
  [{ regex: '^a' }, 'ba', 'the answer "ba" does not match /^a/'],
  [
    { regex: '^(\\w+\\s?)+$' },
    `${'word '.repeat(30)}!`,
    /^the answer "word .*" can't be checked within 1000 ms: simplify the pattern/ as never,
  ],
  [
    { matches: { type: 'object', properties: { said: { type: 'string', pattern: '^(a+)+$' } } } },
    { said: `${'a'.repeat(60)}!` },
    /^the answer does not fit its schema: .*can't be checked within 1000 ms/ as never,
  ],
  [{ matches: SCHEMA }, 'none', 'the answer is not JSON ("none")'],
  [{ matches: SCHEMA }, {}, /^the answer does not fit its schema: .*price.* \("\{\}"\)$/ as never],
  [{ text: 'a' }, null, 'the agent gave no answer'],
  [{ number: 0 }, ' \n', 'the agent gave no answer'],
])('%j, of %j: %s', (asked, answer, reason) => {
  const said = lookAtAnswer({ type: 'answer', ...asked }, answer);
  if ((reason as unknown) instanceof RegExp) expect(said).toMatch(reason);
  else expect(said).toBe(reason);
});

test('a long answer is graded as a whole, but for numbers and dates', () => {
  const long = `The result: 42. ${'x'.repeat(12_000)} FAILED`;
  expect(lookAtAnswer({ type: 'answer', regex: '^(?!.*FAILED)' }, long)).toMatch(/does not match/);
  expect(lookAtAnswer({ type: 'answer', number: 42 }, long)).toMatch(
    /^the answer is longer than the 10,000 characters in which a number is looked for/,
  );
  expect(lookAtAnswer({ type: 'answer', date: '2026-03-14' }, long)).toMatch(/in which a date is looked for/);
});

test('a structured answer is graded as it is, and as text by the others', () => {
  expect(lookAtAnswer({ type: 'answer', matches: SCHEMA }, { price: 12 })).toBeNull();
  expect(lookAtAnswer({ type: 'answer', number: 12 }, { price: 12 })).toBeNull();
});

test.each<[Omit<AnswerAssertion, 'type'>, string]>([
  [{ text: 'red' }, 'the answer contains "red"'],
  [{ equals: 'red' }, 'the answer is "red"'],
  [{ oneOf: ['a', 'b'] }, 'the answer is "a" or "b"'],
  [{ regex: '^a' }, 'the answer matches /^a/'],
  [{ number: 5, tolerance: 1 }, 'the answer gives 5 ± 1'],
  [{ date: '2026-03-14' }, 'the answer gives 2026-03-14'],
  [{ matches: { type: 'string' } }, 'the answer fits {"type":"string"}'],
])('%j is called %s', (asked, title) => expect(answerTitle({ type: 'answer', ...asked })).toBe(title));
