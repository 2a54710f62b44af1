import { join } from 'node:path';
import { inject } from 'vitest';

const preload = join(import.meta.dirname, 'compile-cache.cjs');

/** Environment of a process that loads Playwright. It compiles Playwright only once, which is half of its start. */
export function compileCache(): Record<string, string> {
  return {
    NODE_OPTIONS: `--require ${JSON.stringify(preload)}`,
    TASKPROOF_TEST_CACHE: join(inject('installed'), 'compile-cache'),
  };
}
