// The results file until a run has written its own: an earlier run's results must not be taken for the new ones.
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { PlaywrightTestConfig } from '@playwright/test';
import { DEFAULT_RESULTS_FILE, RESULTS_SCHEMA_VERSION, type Results } from '../../data/results';
import { writeText } from '../../text/file';
import { configFileOfRun, isOurReporter } from '../inside/command-line';
import { exportedConfig } from '../inside/config';
import { runError } from '../inside/errors';

/**
 * Marks earlier results, which commands refuse until this run writes its own.
 *
 * @returns a function that removes the mark, for a run without results of its own
 * @throws Error if the file can't be replaced
 */
export function supersede(file: string, startedAt: Date): () => void {
  const earlier = resultsIn(file);
  if (!earlier) return () => {};
  try {
    writeText(file, jsonText({ ...earlier, supersededAt: startedAt.toISOString() }));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw runError(
      `taskproof: ${file} can't be replaced (${code ?? message}), so the results of an earlier run would be taken for those of this one. Make it writable, remove it, or set \`outputFile\` of the reporter.`,
    );
  }
  return () => {
    const { supersededAt, ...unmarked } = resultsIn(file) ?? {};
    if (supersededAt === startedAt.toISOString()) writeText(file, jsonText(unmarked));
  };
}

export function resultsIn(file: string): Partial<Results> | undefined {
  try {
    // Reading a pipe would block.
    if (!lstatSync(file).isFile()) return undefined;
    const json = JSON.parse(readFileSync(file, 'utf8'));
    return json?.schemaVersion === RESULTS_SCHEMA_VERSION ? json : undefined;
  } catch {
    return undefined;
  }
}

export const jsonText = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * For a run without our reporter, in its main process. Finds the results file in the config, which may still be loading.
 *
 * @returns a function that marks the earlier results at once
 */
export async function supersedingHere(): Promise<(() => void) | undefined> {
  const startedAt = new Date();
  const configFile = configFileOfRun();
  if (!configFile) return undefined;
  await setImmediate();
  const { reporter } = (await exportedConfig(configFile)) as PlaywrightTestConfig;
  const own = Array.isArray(reporter) ? reporter.find(([name]) => isOurReporter(name)) : undefined;
  const file = resolve(dirname(configFile), own?.[1]?.outputFile ?? DEFAULT_RESULTS_FILE);
  return () => void supersede(file, startedAt);
}
