// What one spec's trials come to in Playwright's own bookkeeping, as they end.
import type { TestCase, TestResult } from '@playwright/test/reporter';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Plan } from '../../../src/data/plan';
import type { TrialRecord } from '../../../src/data/record';
import { closeLedger, openLedger, readLedger, spend } from '../../../src/playwright/run/ledger';
import { planAnnotations } from '../../../src/playwright/run/plan';
import { SpecRun, skipNeedless } from '../../../src/report/spec-run';
import { resultsOf } from '../../../src/report/write';
import { fakeRepeats, fakeResult, fakeTest } from '../../support/fake-suite';
import { madeAction, madeRecord, madeTurn } from '../../support/records';

const K = 5;
const PLANNED: Plan = { id: 'cart', file: 'cart.yaml', policy: { k: K, minPasses: 4 }, replayed: false };

function testAt(repeatEachIndex: number): TestCase {
  const test = fakeTest({ annotations: planAnnotations(PLANNED), repeatEachIndex });
  test.tags.push('@taskproof');
  return test;
}

function resultOf(
  status: TestResult['status'],
  outcome?: 'passed' | 'failed',
  more: Partial<TrialRecord> = {},
  planned: Plan = PLANNED,
): TestResult {
  const reason = outcome === 'failed' ? '"h1" is not visible' : null;
  const record = outcome && madeRecord({ outcome, reason, policy: PLANNED.policy, ...more });
  return fakeResult({ status, record, annotations: planAnnotations(planned) });
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

test('a trial of a text that was edited in the middle of the run counts neither way, and the planned policy stays', () => {
  const planned = { ...PLANNED, policy: { k: 3, minPasses: 3 }, specHash: 'a'.repeat(64) };
  const edited = { ...planned, policy: { k: 3, minPasses: 1 }, specHash: 'b'.repeat(64) };
  const run = new SpecRun('agents', planned);
  const results = [
    resultOf('failed', 'failed', {}, planned),
    resultOf('passed', 'passed', {}, edited),
    resultOf('passed', 'passed', {}, edited),
  ];
  for (const [index, result] of results.entries()) run.add(testAt(index), result);
  expect(run.verdict).toMatchObject({
    verdict: 'failed',
    k: 3,
    minPasses: 3,
    passes: 0,
    failures: 1,
    errors: 2,
  });
  expect(run.verdict.trials[1]).toMatchObject({
    errorKind: 'setup',
    reason: expect.stringContaining('the spec was edited while the run was going'),
  });
  // The reports of its shards belong together. Those of another text don't.
  expect([...run.conflicts]).toEqual([]);
  run.expectPlan({ ...planned, specHash: 'b'.repeat(64) });
  expect([...run.conflicts]).toEqual([expect.stringContaining('disagree about the text of cart')]);
});

test('an ordinary test keeps the policy that was planned', () => {
  const planned = { ...PLANNED, titlePath: ['a.spec.ts', 'cart'] };
  const run = new SpecRun('agents', planned);
  run.add(testAt(0), resultOf('passed', 'passed', {}, { ...planned, policy: { k: 1, minPasses: 1 } }));
  expect(run.verdict).toMatchObject({ verdict: 'undecided', k: K });
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
  const about = {
    startedAt: new Date().toISOString(),
    durationMs: 1,
    status: 'passed' as const,
    lacking: [],
  };
  const resultsIn = (run: SpecRun, shard?: string) => resultsOf([run], { ...about, shard });
  const { run } = play(['passed', 'passed']);
  const results = resultsIn(run, '1/2');
  expect(results).toMatchObject({
    complete: false,
    shard: '1/2',
    verdicts: [{ missing: 3, inOtherShards: 3 }],
  });
  expect(results.incompleteBecause).toBeUndefined();
  run.tests.add(testAt(2));
  expect(resultsIn(run, '1/2')).toMatchObject({
    ...{ incompleteBecause: 'trials are missing', verdicts: [{ missing: 3, inOtherShards: 2 }] },
  });
  // Repeats beyond k are no trials of the policy.
  run.tests.add(testAt(K));
  expect(resultsIn(run, '1/2').verdicts[0]).toMatchObject({ inOtherShards: 2 });
  const whole = resultsIn(run);
  expect(whole.shard).toBeUndefined();
  expect(whole.verdicts[0]!.inOtherShards).toBeUndefined();
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
  for (let index = 0; index < K; index++) {
    // As in a shard.
    expect(skipped.skipped).toBe(false);
    skipped.add(testAt(index), resultOf('skipped'));
  }
  expect(skipped.skipped).toBe(true);
  skipped.add(testAt(1), resultOf('passed', 'passed'));
  expect(skipped.skipped).toBe(false);
});

const described = ({ annotations }: TestResult) =>
  annotations.map(({ type, description }) => `${type}: ${description}`);

test('a replay says that it is one, and a healed trial where and why', () => {
  const healed = { turn: 2, reason: 'action 1: gone', recording: 'r/cart.json' };
  const planned = { ...PLANNED, policy: { k: 1, minPasses: 1 }, replayed: true };
  const run = new SpecRun('agents', planned);
  const result = { ...resultOf('passed', 'passed', { replayed: true, healed }), annotations: [] };
  const test = { ...testAt(0), annotations: [] };
  run.add(test, result);
  expect(described(result)).toEqual([
    'verdict: passed: 1/1 passed, needs 1; replayed, which measures no agent',
    'replay: 1/1 (healed)',
    'healed: healed at turn 2: action 1: gone; the recording is r/cart.json',
  ]);
  expect(test.tags).toEqual(['@taskproof', '@verdict:passed', '@healed']);

  const lost = { ...resultOf('failed', 'failed', { replayed: true, healed }), annotations: [] };
  const failed = { ...testAt(0), annotations: [] };
  new SpecRun('agents', planned).add(failed, lost);
  expect(described(lost)).toContainEqual(
    'fallback: the fallback took over at turn 2 (action 1: gone) and failed; the recording is r/cart.json',
  );
  expect([...described(lost), ...failed.tags].join()).not.toContain('healed');
});

test('beyond k a trial is not needed', () => {
  const { run } = play(['passed', 'passed', 'passed', 'passed', 'passed']);
  const more = resultOf('passed', 'passed');
  run.add(testAt(5), more);
  expect(described(more)).toContain('trial: not needed');
  expect(run.verdict.trials).toHaveLength(5);
});

test('a trial without a result of its own says how it ended; Playwright knows it as lost until the verdict', () => {
  const run = new SpecRun('agents', { ...PLANNED, policy: { k: 2, minPasses: 1 } });
  const [error, skipped] = [resultOf('failed'), resultOf('skipped')];
  error.annotations = [];
  skipped.annotations = [];
  run.add(testAt(0), error);
  expect(run.ended).toBe(true);
  run.add(testAt(1), skipped);
  expect(described(error)[1]).toMatch(
    /^trial: 1\/2 \(error: setup, not counted\): the test failed before its trial began/,
  );
  expect(described(skipped)[1]).toBe('trial: 2/2 (skipped)');
});

test("a spec's own `test.fail` is taken away, since the verdict says what is expected; an ordinary test keeps it", () => {
  const fail = { type: 'fail', location: { file: '/suite/a.spec.ts', line: 1, column: 1 } };
  const one = { ...PLANNED, policy: { k: 1, minPasses: 1 } };
  const spec = new SpecRun('agents', one);
  const result = resultOf('passed', 'passed');
  result.annotations.push(fail);
  spec.add(testAt(0), result);
  expect(result.annotations).not.toContain(fail);
  const ordinary = new SpecRun('agents', { ...one, titlePath: ['a.spec.ts', 'cart'] });
  const declared = resultOf('failed', undefined, {}, ordinary.planned);
  declared.annotations.push(fail);
  ordinary.add(testAt(0), declared);
  expect(declared.annotations).toContain(fail);
  expect(ordinary.verdict.verdict).toBe('passed');
});

test('failures of an ordinary test count as the test declares, and the first is told', () => {
  const planned = { ...PLANNED, policy: { k: 3, minPasses: 3 }, titlePath: ['a.spec.ts', 'cart'] };
  const run = new SpecRun('agents', planned);
  const failed = (message: string) => ({
    ...resultOf('failed', undefined, {}, planned),
    errors: [{ message }],
  });
  const tests = [0, 1, 2].map(testAt);
  run.add(tests[0]!, failed('Error: x'));
  expect(run.verdict.reason).toBe('trial 1/3: x');
  run.add(tests[1]!, failed('Error: y'));
  run.add(tests[2]!, failed('Error: y'));
  expect(run.verdict.reason).toBe('trial 1/3: x');
  const expected = new SpecRun('agents', planned);
  const location = { file: '/suite/a.spec.ts', line: 1, column: 1 };
  const unexpected = { ...resultOf('passed'), annotations: [{ type: 'fail', location }] } as TestResult;
  const test = testAt(0);
  expected.add(test, unexpected);
  expect(test.expectedStatus).toBe('failed');
});

test('a result counts once; it is recorded if it passed', () => {
  const action = madeAction({ do: 'click', locator: 'x' });
  const turn = madeTurn({ url: 'http://x/', actions: [{ title: 't', recorded: [action] }] });
  const run = new SpecRun('agents', PLANNED);
  const failed = resultOf('failed', 'failed', { turns: [turn], specHash: 'a'.repeat(64) });
  expect(run.add(testAt(0), failed)).toBe(true);
  expect(run.add(testAt(0), failed)).toBe(false);
  expect(run.entries).toHaveLength(1);
  expect(run.pick.recording).toBeUndefined();
  run.add(testAt(1), resultOf('passed', 'passed', { turns: [turn], specHash: `${'a'.repeat(63)}b` }));
  expect(run.pick.recording).toMatchObject({ specId: 'buy' });
  expect([...run.conflicts]).toEqual([]);
});

test('a worker that knows of a replay changes titles and policy; another policy of an agent is a conflict', () => {
  const policy = { k: 1, minPasses: 1 };
  const added = (replayed: boolean) => {
    const run = new SpecRun('agents', PLANNED);
    const tests = [testAt(0), testAt(1)];
    for (const each of tests) run.tests.add(each);
    run.add(tests[0]!, resultOf('passed', 'passed', {}, { ...PLANNED, id: 'other', policy, replayed }));
    const titles = tests.map(({ title }) => title);
    return [...titles, run.row.spec, run.planned.replayed, run.verdict.k, run.conflicts.size];
  };
  expect(added(true)).toEqual(['cart · replay 1/1', 'cart · not needed', 'cart', true, 1, 0]);
  expect(added(false).slice(2)).toEqual(['cart', false, 5, 1]);
});

test('what the worker says of early stop counts', () => {
  const run = new SpecRun('agents', PLANNED);
  expect(run.planned.earlyStop).toBeUndefined();
  const result = resultOf('passed', 'passed');
  result.annotations.splice(0, 3, ...planAnnotations({ ...PLANNED, earlyStop: true }));
  run.add(testAt(0), result);
  expect(run.planned.earlyStop).toBe(true);
});

test('trials of an ordinary test are skipped once the verdict is settled, if it stops early', () => {
  openLedger({ judged: true });
  onTestFinished(closeLedger);
  const plan: string[] = [];
  const policy = { k: 3, minPasses: 2 };
  const titlePath = ['a.spec.ts', 'cart'];
  const runOf = (earlyStop: boolean, project: string) => {
    const run = new SpecRun(project, { ...PLANNED, policy, titlePath, earlyStop });
    const skip = ({ description }: { description: string }) => plan.push(description);
    const inside = { _applyPlanAnnotation: skip };
    for (const each of fakeRepeats(3, { inside })) run.tests.add(each);
    return run;
  };
  const end = (run: SpecRun, index: number, status: TestResult['status']) => {
    run.add([...run.tests][index]!, resultOf(status, undefined, {}, run.planned));
    skipNeedless(run);
  };
  const patient = runOf(false, 'a');
  end(patient, 0, 'passed');
  end(patient, 1, 'passed');
  const hasty = runOf(true, 'b');
  end(hasty, 0, 'passed');
  end(hasty, 1, 'skipped');
  expect(plan).toEqual([]);
  // The worker has noted what it spent, and more than its record says if an answer was broken off.
  spend('b', 'a.spec.ts › cart', 2, 0.5);
  end(hasty, 2, 'passed');
  expect(readLedger('b', 'cart').spentUsd).toBe(0.5);
  expect(plan).toEqual(
    Array(3).fill('early stop: the verdict is settled (passed, 2 of 2 passed, needs 2 of 3)'),
  );
});

test('a ledger that cannot be written costs a warning', () => {
  vi.stubEnv('TASKPROOF_LEDGER', '/nowhere');
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks().unstubAllEnvs());
  skipNeedless(play(['passed']).run);
  expect(write).toHaveBeenCalledWith(expect.stringMatching(/^taskproof: cart: can't write .*ENOENT/));
});
