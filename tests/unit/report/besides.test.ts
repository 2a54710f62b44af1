// What makes a run red besides its verdicts, in the words in which it is kept.
import type { TestResult } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import { failedBesides } from '../../../src/report/besides';
import { fakeTest } from '../../support/fake-suite';

const ended = (title: string, outcome: string, statuses: TestResult['status'][], more: object = {}) =>
  fakeTest({
    title,
    inside: {
      outcome: () => outcome,
      results: statuses.map(status => ({ status, errors: [{ message: 'Error: no results\nat' }] })),
      ...more,
    } as never,
  });

test('ordinary tests that failed or never ran, and errors outside of tests', () => {
  const tests = [
    ended('passed', 'expected', ['passed']),
    ended('search', 'unexpected', ['failed']),
    ended('flaky', 'flaky', ['failed', 'passed']),
    ended('after it', 'skipped', ['skipped']),
    ended('not yet', 'skipped', [], {}),
    ended('fixme', 'skipped', ['skipped'], { expectedStatus: 'skipped' }),
  ];
  const told = failedBesides(tests, [{ message: 'Error: no database\n  at setup' }]);
  expect(told.map(text => text.replace(/at \S*tasks/, 'at tasks'))).toEqual([
    '"search" at tasks.spec.ts:1: Error: no results',
    'Error: no database at setup',
    '"after it" at tasks.spec.ts:1 did not run',
    '"not yet" at tasks.spec.ts:1 did not run',
  ]);
});
