// The timeout of a test, to which trials add their time. Checked on Playwright 1.64 and 1.65 (TimeoutManager): `testInfo.timeout` is the
// timeout of the test's own code, but `setTimeout` sets that of what runs now, which may be a hook or a fixture with its own.
import type { TestInfo } from '@playwright/test';

/** The timeout that we set last, and the value of `testInfo.timeout` after that. */
const lastSet = new WeakMap<TestInfo, { ms: number; told: number }>();

const isOurs = (testInfo: TestInfo) => lastSet.get(testInfo)?.told === testInfo.timeout;

export function addTime(testInfo: TestInfo, ms: number): void {
  // A timeout of 0 means none, as in debugging.
  if (!testInfo.timeout) return;
  const before = isOurs(testInfo) ? lastSet.get(testInfo)!.ms : testInfo.timeout;
  testInfo.setTimeout(before + ms);
  lastSet.set(testInfo, { ms: before + ms, told: testInfo.timeout });
}

/**
 * Adds a trial's time to its test's timeout.
 *
 * @param keptMs for what follows the trial in the test
 * @returns a function that takes back the unused time, so that code after the trial can't hang for so long. It does nothing if the
 * suite has set a timeout in the meantime.
 */
export function addTrialTime(testInfo: TestInfo, ms: number, keptMs = 0): () => void {
  const began = performance.now();
  addTime(testInfo, ms);
  return () => {
    const used = Math.round(performance.now() - began) + keptMs;
    if (isOurs(testInfo)) addTime(testInfo, Math.min(0, used - ms));
  };
}
