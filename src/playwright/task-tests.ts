import { dirname, relative, resolve } from 'node:path';
import type { TestType } from '@playwright/test';
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../options';
import type { TaskSpec, TaskSpecError } from '../spec';
import { placeOf, type SourceLocation, TaskSpecLoadError } from '../spec/errors';
import { type LoadedSpec, loadTaskSpecs } from '../spec/load';
import { policyForRepeats } from '../verdicts/verdict';
import { BROKEN, type PlannedSpec, planAnnotations, posix, textAnnotations } from './annotations';
import {
  type CallSite,
  callFrom,
  callSiteFile,
  callSiteFolder,
  callSiteOf,
  dependOn,
  errorAt,
  requirePlaywright,
} from './call-site';
import { suiteTest, type TrialFixtures, withTrials } from './fixtures';
import { openLedgerWithoutReporter } from './ledger';
import { listsForEditor, repeatEachOverride } from './runner';

export interface TaskproofTestsOptions {
  /** The suite's own extended `test`, to use its fixtures, its `page` and its logged-in state. Default: Playwright's. */
  // biome-ignore lint/suspicious/noExplicitAny: any suite's test, whatever its fixtures
  test?: TestType<any, any>;
  /** Folder that the globs are relative to. Default: the folder of the calling file. */
  cwd?: string;
  /** More tags for all of these specs; a missing `@` is added. Default: none. */
  tags?: readonly string[];
  /** Declares only the specs for which it returns true. Default: all. */
  filter?: (spec: TaskSpec) => boolean;
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
} satisfies OptionSchemas<TaskproofTestsOptions>);

/**
 * Declares one Playwright test per task spec: its title is the spec's id, its tags are `@taskproof` and the spec's own. For a file
 * that does not parse, it declares a test that fails and is named after the file; the other specs run.
 *
 * @param globs relative to the calling file's folder; `!` negates.
 * @throws TaskSpecLoadError that names every file and line, if nothing matches or two specs have the same id.
 * @throws OptionsError for unknown or wrong options.
 */
export function taskproofTests(globs: string | readonly string[], options: TaskproofTestsOptions = {}): void {
  const callSite = callSiteOf(taskproofTests);
  requirePlaywright();
  openLedgerWithoutReporter();
  checkOptions('taskproofTests()', optionsSchema, options);
  const cwd = options.cwd ?? callSiteFolder(callSite);
  const { specs, broken } = loadAll(globs, cwd);
  dependOn(
    callSite,
    [...specs, ...broken].map(({ file }) => file),
  );
  const wanted = options.filter ? specs.filter(({ spec }) => options.filter!(spec)) : specs;
  if (specs.length && !wanted.length)
    throw new Error(
      `taskproofTests: \`filter\` excludes all ${specs.length} specs that match ${JSON.stringify(globs)}`,
    );
  const test = withTrials(options.test);
  // In its own describe, to turn retries off: a retry does not count as a trial.
  callFrom(callSite, test.describe, () => {
    callFrom(callSite, test.describe.configure, { retries: 0 });
    for (const loaded of wanted) declare(loaded);
    for (const each of broken) declareBroken(each);
  });

  function declare(loaded: LoadedSpec): void {
    const planned = plan(loaded, callSiteFile(callSite));
    const details = {
      tag: tags(loaded.spec.tags),
      annotation: [...textAnnotations(loaded.spec), ...planAnnotations(planned)],
    };
    callFrom(
      placeFor(loaded.file, loaded.locate('id')),
      test,
      loaded.spec.id,
      details,
      async ({ _taskproofTrial }: TrialFixtures) => {
        await _taskproofTrial.run(loaded, planned);
      },
    );
  }

  function declareBroken({ file, error }: BrokenSpec): void {
    const name = posix(relative(dirname(callSiteFile(callSite)), file));
    const details = { tag: tags(), annotation: { type: BROKEN, description: name } };
    callFrom(placeFor(file, placeOf(error)), test, name, details, () => {
      // With our reporter, the repeats don't run at all.
      test.info().skip(test.info().repeatEachIndex > 0, 'a spec that does not parse runs once');
      throw errorAt(error.message, name, { file, ...placeOf(error) });
    });
  }

  /**
   * Editors show a spec in its own file, where a click in the margin runs it alone. The spec of a call for one stays at the call:
   * Playwright takes a file whose tests all seem to live in one other file for a compiled one, and gives them other ids.
   */
  function placeFor(filename: string, place: SourceLocation | undefined): CallSite {
    const isOne = wanted.length + broken.length === 1;
    return place && !isOne && listsForEditor() ? { filename, ...place } : callSite;
  }

  function tags(own: readonly string[] = []): string[] {
    return ['taskproof', ...own, ...(options.tags ?? [])].map(asTag);
  }
}

interface BrokenSpec {
  /** Absolute. */
  file: string;
  error: TaskSpecError;
}

/** @throws TaskSpecLoadError for problems of more than one file: the same id twice, globs that match nothing. */
function loadAll(
  globs: string | readonly string[],
  cwd: string,
): { specs: readonly LoadedSpec[]; broken: BrokenSpec[] } {
  try {
    return { specs: loadTaskSpecs(globs, { cwd }).specs, broken: [] };
  } catch (error) {
    if (!(error instanceof TaskSpecLoadError) || !error.errors.length) throw error;
    const broken = error.errors.map(each => {
      if (each.filename === undefined) throw error;
      return { file: resolve(each.filename), error: each };
    });
    return { specs: error.specs, broken };
  }
}

function plan({ spec, file }: LoadedSpec, testFile: string): PlannedSpec {
  const repeats = repeatEachOverride();
  return {
    id: spec.id,
    file: posix(relative(dirname(testFile), file)),
    policy: repeats === undefined ? spec.passPolicy : policyForRepeats(spec.passPolicy, repeats),
    replayed: false,
  };
}

/** Playwright requires the `@`, and `--grep` can't find a tag with spaces. */
function asTag(tag: string): string {
  return `@${tag.replace(/^@/, '').trim().replace(/\s+/g, '-')}`;
}
