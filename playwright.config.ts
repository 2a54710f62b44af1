// The example of this repository: `npm run example`. Its agents need no key; with ANTHROPIC_API_KEY set Claude plays, too.
// RECORD=1 keeps what was done, and the project `replay` does it again. EXAMPLE=lost breaks the site for most visitors.
import { defineConfig, devices } from '@playwright/test';
import { claude, lexical, repeats, replay } from '@taskproof/playwright';
import { guessing } from './example-tasks/guessing';
import { toolUser } from './example-tasks/tool-user';
import { launchOptions } from './scripts/browser.mjs';

const isLost = process.env.EXAMPLE === 'lost';
const baseURL = `http://127.0.0.1:${isLost ? 4174 : 4173}`;
const recordings = 'example-tasks/recordings';
const record = process.env.RECORD ? recordings : false;

const { args = [], ...browser } = launchOptions();
const withPageTools = { launchOptions: { ...browser, args: [...args, '--enable-features=WebMCP'] } };
const experiment = { testMatch: 'experiment.spec.ts', ...repeats('example-tasks/experiment/*.yaml') };
const tasks = {
  testMatch: ['tasks.spec.ts', 'checks.spec.ts', 'experiment.spec.ts'],
  ...repeats('example-tasks/{tasks,checks,experiment}/*.yaml'),
};

export default defineConfig({
  testDir: 'example-tasks',
  outputDir: 'test-results',
  workers: 2,
  // The site answers within 1.2 s; a trial that fails waits that long.
  expect: { timeout: 3000 },
  // By its path, since a package does not find itself by name from Playwright's folder. In your suite the name is enough.
  reporter: [['list'], [require.resolve('@taskproof/playwright/reporter')], ['html', { open: 'never' }]],
  webServer: {
    command: `node example-tasks/site/server.mjs --port ${new URL(baseURL).port} --experiment ${isLost ? 0.75 : 0.25}`,
    url: baseURL,
    reuseExistingServer: !process.env.CI,
  },
  use: {
    ...devices['Desktop Chrome'],
    baseURL,
    launchOptions: launchOptions(),
    taskproof: { origin: 'baseURL' },
  },
  projects: [
    // A chatbot: ordinary tests with a pass policy.
    { name: 'assistant', testMatch: 'assistant.spec.ts', ...repeats({ atLeast: 5 }) },
    // Agents side by side: one that goes by names, one that guesses, one that uses the page's tools, and Claude if there is a key.
    { name: 'lexical', ...tasks, use: { taskproof: { agent: lexical({ actionTimeoutMs: 3000 }), record } } },
    { name: 'guessing', ...experiment, use: { taskproof: { agent: guessing } } },
    // What it fails at: `EXAMPLE=guessed npx playwright test --project=guessed`.
    ...(process.env.EXAMPLE === 'guessed'
      ? [{ name: 'guessed', testMatch: 'checks.spec.ts', use: { taskproof: { agent: guessing } } }]
      : []),
    { name: 'tool-user', ...experiment, use: { ...withPageTools, taskproof: { agent: toolUser } } },
    ...(process.env.ANTHROPIC_API_KEY
      ? [{ name: 'claude', ...tasks, use: { taskproof: { agent: claude(), record } } }]
      : []),
    // The tools that the shop's pages offer to agents (WebMCP), checked without an agent.
    { name: 'page-tools', testMatch: 'page-tools.spec.ts', use: withPageTools },
    {
      name: 'replay',
      testMatch: 'tasks.spec.ts',
      ...repeats('example-tasks/tasks/*.yaml'),
      use: { taskproof: { agent: replay({ recordings }) } },
    },
  ],
});
