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
  const errors = [{ message: 'Error: no database\n  at setup' }, { value: "'no mail'" }];
  const told = failedBesides({ ordinary: tests, errors, config: {}, lost: [], ended: 'failed' });
  expect(told.map(text => text.replace(/at \S*tasks/, 'at tasks'))).toEqual([
    '"search" at tasks.spec.ts:1: Error: no results',
    'Error: no database at setup',
    "'no mail'",
    '"after it" at tasks.spec.ts:1 did not run',
    '"not yet" at tasks.spec.ts:1 did not run',
  ]);
});

test('a flaky test that fails the run, and a failure that nothing explains', () => {
  const flaky = [ended('flaky', 'flaky', ['failed', 'passed'])];
  const given = { ordinary: flaky, errors: [], lost: [], ended: 'failed' as const };
  expect(failedBesides({ ...given, config: { failOnFlakyTests: true } })).toEqual([
    expect.stringMatching(/^"flaky" at .*: flaky$/),
  ]);
  expect(failedBesides({ ...given, config: {} })).toEqual(['it failed for another reason: see its output']);
  expect(failedBesides({ ...given, config: {}, ended: 'passed' })).toEqual([]);
  expect(failedBesides({ ...given, config: {}, lost: ['cart'] })).toEqual([]);
});
