// What configs and test files call: `taskproofTests`, `repeats` and `passPolicy`.
import { dirname, relative, resolve } from 'node:path';
import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestDetails,
  TestType,
} from '@playwright/test';
import { z } from 'zod';
import type { Policy } from '../data/verdict';
import { checkOptions, type OptionSchemas, OptionsError } from '../options';
import type { PassPolicy, TaskSpec } from '../spec';
import { errorPlace, type SourceLocation } from '../spec/errors';
import { type LoadedSpec, loadTaskSpecs } from '../spec/load';
import { passPolicySchema } from '../spec/schema';
import { secretsNamed } from '../text/mask';
import { policyForRepeats } from '../verdicts/policy';
import {
  suiteTest,
  type TaskproofTestOptions,
  type TrialFixtures,
  warn,
  warnOfNoVerdict,
  withTrials,
} from './fixtures';
import {
  type Check,
  expectSpecsOfHooks,
  type ForSpecs,
  hookSchema,
  hooksOf,
  type Prepare,
  withFixturesOf,
} from './hooks';
import { type CallSite, callFrom, callSiteFile, callSiteOf, dependOn } from './inside/calls';
import { isWorker, listsForEditor, repeatEachOverride } from './inside/command-line';
import { errorAt } from './inside/errors';
import { followRepeats } from './inside/repeats';
import { requirePlaywright } from './inside/version';
import { openLedgerWithoutReporter } from './run/ledger';
import { FROM_REPEATS } from './run/options';
import { BROKEN, POLICY_TAG, planAnnotations, policyAnnotation, textAnnotations } from './run/plan';
import { posix } from './run/settings';

export interface TaskproofTestsOptions<
  Fixtures extends object = PlaywrightTestArgs & PlaywrightTestOptions & TaskproofTestOptions,
  OfWorker extends object = PlaywrightWorkerArgs & PlaywrightWorkerOptions,
> {
  /** The suite's own extended `test`, for its fixtures and logged-in `page`. Default: Playwright's. */
  test?: TestType<Fixtures, OfWorker>;
  /** Folder that globs are relative to. Default: the calling file's. */
  cwd?: string;
  /** More tags for these specs; a missing `@` is added. Default: none. */
  tags?: readonly string[];
  /** Declares only the specs for which it returns true. Default: all. */
  filter?: (spec: TaskSpec) => boolean;
  /**
   * Runs before a trial opens its page, with the fixtures that it names. Returns values for placeholders: `{ user: 'ada' }` for
   * `{{user}}`. An object gives each spec its own by id. Default: none.
   */
  prepare?: ForSpecs<Prepare<Fixtures & OfWorker>>;
  /**
   * Grades a trial after its assertions, with the fixtures that it names: `async ({ record, page, db }) => { expect(...) }`. An object gives each spec its own by id. Default: none.
   */
  check?: ForSpecs<Check<Fixtures & OfWorker>>;
}

const optionsSchema = z.strictObject({
  test: suiteTest,
  cwd: z.string().min(1).optional(),
  tags: z.array(z.string()).readonly().optional(),
  filter: z
    .custom<TaskproofTestsOptions['filter']>(filter => typeof filter === 'function', {
      error: 'must be a function of a spec',
    })
    .optional(),
  prepare: hookSchema<TaskproofTestsOptions['prepare']>(),
  check: hookSchema<TaskproofTestsOptions['check']>(),
} satisfies OptionSchemas<TaskproofTestsOptions>);

/**
 * Declares one Playwright test per task spec: its title is the spec's id, its tags are `@taskproof` and the spec's own. For a file
 * that does not parse, it declares a test that fails and is named after the file; the other specs run.
 *
 * @param globs relative to the calling file's folder; `!` negates.
 * @throws TaskSpecLoadError that names every file and line, if nothing matches or two specs have the same id.
 * @throws OptionsError for unknown or wrong options.
 */
export function taskproofTests<
  Fixtures extends object = PlaywrightTestArgs & PlaywrightTestOptions & TaskproofTestOptions,
  OfWorker extends object = PlaywrightWorkerArgs & PlaywrightWorkerOptions,
>(globs: string | readonly string[], options: TaskproofTestsOptions<Fixtures, OfWorker> = {}): void {
  const callSite = callSiteOf(taskproofTests);
  requirePlaywright();
  openLedgerWithoutReporter();
  followRepeats();
  // Before the suite opens a page: documents that are there already would lack the selector engine of assertions.
  if (isWorker()) import('../browser/reading/shown.js').catch(() => undefined);
  checkOptions('taskproofTests()', optionsSchema, options);
  const cwd = options.cwd ?? dirname(callSiteFile(callSite));
  const { specs, error } = loadTaskSpecs(globs, cwd);
  const broken = (error && !error.errors.length ? [error] : (error?.errors ?? [])).map(each => {
    // Errors without a file: two specs with one id, or a glob that matches nothing.
    if (each.filename === undefined) throw error;
    return { file: resolve(each.filename), error: each };
  });
  const files = [...specs, ...broken].map(({ file }) => file);
  dependOn(callSite, files);
  const wanted = options.filter ? specs.filter(({ spec }) => options.filter!(spec)) : specs;
  if (specs.length && !wanted.length)
    throw new Error(`taskproofTests: \`filter\` excludes every spec that matches ${JSON.stringify(globs)}`);
  // A hook may name the spec in a file that does not parse.
  if (!broken.length) expectSpecsOfHooks(options, specs, globs);
  const test = withTrials(options.test);
  // A describe of their own turns retries off: a retry does not count as a trial.
  callFrom(callSite, test.describe, () => {
    callFrom(callSite, test.describe.configure, { retries: 0 });
    for (const loaded of wanted) declare(loaded);
    for (const each of broken) declareBroken(each);
  });

  function declare(loaded: LoadedSpec): void {
    const { spec, file, locate, hash: specHash, taskHash, rubricHash } = loaded;
    const policy = policyOfRun(spec.passPolicy);
    const place = placeFor(file, locate('id'));
    const own = { id: spec.id, file: nameFrom(callSiteFile(place), file), specHash, taskHash, rubricHash };
    const bodies = (spec.assertions ?? []).map(each => (each.type === 'network' ? each.body : undefined));
    const secretsInBodies = secretsNamed(JSON.stringify(bodies));
    const plan = planAnnotations({
      ...{ ...own, policy, replayed: false },
      ...(secretsInBodies.length && { secretsInBodies }),
    });
    const details = { tag: tags(spec.tags), annotation: [...textAnnotations(spec), ...plan] };
    const hooks = hooksOf(options, spec.id);
    const body = withFixturesOf<TrialFixtures>(hooks, '_taskproofTrial', fixtures =>
      fixtures._taskproofTrial.run(loaded, hooks, fixtures),
    );
    callFrom(place, test, spec.id, details, body);
  }

  function declareBroken({ file, error }: (typeof broken)[number]): void {
    const name = nameFrom(callSiteFile(callSite), file);
    const details = { tag: tags(), annotation: { type: BROKEN, description: name } };
    callFrom(placeFor(file, errorPlace(error)), test, name, details, () => {
      // With our reporter, the repeats don't run at all.
      test.info().skip(test.info().repeatEachIndex > 0, 'a spec that does not parse runs once');
      throw errorAt(error.message, name, { file, ...errorPlace(error) });
    });
  }

  function nameFrom(testFile: string, file: string): string {
    return posix(relative(dirname(testFile), file));
  }

  /**
   * Shows editors each spec in its own file, where a click in the margin runs it alone. A single spec stays at the call: if all tests of
   * a file are in one other file, Playwright takes it for a compiled one and changes their ids.
   */
  function placeFor(filename: string, place: SourceLocation | undefined): CallSite {
    const isOne = wanted.length + broken.length === 1;
    return place && !isOne && listsForEditor() ? { filename, ...place } : callSite;
  }

  /** Playwright requires the `@`, and `--grep` can't find a tag with spaces. */
  function tags(own: readonly string[] = []): string[] {
    const all = ['taskproof', ...own, ...(options.tags ?? [])];
    return all.map(tag => `@${tag.replace(/^@/, '').trim().replace(/\s+/g, '-')}`);
  }
}

function policyOfRun(policy: Policy): Policy {
  const repeats = repeatEachOverride();
  return repeats === undefined ? policy : policyForRepeats(policy, repeats);
}

export interface RepeatsOptions {
  /** Folder that globs are relative to. Default: the calling file's. */
  cwd?: string;
  /** The fewest repeats: the largest k of `passPolicy` in the project's ordinary tests. Default: 1. */
  atLeast?: number;
}

const repeatsSchema = z.strictObject({
  cwd: z.string().min(1).optional(),
  atLeast: z.int().min(1).optional(),
} satisfies OptionSchemas<RepeatsOptions>);

export interface Repeats {
  repeatEach: number;
  retries: 0;
  fullyParallel: true;
}

/**
 * Project settings with which every spec, and every ordinary test with a pass policy, runs its k trials: `repeatEach` is the largest
 * k (the reporter trims the rest, and runs tests without a policy once), `retries` are off, since a retry does not count as a
 * trial, and trials run in parallel.
 *
 * @param globs relative to the calling file's folder; `!` negates.
 * @throws TaskSpecLoadError if nothing matches. Broken files are left to `taskproofTests`, which names them all.
 * @throws OptionsError for unknown or wrong options.
 */
export function repeats(globs: string | readonly string[], options?: RepeatsOptions): Repeats;
/** @param options for a project without specs: `repeats({ atLeast: 5 })` */
export function repeats(options: RepeatsOptions & { atLeast: number }): Repeats;
export function repeats(
  first: string | readonly string[] | RepeatsOptions,
  second?: RepeatsOptions,
): Repeats {
  requirePlaywright();
  const globs = typeof first === 'string' || Array.isArray(first) ? (first as string | string[]) : undefined;
  const options = checkOptions('repeats()', repeatsSchema, globs === undefined ? first : second);
  const { atLeast = 1 } = options;
  if (globs === undefined && options.atLeast === undefined)
    throw new OptionsError(
      "repeats() needs globs or a number: repeats('tasks/**/*.yaml') for specs, repeats({ atLeast: 5 }) for tests with passPolicy({ k: 5, ... })",
    );
  const cwd = options.cwd ?? dirname(callSiteFile(callSiteOf(repeats)));
  const repeatEach = Math.max(atLeast, globs === undefined ? 1 : largestK(globs, cwd));
  const mark = { [FROM_REPEATS]: undefined };
  return { ...mark, repeatEach, retries: 0, fullyParallel: true };
}

/** The largest k of the specs. Workers, which load the config again, take it from the main process. */
function largestK(globs: string | readonly string[], cwd: string): number {
  const { env } = process;
  const variable = `TASKPROOF_K_${encodeURIComponent(JSON.stringify([globs, cwd]))}`;
  if (isWorker() && env[variable]) return Number(env[variable]);
  // Test files of several packages may each have their own spec of one id.
  const { all, unmatched } = loadTaskSpecs(globs, cwd);
  if (unmatched) throw unmatched;
  sayHowToRunOne(all);
  const k = Math.max(1, ...all.map(({ spec }) => spec.passPolicy.k));
  env[variable] = String(k);
  return k;
}

/** Warns if the command line names a spec: Playwright only reports "No tests found". */
function sayHowToRunOne(specs: readonly LoadedSpec[]): void {
  for (const arg of process.argv.slice(2)) {
    const named = specs.find(({ file }) => file === resolve(arg.replace(/(:\d+){1,2}$/, '')));
    if (named)
      warn(
        `${arg} is a spec, but Playwright selects tests by their test files. To run this spec, use --grep " ${named.spec.id} @"`,
      );
  }
}

/** Details of a test or a describe, as `passPolicy` returns them. They can be combined with others. */
export type PassPolicyDetails = TestDetails & {
  tag: typeof POLICY_TAG;
  annotation: { type: string; description: string };
};

/**
 * Runs an ordinary test, or those of a describe, k times; it passes if at least minPasses of the runs pass: `test('title',
 * passPolicy({ k: 5, minPasses: 4 }), async ({ page }) => { ... })`. It needs a project that repeats its tests
 * (`...repeats({ atLeast: 5 })`) and the reporter. The nearest policy applies; specs keep their own.
 *
 * @throws OptionsError for a policy that can't be met.
 */
export function passPolicy(policy: PassPolicy): PassPolicyDetails {
  requirePlaywright();
  openLedgerWithoutReporter();
  const judged = policyOfRun(checkOptions('passPolicy()', passPolicySchema, policy));
  if (isWorker()) warnOfNoVerdict('a test with passPolicy()', judged);
  return { tag: POLICY_TAG, annotation: policyAnnotation(judged) };
}
