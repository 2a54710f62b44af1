// Pass policies of ordinary tests: what they declare, what their results come to, what their rows are called.
import type { TestCase, TestResult } from '@playwright/test/reporter';
import { describe, expect, test, vi } from 'vitest';
import { OptionsError } from '../../src/options';
import { markEarlyStop, nameOf, type PlannedSpec, plannedSpec } from '../../src/playwright/annotations';
import { passPolicy } from '../../src/playwright/pass-policy';
import { repeats } from '../../src/playwright/repeats';
import { beforeReporters } from '../../src/playwright/runner';
import { nameTests } from '../../src/report/spec-run';
import { failuresText, testTrial } from '../../src/report/trials';
import { keyOf } from '../../src/verdicts/diff';

describe('passPolicy', () => {
  const planned = (...policies: [k: number, minPasses: number][]) =>
    plannedSpec({
      title: 'finds it · trial 2/5',
      titlePath: ['chat.spec.ts', 'assistant', 'finds it'],
      annotations: policies.map(([k, minPasses]) => passPolicy({ k, minPasses }).annotation),
    });

  test('is details that people can read, and that plan the test', () => {
    expect(passPolicy({ k: 5, minPasses: 4 })).toEqual({
      tag: '@pass-policy',
      annotation: { type: 'pass policy', description: 'at least 4 of 5 trials must pass' },
    });
    expect(planned([5, 4])).toEqual({
      id: 'finds it',
      describe: 'assistant',
      file: 'chat.spec.ts',
      titlePath: ['chat.spec.ts', 'assistant', 'finds it'],
      policy: { k: 5, minPasses: 4 },
      replayed: false,
    });
    expect(nameOf(planned([5, 4])!)).toBe('chat.spec.ts › assistant › finds it');
  });

  test('the nearest of several counts, and stops early where it is told to', () => {
    expect(planned([5, 4], [3, 1])?.policy).toEqual({ k: 3, minPasses: 1 });
    const declared = { title: 'x', annotations: [passPolicy({ k: 3, minPasses: 2 }).annotation] };
    markEarlyStop(declared);
    expect(plannedSpec(declared)).toMatchObject({ earlyStop: true, policy: { k: 3, minPasses: 2 } });
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

const resultOf = (more: Partial<TestResult>) =>
  ({
    status: 'passed',
    duration: 5,
    errors: [],
    attachments: [],
    annotations: [],
    ...more,
  }) as unknown as TestResult;
const error = (message: string, line?: number) => ({
  message,
  ...(line ? { location: { file: '/suite/chat.spec.ts', line, column: 3 } } : {}),
});
const toFail = [{ type: 'fail' }];

test.each<[string, Partial<TestResult>, object]>([
  ['a pass', {}, { outcome: 'passed', status: 'completed', reason: null, turns: 0, costUsd: 0 }],
  [
    'a failure, with its place',
    { status: 'failed', errors: [error('Error: expect(page).toHaveURL failed\n\nExpected', 14)] },
    { outcome: 'failed', status: 'completed', reason: 'expect(page).toHaveURL failed (chat.spec.ts:14)' },
  ],
  [
    'a timeout',
    { status: 'timedOut', errors: [error('Test timeout of 500ms exceeded.')] },
    { outcome: 'failed', status: 'timed_out', reason: 'Test timeout of 500ms exceeded.' },
  ],
  ['a failure that was expected', { status: 'failed', annotations: toFail }, { outcome: 'passed' }],
  [
    'a pass where a failure was expected',
    { annotations: toFail },
    { outcome: 'failed', reason: 'expected to fail, but passed' },
  ],
  [
    'a worker that died',
    { status: 'failed', errors: [error('Error: worker process exited unexpectedly (code=3)')] },
    {
      outcome: 'error',
      errorKind: 'internal',
      reason: expect.stringMatching(/^Error: worker process/),
      costUsd: 0,
    },
  ],
  [
    'no browser',
    { status: 'failed', errors: [error('Error: browserType.launch: none')] },
    { outcome: 'error', errorKind: 'browser' },
  ],
  ['an interrupted run', { status: 'interrupted' }, { outcome: 'error', errorKind: 'interrupted' }],
  ['a skipped test', { status: 'skipped' }, { outcome: 'skipped', costUsd: 0 }],
])('the trial of %s', (_, result, trial) => {
  const found = testTrial(1, resultOf(result));
  expect(found).toMatchObject({ index: 1, ...trial });
  if (found.outcome !== 'error') expect(found).not.toHaveProperty('errorKind');
});

test('failures are told by message and line, the most frequent first', () => {
  const failed = (message: string, line: number) =>
    testTrial(0, resultOf({ status: 'failed', errors: [error(message, line)] }));
  const trials = [
    failed('Error: x', 4),
    failed('Error: y', 9),
    testTrial(1, resultOf({})),
    failed('Error: y', 9),
  ];
  expect(failuresText(trials)).toBe('2 of 3 failures: y (chat.spec.ts:9); 1: x (chat.spec.ts:4)');
});

test('what agents took is counted', () => {
  const note = (turns: number, costUsd: number | null) => ({
    name: '_taskproof-agent',
    contentType: 'application/json',
    body: Buffer.from(
      JSON.stringify({
        ...{ agent: 'claude', model: 'm', turns },
        usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd },
      }),
    ),
  });
  expect(testTrial(0, resultOf({ attachments: [note(3, 0.1), note(2, 0.2)] }))).toMatchObject({
    turns: 5,
    costUsd: 0.3,
    usage: { inputTokens: 20, outputTokens: 2 },
  });
  expect(testTrial(0, resultOf({ attachments: [note(3, 0.1), note(2, null)] })).costUsd).toBeNull();
});

test('rows are named by the title, and by more of the path where that is another row too', () => {
  const run = (...titlePath: string[]) => {
    const planned = { id: titlePath.at(-1)!, titlePath } as PlannedSpec;
    return { planned, name: '' };
  };
  const spec = { planned: { id: 'cart' } as PlannedSpec, name: 'cart' };
  const runs = [
    ...[
      run('a.spec.ts', 'answers'),
      run('a.spec.ts', 'phone', 'answers'),
      run('b.spec.ts', 'phone', 'answers'),
    ],
    ...[run('a.spec.ts', 'cart'), run('a.spec.ts', 'alone'), run('a.spec.ts', 'alone'), spec],
  ];
  nameTests(runs);
  expect(runs.map(({ name }) => name)).toEqual([
    ...['a.spec.ts › answers', 'a.spec.ts › phone › answers', 'b.spec.ts › phone › answers'],
    ...['a.spec.ts › cart', 'alone', 'alone', 'cart'],
  ]);
});

test('a row is known by its path, whatever it is called', () => {
  const row = (spec: string, titlePath: string[]) => ({ spec, titlePath, project: 'p', replayed: false });
  const path = ['a.spec.ts', 'x'];
  expect(keyOf(row('x', path))).toBe(keyOf(row('a.spec.ts › x', path)));
  expect(keyOf(row('x', path))).not.toBe(keyOf(row('x', ['b.spec.ts', 'x'])));
});

describe('beforeReporters', () => {
  const setUp = () => {
    const testCase = { expectedStatus: 'passed', results: [] as TestResult[] } as unknown as TestCase;
    const ended = vi.fn(({ status }: TestResult) => {
      testCase.expectedStatus = status;
    });
    beforeReporters(testCase, ended);
    const result = resultOf({ status: 'skipped' });
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
