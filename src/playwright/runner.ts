// What the library relies on inside Playwright's runner, each checked on the version that it names. Nothing else does.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FullConfig, Suite, TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import type { TaskproofOptions } from './options';

/**
 * Set in the environment of the workers: they don't see the command line. Checked on Playwright 1.65: the resolved config
 * does not tell `--repeat-each=5` from `repeatEach: 5`, and UI mode, the test server and editors force one repeat.
 */
const REPEAT_EACH = 'TASKPROOF_REPEAT_EACH';

/** The N of `--repeat-each=N`; undefined without it. */
export function repeatEachOverride(argv: readonly string[] = process.argv): number | undefined {
  if (process.env.TEST_WORKER_INDEX === undefined) {
    const given = flagValue(argv, '--repeat-each');
    if (given === undefined) delete process.env[REPEAT_EACH];
    else process.env[REPEAT_EACH] = given;
  }
  const repeats = Number(process.env[REPEAT_EACH]);
  return Number.isInteger(repeats) && repeats > 0 ? repeats : undefined;
}

/** `--list`: nothing runs, so nothing is checked that only a run needs, and nothing is judged. */
export function isListing(argv: readonly string[] = process.argv): boolean {
  return argv.includes('--list');
}

/** Set in the environment of the workers, for the same reason. */
const INTERACTIVE = 'TASKPROOF_INTERACTIVE';

/**
 * Whether the command line chose a part of the tests; `--project` chooses whole projects. Checked on Playwright 1.65: the config
 * does not tell a filter of the command line from one of the config.
 */
export function isFiltered(argv: readonly string[] = process.argv): boolean {
  // merge-reports has other arguments: what a blob's run was, the blob says.
  if (!argv.includes('test')) return false;
  const args = argv.slice(argv.indexOf('test') + 1);
  const chooses =
    /^(-g|-gv|--grep|--grep-invert|--last-failed|--only-changed|--test-list|--test-list-invert)(=|$)/;
  return args.some((arg, index) => chooses.test(arg) || isFileFilter(arg, args.slice(0, index)));
}

/** Flags that take the next argument for their value, or all up to the next flag. */
const TAKES_VALUE =
  /^(-c|-j|--(config|browser|global-timeout|workers|max-failures|name|output|repeat-each|reporter|retries|shard|timeout|trace|tsconfig|ui-host|ui-port|update-snapshots|update-source-method|debug))$/;

function isFileFilter(arg: string, before: readonly string[]): boolean {
  if (arg.startsWith('-') || TAKES_VALUE.test(before.at(-1) ?? '')) return false;
  return before.findLast(one => one.startsWith('-')) !== '--project';
}

/** What CI systems call a run that several jobs are parts of. */
export function ciRun(env: NodeJS.ProcessEnv = process.env): string | null {
  const name = env.GITHUB_RUN_ID ?? env.CI_PIPELINE_ID ?? env.BUILD_BUILDID ?? env.CIRCLE_WORKFLOW_ID;
  return name ?? env.BUILDKITE_BUILD_ID ?? null;
}

/** UI mode, the servers of editors and coding agents, and `--debug` run one trial of what a person picked: never a verdict. */
export function isInteractive(argv: readonly string[] = process.argv): boolean {
  if (process.env.TEST_WORKER_INDEX === undefined) {
    const found = argv.some(
      arg =>
        ['--ui', '--debug', 'test-server', 'run-test-mcp-server'].includes(arg) ||
        /^--(ui|debug)[=-]/.test(arg),
    );
    if (found) process.env[INTERACTIVE] = '1';
    else delete process.env[INTERACTIVE];
  }
  return process.env[INTERACTIVE] !== undefined;
}

// In UI mode and for editors the main process loads the config alone, and that before any worker starts.
repeatEachOverride();
isInteractive();

/** Without a config file Playwright takes the folder that it was started in. */
export function folderOf({ configFile, rootDir }: Pick<FullConfig, 'configFile' | 'rootDir'>): string {
  return configFile ? dirname(configFile) : rootDir;
}

function flagValue(argv: readonly string[], flag: string): string | undefined {
  const index = argv.findLastIndex(arg => arg === flag || arg.startsWith(`${flag}=`));
  if (index < 0) return undefined;
  const arg = argv[index]!;
  return arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : argv[index + 1];
}

// How a verdict reaches Playwright's own bookkeeping. Checked on Playwright 1.65: reporters share the TestCase and TestResult
// objects, `onTestEnd` comes before Playwright counts the failure, and outcome() is computed from `expectedStatus` each
// time it is asked for. What is changed in `onTestEnd` of the last trial stands before any reporter's `onEnd`.

/** Makes a failure that the pass policy tolerates an expected one: for `-x`, for the lists and for the exit status. */
export function tolerate(test: TestCase, result: TestResult): void {
  test.expectedStatus = result.status;
}

/** Makes it a failure again: the spec was lost after all, or a blob carried the mark of its shard alone. */
export function expectAsDeclared(test: TestCase, expected: 'passed' | 'failed' = 'passed'): void {
  test.expectedStatus = expected;
}

/**
 * Calls back once for each result of a test that ran, before the first reporter looks at the test: those that print as tests end
 * may be listed before ours. Checked on Playwright 1.64 and 1.65 (JobDispatcher): at a test's end it fills in the result, sets
 * `expectedStatus`, and reads it once to know whether the worker has failed and must go; that it has to be told as it is. Of a
 * worker that died it sets nothing.
 */
export function beforeReporters(test: TestCase, ended: (result: TestResult) => void): void {
  let { expectedStatus } = test;
  let isSet = false;
  const told = new Set<TestResult>();
  const tell = () => {
    const result = test.results.at(-1);
    // So is a result that has only begun.
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
      expectedStatus = status;
      isSet = !told.has(test.results.at(-1)!);
    },
    enumerable: true,
    configurable: true,
  });
}

/**
 * Lets a test that no worker has taken yet be skipped. Checked on Playwright 1.64 and 1.65: what a reporter plans in `preprocess`
 * (`testRun.skip`) is kept here, and sent to the worker with the test.
 */
export function skipUnstarted(test: TestCase, reason: string): void {
  const { _applyPlanAnnotation: plan } = test as { _applyPlanAnnotation?: (annotation: object) => void };
  if (!test.results.length) plan?.call(test, { type: 'skip', description: reason });
}

/** Checked on Playwright 1.64 and 1.65: the main process alone decides on retries, by this number. */
export function turnOffRetries(test: TestCase): void {
  test.retries = 0;
}

/** Whether the test is part of a serial describe, or of a serial file. Checked on Playwright 1.64 and 1.65. */
export function isSerial({ parent }: Pick<TestCase, 'parent'>): boolean {
  const { _parallelMode } = parent as Suite & { _parallelMode?: string };
  return _parallelMode === 'serial' || (parent.parent !== undefined && isSerial(parent as never));
}

/**
 * Renames a test in every report. To be called in `preprocess`: a reporter that has seen another title takes it for another
 * test. Test ids and `--grep` come from the declared title.
 */
export function rename(test: TestCase, title: string): void {
  (test as { title: string }).title = title;
}

const OUR_TAGS = /^@(verdict:\w+|tolerated|healed)$/;

/**
 * Puts our tags in the place of those that a test had: the HTML report shows them beside the title, and filters by them.
 * Checked on Playwright 1.65: `tags` is a getter in a run and a field in merge-reports.
 */
export function retag(test: TestCase, ours: readonly string[]): void {
  const tags = (test as { _tags?: string[] })._tags ?? test.tags;
  tags.splice(0, tags.length, ...tags.filter(tag => !OUR_TAGS.test(tag)), ...ours);
}

/**
 * Shown on the trial's page in the HTML report, above its steps. Checked on Playwright 1.65: JUnit's properties and other
 * reporters come from the test's annotations, the HTML report's from the result's.
 */
export function annotate(test: TestCase, result: TestResult, type: string, description: string): void {
  for (const annotations of new Set([test.annotations, result.annotations])) {
    const known = annotations.find(annotation => annotation.type === type);
    if (known) known.description = description;
    else annotations.unshift({ type, description });
  }
}

/** Takes an annotation back that was right when the trial ended, and is replaced by a verdict. */
export function unannotate(test: TestCase, result: TestResult, type: string): void {
  for (const annotations of [test.annotations, result.annotations]) {
    const index = annotations.findIndex(annotation => annotation.type === type);
    if (index >= 0) annotations.splice(index, 1);
  }
}

type Picture = TestResult['attachments'][number];

/** The picture of a trial after one of its turns. */
export function pictureOf({ attachments }: TestResult, turn: number): Picture | undefined {
  return attachments.find(({ name }) => name === `turn-${turn}.jpg`);
}

/** Marks the step of a turn. As with all below that a result is changed by: for reporters that read it in their `onEnd`. */
export function markTurn(result: TestResult, turn: number, mark: string): void {
  const picture = pictureOf(result, turn);
  const step = picture && stepWith(result.steps, picture);
  if (step && !step.title.endsWith(mark)) step.title += ` ${mark}`;
}

/**
 * Shows the pictures of a passing and of a failed trial side by side in the failed one. Checked on Playwright 1.65: the HTML
 * report shows two attachments whose names differ in `-expected` and `-actual` in its viewer for images that differ. What is
 * pushed here is in no blob: merge-reports comes here again.
 */
export function showSideBySide(
  result: TestResult,
  name: string,
  { expected, actual }: { expected: Picture; actual: Picture },
): void {
  result.attachments.push(
    { ...expected, name: `${name}-expected.jpg` },
    { ...actual, name: `${name}-actual.jpg` },
  );
}

/**
 * The type of the transcript. Terminals print the first 300 characters of each `text/` attachment of a failed test. Checked on
 * Playwright 1.65: they and the HTML report compare types in lower case only.
 */
export const QUIET_TEXT = 'Text/plain';

/** Shows transcripts on the page of the trial: of a type that it does not know, the HTML report shows a link. */
export function showTranscript({ attachments }: TestResult): void {
  for (const each of attachments) if (each.contentType === QUIET_TEXT) each.contentType = 'text/plain';
}

/** Leaves out the lines of the spec that terminals print below an error of ours: the HTML report shows them with the steps. */
export function withoutSpecLines({ errors }: TestResult): void {
  for (const error of errors) if (/\.ya?ml$/.test(error.location?.file ?? '')) delete error.snippet;
}

function stepWith(steps: readonly TestStep[], attachment: Picture): TestStep | undefined {
  for (const step of steps) {
    const found = step.attachments.includes(attachment) ? step : stepWith(step.steps, attachment);
    if (found) return found;
  }
  return undefined;
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

/**
 * `--last-failed` reruns the tests that `.last-run.json` names: of a lost spec the failed trials alone, which can't be judged.
 * So their siblings are added. Checked on Playwright 1.65 (LastRunReporter): the file is written after our `onEnd` and
 * before `onExit`, to the output folder of the first project that runs.
 *
 * @param specs for each spec the ids of its trials' tests
 */
export async function rerunWholeSpecs(
  config: FullConfig,
  specs: readonly (readonly string[])[],
): Promise<void> {
  const given = process.env.PLAYWRIGHT_LAST_RUN_OUTPUT_FILE;
  const files = given
    ? [given]
    : [...new Set(config.projects.map(({ outputDir }) => join(outputDir, '.last-run.json')))];
  for (const file of files) {
    try {
      const lastRun = JSON.parse(await readFile(file, 'utf8')) as { failedTests: string[] };
      const failed = new Set(lastRun.failedTests);
      const count = failed.size;
      for (const ids of specs) if (ids.some(id => failed.has(id))) for (const id of ids) failed.add(id);
      if (failed.size > count)
        await writeFile(file, JSON.stringify({ ...lastRun, failedTests: [...failed] }, null, 2));
    } catch {
      // No such file: Playwright writes it for whole runs alone. It is a convenience, never a reason to fail.
    }
  }
}

/**
 * Lets the secrets of all projects be written as their names; code that reads the values still can. Checked on Playwright
 * 1.65: the JSON reporter writes the whole config, `use` of each project included.
 */
export function hideSecrets(config: FullConfig): void {
  for (const { use } of config.projects) {
    const { secrets } = (use as { taskproof?: TaskproofOptions }).taskproof ?? {};
    if (typeof secrets !== 'object' || secrets === null || Object.isFrozen(secrets)) continue;
    const names = Object.fromEntries(Object.keys(secrets).map(name => [name, `<secret>${name}</secret>`]));
    Object.defineProperty(secrets, 'toJSON', { value: () => names, enumerable: false, configurable: true });
  }
}
