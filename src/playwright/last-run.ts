// `--last-failed` reruns the tests that `.last-run.json` names. Of a lost spec it would rerun the failed trials alone, which
// can't be judged: so their siblings are added. Checked on Playwright 1.65 (LastRunReporter): the file is written after
// our `onEnd` and before `onExit`, to the output folder of the first project that runs.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';

/**
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
      // No such file: Playwright writes it for whole runs alone. It is a convenience, never a reason to fail.
    }
  }
}
