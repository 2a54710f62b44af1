// Pass policies of ordinary tests: what they declare, what their results come to, what their rows are called.
import type { TestResult } from '@playwright/test/reporter';
import { describe, expect, test, vi } from 'vitest';
import { keyOf } from '../../../src/data/plan';
import { OptionsError } from '../../../src/options';
import { passPolicy, repeats } from '../../../src/playwright/declare';
import { beforeReporters } from '../../../src/playwright/inside/results';
import { testTrial } from '../../../src/report/trials';
import type { AgentNote01 } from '../../../src/report/version-0.1';
import { fakeResult, fakeTest, jsonAttachment } from '../../support/fake-suite';
import { madeRecord } from '../../support/records';

describe('passPolicy', () => {
  test('is details that people can read, and that plan the test', () => {
    expect(passPolicy({ k: 5, minPasses: 4 })).toEqual({
      tag: '@pass-policy',
      annotation: {
        type: 'pass policy',
        description: 'at least 4 of 5 trials must pass',
        policy: { k: 5, minPasses: 4 },
      },
    });
  });

  test('names each unknown option once, with the one that is meant', () => {
    const wrong = { k: 5, minPases: 4, retry: 1 } as never;
    expect(() => passPolicy(wrong)).toThrow(
      /minPasses: .*\n.*minPases: unknown option\. .*Did you mean minPasses\?\n.*retry: unknown option/,
    );
  });

  test.each([
    [{ k: 2, minPasses: 3 }, /minPasses: must not be above k: 3 of 2 trials can't pass/],
    [{ k: 0, minPasses: 0 }, /k: .*minPasses: /s],
    [{ k: 26, minPasses: 1 }, /k: /],
    [{ k: 2 }, /minPasses/],
    [undefined, /passPolicy\(\)/],
  ])('refuses %j', (policy, message) => {
    expect(() => passPolicy(policy as never)).toThrow(OptionsError);
    expect(() => passPolicy(policy as never)).toThrow(message);
  });
});

describe('repeats', () => {
  test('takes a number alone', () => {
    expect(repeats({ atLeast: 5 })).toEqual({ repeatEach: 5, retries: 0, fullyParallel: true });
  });

  test.each([
    [{}, /needs globs or a number/],
    [{ atLeast: 0 }, /atLeast/],
    [{ atLeast: 1.5 }, /atLeast/],
    [{ atleast: 5 }, /Did you mean atLeast\?/],
  ])('refuses %j', (options, message) => {
    expect(() => repeats(options as never)).toThrow(message);
  });
});

const error = (message: string, line?: number, file = '/suite/chat.spec.ts') => ({
  message,
  ...(line ? { location: { file, line, column: 3 } } : {}),
});
const location = { file: '/suite/chat.spec.ts', line: 3, column: 3 };
const toFail = [{ type: 'fail', location }];

const failing = (message: string, more: Partial<TestResult> = {}): Partial<TestResult> => ({
  ...{ status: 'failed', errors: [error(message)], ...more },
});
const errorOf = (errorKind: string, reason: unknown) => ({ outcome: 'error', errorKind, reason });

test.each<[string, Partial<TestResult>, object]>([
  ['a pass', {}, { outcome: 'passed', status: 'completed', reason: null, turns: 0, costUsd: 0 }],
  [
    'a failure, with its place',
    { status: 'failed', errors: [error('Error: expect(page).toHaveURL failed\n\nExpected', 14)] },
    { outcome: 'failed', status: 'completed', reason: 'expect(page).toHaveURL failed (chat.spec.ts:14)' },
  ],
  [
    'a timeout',
    failing('Test timeout of 500ms exceeded.', { status: 'timedOut' }),
    { outcome: 'failed', status: 'timed_out', reason: 'Test timeout of 500ms exceeded.' },
  ],
  ['a failure that was expected', { status: 'failed', annotations: toFail }, { outcome: 'passed' }],
  [
    'a failure that was expected, of a test that was skipped after it',
    { status: 'failed', annotations: [...toFail, { type: 'skip', location }] },
    { outcome: 'failed' },
  ],
  [
    'a failure that only an annotation of its own expects',
    { status: 'failed', annotations: [{ type: 'fail' }] },
    { outcome: 'failed' },
  ],
  [
    'a pass where a failure was expected',
    { annotations: toFail },
    { outcome: 'failed', reason: 'expected to fail, but passed' },
  ],
  [
    'a worker that died',
    failing('Error: worker process exited unexpectedly (code=3)'),
    { ...errorOf('internal', expect.stringMatching(/^Error: worker process/)), costUsd: 0 },
  ],
  ['no browser', failing('Error: browserType.launch: none'), errorOf('browser', expect.any(String))],
  [
    'a test that we did not begin',
    failing('Error: no recording\nRun it once', {
      annotations: [{ type: '_taskproof-refused', description: 'no recording\nRun it once' }],
    }),
    errorOf('setup', 'no recording'),
  ],
  [
    'an interrupted run',
    { status: 'interrupted' },
    errorOf('interrupted', 'the run was interrupted before the trial ended'),
  ],
  ['a skipped test', { status: 'skipped' }, { outcome: 'skipped', costUsd: 0 }],
])('the trial of %s', (_, result, trial) => {
  const { trial: found } = testTrial(1, fakeResult(result));
  expect(found).toMatchObject({ index: 1, ...trial });
  if (found.outcome !== 'error') expect(found).not.toHaveProperty('errorKind');
});

test.each<[string, string, string]>([
  [
    'of a locator, in colour',
    'expect(\u001b[31mlocator\u001b[39m).toHaveText(\u001b[32mexpected\u001b[39m) failed\n\nLocator:  locator(\'#n\')\nExpected: \u001b[32m"3"\u001b[39m\nReceived: \u001b[31m"2"\u001b[39m\nTimeout:  500ms\n\nCall log:\n  - Expect x',
    'expect(locator).toHaveText(expected) failed (chat.spec.ts:6): expected "3", received "2"',
  ],
  [
    'without an element',
    "expect(locator).toBeVisible() failed\n\nLocator: locator('#n')\nExpected: visible\nTimeout: 500ms\nError: element(s) not found\n\nCall log:",
    'expect(locator).toBeVisible() failed (chat.spec.ts:6): expected visible, element(s) not found',
  ],
  [
    'of several lines, and long',
    `the answer names the policy\n\nexpect(received).toContain(expected) // indexOf\n\nExpected substring: "30 days"\nReceived string:    "Hello!\nI am ${'very '.repeat(50)}sorry."`,
    `the answer names the policy (chat.spec.ts:6): expected "30 days", received "Hello! I am ${'very '.repeat(17)}v…`,
  ],
  [
    'of an object',
    'expect(received).toEqual(expected) // deep equality\n\n- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "a": 1,\n+   "a": 2,\n  }',
    'expect(received).toEqual(expected) // deep equality (chat.spec.ts:6): expected "a": 1, received "a": 2',
  ],
  [
    'of a list that was polled, with one item too many',
    'expect(received).toEqual(expected) // deep equality\n\n- Expected  - 0\n+ Received  + 1\n\n  Array [\n    "a",\n+   "b",\n  ]\n\nCall Log:\n- Timeout 5000ms exceeded while waiting on the predicate',
    'expect(received).toEqual(expected) // deep equality (chat.spec.ts:6): expected nothing, received "b"',
  ],
  ['that are none', 'Received no answer\n- Expected one', 'Received no answer (chat.spec.ts:6)'],
])('values %s', (_name, message, reason) => {
  const result = fakeResult({ status: 'failed', errors: [error(`Error: ${message}`, 6)] });
  expect(testTrial(0, result).trial.reason).toBe(reason);
});

describe('a test whose agents left a record', () => {
  const noCredit = { status: 'error', errorKind: 'agent_api', endReason: 'no credit' } as const;
  const broken = madeRecord({ ...noCredit, costUsd: 0.3 });
  const endReason = 'the agent gave up: no hours';
  const gaveUp = madeRecord({ status: 'gave_up', endReason, finalUrl: 'https://shop.test/' });
  const errors = [error('Error: x\n\nExpected: 1\nReceived: 2', 7)];

  test.each<[string, Partial<TestResult>]>([
    ['fails', { status: 'failed', errors }],
    ['was to fail', { status: 'failed', errors, annotations: toFail }],
    ['times out later', { status: 'timedOut', errors }],
    ['is interrupted', { status: 'interrupted', errors }],
  ])('an agent that could not do its work is an error of the trial, if the test %s', (_, result) => {
    const { trial, failure } = testTrial(0, fakeResult({ ...result, record: broken }));
    const about = { outcome: 'error', status: 'error', errorKind: 'agent_api', reason: 'no credit' };
    expect(trial).toMatchObject({ ...about, costUsd: 0.3 });
    expect(failure).toBeUndefined();
  });

  test('its error is nothing to a test that passes without it', () => {
    const { trial } = testTrial(0, fakeResult({ record: broken }));
    expect(trial).toMatchObject({ outcome: 'passed', status: 'completed', reason: null });
  });

  test('why the agent stopped, and where, is part of the reason', () => {
    const { trial, failure } = testTrial(2, fakeResult({ status: 'failed', errors, record: gaveUp }));
    const values = 'the agent gave up: no hours; expected 1, received 2';
    expect(trial).toMatchObject({
      status: 'gave_up',
      reason: `x (chat.spec.ts:7): ${values}; the agent stopped on https://shop.test/ before its first turn`,
    });
    expect(failure).toEqual({ title: 'x (chat.spec.ts:7)', reason: `x (chat.spec.ts:7): ${values}` });
  });
});

// As version 0.1 noted it.
const note = (turns: number, costUsd: number | null, more: Partial<AgentNote01> = {}) => {
  const tokens = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0 };
  const about = { agent: 'claude', model: 'm', turns, usage: { ...tokens, costUsd } };
  return jsonAttachment('_taskproof-agent', { ...about, ...more });
};

test('of 0.1, too, an agent that could not do its work is an error of a trial that fails', () => {
  const attachments = [
    note(3, 0.1),
    note(2, 0.2, { error: { kind: 'agent_api', reason: 'no credit' }, modelTimeMs: 900, waitTimeMs: 0 }),
  ];
  const errors = [error('Error: agent.run, error: agent_api: no credit', 7)];
  const { trial, failure } = testTrial(0, fakeResult({ status: 'failed', errors, attachments }));
  expect(trial).toMatchObject({
    ...{ ...errorOf('agent_api', 'no credit'), status: 'error' },
    ...{ turns: 5, costUsd: 0.3, modelTimeMs: 900 },
  });
  expect(failure).toBeUndefined();
  expect(testTrial(0, fakeResult({ attachments })).trial.outcome).toBe('passed');
});

test('what agents took is counted', () => {
  expect(testTrial(0, fakeResult({ attachments: [note(3, 0.1), note(2, 0.2)] })).trial).toMatchObject({
    turns: 5,
    costUsd: 0.3,
    usage: { inputTokens: 20, outputTokens: 2 },
  });
  expect(testTrial(0, fakeResult({ attachments: [note(3, 0.1), note(2, null)] })).trial.costUsd).toBeNull();
});

test('a row is known by its path, whatever it is called', () => {
  const row = (spec: string, titlePath: string[]) => ({ spec, titlePath, project: 'p', replayed: false });
  const path = ['a.spec.ts', 'x'];
  expect(keyOf(row('x', path))).toBe(keyOf(row('a.spec.ts › x', path)));
  expect(keyOf(row('x', path))).not.toBe(keyOf(row('x', ['b.spec.ts', 'x'])));
});

describe('beforeReporters', () => {
  const setUp = () => {
    const testCase = fakeTest();
    const ended = vi.fn(({ status }: TestResult) => {
      testCase.expectedStatus = status;
    });
    beforeReporters(testCase, ended);
    const result = fakeResult({ status: 'skipped' });
    testCase.results.push(result);
    return { testCase, ended, result };
  };

  test("the runner reads the worker's status once, reporters what was made of it", () => {
    const { testCase, ended, result } = setUp();
    expect(testCase.expectedStatus).toBe('passed');
    result.status = 'failed';
    testCase.expectedStatus = 'passed';
    expect([testCase.expectedStatus, testCase.expectedStatus, testCase.expectedStatus]).toEqual([
      ...['passed', 'failed', 'failed'],
    ]);
    expect(ended).toHaveBeenCalledTimes(1);
  });

  test('of a worker that died nothing is set', () => {
    const { testCase, result } = setUp();
    result.status = 'failed';
    expect(testCase.expectedStatus).toBe('failed');
  });
});
