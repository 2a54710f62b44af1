// All that the library relies on inside Playwright's runner, with the version that each part was checked on.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FullConfig, Suite, TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import type { TaskproofOptions } from './options';

/**
 * Set in the environment for the workers, which don't see the command line. Checked on Playwright 1.65: the resolved config can't
 * tell `--repeat-each=5` from `repeatEach: 5`, and UI mode, the test server and editors force one repeat.
 */
const REPEAT_EACH = 'TASKPROOF_REPEAT_EACH';

/** The N of `--repeat-each=N`; undefined without it. */
export function repeatEachOverride(argv: readonly string[] = process.argv): number | undefined {
  const repeats = Number(shared(REPEAT_EACH, flagValue(argv, '--repeat-each')));
  return Number.isInteger(repeats) && repeats > 0 ? repeats : undefined;
}

/** Reads a variable that the main process sets for its workers. */
function shared(variable: string, value: string | undefined): string | undefined {
  const { env } = process;
  if (env.TEST_WORKER_INDEX === undefined) delete env[variable];
  if (env.TEST_WORKER_INDEX === undefined && value !== undefined) env[variable] = value;
  return env[variable];
}

/** With `--list` nothing runs: there are no verdicts, and agents need not be able to run. */
export function isListing(argv: readonly string[] = process.argv): boolean {
  return argv.includes('--list');
}

/** Set in the environment of the workers, for the same reason. */
const INTERACTIVE = 'TASKPROOF_INTERACTIVE';

/**
 * Whether the command line selected only some tests; `--project` selects whole projects. Checked on Playwright 1.65: the config
 * can't tell a filter of the command line from its own.
 */
export function isFiltered(argv: readonly string[] = process.argv): boolean {
  // The arguments of merge-reports say nothing about the merged runs. The blobs do.
  if (!argv.includes('test')) return false;
  const args = argv.slice(argv.indexOf('test') + 1);
  const chooses =
    /^(-g|-gv|--grep|--grep-invert|--last-failed|--only-changed|--test-list|--test-list-invert)(=|$)/;
  return args.some((arg, index) => chooses.test(arg) || isFileFilter(arg, args.slice(0, index)));
}

/** Whether the command line selected projects: those of a whole run may be more. */
export function selectsProjects(argv: readonly string[] = process.argv): boolean {
  return argv.includes('test') && argv.some(arg => /^--project(=|$)/.test(arg));
}

/** Flags that take the next argument, or all up to the next flag, as their value. */
const TAKES_VALUE =
  /^(-c|-j|--(config|browser|global-timeout|workers|max-failures|name|output|repeat-each|reporter|retries|shard|timeout|trace|tsconfig|ui-host|ui-port|update-snapshots|update-source-method|debug))$/;

function isFileFilter(arg: string, before: readonly string[]): boolean {
  if (arg.startsWith('-') || TAKES_VALUE.test(before.at(-1) ?? '')) return false;
  return before.findLast(one => one.startsWith('-')) !== '--project';
}

/** The CI's id of a run whose jobs belong together. */
export function ciRun(env: NodeJS.ProcessEnv = process.env): string | null {
  const name = env.GITHUB_RUN_ID ?? env.CI_PIPELINE_ID ?? env.BUILD_BUILDID ?? env.CIRCLE_WORKFLOW_ID;
  return name ?? env.BUILDKITE_BUILD_ID ?? null;
}

/** UI mode, `--debug` and the servers of editors and coding agents run one trial that a person picked: there is no verdict. */
export function isInteractive(argv: readonly string[] = process.argv): boolean {
  const servers = ['--ui', '--debug', 'test-server', 'run-test-mcp-server'];
  const found = argv.some(arg => servers.includes(arg) || /^--(ui|debug)[=-]/.test(arg));
  return shared(INTERACTIVE, found ? '1' : undefined) !== undefined;
}

/** Set by an editor's server, to its process id, for the processes that it starts. */
const EDITOR = 'TASKPROOF_EDITOR';
if (process.argv.includes('test-server')) process.env[EDITOR] = String(process.pid);

/**
 * Whether this process lists tests for an editor, which shows each at its location. Elsewhere `--only-changed` and `--test-list`
 * take it for the test file's. Checked on Playwright 1.64 and 1.65: `test-server` starts a process that only loads the test files.
 */
export function listsForEditor({ env, ppid } = process): boolean {
  return env[EDITOR] === String(ppid) && env.TEST_WORKER_INDEX === undefined;
}

// In UI mode and for editors the main process only loads the config, before workers start.
repeatEachOverride();
isInteractive();

/** Without a config file, Playwright uses the folder that it was started in. */
export function folderOf({ configFile, rootDir }: Pick<FullConfig, 'configFile' | 'rootDir'>): string {
  return configFile ? dirname(configFile) : rootDir;
}

function flagValue(argv: readonly string[], flag: string): string | undefined {
  const index = argv.findLastIndex(arg => arg === flag || arg.startsWith(`${flag}=`));
  if (index < 0) return undefined;
  const arg = argv[index]!;
  return arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : argv[index + 1];
}

/**
 * Whether the terminal shows the errors of a run: one of the reporters prints them, or Playwright adds one that does, since
 * none of them prints anything (which it does not do in merge-reports). Reporters that are not known count as printing
 * something else. Checked on Playwright 1.65.
 */
export function printsErrors(
  { reporter }: Pick<FullConfig, 'reporter'>,
  isMerge: boolean,
  argv = process.argv,
): boolean {
  const names = flagValue(argv, '--reporter')?.split(',');
  const given: readonly (readonly [string, unknown?])[] = names ? names.map(name => [name]) : reporter;
  if (given.some(([name]) => /^(list|line|dot|github)$/.test(name))) return true;
  return !isMerge && given.every(([name, options]) => isSilent(name, options));
}

function isSilent(name: string, options: unknown): boolean {
  if (/^(html|blob)$|@taskproof[\\/]playwright|[\\/]dist[\\/]reporter\.js$/.test(name)) return true;
  return /^(json|junit)$/.test(name) && Boolean((options as { outputFile?: string } | undefined)?.outputFile);
}

// How a verdict changes Playwright's own results. Checked on Playwright 1.65: reporters share the TestCase and TestResult objects,
// `onTestEnd` comes before Playwright counts the failure, and outcome() is computed from `expectedStatus` on each call. So changes
// in `onTestEnd` of the last trial are in place before any reporter's `onEnd`.

/** Makes a tolerated failure an expected one: for `-x`, for the lists and for the exit status. */
export function tolerate(test: TestCase, result: TestResult): void {
  test.expectedStatus = result.status;
}

/** Makes it a failure again: the spec was lost after all, or the mark came from the blob of one shard. */
export function expectAsDeclared(test: TestCase, expected: 'passed' | 'failed' = 'passed'): void {
  test.expectedStatus = expected;
}

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
    // A result that has only begun counts as skipped, too.
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
 * Skips a test that no worker has taken yet. Checked on Playwright 1.64 and 1.65: the plans of `preprocess` (`testRun.skip`) are
 * kept here, and sent to the worker with the test.
 */
export function skipUnstarted(test: TestCase, reason: string): void {
  const { _applyPlanAnnotation: plan } = test as { _applyPlanAnnotation?: (annotation: object) => void };
  if (!test.results.length) plan?.call(test, { type: 'skip', description: reason });
}

/** Checked on Playwright 1.64 and 1.65: only the main process decides on retries, by this number. */
export function turnOffRetries(test: TestCase): void {
  test.retries = 0;
}

/** Whether the test is part of a serial describe, or of a serial file. Checked on Playwright 1.64 and 1.65. */
export function isSerial({ parent }: Pick<TestCase, 'parent'>): boolean {
  const { _parallelMode } = parent as Suite & { _parallelMode?: string };
  return _parallelMode === 'serial' || (parent.parent !== undefined && isSerial(parent as never));
}

/**
 * Renames a test in every report. Call it in `preprocess`: later, reporters would take it for another test. Test ids and `--grep`
 * use the declared title.
 */
export function rename(test: TestCase, title: string): void {
  (test as { title: string }).title = title;
}

const OUR_TAGS = /^@(verdict:\w+|tolerated|healed)$/;

/**
 * Replaces our tags on a test: the HTML report shows them beside the title, and filters by them. Checked on Playwright 1.65:
 * `tags` is a getter in a run and a field in merge-reports.
 */
export function retag(test: TestCase, ours: readonly string[]): void {
  const tags = (test as { _tags?: string[] })._tags ?? test.tags;
  tags.splice(0, tags.length, ...tags.filter(tag => !OUR_TAGS.test(tag)), ...ours);
}

/**
 * Adds or changes an annotation, which the HTML report shows above the steps. Checked on Playwright 1.65: JUnit and other reporters
 * read the test's annotations, the HTML report those of the result.
 */
export function annotate(test: TestCase, result: TestResult, type: string, description: string): void {
  for (const annotations of new Set([test.annotations, result.annotations])) {
    const known = annotations.find(annotation => annotation.type === type);
    if (known) known.description = description;
    else annotations.unshift({ type, description });
  }
}

/** Removes an annotation that the verdict makes obsolete. */
export function unannotate(test: TestCase, result: TestResult, type: string): void {
  for (const annotations of [test.annotations, result.annotations]) {
    const index = annotations.findIndex(annotation => annotation.type === type);
    if (index >= 0) annotations.splice(index, 1);
  }
}

type Picture = TestResult['attachments'][number];

/** The picture after a turn. */
export function pictureOf({ attachments }: TestResult, turn: number): Picture | undefined {
  return attachments.find(({ name }) => name === `turn-${turn}.jpg`);
}

/** Marks the step of a turn, for reporters that read results in their `onEnd`. */
export function markTurn(result: TestResult, turn: number, mark: string): void {
  const picture = pictureOf(result, turn);
  const step = picture && stepWith(result.steps, picture);
  if (step && !step.title.endsWith(mark)) step.title += ` ${mark}`;
}

/**
 * Shows the pictures of a passing and of a failed trial side by side in the failed one. Checked on Playwright 1.65: the HTML report
 * compares two images whose names differ only in `-expected` and `-actual`. These attachments are not in blobs: merge-reports
 * adds them again.
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
 * The type of the transcript, which terminals leave out: of each `text/` attachment of a failed test they print 300 characters.
 * Checked on Playwright 1.65: types are compared in lower case only, there and in the HTML report.
 */
export const QUIET_TEXT = 'Text/plain';

const specLines = new WeakMap<object, string>();

/** Removes the lines of the spec from the errors of a trial, so that terminals don't print them. */
export function hideDetails({ errors }: TestResult): void {
  for (const error of errors) {
    if (!error.snippet || !/\.ya?ml$/.test(error.location?.file ?? '')) continue;
    specLines.set(error, error.snippet);
    delete error.snippet;
  }
}

/** Brings them back, and shows transcripts on the trial's page instead of linking to them: for the HTML report, which reads both now. */
export function showDetails({ errors, attachments }: TestResult): void {
  for (const error of errors) if (specLines.has(error)) error.snippet = specLines.get(error)!;
  for (const each of attachments) if (each.contentType === QUIET_TEXT) each.contentType = 'text/plain';
}

function stepWith(steps: readonly TestStep[], attachment: Picture): TestStep | undefined {
  for (const step of steps) {
    const found = step.attachments.includes(attachment) ? step : stepWith(step.steps, attachment);
    if (found) return found;
  }
  return undefined;
}

/**
 * An error to throw from `onEnd`: the HTML report shows it at the top, and `playwright test` and `merge-reports` exit with 1.
 * It has no stack.
 */
export function runError(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}

/**
 * Makes `--last-failed` rerun all trials of a lost spec: `.last-run.json` names only the failed ones, which give no verdict.
 * Checked on Playwright 1.65 (LastRunReporter): the file is written after our `onEnd` and before `onExit`, to the output folder of
 * the first project that runs.
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
      // Playwright writes the file only in whole runs. Without it, there is nothing to do.
    }
  }
}

/**
 * Makes secrets serialize as their names; code can still read the values. Checked on Playwright 1.65: the JSON reporter writes the
 * whole config, including `use` of each project.
 */
export function hideSecrets(config: FullConfig): void {
  for (const { use } of config.projects) {
    const { secrets } = (use as { taskproof?: TaskproofOptions }).taskproof ?? {};
    if (typeof secrets !== 'object' || secrets === null || Object.isFrozen(secrets)) continue;
    const names = Object.fromEntries(Object.keys(secrets).map(name => [name, `<secret>${name}</secret>`]));
    Object.defineProperty(secrets, 'toJSON', { value: () => names, enumerable: false, configurable: true });
  }
}
