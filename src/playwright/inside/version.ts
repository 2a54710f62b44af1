// Whether Playwright is new enough, and what a newer version no longer has where this folder looks for it.
import { createRequire } from 'node:module';
import type { Suite, TestCase } from '@playwright/test/reporter';
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

/** Whether this version was checked for changes that would go unnoticed. */
export function isChecked(version = installedVersion()): boolean {
  return version.startsWith(`${CHECKED}.`) || version.localeCompare(CHECKED, 'en', { numeric: true }) < 0;
}

/** What is lost with a newer Playwright, as one sentence; undefined if nothing is. @param test a test that the library declared */
export function whatMoved(test: TestCase, version = installedVersion()): string | undefined {
  const suite = test.parent as Suite & { _use?: unknown };
  const project = projectSuiteOf(suite);
  const ours = /[\\/]@taskproof[\\/]playwright[\\/]dist[\\/]/;
  const found = {
    'verdicts are not shown as tags': '_tags' in test,
    "runs can't be resumed": '_appendTestResult' in test,
    'tests that wait for no model get as many workers as those that do':
      project !== undefined && '_fullProject' in project,
    'wrong options in `test.use` are reported late': '_testType' in test && '_use' in suite,
    'specs seem to be declared in this library, so file filters miss them': !ours.test(test.location.file),
  };
  const lost = Object.entries(found).flatMap(([what, isThere]) => (isThere ? [] : what));
  if (!lost.length) return undefined;
  return `With Playwright ${version}, ${lost.join('; ')}: this version of @taskproof/playwright was checked with ${CHECKED}. Update @taskproof/playwright.`;
}

function projectSuiteOf(suite: Suite | undefined): Suite | undefined {
  return suite?.type === 'project' ? suite : suite && projectSuiteOf(suite.parent);
}
