// Options as the config and the test files give them: Playwright resolves `use` for each test, and keeps neither the config's own nor,
// outside of workers, that of `test.use`.
import { pathToFileURL } from 'node:url';
import type { Suite, TestCase } from '@playwright/test/reporter';

/**
 * What the config file exports. Checked on Playwright 1.65.1 (requireOrImport): the main process and each worker load the config as a
 * module, which is found here without running again.
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
 * What `test.use` or the suite's own fixtures say of an option: a value, or a fixture function, which only workers call. Checked on
 * Playwright 1.65.1: the main process loads the files, their suites keep the options of `test.use` in `_use`, the last one winning,
 * and a test keeps the definitions of its fixtures in `_testType`.
 *
 * @param declared the option's own definition, which says nothing
 */
export function usedOption(test: TestCase, name: string, declared: unknown): { used?: unknown } {
  const last = (all: Defined = []) => all.findLast(({ fixtures }) => name in fixtures)?.fixtures[name];
  for (let suite: UsingSuite | undefined = test.parent; suite; suite = suite.parent) {
    const used = last(suite._use);
    if (used !== undefined) return { used };
  }
  const defined = last((test as TypedTest)._testType?.fixtures);
  return defined === undefined || defined === declared ? {} : { used: () => defined };
}
