// The parts of the benches that judge: a bench that is wrong here would call a target met.
import { expect, test } from 'vitest';
import { grade } from '../../../bench/diagnosis/grade.mjs';
import { missingFrom } from '../../../bench/lib/controls.mjs';
import { meets, ratios, spread, table } from '../../../bench/lib/report.mjs';

test('a spread is the median and the quartiles around it', () => {
  expect(spread([5, 1, 3, 2, 4])).toEqual({ value: 3, low: 2, high: 4, runs: 5 });
  expect(spread([1, 2]).value).toBe(1.5);
});

test('ratios pair what was measured in one round', () => {
  // A round that was slow for both sides counts like any other.
  expect(ratios([2, 20, 200], [1, 10, 100])).toMatchObject({ value: 2, low: 2, high: 2 });
});

test.each([
  [{ value: 1.5, target: { atMost: 1.5 } }, true],
  [{ value: 1.51, target: { atMost: 1.5 } }, false],
  [{ value: 4.9, target: { atLeast: 5 } }, false],
  [{ value: 5, target: { atLeast: 5 } }, true],
  [{ value: null, target: { atLeast: 5 } }, undefined],
  [{ value: 1 }, undefined],
])('%j: met is %s', (row, met) => {
  expect(meets({ name: '', unit: 'x', ...row })).toBe(met);
});

test('a missed target and what could not be measured are said', () => {
  const text = table({
    bench: 'turn',
    title: '',
    rows: [
      { name: 'click', value: 2, unit: 'x', target: { atMost: 1.5 } },
      { name: 'Stagehand', value: null, unit: 'x', note: 'it needs another Node' },
    ],
    load: { before: [], after: [] },
    seconds: 0,
  });
  expect(text).toMatch(/click +2\.00 x +≤ 1\.5 MISSED/);
  expect(text).toMatch(/Stagehand +– +it needs another Node/);
});

const reference = /\[ref_\d+\]/;
const control = (name: string) => ({ role: 'a', name });

test('a control is there where its whole name and a reference are on one line', () => {
  const text = '- link "Plant 12" [ref_1]\n- text: Plant 1\n- link "Pots" [ref_2]';
  expect(missingFrom([control('Plant 1'), control('Plant 12'), control('Pots')], text, reference)).toEqual([
    control('Plant 1'),
  ]);
});

test('two controls of one name need two lines', () => {
  const both = [control('Refund'), control('Refund')];
  expect(missingFrom(both, '- button "Refund" [ref_1]', reference)).toHaveLength(1);
  expect(missingFrom(both, '- button "Refund" [ref_1]\n- button "Refund" [ref_2]', reference)).toEqual([]);
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
  ['said where it parted', { said: /came to \/x/ }, { headline: 'a', parted: 'came to /x' }, { right: true }],
  ['said by the page', { said: /full/ }, { headline: 'a', pageSaid: 'Storage is full' }, { right: true }],
  ['said nowhere', { said: /"Pay"/ }, { headline: 'stuck on /pay' }, { right: false, falsely: false }],
  ['the first finding', cause, { findings: [icon, other] }, { right: true, falsely: false }],
  ['the second finding', cause, { findings: [other, icon] }, { right: false, falsely: true }],
  [
    'a finding of another kind',
    cause,
    { findings: [{ ...icon, kind: 'covered' }] },
    { right: false, falsely: true },
  ],
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
