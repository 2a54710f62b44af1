// What counts as an agent's time, and what is told of the rest.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Clock } from '../../../src/trial/clock';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const after = (ms: number) => new Promise<string>(resolve => setTimeout(resolve, ms, 'answer'));
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function clockOf(ms: number, patienceMs?: number) {
  const steps: string[] = [];
  const run = {
    plan: { locate: () => undefined },
    output: {
      step: async (title: string, body: () => Promise<void>) => {
        const begun = performance.now();
        const index = steps.push(title) - 1;
        await body();
        steps[index] = `${title}: ${performance.now() - begun}`;
      },
      extend: vi.fn(),
    },
    waited: { modelTimeMs: 0, waitTimeMs: 0 },
  };
  const late = vi.fn();
  const clock = new Clock(run as never, ms, late, patienceMs);
  const extended = () => run.output.extend.mock.calls.reduce((sum, [more]) => sum + more, 0);
  return { clock, late, steps, waited: run.waited, extended };
}

test('without a wait the time is up when it has passed', async () => {
  const { clock, late, waited } = clockOf(1_000);
  await pass(999);
  expect([clock.leftMs, late.mock.calls.length]).toEqual([1, 0]);
  await pass(1);
  expect(late).toHaveBeenCalledOnce();
  expect(waited).toEqual({ modelTimeMs: 0, waitTimeMs: 0 });
});

test('more time than a timer can have is no time that is up', async () => {
  const { clock, late } = clockOf(2 ** 31 + 1_000);
  await pass(100);
  expect([clock.leftMs, late.mock.calls.length]).toEqual([2 ** 31 + 900, 0]);
});

test('it stands still while one waits, and what is left counts afterwards', async () => {
  const { clock, late, waited, steps, extended } = clockOf(1_000);
  await pass(400);
  const answer = clock.waiting(after(50_000));
  await pass(30_000);
  expect(clock.leftMs).toBe(600);
  // The test has its time while it waits, not only afterwards.
  expect(extended()).toBe(30_000);
  await pass(20_000);
  expect(await answer).toBe('answer');
  expect(waited).toEqual({ modelTimeMs: 50_000, waitTimeMs: 0 });
  expect(extended()).toBe(50_000);
  await pass(599);
  expect(late).not.toHaveBeenCalled();
  await pass(1);
  expect(late).toHaveBeenCalledOnce();
  expect(steps).toEqual(['wait for the model: 50000']);
});

test('several waits at once count once, an answer before a limit', async () => {
  const { clock, late, waited, steps } = clockOf(1_000);
  void clock.waiting(after(10_000), 'limit');
  await pass(4_000);
  void clock.waiting(after(3_000));
  void clock.waiting(after(2_000), 'model');
  await pass(6_000);
  expect(clock.leftMs).toBe(1_000);
  expect(waited).toEqual({ modelTimeMs: 3_000, waitTimeMs: 7_000 });
  await pass(1_000);
  expect(late).toHaveBeenCalledOnce();
  // Each shown second of a limit begins after one.
  expect(steps).toEqual([
    "wait for the API's limit: 3000",
    'wait for the model: 3000',
    "wait for the API's limit: 2000",
  ]);
});

test('leave that comes at once is no step', async () => {
  const { clock, waited, steps } = clockOf(1_000);
  await Promise.all([clock.waiting(after(900), 'limit'), pass(900)]);
  expect(steps).toEqual([]);
  expect(waited.waitTimeMs).toBe(900);
});

test('a failed wait fails, and ends', async () => {
  const { clock } = clockOf(1_000);
  await expect(clock.waiting(Promise.reject(new Error('no credit')))).rejects.toThrow('no credit');
  await pass(300);
  expect(clock.leftMs).toBe(700);
});

test('a model that never answers is an error of the API', async () => {
  const { clock, late } = clockOf(1_000, 30);
  const waited = expect(clock.waiting(new Promise(() => undefined))).rejects.toMatchObject({
    name: 'AgentApiError',
    message: 'the model has not answered for 0.0005 minutes. Give its requests a time limit.',
  });
  await pass(30);
  await waited;
  expect(late).not.toHaveBeenCalled();
});

test('a stopped clock counts nothing more, and its step ends', async () => {
  const { clock, late, waited, steps } = clockOf(1_000);
  const answer = clock.waiting(after(9_000));
  await pass(5_000);
  clock.stop();
  await pass(4_000);
  expect(await answer).toBe('answer');
  await clock.waiting(Promise.resolve());
  expect(waited.modelTimeMs).toBe(5_000);
  await pass(9_000);
  expect(late).not.toHaveBeenCalled();
  expect(steps).toEqual(['wait for the model: 5000']);
});
