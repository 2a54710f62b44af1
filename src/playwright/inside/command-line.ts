// What only the command line says about a run. Workers learn it from variables that the main process sets. Checked on Playwright 1.64
// and 1.65: in the resolved config, `--repeat-each=5` looks like `repeatEach: 5`, and a filter of the command line like the config's.
// UI mode, the test server and editors force one repeat.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { FullConfig } from '@playwright/test/reporter';

/** The flags of `playwright test` that take or may take a value, with their short forms. */
const WITH_VALUE =
  'add-reporter browser config/c debug global-timeout grep/g grep-invert/G last-failed-file max-failures name only-changed output project repeat-each reporter retries run-agents shard shuffle test-list test-list-invert timeout trace tsconfig ui-host ui-port update-snapshots/u update-source-method workers/j';
/** Those that take the next word only if it is no flag. */
const MAY_HAVE_VALUE = /^(?:-u|--(?:debug|only-changed|shuffle|update-snapshots))$/;
const flags = WITH_VALUE.split(' ').map(flag => flag.split('/') as [name: string, short?: string]);
const options = Object.fromEntries(
  flags.map(([name, short]) => [name, { type: 'string' as const, ...(short && { short }) }]),
);

/** After Node and the program. Projects and folders may be called `test`, too. */
const commandOf = (argv: readonly string[]) => argv.slice(2).find(arg => !arg.startsWith('-')) ?? '';

function parse(argv: readonly string[]) {
  const given = argv.slice(argv.indexOf(commandOf(argv), 2) + 1);
  const hasNone = (arg: string, index: number) =>
    MAY_HAVE_VALUE.test(arg) && (given[index + 1] ?? '-').startsWith('-');
  const args = given.map((arg, index) =>
    hasNone(arg, index) ? `${arg.replace(/^-u$/, '--update-snapshots')}=` : arg,
  );
  return parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
}

const has = (argv: readonly string[], flag: string) =>
  commandOf(argv) === 'test' && parse(argv).values[flag] !== undefined;

/** The N of `--repeat-each=N`; undefined without it. */
export function repeatEachOverride(argv: readonly string[] = process.argv): number | undefined {
  const repeats = Number(shared('TASKPROOF_REPEAT_EACH', parse(argv).values['repeat-each']));
  return Number.isInteger(repeats) && repeats > 0 ? repeats : undefined;
}

/** The config's file, as the main process finds it; undefined if there is none. */
export const configFileOfRun = (argv?: readonly string[]) => shared('TASKPROOF_CONFIG', configFileIn(argv));

function configFileIn(argv: readonly string[] = process.argv): string | undefined {
  const { config } = parse(argv).values;
  const given = resolve(typeof config === 'string' ? config : '.');
  const names = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'].map(each =>
    join(given, `playwright.config.${each}`),
  );
  const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile();
  return [given, ...names].find(isFile);
}

/** Not a run that a test starts: it inherits the variable, but has no channel to a main process. */
export const isWorker = () => process.env.TEST_WORKER_INDEX !== undefined && process.send !== undefined;

/** Reads a variable that the main process sets for its workers, which don't see the command line. */
function shared(variable: string, value: unknown): string | undefined {
  const { env } = process;
  if (!isWorker()) delete env[variable];
  if (!isWorker() && typeof value === 'string') env[variable] = value;
  return env[variable];
}

/** With `--list` nothing runs: there are no verdicts, and agents need not be able to run. */
export const isListing = (argv: readonly string[] = process.argv) => has(argv, 'list');

/** Whether this process is `playwright test` itself, and not another tool with an argument of that name. */
export function isTestCommand(argv: readonly string[] = process.argv): boolean {
  const isCli = /[\\/](?:playwright(?:\.\w+)?|@?playwright[\\/](?:test[\\/])?cli\.js)$/.test(argv[1] ?? '');
  return isCli && !isWorker() && commandOf(argv) === 'test';
}

export const isMerging = (argv: readonly string[] = process.argv) => commandOf(argv) === 'merge-reports';

/** Whether the command line selected only some tests. `--project` selects whole projects, so it doesn't count. */
export function isFiltered(argv: readonly string[] = process.argv): boolean {
  if (commandOf(argv) !== 'test') return false;
  const { values, tokens } = parse(argv);
  const flags = ['grep', 'grep-invert', 'last-failed', 'only-changed', 'test-list', 'test-list-invert'];
  if (flags.some(flag => values[flag] !== undefined)) return true;
  return tokens.some(({ kind }, index) => {
    const flag = tokens.slice(0, index).findLast(token => token.kind === 'option');
    // All words after `--project` up to the next flag name projects.
    return kind === 'positional' && (flag?.name !== 'project' || flag.inlineValue);
  });
}

/** Whether the command line selected projects: a whole run may have more. */
export const selectsProjects = (argv: readonly string[] = process.argv) => has(argv, 'project');

export const workersOfCommandLine = (argv: readonly string[] = process.argv) => has(argv, 'workers');

/** The CI's id of a run whose jobs belong together. */
export function ciRun(env: NodeJS.ProcessEnv = process.env): string | null {
  const name = env.GITHUB_RUN_ID ?? env.CI_PIPELINE_ID ?? env.BUILD_BUILDID ?? env.CIRCLE_WORKFLOW_ID;
  return name ?? env.BUILDKITE_BUILD_ID ?? null;
}

/** Whether a person picks single trials, so that there is no verdict: UI mode, `--debug`, servers of editors and coding agents. */
export function isInteractive(argv: readonly string[] = process.argv): boolean {
  const found =
    ['test-server', 'run-test-mcp-server'].includes(commandOf(argv)) ||
    ['ui', 'ui-host', 'ui-port', 'debug'].some(flag => has(argv, flag));
  return shared('TASKPROOF_INTERACTIVE', found ? '1' : undefined) !== undefined;
}

/** An editor's server sets it to its process id, for the processes that it starts. */
const EDITOR = 'TASKPROOF_EDITOR';
if (commandOf(process.argv) === 'test-server') process.env[EDITOR] = String(process.pid);

/**
 * Whether this process lists tests for an editor, which shows each test at its location. In other runs a test must be located in its
 * test file, for `--only-changed` and `--test-list`. Checked on Playwright 1.64 and 1.65: `test-server` starts a process that only
 * loads the test files.
 */
export function listsForEditor({ env, ppid } = process): boolean {
  return env[EDITOR] === String(ppid) && env.TEST_WORKER_INDEX === undefined;
}

// In UI mode and for editors the main process only loads the config, before workers start.
configFileOfRun();
repeatEachOverride();
isInteractive();

/**
 * Whether the terminal shows the errors of a run. Either a reporter prints them or, if no reporter prints anything, Playwright adds one
 * that does (not in merge-reports). Unknown reporters count as printing something else. Checked on Playwright 1.65.
 */
export function printsErrors(
  { reporter }: Pick<FullConfig, 'reporter'>,
  isMerge: boolean,
  argv = process.argv,
): boolean {
  const { reporter: names } = parse(argv).values;
  const given: readonly (readonly [string, unknown?])[] =
    typeof names === 'string' ? names.split(',').map(name => [name]) : reporter;
  if (given.some(([name]) => /^(list|line|dot|github)$/.test(name))) return true;
  return !isMerge && given.every(([name, options]) => isSilent(name, options));
}

export const isOurReporter = (name: string) =>
  /@taskproof[\\/]playwright|[\\/]dist[\\/]reporter\.js$/.test(name);

function isSilent(name: string, options: unknown): boolean {
  if (/^(html|blob)$/.test(name) || isOurReporter(name)) return true;
  return /^(json|junit)$/.test(name) && Boolean((options as { outputFile?: string } | undefined)?.outputFile);
}
