import { defineConfig } from 'vitest/config';

// A browser on a machine that others use too may miss a bound once; twice is a defect. Retried tests are named in the output.
const retry = process.env.CI ? 1 : 0;

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts'] } },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          retry,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          retry,
          globalSetup: ['tests/e2e/pack.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
    maxWorkers: 2,
  },
});
