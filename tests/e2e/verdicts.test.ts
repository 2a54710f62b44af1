import { expect, test } from 'vitest';
import { config, makeSuite, spec, startSite } from './suite';

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

function failingTrials(indexes: number[]): string {
  return `import { test as base, taskproofTests } from '@taskproof/playwright';
const test = base.extend({
  page: async ({ page }, use, testInfo) => {
    // A trial whose button does nothing.
    if (${JSON.stringify(indexes)}.includes(testInfo.repeatEachIndex))
      await page.addInitScript(() => addEventListener('click', event => event.stopImmediatePropagation(), true));
    await use(page);
  },
});
taskproofTests('tasks/**/*.yaml', { test });
`;
}

const ORDINARY = (passes: boolean) => `import { test, expect } from '@playwright/test';
test('ordinary', () => { expect(1).toBe(${passes ? 1 : 2}); });`;

test.each([
  { failing: [2], ordinary: true, exitCode: 0, verdict: 'passed' },
  { failing: [1, 3], ordinary: true, exitCode: 1, verdict: 'failed' },
  { failing: [2], ordinary: false, exitCode: 1, verdict: 'passed' },
])('k 5, minPasses 4: $failing fail, ordinary test passes: $ordinary -> exit $exitCode', async row => {
  const site = await startSite({ '/': PAGE });
  const suite = makeSuite({
    'playwright.config.ts': config(),
    'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/`, k: 5, minPasses: 4 }),
    'tasks.spec.ts': failingTrials(row.failing),
    'ordinary.spec.ts': ORDINARY(row.ordinary),
  });
  const run = await suite.playwright(['test']);
  const { verdicts } = run.results();
  expect(verdicts, run.output).toHaveLength(1);
  expect(verdicts[0]).toMatchObject({
    spec: 'go',
    project: 'agents',
    agent: 'lexical',
    verdict: row.verdict,
    k: 5,
    passes: 5 - row.failing.length,
    failures: row.failing.length,
  });
  expect(run.exitCode, run.output).toBe(row.exitCode);
});
