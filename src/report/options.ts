import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../options';

/** Options of the reporter; paths are relative to the Playwright config's folder. */
export interface ReporterOptions {
  /** The results file. Default: `taskproof-results.json`. */
  outputFile: string;
  /** A Markdown file to write the summary to. `$GITHUB_STEP_SUMMARY` gets it by itself where set. Default: none. */
  summary?: string;
  /** A saved baseline to compare with at the end of the run. Default: none. */
  baseline?: string;
}

const schema = z.strictObject({
  outputFile: z.string().min(1).default('taskproof-results.json'),
  summary: z.string().min(1).optional(),
  baseline: z.string().min(1).optional(),
} satisfies OptionSchemas<ReporterOptions>);

/** What Playwright 1.65 puts into every reporter's options, beside entries that begin with `_`. */
const ADDED = new Set(['configDir', 'onlyFailures']);

/** @throws OptionsError that names every unknown or wrong option. */
export function checkReporterOptions(given: unknown): ReporterOptions {
  const own = Object.entries((given ?? {}) as object).filter(
    ([key]) => !ADDED.has(key) && !key.startsWith('_'),
  );
  return checkOptions('@taskproof/playwright/reporter', schema, Object.fromEntries(own));
}
