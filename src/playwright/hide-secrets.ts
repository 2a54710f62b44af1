// Playwright's JSON reporter writes the whole config, `use` of each project included (checked on 1.65.1): the values of our
// secrets must not get into a report that way.
import type { FullConfig } from '@playwright/test/reporter';
import type { TaskproofOptions } from './options';

/** Lets the secrets of all projects be written by their names alone. Those who read their values still can. */
export function hideSecrets(config: FullConfig): void {
  for (const { use } of config.projects) {
    const { secrets } = (use as { taskproof?: TaskproofOptions }).taskproof ?? {};
    if (typeof secrets !== 'object' || secrets === null || Object.isFrozen(secrets)) continue;
    const names = Object.fromEntries(Object.keys(secrets).map(name => [name, `<secret>${name}</secret>`]));
    Object.defineProperty(secrets, 'toJSON', { value: () => names, enumerable: false, configurable: true });
  }
}
