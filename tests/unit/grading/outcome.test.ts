import { expect, test } from 'vitest';
import type { AssertionResult } from '../../../src/data/record';
import { failureOf, outcomeFields, type TrialEnd } from '../../../src/grading/outcome';

const check = (reason: string | null) => ({ passed: reason === null, reason }) as AssertionResult;
const end = (more: Partial<TrialEnd>): TrialEnd => ({
  ...{ status: 'completed', endReason: null, turns: [], refusals: [], judge: null, finalUrl: null },
  ...{ assertions: [], ...more },
});

test.each<[string, Partial<TrialEnd>, string | undefined]>([
  ['every check holds', { assertions: [check(null)] }, undefined],
  ['one does not', { assertions: [check(null), check('"h1" is hidden')] }, '"h1" is hidden'],
  ['three do not', { assertions: ['a', 'b', 'c'].map(check) }, 'a (and 2 more)'],
  ['it gave up, though each holds', { status: 'gave_up', endReason: 'it gave up' }, 'it gave up'],
  [
    'it gave up, and one does not',
    { status: 'gave_up', endReason: 'it gave up', assertions: [check('"h1" is hidden')] },
    'it gave up; "h1" is hidden',
  ],
  [
    'it gave up, and two do not',
    { status: 'gave_up', endReason: 'it gave up', assertions: ['a', 'b'].map(check) },
    'it gave up; a (and 1 more)',
  ],
  ['an error says nothing about checks', { status: 'error', endReason: 'no key' }, 'no key'],
])('why a trial did not pass: %s', (_, more, what) => {
  expect(failureOf(end(more))?.what).toBe(what);
});

test.each([
  ['it gave up', 'it gave up; the agent stopped on /'],
  ['All turns are used.', 'All turns are used; the agent stopped on /'],
])('where it stopped is added to %s', (what, reason) => {
  expect(outcomeFields(end({}), { what, where: '/' })).toEqual({ outcome: 'failed', reason });
});
