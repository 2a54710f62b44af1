import { resolve } from 'node:path';
import { z } from 'zod';
import { checkOptions, type OptionSchemas, OptionsError } from '../options';
import { TaskSpecLoadError } from '../spec/errors';
import { type LoadedSpec, loadTaskSpecs } from '../spec/load';
import { callSiteFolder, callSiteOf } from './call-site';
import { requirePlaywright } from './version';

export interface RepeatsOptions {
  /** Folder that the globs are relative to. Default: the folder of the calling file. */
  cwd?: string;
  /** Repeats at least: the largest k of `passPolicy` in the project's ordinary tests. Default: 1. */
  atLeast?: number;
}

const optionsSchema = z.strictObject({
  cwd: z.string().min(1).optional(),
  atLeast: z.int().min(1).optional(),
} satisfies OptionSchemas<RepeatsOptions>);

/**
 * Marks the projects whose `repeatEach` is ours, so that their ordinary tests without a policy run once. A key without a value:
 * `...repeats()` copies it, and who compares the object, or prints it as JSON, finds what it declares.
 */
export const FROM_REPEATS = '_taskproofRepeats';

/** What `repeats` puts into a project. */
export interface Repeats {
  repeatEach: number;
  retries: 0;
  fullyParallel: true;
}

/**
 * Project settings that let every spec, and every ordinary test with a pass policy, run its k trials: `repeatEach` is the largest
 * k (the reporter trims the rest, and runs tests without a policy once), `retries` are off since a retry is no trial, and trials
 * run in parallel.
 *
 * @param globs relative to the calling file's folder; `!` negates.
 * @throws TaskSpecLoadError where nothing matches. Broken files are left to `taskproofTests`, which names them all.
 * @throws OptionsError for options that it can't use.
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
      "repeats(): say what to repeat for: repeats('tasks/**/*.yaml') for specs, repeats({ atLeast: 5 }) for tests with passPolicy({ k: 5, ... })",
    );
  const cwd = options.cwd ?? callSiteFolder(callSiteOf(repeats));
  const repeatEach = Math.max(atLeast, globs === undefined ? 1 : largestK(globs, cwd));
  const mark = { [FROM_REPEATS]: undefined };
  return { ...mark, repeatEach, retries: 0, fullyParallel: true };
}

/** The config is evaluated again in every worker: those take the number from the main process. */
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

/** Playwright's file filters know test files alone, and would say no more than "No tests found". */
function sayHowToRunOne(specs: readonly LoadedSpec[]): void {
  for (const arg of process.argv.slice(2)) {
    const named = specs.find(({ file }) => file === resolve(arg.replace(/(:\d+){1,2}$/, '')));
    if (named)
      process.stderr.write(
        `taskproof: ${arg} is a spec, and Playwright selects test files. To run this spec: --grep " ${named.spec.id} @"\n`,
      );
  }
}
