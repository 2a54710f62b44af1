// The parts of the benches that judge: a bench that is wrong here would call a target met.
import { expect, test } from 'vitest';
import { grade } from '../../../bench/diagnosis/grade.mjs';
import { meets, spread } from '../../../bench/lib/report.mjs';

test('a spread is the median and the quartiles around it', () => {
  expect(spread([5, 1, 3, 2, 4])).toEqual({ value: 3, low: 2, high: 4, runs: 5 });
  expect(spread([1, 2]).value).toBe(1.5);
});

test.each([
  [{ value: 1.5, target: { atMost: 1.5 } }, true],
  [{ value: 1.51, target: { atMost: 1.5 } }, false],
  [{ value: 4.9, target: { atLeast: 5 } }, false],
  [{ value: 5, target: { atLeast: 5 } }, true],
  [{ value: null, target: { atLeast: 5 } }, undefined],
])('%j: met is %s', (row, met) => {
  expect(meets({ name: '', unit: 'x', ...row })).toBe(met);
});

const icon = { kind: 'no_name', locator: `locator('.cart')`, text: 'link without a name' };
const other = { ...icon, locator: `locator('.top')` };
const cause = { kind: 'no_name', about: /cart/ };

test.each([
  [
    'said in the headline',
    { said: /"Pay"/ },
    { headline: 'nothing called "Pay"' },
    { right: true, falsely: false },
  ],
  ['said by the page', { said: /full/ }, { headline: 'a', pageSaid: 'Storage is full' }, { right: true }],
  ['said nowhere', { said: /"Pay"/ }, { headline: 'stuck on /pay' }, { right: false, falsely: false }],
  ['the first finding', cause, { findings: [icon, other] }, { right: true, falsely: false }],
  ['the second finding', cause, { findings: [other, icon] }, { right: false, falsely: true }],
  [
    'said, beside a finding that is not the cause',
    { said: /x/ },
    { headline: 'x', findings: [icon] },
    { right: false, falsely: true },
  ],
  ['not to be known without a diagnosis', { said: /x/ }, undefined, { right: false, falsely: false }],
])('a cause is %s', (_, named, diagnosis, expected) => {
  expect(grade(named, diagnosis)).toMatchObject(expected);
});
