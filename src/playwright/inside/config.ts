// Reads what Playwright does not keep of the config and the test files: the config's own `use` and, outside workers, `test.use`. And
// changes the number of workers after Playwright has chosen it: a project's `workers` can only lower the config's. Checked on Playwright
// 1.64.1 and 1.65.1 (createPhasesTask, Dispatcher): both are read after `preprocess`.
import { pathToFileURL } from 'node:url';
import type { FullConfig, Suite, TestCase } from '@playwright/test/reporter';
import { workersOfCommandLine } from './command-line';

const innerProject = (suite: Suite) => (suite as { _fullProject?: { workers?: number } })._fullProject;

/** The `workers` of a project, which FullProject lacks. Undefined if it has none. */
export const ownWorkers = (project: Suite) => innerProject(project)?.workers;

/** Who chose the number of workers; undefined if Playwright did. A config that can't be read counts as having chosen. */
export async function whoChoseWorkers({
  configFile,
}: Pick<FullConfig, 'configFile'>): Promise<'the command line' | 'the config' | undefined> {
  if (workersOfCommandLine()) return 'the command line';
  if (!configFile) return undefined;
  const config = await exportedConfig(configFile).catch(() => ({ workers: null }));
  return (config as { workers?: unknown }).workers === undefined ? undefined : 'the config';
}

/** @param limits the most workers of each project, by its suite. A lower number in the config stays. */
export function setWorkers(config: FullConfig, workers: number, limits: ReadonlyMap<Suite, number>): void {
  config.workers = workers;
  for (const [suite, limit] of limits) {
    const project = innerProject(suite);
    if (project) project.workers = Math.min(limit, project.workers ?? limit);
  }
}

/**
 * What the config file exports. Checked on Playwright 1.65.1 (requireOrImport): it is loaded as a module, and found without running again.
 *
 * @throws Error if a version loads it in another way.
 */
export async function exportedConfig(configFile: string): Promise<unknown> {
  const loaded = require.cache[require.resolve(configFile)];
  const exported = loaded ? loaded.exports : await import(pathToFileURL(configFile).href);
  return exported.default ?? exported;
}

type Defined = { fixtures: Record<string, unknown> }[];
type UsingSuite = Suite & { _use?: Defined };
type TypedTest = TestCase & { _testType?: { fixtures: Defined } };

/**
 * An option as set by `test.use` or the suite's own fixtures: a value, or a fixture function, which only workers call. Checked on
 * Playwright 1.65.1: the main process loads the files, their suites keep the options of `test.use` in `_use` (the last one wins),
 * and a test keeps the definitions of its fixtures in `_testType`.
 *
 * @param declared the option's definition, which is not a value
 */
export function usedOption(test: TestCase, name: string, declared: unknown): unknown {
  const used = usedBySuites(test, name);
  const defined = lastOf(name, (test as TypedTest)._testType?.fixtures);
  return used === undefined && defined !== undefined && defined !== declared ? () => defined : used;
}

/** An option as set by `test.use`. */
export function usedBySuites(test: TestCase, name: string): unknown {
  let suite: UsingSuite | undefined = test.parent;
  while (suite && lastOf(name, suite._use) === undefined) suite = suite.parent;
  return lastOf(name, suite?._use);
}

const lastOf = (name: string, all: Defined = []) =>
  all.findLast(({ fixtures }) => name in fixtures)?.fixtures[name];
