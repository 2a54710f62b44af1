import { dirname, relative } from 'node:path';
import { mergeTests, type TestType } from '@playwright/test';
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../options';
import type { TaskSpec } from '../spec';
import { type LoadedSpec, loadTaskSpecs } from '../spec/load';
import { policyForRepeats } from '../verdicts/verdict';
import { type PlannedSpec, planAnnotations, posix, textAnnotations } from './annotations';
import { callFrom, callSiteFile, callSiteFolder, callSiteOf, dependOn } from './call-site';
import { type TrialFixtures, trialTest } from './fixtures';
import { openLedgerWithoutReporter } from './ledger';
import { repeatEachOverride } from './runner';

export interface TaskproofTestsOptions {
  /** The suite's own extended `test`: its fixtures, its `page` and its logged-in state are used. Default: Playwright's. */
  // biome-ignore lint/suspicious/noExplicitAny: any suite's test, whatever its fixtures
  test?: TestType<any, any>;
  /** Folder that the globs are relative to. Default: the folder of the calling file. */
  cwd?: string;
  /** Further tags for all of these specs; a leading `@` is added where missing. Default: none. */
  tags?: readonly string[];
  /** Declares only the specs for which it returns true. Default: all. */
  filter?: (spec: TaskSpec) => boolean;
}

const optionsSchema = z.strictObject({
  test: z
    .custom<TaskproofTestsOptions['test']>(
      test => typeof (test as TestType<object, object>)?.extend === 'function',
      {
        error: 'must be a Playwright test object, such as the result of test.extend()',
      },
    )
    .optional(),
  cwd: z.string().min(1).optional(),
  tags: z.array(z.string()).readonly().optional(),
  filter: z
    .custom<TaskproofTestsOptions['filter']>(filter => typeof filter === 'function', {
      error: 'must be a function of a spec',
    })
    .optional(),
} satisfies OptionSchemas<TaskproofTestsOptions>);

/**
 * Declares one Playwright test per task spec: its title is the spec's id, its tags are `@taskproof` and the spec's own.
 *
 * @param globs relative to the calling file's folder; `!` negates.
 * @throws TaskSpecLoadError that names every file and line: where nothing matches, a spec does not parse, or two have one id.
 * @throws OptionsError for options that it can't use.
 */
export function taskproofTests(globs: string | readonly string[], options: TaskproofTestsOptions = {}): void {
  const callSite = callSiteOf(taskproofTests);
  openLedgerWithoutReporter();
  checkOptions('taskproofTests()', optionsSchema, options);
  const cwd = options.cwd ?? callSiteFolder(callSite);
  const { specs } = loadTaskSpecs(globs, { cwd });
  dependOn(
    callSite,
    specs.map(({ file }) => file),
  );
  const wanted = options.filter ? specs.filter(({ spec }) => options.filter!(spec)) : specs;
  if (!wanted.length)
    throw new Error(
      `taskproofTests: \`filter\` refused all ${specs.length} specs that match ${JSON.stringify(globs)}`,
    );
  const test = options.test ? mergeTests(options.test, trialTest) : trialTest;
  // A describe of our own: a retry is no trial, whatever the project or the command line says.
  callFrom(callSite, test.describe, () => {
    callFrom(callSite, test.describe.configure, { retries: 0 });
    for (const loaded of wanted) declare(loaded);
  });

  function declare(loaded: LoadedSpec): void {
    const planned = plan(loaded, callSiteFile(callSite));
    const details = {
      tag: ['taskproof', ...(loaded.spec.tags ?? []), ...(options.tags ?? [])].map(asTag),
      annotation: [...textAnnotations(loaded.spec), ...planAnnotations(planned)],
    };
    callFrom(callSite, test, loaded.spec.id, details, async ({ _taskproofTrial }: TrialFixtures) => {
      await _taskproofTrial.run(loaded, planned);
    });
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

/** Playwright refuses a tag that does not begin with `@`; one with spaces could not be named in `--grep`. */
function asTag(tag: string): string {
  return `@${tag.replace(/^@/, '').trim().replace(/\s+/g, '-')}`;
}
