// The example tasks of this repository. With ANTHROPIC_API_KEY set Claude plays them, else the agent without a model;
// RECORD=1 keeps what was done, and the project `replay` does it again.
import { defineConfig, devices } from '@playwright/test';
import { claude, lexical, repeats, replay } from '@taskproof/playwright';
import { launchOptions } from './scripts/browser.mjs';

const port = 4173;
const recordings = 'example-tasks/recordings';

export default defineConfig({
  testDir: 'example-tasks',
  outputDir: 'test-results',
  // By its path, since a package does not find itself by name from Playwright's folder. In your suite the name is enough.
  reporter: [['list'], [require.resolve('@taskproof/playwright/reporter')], ['html', { open: 'never' }]],
  webServer: {
    command: `node example-tasks/site/server.mjs --port ${port}`,
    url: `http://127.0.0.1:${port}`,
    reuseExistingServer: !process.env.CI,
  },
  use: {
    ...devices['Desktop Chrome'],
    baseURL: `http://127.0.0.1:${port}`,
    launchOptions: launchOptions(),
  },
  projects: [
    { name: 'assistant', testMatch: 'assistant.spec.ts', ...repeats({ atLeast: 5 }) },
    {
      name: 'example',
      testMatch: 'tasks.spec.ts',
      ...repeats('example-tasks/tasks/**/*.yaml'),
      use: {
        taskproof: {
          agent: process.env.ANTHROPIC_API_KEY ? claude() : lexical(),
          record: process.env.RECORD ? recordings : false,
        },
      },
    },
    {
      name: 'replay',
      testMatch: 'tasks.spec.ts',
      ...repeats('example-tasks/tasks/**/*.yaml'),
      use: { taskproof: { agent: replay({ recordings }) } },
    },
  ],
});
