import { defineConfig } from 'vitest/config';
import SlowestReporter from './tests/support/slowest';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts'] } },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/e2e/pack.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
    maxWorkers: 2,
    reporters: ['default', new SlowestReporter()],
  },
});
