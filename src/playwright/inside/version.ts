// Whether Playwright is new enough, and what in a newer one is no longer where this folder looks for it.
import { createRequire } from 'node:module';
import type { Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { runError } from './errors';

const LOWEST = '1.64';
/** The version behind every "Checked on". */
const CHECKED = '1.65';

/** @throws Error before anything of Playwright is used. */
export function requirePlaywright(version = installedVersion()): void {
  if (version.localeCompare(LOWEST, 'en', { numeric: true }) >= 0) return;
  throw runError(
    `taskproof: @taskproof/playwright requires Playwright ${LOWEST} or newer, but ${version} is installed. Update it: npm install -D @playwright/test@latest`,
  );
}

function installedVersion(): string {
  return (createRequire(__filename)('@playwright/test/package.json') as { version: string }).version;
}

/**
 * What has changed in a newer Playwright, as one sentence; undefined if nothing has.
 *
 * @param test one that the library declared
 */
export function whatMoved(
  test: TestCase,
  testRun: Partial<TestRun>,
  version = installedVersion(),
): string | undefined {
  const suite = test.parent as Suite & { _use?: unknown };
  const project = projectSuiteOf(suite);
  const parts = [
    { found: typeof testRun.exclude === 'function', lost: 'repeats beyond k are skipped one by one' },
    { found: '_tags' in test, lost: 'verdicts are not shown as tags' },
    { found: '_appendTestResult' in test, lost: 'runs can not be resumed' },
    {
      found: project !== undefined && '_fullProject' in project,
      lost: 'tests that wait for no model get as many workers as those that do',
    },
    { found: '_testType' in test && '_use' in suite, lost: 'wrong options in `test.use` are reported late' },
    {
      found: !/[\\/]@taskproof[\\/]playwright[\\/]dist[\\/]/.test(test.location.file),
      lost: 'specs seem to be declared in this library, so file filters miss them',
    },
  ];
  const lost = parts.filter(({ found }) => !found).map(part => part.lost);
  if (!lost.length) return undefined;
  return `Playwright ${version} differs from ${CHECKED}, which this version of @taskproof/playwright was checked on: ${lost.join('; ')}. Update @taskproof/playwright.`;
}

function projectSuiteOf(suite: Suite | undefined): Suite | undefined {
  return suite?.type === 'project' ? suite : suite && projectSuiteOf(suite.parent);
}
