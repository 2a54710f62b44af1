// How a verdict reaches Playwright's own bookkeeping. Checked on Playwright 1.65: reporters share the TestCase and TestResult
// objects, `onTestEnd` comes before Playwright counts the failure, and outcome() is computed from `expectedStatus` each
// time it is asked for. What is changed in `onTestEnd` of the last trial stands before any reporter's `onEnd`.
import type { TestCase, TestResult } from '@playwright/test/reporter';

/** Makes a failure that the pass policy tolerates an expected one: for `-x`, for the lists and for the exit status. */
export function tolerate(test: TestCase, result: TestResult): void {
  test.expectedStatus = result.status;
}

/** Makes it a failure again: the spec was lost after all, or a blob carried the mark of its shard alone. */
export function expectPass(test: TestCase): void {
  test.expectedStatus = 'passed';
}

/** The row of the test in the HTML report, where the k trials of a spec would otherwise look alike. */
export function relabel(test: TestCase, title: string): void {
  (test as { title: string }).title = title;
}

/** Shown on the trial's page in the HTML report, above its steps. */
export function annotate(result: TestResult, type: string, description: string): void {
  const known = result.annotations.find(annotation => annotation.type === type);
  if (known) known.description = description;
  else result.annotations.unshift({ type, description });
}

/** Takes an annotation back that was right when the trial ended, and is replaced by a verdict. */
export function unannotate(test: TestCase, result: TestResult, type: string): void {
  for (const annotations of [test.annotations, result.annotations]) {
    const index = annotations.findIndex(annotation => annotation.type === type);
    if (index >= 0) annotations.splice(index, 1);
  }
}

/**
 * An error to be thrown from `onEnd`: it stands at the top of the HTML report, and makes `playwright test` and
 * `merge-reports` exit with 1. Without a stack of ours.
 */
export function runError(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}
