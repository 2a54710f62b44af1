// What `--last-failed` runs again.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';

/**
 * Makes `--last-failed` rerun all trials of a lost spec: `.last-run.json` names only the failed ones, which give no verdict.
 * Checked on Playwright 1.65 (LastRunReporter): the file is written after our `onEnd` and before `onExit`, to the output folder of
 * the first project that runs.
 *
 * @param specs for each spec the ids of its trials' tests
 */
export async function rerunWholeSpecs(
  config: FullConfig,
  specs: readonly (readonly string[])[],
): Promise<void> {
  const given = process.env.PLAYWRIGHT_LAST_RUN_OUTPUT_FILE;
  const files = given
    ? [given]
    : [...new Set(config.projects.map(({ outputDir }) => join(outputDir, '.last-run.json')))];
  for (const file of files) {
    try {
      const lastRun = JSON.parse(await readFile(file, 'utf8')) as { failedTests: string[] };
      const failed = new Set(lastRun.failedTests);
      const count = failed.size;
      for (const ids of specs) if (ids.some(id => failed.has(id))) for (const id of ids) failed.add(id);
      if (failed.size > count)
        await writeFile(file, JSON.stringify({ ...lastRun, failedTests: [...failed] }, null, 2));
    } catch {
      // Playwright writes the file only in whole runs. Without it, there is nothing to do.
    }
  }
}
