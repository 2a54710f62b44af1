// What only the command line says of a run; workers learn it from variables that the main process sets. Checked on Playwright 1.65.1.
import type { FullConfig } from '@playwright/test/reporter';

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

/** Whether reports are merged. */
export function isMerging(argv: readonly string[] = process.argv): boolean {
  return argv.includes('merge-reports');
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

/** Whether the command line says how many workers there are, as `--workers=4`, `-j 4` or `-j4`. */
export function workersOfCommandLine(argv: readonly string[] = process.argv): boolean {
  return argv.includes('test') && argv.some(arg => /^(--workers(=|$)|-j)/.test(arg));
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
