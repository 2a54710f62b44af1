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

interface UsingSuite extends Suite {
  _use?: { fixtures: Record<string, unknown> }[];
}

interface TypedTest extends TestCase {
  _testType?: { fixtures: { fixtures: Record<string, unknown> }[] };
}

/**
 * What `test.use` or the suite's own fixtures say of an option: a value, or a fixture function, which only workers call. Checked on
 * Playwright 1.65.1: the main process loads the files, their suites keep the options of `test.use` in `_use`, the last one winning,
 * and a test keeps the definitions of its fixtures in `_testType`.
 *
 * @param declared the option's own definition, which says nothing
 */
export function usedOption(test: TestCase, name: string, declared: unknown): { used?: unknown } {
  for (let suite: UsingSuite | undefined = test.parent; suite; suite = suite.parent) {
    const used = suite._use?.findLast(({ fixtures }) => name in fixtures)?.fixtures[name];
    if (used !== undefined) return { used };
  }
  const definitions = (test as TypedTest)._testType?.fixtures ?? [];
  const defined = definitions.findLast(({ fixtures }) => name in fixtures)?.fixtures[name];
  return defined === undefined || defined === declared ? {} : { used: () => defined };
}
