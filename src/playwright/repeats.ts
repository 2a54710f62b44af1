import { resolve } from 'node:path';
import { TaskSpecLoadError } from '../spec/errors';
import { type LoadedSpec, loadTaskSpecs } from '../spec/load';
import { callSiteFolder, callSiteOf } from './call-site';
import { requirePlaywright } from './version';

export interface RepeatsOptions {
  /** Folder that the globs are relative to. Default: the folder of the calling file. */
  cwd?: string;
}

/** What `repeats` puts into a project. */
export interface Repeats {
  repeatEach: number;
  retries: 0;
  fullyParallel: true;
}

/**
 * Project settings that let every spec run its k trials: `repeatEach` is the largest k (the reporter trims the rest),
 * `retries` are off since a retry is no trial, and trials run in parallel.
 *
 * @param globs relative to the calling file's folder; `!` negates.
 * @throws TaskSpecLoadError where nothing matches. Broken files are left to `taskproofTests`, which names them all.
 */
export function repeats(globs: string | readonly string[], options: RepeatsOptions = {}): Repeats {
  requirePlaywright();
  const cwd = options.cwd ?? callSiteFolder(callSiteOf(repeats));
  return { repeatEach: largestK(globs, cwd), retries: 0, fullyParallel: true };
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
