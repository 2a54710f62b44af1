// What can be said of a trial without its record: a trial never goes missing.
import type { TestResult } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import { trialOf } from '../../src/report/trials';
import { RECORD_ATTACHMENT } from '../../src/trial/record';

function resultOf(more: Partial<TestResult>): TestResult {
  return {
    status: 'failed',
    duration: 5,
    errors: [],
    attachments: [],
    annotations: [],
    ...more,
  } as TestResult;
}
const broken = (message: string) => resultOf({ errors: [{ message }] });
const cut = {
  name: RECORD_ATTACHMENT,
  contentType: 'application/json',
  body: Buffer.from('{"schemaVersion":'),
};

test.each<[string, TestResult, object]>([
  [
    'a crashed worker',
    broken('Error: worker process exited unexpectedly\n  at host'),
    {
      outcome: 'error',
      errorKind: 'internal',
      reason: 'no record was left: Error: worker process exited unexpectedly',
      costUsd: null,
    },
  ],
  [
    'no browser',
    broken('Error: browserType.launch: no such file'),
    { outcome: 'error', errorKind: 'browser' },
  ],
  ['no page', broken('browserContext.newPage: closed'), { outcome: 'error', errorKind: 'browser' }],
  ['a message that names a launch later on', broken('x browserType.launch: y'), { errorKind: 'setup' }],
  [
    'a hook that failed',
    broken('Error: no login'),
    {
      outcome: 'error',
      errorKind: 'setup',
      reason: 'the test failed before its trial began: Error: no login',
    },
  ],
  [
    'an interrupted run',
    resultOf({ status: 'interrupted' }),
    {
      outcome: 'error',
      errorKind: 'interrupted',
      reason: 'the trial had not begun: the test ended as "interrupted"',
      costUsd: 0,
    },
  ],
  [
    'a record that was cut off',
    { ...broken('Error: full disk'), attachments: [cut] },
    { outcome: 'error', errorKind: 'internal', costUsd: null },
  ],
  [
    'a record whose file is gone',
    { ...broken('Error: gone'), attachments: [{ ...cut, body: undefined, path: '/nowhere/record.json' }] },
    { outcome: 'error', reason: 'no record was left: Error: gone' },
  ],
  [
    'a skipped trial',
    resultOf({ status: 'skipped', annotations: [{ type: 'skip', description: 'not on this system' }] }),
    { outcome: 'skipped', status: 'skipped', reason: 'not on this system', costUsd: 0 },
  ],
  ['a trial skipped without a word', resultOf({ status: 'skipped' }), { outcome: 'skipped', reason: null }],
])('%s', (_, result, expected) => {
  const { trial, record } = trialOf(2, result);
  expect(record).toBeUndefined();
  expect(trial).toMatchObject({ index: 2, turns: 0, durationMs: 5, finalUrl: null, ...expected });
});
