// What a trial makes of its judge's answer: any object with `judge` may stand in a config.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AssertionResult,
  type JudgeResult,
  readRecord,
  type TrialRecord,
} from '../../../src/data/record';
import { NO_USAGE } from '../../../src/data/usage';
import { type Judge, type JudgedTrial, JudgeError } from '../../../src/grading/judge';
import { transcript } from '../../../src/grading/transcript';
import { finalPage, judgeTrial } from '../../../src/trial/grade';
import type { AgentRun, TrialOutput } from '../../../src/trial/run-agent';
import { trialTimeMs } from '../../../src/trial/trial';
import { madeRecord } from '../../support/records';
import { judgedTrial, shots } from '../grading/judge/trials';

const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));
const PASSED = { passed: true, reason: 'fine' };

/** A trial to be judged, and the steps that show it. */
function toJudge(): { trial: AgentRun; steps: string[] } {
  const { spec, turns } = judgedTrial();
  const steps: string[] = [];
  let depth = 0;
  const output: TrialOutput = {
    async step(title, body) {
      const index = steps.push('') - 1;
      const indent = '  '.repeat(depth++);
      try {
        const result = await body(async () => undefined);
        steps[index] = `${indent}✓ ${title}`;
        return result;
      } catch (error) {
        steps[index] = `${indent}✗ ${title}`;
        throw error;
      } finally {
        depth--;
      }
    },
  };
  const page = {
    url: () => 'http://127.0.0.1/?password=violet',
    locator: () => ({ first: () => ({ innerText: async () => 'Your password is violet.' }) }),
  };
  const trial = {
    plan: {
      spec: { ...spec, goal: `${spec.goal} Log in with violet.` },
      maxCostUsd: 0.5,
      locate: () => ({ file: 'task.yaml', line: 1, column: 1 }),
    },
    session: {
      onAdmitted: (check: (on: unknown) => unknown) => check(page),
      page,
    },
    output,
    waited: { modelTimeMs: 0, waitTimeMs: 0 },
    pictures: shots(1),
    mask: (text: string) => text.replaceAll('violet', '<secret>PASSWORD</secret>'),
    turns: { records: turns, usage: { ...NO_USAGE, costUsd: null }, knownUsd: 0.2 },
  } as unknown as AgentRun;
  return { trial, steps };
}

function recordWith(judge: JudgeResult): TrialRecord {
  return madeRecord({ specId: 'report-pot', outcome: 'failed', reason: 'the judge: no', judge });
}

const { assertions } = judgedTrial();
const judging = async (
  judge: Judge['judge'],
  trial = toJudge().trial,
  stopped: AbortSignal = new AbortController().signal,
) => {
  const graded = { ...(await finalPage(trial)), assertions: assertions as AssertionResult[] };
  return judgeTrial(trial, { name: 'mine', model: 'some-model', judge }, graded, stopped);
};

test('the judge sees the trial without the values of secrets, and what is left of the cap', async () => {
  let seen: JudgedTrial | undefined;
  await judging(async trial => {
    seen = trial;
    return PASSED;
  });
  expect(seen).toMatchObject({
    finalUrl: 'http://127.0.0.1/?password=<secret>PASSWORD</secret>',
    finalText: 'Your password is <secret>PASSWORD</secret>.',
    spec: { goal: expect.stringContaining('Log in with <secret>PASSWORD</secret>.') },
    rubric: 'The message says that the pot broke, and it was sent once.',
    assertions: [{ title: '"#sent" is visible', passed: true }],
  });
  expect(seen!.budgetUsd).toBeCloseTo(0.3);
  expect(seen!.screenshots.at(-1)).toMatchObject({ name: 'end.jpg', turn: null });
});

test('the judge is told that the page could not be read, not that it says nothing', async () => {
  const { trial } = toJudge();
  trial.session.onAdmitted = () => Promise.reject(new Error('Timeout'));
  let seen: JudgedTrial | undefined;
  await judging(async each => {
    seen = each;
    return PASSED;
  }, trial);
  expect(seen!.finalText).toBe('(it could not be read)');
});

test('key points are steps and lines of the transcript, and the record keeps every detail', async () => {
  const { steps, trial } = toJudge();
  const keyPoints = [
    { text: 'The pot broke', met: true, evidence: 'The message says so.', screenshot: 'turn-1.jpg' },
    { text: 'Sent once', met: false, evidence: 'It was sent twice, by violet.', screenshot: null },
  ];
  const result = await judging(
    async () => ({ passed: false, reason: 'Sent\ntwice.', keyPoints, votes: [1], usage: { ...NO_USAGE } }),
    trial,
  );
  expect(steps).toEqual([
    '✗ judge "mine": Sent twice.',
    '  ✓ met: The pot broke (turn-1.jpg)',
    '  ✗ not met: Sent once',
  ]);
  expect(result).toMatchObject({
    judgement: { passed: false, reason: 'Sent twice.', name: 'mine', model: 'some-model', votes: [1] },
  });
  const { judgement: judge } = result as { judgement: JudgeResult };
  const record = recordWith(judge);
  expect(readRecord(JSON.stringify(record))!.judge).toEqual(judge);
  const lines = transcript(record, 'Report the pot');
  expect(lines).toContain('✗ judge (some-model, $0.0000): Sent twice.');
  expect(lines).toContain('    ✓ The pot broke (turn-1.jpg)\n      | The message says so.');
  expect(lines).toContain('    ✗ Sent once\n      | It was sent twice, by <secret>PASSWORD</secret>.');
});

test.each([
  ['nothing', undefined, /must resolve to \{ passed, reason \}/],
  ['words', 'passed', /must resolve to \{ passed, reason \}: the result/],
  ['a verdict in words', { passed: 'yes', reason: '' }, /passed: Invalid input/],
  ['no reason', { passed: true }, /reason: Invalid input/],
  ['key points that are none', { ...PASSED, keyPoints: ['x'] }, /keyPoints\[0\]: Invalid input/],
  ['a count that is none', { ...PASSED, usage: { inputTokens: 1 } }, /usage\.outputTokens/],
  ['what is no JSON', { ...PASSED, size: 1n }, /BigInt/],
])('a judge that resolves to %s gives no judgement', async (_, returned, problem) => {
  const result = await judging(async () => returned as never);
  expect(result).not.toHaveProperty('judgement');
  expect((result as { error: string }).error).toMatch(/^judge "mine": /);
  expect((result as { error: string }).error).toMatch(problem);
});

test('a judge that throws gives no judgement, and what it has spent is counted', async () => {
  const usage = { ...NO_USAGE, costUsd: 0.01 };
  const result = await judging(async () => {
    throw new JudgeError('no answer for violet', usage);
  });
  expect(result).toEqual({ error: 'judge "mine": no answer for <secret>PASSWORD</secret>', usage });
});

test('what a judge says that it has spent is counted, though its judgement is none', async () => {
  const usage = { ...NO_USAGE, costUsd: 5 };
  const result = await judging(async () => ({ passed: 'yes', reason: '', usage }) as never);
  expect(result).toMatchObject({ error: expect.stringContaining('passed: Invalid input'), usage });
});

test('what a judge does to its evidence does not change the record', async () => {
  const { trial } = toJudge();
  const before = JSON.stringify(trial.turns.records);
  let assertions: unknown;
  await judging(async seen => {
    (seen.turns as unknown[]).length = 0;
    assertions = (seen.assertions as unknown[]).splice(0);
    return PASSED;
  }, trial);
  expect(assertions).not.toEqual([]);
  expect(JSON.stringify(trial.turns.records)).toBe(before);
  await judging(async seen => {
    expect(seen.assertions).toEqual(assertions);
    return PASSED;
  }, trial);
});

test('what a judge has spent is unknown if it gives no counts', async () => {
  const result = await judging(async () => {
    throw new JudgeError('no answer', { inputTokens: '5', costUsd: Number.NaN } as never);
  });
  expect(result.usage).toEqual({ ...NO_USAGE, costUsd: null });
});

test('a judge that never ends is left when the test ends', async () => {
  const stopped = new AbortController();
  const result = judging(
    () => {
      stopped.abort(new Error('the run was interrupted'));
      return new Promise(() => undefined);
    },
    toJudge().trial,
    stopped.signal,
  );
  expect(await result).toEqual({ error: 'judge "mine": the run was interrupted' });
});

describe('its time', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const judgedOf = (pictures: number, judge: Judge['judge']) => {
    const { trial, steps } = toJudge();
    Object.assign(trial, { pictures: shots(pictures - 1) });
    return { trial, steps, judged: judging(judge, trial) };
  };

  test("is a part of its test's time", () => {
    const plan = { spec: { judge: 'r', assertions: [] }, maxSteps: 1, turnTimeoutMs: 1 };
    const time = (judge?: object) => trialTimeMs({ ...plan, judge } as never);
    expect(time({}) - time()).toBe(300_000);
  });

  test.each([1, 90])('five minutes: with %i pictures', async pictures => {
    const { judged } = judgedOf(pictures, () => new Promise(() => undefined));
    let ended = false;
    void judged.then(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(299_999);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await judged).toEqual({ error: `judge "mine": it took longer than 300 s` });
  });

  test('does not pass while it waits for a model', async () => {
    const { trial, steps, judged } = judgedOf(1, async ({ waiting }) => {
      await waiting(sleep(600_000), 'limit');
      await waiting(sleep(600_000));
      return PASSED;
    });
    await vi.advanceTimersByTimeAsync(1_200_000);
    expect(await judged).toMatchObject({ judgement: PASSED });
    expect(trial.waited).toEqual({ modelTimeMs: 600_000, waitTimeMs: 600_000 });
    expect(steps).toEqual(["✓ wait for the API's limit", '✓ wait for the model', '✓ judge "mine": fine']);
  });
});
