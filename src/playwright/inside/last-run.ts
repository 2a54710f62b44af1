// What `--last-failed` runs again.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';

/**
 * Makes `--last-failed` rerun all trials of a lost spec: `.last-run.json` names only the failed ones, which give no verdict. Checked
 * on Playwright 1.65 (LastRunReporter): the file is written after our `onEnd` and before `onExit`, to the output folder of the first
 * project that runs. `specs` are, for each spec, the ids of its trials' tests.
 */
export async function rerunWholeSpecs(
  config: FullConfig,
  specs: readonly (readonly string[])[],
): Promise<void> {
  const { PLAYWRIGHT_LAST_RUN_OUTPUT_FILE: given } = process.env;
  const own = config.projects.map(({ outputDir }) => join(outputDir, '.last-run.json'));
  for (const file of given ? [given] : new Set(own)) {
    try {
      const lastRun = JSON.parse(await readFile(file, 'utf8')) as { failedTests: string[] };
      const failed = new Set(lastRun.failedTests);
      const lost = specs.filter(ids => ids.some(id => failed.has(id)));
      const failedTests = [...new Set([...failed, ...lost.flat()])];
      if (failedTests.length > failed.size)
        await writeFile(file, JSON.stringify({ ...lastRun, failedTests }, null, 2));
    } catch {
      // Playwright writes the file only in whole runs. Without it, there is nothing to do.
    }
  }
}
