// How many workers a run has, changed after Playwright has chosen: a project's `workers` can only lower the config's. Checked on
// Playwright 1.64.1 and 1.65.1 (createPhasesTask, Dispatcher): both read `workers` of the config and of each project after `preprocess`.
import type { FullConfig, Suite } from '@playwright/test/reporter';
import { workersOfCommandLine } from './command-line';
import { exportedConfig } from './declared-options';

const innerProject = (suite: Suite) => (suite as { _fullProject?: { workers?: number } })._fullProject;

/** The `workers` of a project, which is no part of FullProject. Undefined if it has none. */
export const ownWorkers = (project: Suite) => innerProject(project)?.workers;

/** Who chose the workers; undefined if it was Playwright. A config that can't be read counts as one that did. */
export async function whoChoseWorkers({
  configFile,
}: Pick<FullConfig, 'configFile'>): Promise<'the command line' | 'the config' | undefined> {
  if (workersOfCommandLine()) return 'the command line';
  if (!configFile) return undefined;
  const config = await exportedConfig(configFile).catch(() => ({ workers: null }));
  return (config as { workers?: unknown }).workers === undefined ? undefined : 'the config';
}

/** @param limits the most of a project's suite; one of its own that is lower stays */
export function setWorkers(config: FullConfig, workers: number, limits: ReadonlyMap<Suite, number>): void {
  config.workers = workers;
  for (const [suite, limit] of limits) {
    const project = innerProject(suite);
    if (project) project.workers = Math.min(limit, project.workers ?? limit);
  }
}
