// What can be said of a trial without its record: a trial never goes missing.
import type { TestResult } from '@playwright/test/reporter';
import { describe, expect, test } from 'vitest';
import { RECORD_ATTACHMENT } from '../../../src/data/record';
import { trialOf } from '../../../src/report/trials';
import { type FakeResult, fakeResult } from '../../support/fake-suite';
import { madeRecord } from '../../support/records';

const resultOf = (more: FakeResult) => fakeResult({ status: 'failed', ...more });
const broken = (message: string) => resultOf({ errors: [{ message }] });
const cut = {
  name: RECORD_ATTACHMENT,
  contentType: 'application/json',
  body: Buffer.from('{"schemaVersion":'),
};

const errorOf = (errorKind: string, more = {}) => ({ outcome: 'error', status: 'error', errorKind, ...more });
const gone = { ...cut, body: undefined, path: '/nowhere/record.json' };

test.each<[string, TestResult, object]>([
  [
    'a crashed worker',
    broken('Error: worker process exited unexpectedly\n  at host'),
    errorOf('internal', {
      reason: 'no record was left: Error: worker process exited unexpectedly',
      costUsd: null,
    }),
  ],
  ['no browser', broken('Error: browserType.launch: no such file'), errorOf('browser')],
  ['no server of browsers', broken('browserType.connect: connect ECONNREFUSED'), errorOf('browser')],
  [
    'no page',
    broken('browserContext.newPage: closed'),
    errorOf('browser', { reason: 'the trial could not begin: browserContext.newPage: closed' }),
  ],
  ['a message that names a launch later on', broken('x browserType.launch: y'), errorOf('setup')],
  [
    'a hook that failed',
    broken('Error: no login'),
    errorOf('setup', { reason: 'the test failed before its trial began: Error: no login' }),
  ],
  [
    'prepare that threw',
    { ...broken('Error: db is down'), steps: [{ title: 'prepare', error: {} }] as TestResult['steps'] },
    errorOf('setup', { reason: 'prepare failed before its trial began: Error: db is down' }),
  ],
  [
    'an interrupted run',
    resultOf({ status: 'interrupted' }),
    errorOf('interrupted', {
      reason: 'the trial had not begun: the test ended as "interrupted"',
      costUsd: 0,
    }),
  ],
  [
    'a record that was cut off',
    { ...broken('Error: full disk'), attachments: [cut] },
    errorOf('internal', { costUsd: null }),
  ],
  [
    'a record whose file is gone',
    { ...broken('Error: gone'), attachments: [gone] },
    errorOf('internal', { reason: 'no record was left: Error: gone' }),
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

describe('of a trial with a record', () => {
  const pictures = [
    { name: 'turn-1.jpg', contentType: 'image/jpeg' },
    { name: 'turn-2.jpg', contentType: 'image/jpeg' },
    { name: 'video', contentType: 'video/webm' },
  ];
  const withRecord = (more: Parameters<typeof madeRecord>[0], result: FakeResult = {}) =>
    trialOf(1, fakeResult({ attachments: pictures, record: madeRecord(more), ...result })).trial;

  test('all counts, tokens apart from dollars, and the last picture by its name', () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 };
    expect(
      withRecord({
        ...{ actions: 7, pageToolCalls: 2, costUsd: 0.5, durationMs: 9, finalUrl: 'http://x/' },
        usage: { ...usage, costUsd: 0.4 },
      }),
    ).toEqual({
      ...{ index: 1, outcome: 'passed', status: 'completed', reason: null, turns: 0, actions: 7 },
      ...{ pageToolCalls: 2, costUsd: 0.5, usage, durationMs: 9, finalUrl: 'http://x/' },
      screenshot: 'turn-2.jpg',
    });
  });

  test('errors have a kind, and a healed recording its place', () => {
    const healed = { turn: 2, reason: 'gone', recording: 'r.json' };
    const trial = withRecord({ outcome: 'error', status: 'error', errorKind: 'agent_api', healed });
    expect(trial).toMatchObject({ outcome: 'error', errorKind: 'agent_api', healed });
    expect(withRecord({ outcome: 'failed' }, { attachments: [], status: 'failed' })).toMatchObject({
      ...{ outcome: 'failed', screenshot: null },
    });
  });

  test('that passed, a hook or a teardown that failed is an error', () => {
    const result = { status: 'failed', errors: [{ message: 'Error: no logout\n  at x' }] } as const;
    expect(withRecord({}, { ...result, errors: [...result.errors] })).toMatchObject({
      ...{ outcome: 'error', status: 'error', errorKind: 'internal' },
      reason: 'the trial passed, but the test did not: Error: no logout',
    });
  });

  test('that passed is an error if the run was interrupted before its hooks had ended: they might have failed', () => {
    expect(withRecord({}, { status: 'interrupted' })).toMatchObject({
      ...{ outcome: 'error', errorKind: 'interrupted' },
      reason: 'the run was interrupted before the hooks and fixtures of the test had ended',
    });
    const failed = { status: 'interrupted', errors: [{ message: 'Error: no logout' }] } as const;
    expect(withRecord({}, { ...failed, errors: [...failed.errors] })).toMatchObject({
      ...{ outcome: 'error', errorKind: 'internal' },
    });
  });
});
