// Specs as a suite declares them: the same ones in several describes.
import { expect, test } from 'vitest';
import { config, makeSuite, spec, startSite } from './suite';

const reporters = (last: string) => `[['list'], ['@taskproof/playwright/reporter'], ${last}]`;

test('the same spec in two describes has two verdicts, two recordings and two replays', async () => {
  const site = await startSite({
    '/': '<button onclick="done.hidden = innerWidth < 500">Go</button><p id="done" hidden>Done</p>',
  });
  const suite = makeSuite({
    'playwright.config.ts': config({ taskproof: '{ record: true }', reporters: reporters("['blob']") }),
    'merge.config.ts': `export default { testDir: '.', reporter: ${reporters("['line']")} };`,
    'replay.config.ts': config({
      imports: `import { replay } from '@taskproof/playwright';`,
      taskproof: '{ agent: replay() }',
    }),
    'tasks/cart.yaml': spec({ id: 'cart', url: `${site.url}/`, k: 2 }),
    'cart.spec.ts': `
import { test } from '@playwright/test';
import { taskproofTests } from '@taskproof/playwright';
for (const [name, width] of [['phone', 320], ['desktop', 900]] as const)
  test.describe(name, () => {
    test.use({ viewport: { width, height: 600 } });
    taskproofTests('tasks/*.yaml');
  });
`,
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  const rows = [
    { spec: 'cart', describe: 'desktop', k: 2, passes: 2, failures: 0, verdict: 'passed' },
    { spec: 'cart', describe: 'phone', k: 2, passes: 0, failures: 2, verdict: 'failed' },
  ];
  expect(run.results().verdicts).toMatchObject(rows);
  expect(run.output).toMatch(/phone › cart +agents +✗ failed/);
  expect(run.output).toContain('cart.spec.ts:7:5 › phone › cart · trial 2/2');
  expect(suite.exists('recordings/desktop/cart.json')).toBe(true);
  expect(suite.exists('recordings/phone/cart.json')).toBe(false);

  const merged = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blob-report']);
  expect(merged.exitCode, merged.output).toBe(1);
  expect(merged.results().verdicts).toMatchObject(rows);

  const replayed = await suite.playwright(['test', '--config=replay.config.ts', '--grep', 'desktop']);
  expect(replayed.exitCode, replayed.output).toBe(0);
  expect(replayed.results().verdicts).toMatchObject([
    { spec: 'cart', describe: 'desktop', replayed: true, passes: 1 },
  ]);
});
