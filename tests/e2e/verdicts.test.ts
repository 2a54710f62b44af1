// What a run comes to: its verdicts, and its exit status beside ordinary tests.
import { beforeAll, describe, expect, test } from 'vitest';
import { CLICKS_GO, config, makeSuite, PLAIN, type Run, type Suite, spec, startSite } from './suite';

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

// FAILING: repeat indexes of trials whose button does nothing.
const TESTS = `import { test as base, taskproofTests } from '@taskproof/playwright';
const test = base.extend({
  page: async ({ page }, use, testInfo) => {
    if (JSON.parse(process.env.FAILING).includes(testInfo.repeatEachIndex))
      await page.addInitScript(() => addEventListener('click', event => event.stopImmediatePropagation(), true));
    await use(page);
  },
});
taskproofTests('tasks/**/*.yaml', { test });
`;

const ORDINARY = `import { test, expect } from '@playwright/test';
test('ordinary', () => { expect(process.env.ORDINARY).toBe('passes'); });`;

let suite: Suite;
beforeAll(async () => {
  const site = await startSite({ '/': PAGE });
  suite = makeSuite({
    'playwright.config.ts': config({ reporters: PLAIN, taskproof: `{ agent: ${CLICKS_GO} }` }),
    'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/`, k: 2, minPasses: 1 }),
    'tasks.spec.ts': TESTS,
    // If it fails, it is the last of its worker: else another one would start.
    'z-ordinary.spec.ts': ORDINARY,
  });
});

describe.each([
  { failing: [1], ordinary: 'passes', exitCode: 0, verdict: 'passed' },
  // comparison.test.ts: a lost spec fails the run.
  { failing: [1], ordinary: 'fails', exitCode: 1, verdict: 'passed' },
])('k 2, minPasses 1: $failing fail, the ordinary test $ordinary', row => {
  let run: Run;
  beforeAll(async () => {
    run = await suite.playwright(['test'], {
      FAILING: JSON.stringify(row.failing),
      ORDINARY: row.ordinary,
    });
  });

  test(`exit ${row.exitCode}, ${row.verdict}`, () => {
    const { verdicts } = run.results();
    expect(verdicts, run.output).toHaveLength(1);
    expect(verdicts[0]).toMatchObject({
      spec: 'go',
      project: 'agents',
      agent: 'go',
      verdict: row.verdict,
      k: 2,
      passes: 2 - row.failing.length,
      failures: row.failing.length,
    });
    expect(run.exitCode, run.output).toBe(row.exitCode);
  });

  test('one project has nothing to be compared with', () => {
    expect(run.results()).not.toHaveProperty('comparison');
    expect(run.output).not.toContain('passes, turns, cost');
  });
});
