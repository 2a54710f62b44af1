import { defineConfig } from 'vitest/config';
import { forVite } from './scripts/injected.mjs';
import SlowestReporter from './tests/support/slowest';

// Bounds are for hangs, never for speed: Vitest's second for what is polled is short on a busy machine.
const expect = { poll: { timeout: 30_000 } };

/** Installs from the registry and takes minutes: `npm run test:environments`. */
const environments = {
  test: {
    name: 'environments',
    include: ['tests/environments/**/*.test.ts'],
    setupFiles: ['tests/e2e/setup.ts'],
    globalSetup: ['tests/e2e/pack.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect,
  },
};

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [forVite],
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts'],
          setupFiles: ['tests/support/cpu.ts'],
          isolate: false,
          testTimeout: 60_000,
          expect,
        },
      },
      {
        plugins: [forVite],
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          setupFiles: ['tests/support/cpu.ts'],
          // A worker loads Playwright once, not for each file.
          isolate: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          isolate: false,
          setupFiles: ['tests/support/cpu.ts', 'tests/e2e/setup.ts'],
          globalSetup: ['tests/e2e/pack.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect,
        },
      },
      ...(process.env.TASKPROOF_ENVIRONMENTS ? [environments] : []),
    ],
    // Most of what a trial takes is waiting: twice what two cores would get.
    maxWorkers: 4,
    reporters: ['default', new SlowestReporter()],
  },
});
