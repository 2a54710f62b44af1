// Changes Playwright's own results by our verdicts, for which there is no public call, and what the HTML report and `--last-failed`
// take from results. Checked on Playwright 1.65.1: reporters share the TestCase and TestResult objects, `onTestEnd` comes before
// Playwright counts the failure, and outcome() is computed from `expectedStatus` on each call. So changes in `onTestEnd` of the last
// trial are in place before any reporter's `onEnd`.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FullConfig, Suite, TestCase, TestResult, TestRun, TestStep } from '@playwright/test/reporter';
import { runError } from './errors';

/**
 * Calls back once for each result of a test that ran, before the first reporter sees it: reporters that print as tests end may be
 * listed before ours. Checked on Playwright 1.64 and 1.65 (JobDispatcher): when a test ends, it fills in the result, sets
 * `expectedStatus`, and reads it once to know whether to replace the worker. That first read must see the real value. If the worker
 * died, it sets nothing.
 */
export function beforeReporters(test: TestCase, ended: (result: TestResult) => void): void {
  let { expectedStatus } = test;
  let isSet = false;
  const told = new Set<TestResult>();
  const tell = () => {
    const result = test.results.at(-1);
    // Until a test ends, its result counts as skipped.
    if (!result || result.status === 'skipped' || told.has(result)) return;
    told.add(result);
    ended(result);
  };
  Object.defineProperty(test, 'expectedStatus', {
    get() {
      if (!isSet) tell();
      isSet = false;
      return expectedStatus;
    },
    set(status: TestCase['expectedStatus']) {
      const result = test.results.at(-1)!;
      const isEarlier = earlierResults.has(result);
      // A worker that skips the test sets both.
      if (isEarlier) test.annotations = [...result.annotations];
      if (!isEarlier || status !== 'skipped') expectedStatus = status;
      isSet = !isEarlier && !told.has(result);
    },
    enumerable: true,
    configurable: true,
  });
}

export type EarlierResult = Pick<
  TestResult,
  'status' | 'duration' | 'errors' | 'annotations' | 'attachments'
>;

const earlierResults = new WeakSet<TestResult>();

/**
 * Gives a test the result of an earlier run, in place of running it. Call it in `preprocess`; `skipUnstarted` and then
 * `beforeReporters` later. Checked on Playwright 1.64 and 1.65 (JobDispatcher): each result begins in
 * `_appendTestResult`, and is filled in until the reporters' `onTestEnd`.
 *
 * @param expected how the test was declared to end
 */
export function endAsEarlier(
  test: TestCase,
  { attachments, ...earlier }: EarlierResult,
  expected: TestCase['expectedStatus'],
): void {
  const inside = test as unknown as { _appendTestResult?: () => TestResult };
  const append = inside._appendTestResult;
  if (!append)
    throw runError(
      "taskproof: this version of Playwright can't resume a run. Update @taskproof/playwright, or start again with npx playwright test.",
    );
  inside._appendTestResult = () => {
    const result = append.call(test);
    earlierResults.add(result);
    result.attachments.push(...attachments);
    for (const [key, value] of Object.entries({ ...earlier, error: earlier.errors[0] }))
      Object.defineProperty(result, key, { get: () => value, set: () => undefined, enumerable: true });
    test.expectedStatus = expected;
    return result;
  };
}

/**
 * Call it in `onTestEnd` of a test that ended in an earlier run: its failure does not count towards `maxFailures` again, or a run that
 * failures stopped could never go on. Checked on Playwright 1.64 and 1.65: it counts the failure after `onTestEnd`, and reads the
 * config's number each time.
 */
export function allowFailure(test: TestCase, config: FullConfig): void {
  if (config.maxFailures > 0 && test.outcome() === 'unexpected') config.maxFailures++;
}

/**
 * Skips a test that no worker has taken yet. No worker starts for it. Don't call it in `preprocess`: Playwright does not count skipped
 * tests when it makes shards, so a shard would get other tests. Checked on Playwright 1.64 and 1.65: the plans of `preprocess`
 * (`testRun.skip`) are kept here, and sent to the worker with the test.
 */
export function skipUnstarted(test: TestCase, reason: string): void {
  const { _applyPlanAnnotation: plan } = test as { _applyPlanAnnotation?: (annotation: object) => void };
  if (!test.results.length) plan?.call(test, { type: 'skip', description: reason });
}

/**
 * Whether Playwright left the test out because something before it failed: a hook, a worker, a test of a serial describe. Checked on
 * Playwright 1.64 and 1.65: such a test is skipped, but not expected to be. `skip` and `fixme` expect it.
 */
export function wasLeftOut(
  { expectedStatus, results }: Pick<TestCase, 'expectedStatus' | 'results'>,
  ended: readonly Pick<TestResult, 'status'>[] = results,
): boolean {
  return expectedStatus !== 'skipped' && ended.every(({ status }) => status === 'skipped');
}

/**
 * Takes a test out of the run. Call it in `preprocess`. Playwright refuses to in projects that others have as a dependency or teardown,
 * since these should run in full; a surplus repeat is no part of them. Checked on Playwright 1.64 and 1.65 (ReporterTestRunImpl.exclude):
 * behind its check, it does no more.
 */
export function leaveOut(test: TestCase, testRun: TestRun): void {
  try {
    testRun.exclude(test);
  } catch (error) {
    const suite = test.parent as Suite & { _detach?(test: TestCase): void };
    if (!suite._detach) throw error;
    suite._detach(test);
  }
}

/** Whether the test is part of a serial describe, or of a serial file. Checked on Playwright 1.64 and 1.65. */
export function isSerial({ parent }: Pick<TestCase, 'parent'>): boolean {
  const { _parallelMode } = parent as Suite & { _parallelMode?: string };
  return _parallelMode === 'serial' || (parent.parent !== undefined && isSerial(parent as never));
}

const OUR_TAGS = /^@(verdict:\w+|tolerated|healed)$/;

/** The HTML report filters by tags. Checked on Playwright 1.65: `tags` is a getter in a run and a field in merge-reports. */
export function retag(test: TestCase, ours: readonly string[]): void {
  const tags = (test as { _tags?: string[] })._tags ?? test.tags;
  tags.splice(0, tags.length, ...tags.filter(tag => !OUR_TAGS.test(tag)), ...ours);
}

/** Checked on Playwright 1.65: JUnit and other reporters read the test's annotations, the HTML report those of the result. */
export function annotate(test: TestCase, result: TestResult, type: string, description: string): void {
  for (const annotations of new Set([test.annotations, result.annotations])) {
    const known = annotations.find(annotation => annotation.type === type);
    if (known) known.description = description;
    else annotations.unshift({ type, description });
  }
}

export function unannotate(test: TestCase, result: TestResult, type: string): void {
  for (const annotations of [test.annotations, result.annotations]) {
    const index = annotations.findIndex(annotation => annotation.type === type);
    if (index >= 0) annotations.splice(index, 1);
  }
}

/**
 * Makes `--last-failed` rerun all trials of a spec that did not pass: by itself, `.last-run.json` names only failed trials, too few for
 * a verdict, and none of a spec whose trials were skipped. Checked on Playwright 1.65 (LastRunReporter): the file is written after our
 * `onEnd` and before `onExit`, to the output folder of the first project that runs.
 *
 * @param specs with the ids of the tests of their trials
 */
export async function rerunWholeSpecs(
  config: FullConfig,
  specs: readonly { ids: readonly string[]; isLost: boolean }[],
): Promise<void> {
  const { PLAYWRIGHT_LAST_RUN_OUTPUT_FILE: given } = process.env;
  const own = config.projects.map(({ outputDir }) => join(outputDir, '.last-run.json'));
  for (const file of given ? [given] : new Set(own)) {
    try {
      const lastRun = JSON.parse(await readFile(file, 'utf8')) as { failedTests: string[] };
      const failed = new Set(lastRun.failedTests);
      const again = specs.filter(({ ids, isLost }) => isLost || ids.some(id => failed.has(id)));
      if (!again.length) continue;
      const failedTests = [...new Set([...failed, ...again.flatMap(({ ids }) => ids)])];
      await writeFile(file, JSON.stringify({ ...lastRun, status: 'failed', failedTests }, null, 2));
    } catch {
      // There is nothing to do without the file, which Playwright writes only in whole runs.
    }
  }
}

type Picture = TestResult['attachments'][number];

export function pictureOfTurn({ attachments }: TestResult, turn: number): Picture | undefined {
  return attachments.find(({ name }) => name === `turn-${turn}.jpg`);
}

export function markTurn(result: TestResult, turn: number, mark: string): void {
  const picture = pictureOfTurn(result, turn);
  const step = picture && stepWith(result.steps, picture);
  if (step && !step.title.endsWith(mark)) step.title += ` ${mark}`;
}

/**
 * Shows the pictures of a passed and a failed trial side by side. Checked on Playwright 1.65: the HTML report compares two images
 * whose names differ only in `-expected` and `-actual`. Blobs lack them, so merge-reports adds them again.
 */
export function showSideBySide(
  { attachments }: TestResult,
  name: string,
  pictures: Record<'expected' | 'actual', Picture>,
): void {
  for (const [side, picture] of Object.entries(pictures))
    attachments.push({ ...picture, name: `${name}-${side}.jpg` });
}

const specLines = new WeakMap<object, string>();

/** Removes the lines of the spec's file from the errors of a trial, so that terminals don't print them. */
export function hideDetails({ errors }: TestResult): void {
  for (const error of errors) {
    if (!error.snippet || !/\.ya?ml$/.test(error.location?.file ?? '')) continue;
    specLines.set(error, error.snippet);
    delete error.snippet;
  }
}

/** For the HTML report, brings those lines back, and shows transcripts on the trial's page instead of linking to them. */
export function showDetails({ errors, attachments }: TestResult): void {
  for (const error of errors) if (specLines.has(error)) error.snippet = specLines.get(error)!;
  for (const each of attachments) if (each.contentType === 'Text/plain') each.contentType = 'text/plain';
}

function stepWith(steps: readonly TestStep[], attachment: Picture): TestStep | undefined {
  if (!steps.length) return undefined;
  const inside = steps.flatMap(step => step.steps);
  return steps.find(step => step.attachments.includes(attachment)) ?? stepWith(inside, attachment);
}

/**
 * Whether the trial wrote a missing snapshot: later trials would be compared with what nobody has seen. Checked on Playwright 1.65.1
 * (matchers): toMatchSnapshot, toHaveScreenshot and toMatchAriaSnapshot have this message.
 */
export const wroteSnapshot = ({ errors }: Pick<TestResult, 'errors'>) =>
  errors.some(({ message = '' }) => /A snapshot doesn't exist at .*, writing actual/.test(message));
