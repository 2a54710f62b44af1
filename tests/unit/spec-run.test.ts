// What one spec's trials come to in Playwright's own bookkeeping, as they end.
import type { TestCase, TestResult } from '@playwright/test/reporter';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planAnnotations } from '../../src/playwright/annotations';
import { SpecRun } from '../../src/report/spec-run';
import { resultsOf } from '../../src/report/write';
import { madeRecord } from '../support/records';

type Status = TestResult['status'];
const K = 5;
const PLANNED = { id: 'cart', file: 'cart.yaml', policy: { k: K, minPasses: 4 }, replayed: false };

function testAt(repeatEachIndex: number) {
  const tags: string[] = ['@taskproof'];
  return {
    title: `cart · trial ${repeatEachIndex + 1}/${K}`,
    annotations: planAnnotations(PLANNED),
    tags,
    repeatEachIndex,
    expectedStatus: 'passed',
  } as unknown as TestCase;
}

/** Without a record, a failed test is an error of the infrastructure, which is lost all the same. */
function resultOf(status: Status, outcome?: 'passed' | 'failed'): TestResult {
  const record = outcome && {
    name: '_taskproof',
    contentType: 'application/json',
    body: recordText(outcome),
  };
  return {
    status,
    duration: 1,
    errors: [],
    attachments: record ? [record] : [],
    annotations: planAnnotations(PLANNED),
  } as unknown as TestResult;
}

function recordText(outcome: 'passed' | 'failed'): Buffer {
  return Buffer.from(
    JSON.stringify(
      madeRecord({
        outcome,
        reason: outcome === 'failed' ? '"h1" is not visible' : null,
        policy: PLANNED.policy,
      }),
    ),
  );
}

function play(outcomes: readonly ('passed' | 'failed')[]) {
  const run = new SpecRun('agents', PLANNED);
  const tests = outcomes.map((_, index) => testAt(index));
  for (const each of tests) run.tests.add(each);
  const results = outcomes.map(outcome => resultOf(outcome, outcome));
  for (const [index, result] of results.entries()) run.add(tests[index]!, result);
  return { run, tests, results };
}

test('failures that the policy tolerates are expected ones, and are named', () => {
  const { run, tests, results } = play(['passed', 'failed', 'passed', 'passed', 'passed']);
  expect(run.verdict).toMatchObject({ verdict: 'passed', passes: 4 });
  expect(tests.map(({ expectedStatus }) => expectedStatus)).toEqual([
    'passed',
    'failed',
    'passed',
    'passed',
    'passed',
  ]);
  expect(tests[1]!.tags).toEqual(['@taskproof', '@verdict:passed', '@tolerated']);
  expect(tests[0]!.tags).toEqual(['@taskproof', '@verdict:passed']);
  expect(results[1]!.annotations).toContainEqual({
    type: 'trial',
    description: '2/5 (failed, tolerated): "h1" is not visible',
  });
  expect(results[0]!.annotations).toContainEqual({
    type: 'verdict',
    description: 'passed: 4/5 passed, needs 4',
  });
});

test('the decisive failure makes all failures count, and none is called tolerated', () => {
  const { run, tests, results } = play(['failed', 'passed', 'failed', 'passed', 'passed']);
  expect(run.verdict.verdict).toBe('failed');
  expect(tests.every(({ expectedStatus }) => expectedStatus === 'passed')).toBe(true);
  expect(tests.flatMap(({ tags }) => tags)).not.toContain('@tolerated');
  expect(results[0]!.annotations).toContainEqual({
    type: 'trial',
    description: '1/5 (failed): "h1" is not visible',
  });
});

test('in any order the same tests count as failed, and each has one verdict tag', () => {
  const letters = fc.array(fc.constantFrom('passed' as const, 'failed' as const), {
    minLength: K,
    maxLength: K,
  });
  fc.assert(
    fc.property(letters, outcomes => {
      const { run, tests } = play(outcomes);
      run.label();
      const failures = outcomes.filter(outcome => outcome === 'failed').length;
      const unexpected = tests.filter(
        ({ expectedStatus }, index) => outcomes[index] !== expectedStatus,
      ).length;
      expect(unexpected).toBe(failures > 1 ? failures : 0);
      for (const { tags } of tests)
        expect(tags.filter(tag => tag.startsWith('@verdict:'))).toEqual([
          `@verdict:${failures > 1 ? 'failed' : 'passed'}`,
        ]);
    }),
  );
});

test('the results of a shard: what other shards have is not missing', () => {
  const about = { startedAt: new Date(), durationMs: 1, status: 'passed', broken: [] } as const;
  const selected = { filtered: false, projectsSelected: false };
  const resultsIn = (run: SpecRun, shard: string | null) =>
    resultsOf([run], { ...about, ...selected, shard });
  const { run } = play(['passed', 'passed']);
  const results = resultsIn(run, '1/2');
  expect(results).toMatchObject({
    complete: false,
    shard: '1/2',
    verdicts: [{ missing: 3, inOtherShards: 3 }],
  });
  expect(results).not.toHaveProperty('incompleteBecause');
  run.tests.add(testAt(2));
  expect(resultsIn(run, '1/2')).toMatchObject({
    ...{ incompleteBecause: 'trials are missing', verdicts: [{ missing: 3, inOtherShards: 2 }] },
  });
  const whole = resultsIn(run, null);
  expect(whole).not.toHaveProperty('shard');
  expect(whole.verdicts[0]).not.toHaveProperty('inOtherShards');
});

test('trials that are missing are said, and a spec that the suite skips as a whole is not judged', () => {
  const run = new SpecRun('agents', PLANNED);
  const [first, second] = [testAt(0), testAt(1)];
  run.tests.add(first);
  run.tests.add(second);
  const result = resultOf('passed', 'passed');
  run.add(first, result);
  run.label();
  expect(run.verdict.verdict).toBe('undecided');
  expect(first.tags).toContain('@verdict:undecided');
  expect(result.annotations).toContainEqual({
    type: 'verdict',
    description: 'undecided: 1/5 passed, needs 4; 1 of 5 ran',
  });
  const skipped = new SpecRun('agents', PLANNED);
  skipped.add(testAt(0), resultOf('skipped'));
  expect(skipped.skipped).toBe(true);
  skipped.add(testAt(1), resultOf('passed', 'passed'));
  expect(skipped.skipped).toBe(false);
});

test('what a crash left joins the trials that said where they belong', () => {
  const crashed = new SpecRun('agents', PLANNED);
  crashed.add(testAt(0), { ...resultOf('failed'), annotations: [] });
  expect(crashed.confirmed).toBe(false);
  const run = new SpecRun('agents', PLANNED);
  for (const index of [1, 2, 3, 4]) run.add(testAt(index), resultOf('passed', 'passed'));
  expect(run.confirmed).toBe(true);
  run.absorb(crashed);
  expect(run.verdict).toMatchObject({ verdict: 'passed', passes: 4, errors: 1 });
});
