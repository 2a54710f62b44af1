// The timeout of a test, to which trials add their time. Checked on Playwright 1.64 and 1.65 (TimeoutManager): `testInfo.timeout` tells
// that of the test's own code, and `setTimeout` sets that of what runs: maybe a hook after the test, or a fixture with its own.
import type { TestInfo } from '@playwright/test';

/** What we set last, and what the test told then. */
const lastSet = new WeakMap<TestInfo, { ms: number; told: number }>();

const isOurs = (testInfo: TestInfo) => lastSet.get(testInfo)?.told === testInfo.timeout;

/** A timeout of 0 means none, as in debugging. */
export function addTime(testInfo: TestInfo, ms: number): void {
  if (!testInfo.timeout) return;
  const before = isOurs(testInfo) ? lastSet.get(testInfo)!.ms : testInfo.timeout;
  testInfo.setTimeout(before + ms);
  lastSet.set(testInfo, { ms: before + ms, told: testInfo.timeout });
}

/**
 * Adds a trial's time to its test's.
 *
 * @param keptMs for what follows it in the test
 * @returns gives back what it did not use: the test's code, a hook or a fixture after it may hang. If the suite has set a timeout
 * meanwhile, that holds
 */
export function addTrialTime(testInfo: TestInfo, ms: number, keptMs = 0): () => void {
  const began = performance.now();
  addTime(testInfo, ms);
  return () => {
    const used = Math.round(performance.now() - began) + keptMs;
    if (isOurs(testInfo)) addTime(testInfo, Math.min(0, used - ms));
  };
}
