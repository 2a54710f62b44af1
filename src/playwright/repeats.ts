// How often tests run: those of specs and those with a pass policy.
import { resolve } from 'node:path';
import type { TestDetails } from '@playwright/test';
import { z } from 'zod';
import { checkOptions, type OptionSchemas, OptionsError } from '../options';
import type { PassPolicy } from '../spec';
import { TaskSpecLoadError } from '../spec/errors';
import { type LoadedSpec, loadTaskSpecs } from '../spec/load';
import { passPolicySchema } from '../spec/schema';
import { policyForRepeats } from '../verdicts/verdict';
import { policyAnnotation } from './annotations';
import { callSiteFolder, callSiteOf, requirePlaywright } from './call-site';
import { isFirstToSay, isJudged, openLedgerWithoutReporter } from './ledger';
import { FROM_REPEATS } from './options';
import { isInteractive, repeatEachOverride } from './runner';

export interface RepeatsOptions {
  /** Folder that the globs are relative to. Default: the folder of the calling file. */
  cwd?: string;
  /** At least so many repeats: the largest k of `passPolicy` in the project's ordinary tests. Default: 1. */
  atLeast?: number;
}

const optionsSchema = z.strictObject({
  cwd: z.string().min(1).optional(),
  atLeast: z.int().min(1).optional(),
} satisfies OptionSchemas<RepeatsOptions>);

/** What `repeats` adds to a project. */
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
  const options = checkOptions('repeats()', optionsSchema, globs === undefined ? first : second);
  const { atLeast = 1 } = options;
  if (globs === undefined && options.atLeast === undefined)
    throw new OptionsError(
      "repeats() needs globs or a number: repeats('tasks/**/*.yaml') for specs, repeats({ atLeast: 5 }) for tests with passPolicy({ k: 5, ... })",
    );
  const cwd = options.cwd ?? callSiteFolder(callSiteOf(repeats));
  const repeatEach = Math.max(atLeast, globs === undefined ? 1 : largestK(globs, cwd));
  const mark = { [FROM_REPEATS]: undefined };
  return { ...mark, repeatEach, retries: 0, fullyParallel: true };
}

/** Workers load the config again: they take the number from the main process. */
function largestK(globs: string | readonly string[], cwd: string): number {
  const variable = `TASKPROOF_K_${Buffer.from(JSON.stringify([globs, cwd]))
    .toString('hex')
    .slice(-200)}`;
  const inherited = process.env.TEST_WORKER_INDEX === undefined ? undefined : process.env[variable];
  if (inherited !== undefined) return Number(inherited);
  const specs = specsAsFarAsTheyLoad(globs, cwd);
  sayHowToRunOne(specs);
  const k = Math.max(1, ...specs.map(({ spec }) => spec.passPolicy.k));
  process.env[variable] = String(k);
  return k;
}

function specsAsFarAsTheyLoad(globs: string | readonly string[], cwd: string): readonly LoadedSpec[] {
  try {
    return loadTaskSpecs(globs, { cwd }).specs;
  } catch (error) {
    if (!(error instanceof TaskSpecLoadError)) throw error;
    const unmatched = error.errors.find(each => each instanceof TaskSpecLoadError);
    if (unmatched || !error.errors.length) throw unmatched ?? error;
    return error.specs;
  }
}

/** If a spec is named on the command line, Playwright only reports "No tests found". */
function sayHowToRunOne(specs: readonly LoadedSpec[]): void {
  for (const arg of process.argv.slice(2)) {
    const named = specs.find(({ file }) => file === resolve(arg.replace(/(:\d+){1,2}$/, '')));
    if (named)
      process.stderr.write(
        `taskproof: ${arg} is a spec, but Playwright selects tests by their test files. To run this spec, use --grep " ${named.spec.id} @"\n`,
      );
  }
}

/** What `passPolicy` returns: details of a test or a describe, which can be combined with others. */
export type PassPolicyDetails = TestDetails & {
  tag: '@pass-policy';
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
  const given = checkOptions('passPolicy()', passPolicySchema, policy);
  const repeats = repeatEachOverride();
  const judged = repeats === undefined ? given : policyForRepeats(given, repeats);
  warnWithoutReporter(judged);
  const { type, description = '' } = policyAnnotation(judged);
  return { tag: '@pass-policy', annotation: { type, description } };
}

/** Without our reporter, each repeat has to pass. */
function warnWithoutReporter({ k, minPasses }: PassPolicy): void {
  const isWorker = process.env.TEST_WORKER_INDEX !== undefined;
  if (!isWorker || isJudged() || isInteractive() || !isFirstToSay('policy-not-judged')) return;
  process.stderr.write(
    `taskproof: passPolicy({ k: ${k}, minPasses: ${minPasses} }) has no effect: the reporter "@taskproof/playwright/reporter" is not used in this run, so each repeat has to pass. Add it to \`reporter\` in the config, or to the command line: --reporter=dot,@taskproof/playwright/reporter\n`,
  );
}
