// A test's timeout around trials. That Playwright is as the fake one: tests/e2e/agent-tests.test.ts.
import type { TestInfo } from '@playwright/test';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addTime, addTrialTime } from '../../../../src/playwright/inside/timeout';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Of the test 30 s, of a hook after it, too. */
function fakeInfo(timeout = 30_000) {
  const slots = { test: timeout, hook: timeout };
  const running: { slot: keyof typeof slots } = { slot: 'test' };
  const info = {
    get timeout() {
      return slots.test;
    },
    setTimeout(ms: number) {
      slots[running.slot] = ms;
    },
  } as TestInfo;
  return { info, slots, running };
}

/** A trial that may take 600 s and takes two. */
function play(info: TestInfo, { keptMs = 0, meanwhile = () => {} } = {}): void {
  const giveBack = addTrialTime(info, 600_000, keptMs);
  vi.advanceTimersByTime(2_000);
  meanwhile();
  giveBack();
}

test.each(['test', 'hook'] as const)('a trial in a %s adds what it took, and no more', slot => {
  const { info, slots, running } = fakeInfo();
  running.slot = slot;
  play(info);
  play(info);
  expect(slots[slot]).toBe(34_000);
});

test('a hook after the test begins with what the test had', () => {
  const { info, slots, running } = fakeInfo();
  play(info);
  running.slot = 'hook';
  play(info);
  expect(slots).toEqual({ test: 32_000, hook: 34_000 });
});

test('trials at the same time, waits, and time that is kept add up', () => {
  const { info, slots } = fakeInfo();
  play(info, { meanwhile: () => play(info, { keptMs: 60_000, meanwhile: () => addTime(info, 5_000) }) });
  // The outer one took four seconds.
  expect(slots.test).toBe(30_000 + 4_000 + 2_000 + 60_000 + 5_000);
});

test('a timeout that the suite sets meanwhile holds', () => {
  const { info, slots } = fakeInfo();
  play(info, { meanwhile: () => info.setTimeout(90_000) });
  expect(slots.test).toBe(90_000);
});

test('no timeout stays none', () => {
  const { info, slots } = fakeInfo(0);
  play(info);
  expect(slots.test).toBe(0);
});
