// Pass policies for ordinary tests, beside a spec and a test without one. runner-flags.test.ts: with -x; shards.test.ts: in shards;
// confirm.test.ts: with early stop, a baseline and fresh trials.
import { expect, test } from 'vitest';
import { CLICKS_GO, config, makeSuite, PAGE, spec, startSite, TASKS_TEST } from './suite';

// Each repeat is a worker, and each failure but the last of a repeat one more: they come last, in the second repeat.
const TESTS = `import { test, expect } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
const isSecond = () => test.info().repeatEachIndex === 1;
test('once', () => {});
test.describe('assistant', passPolicy({ k: 2, minPasses: 1 }), () => {
  test.fail('is known to fail', () => { expect(isSecond()).toBe(true); });
  test.skip('is skipped', () => {});
  test('is strict', passPolicy({ k: 2, minPasses: 2 }), () => {});
});
const policy = passPolicy({ k: 2, minPasses: 1 });
test('answers', { ...policy, tag: '@chat', annotation: [policy.annotation, { type: 'issue', description: '7' }] }, () => {
  expect(isSecond(), 'the answer names the policy').toBe(false);
});
test('dies', passPolicy({ k: 2, minPasses: 1 }), () => { if (isSecond()) process.exit(3); });
`;

const AGENT = `import { passPolicy, test } from '@taskproof/playwright';
test('an agent helps', passPolicy({ k: 1, minPasses: 1 }), async ({ page, agent }) => {
  await page.goto(process.env.SITE);
  await agent.run('Click "Go"');
  await page.locator('#done').waitFor();
});
`;

test('tests with a policy are judged beside specs, and every reporter shows what is tolerated as expected', async () => {
  const site = await startSite({ '/': PAGE });
  const suite = makeSuite({
    'playwright.config.ts': config({
      reporters: `[['list'], ['junit', { outputFile: 'junit.xml' }], ['json', { outputFile: 'report.json' }],
  ['@taskproof/playwright/reporter', { summary: 'summary.md' }]]`,
      taskproof: `{ agent: ${CLICKS_GO} }`,
      projects: `[{ name: 'agents', testDir: '.', testMatch: '**/*.spec.*', ...repeats('tasks/*.yaml', { atLeast: 2 }), retries: 1 },
        { name: 'rest', testMatch: 'rest.ts', dependencies: ['agents'] }]`,
    }),
    'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/` }),
    'a-spec.spec.ts': TASKS_TEST,
    'chat.spec.ts': TESTS,
    'agent.spec.ts': AGENT,
    'rest.ts': `import { test } from '@playwright/test';\ntest('the rest', () => {});`,
  });
  const run = await suite.playwright(['test'], { SITE: `${site.url}/` });
  expect(run.exitCode, run.output).toBe(0);
  const { verdicts } = run.results();
  const rows = verdicts.map(({ spec, verdict, k, passes, failures, errors }) => [
    spec,
    `${verdict} ${passes}/${k}, ${failures} failed, ${errors} errors`,
  ]);
  expect(Object.fromEntries(rows)).toEqual({
    'an agent helps': 'passed 1/1, 0 failed, 0 errors',
    answers: 'passed 1/2, 1 failed, 0 errors',
    dies: 'passed 1/2, 0 failed, 1 errors',
    go: 'passed 1/1, 0 failed, 0 errors',
    'is known to fail': 'passed 1/2, 1 failed, 0 errors',
    'is strict': 'passed 2/2, 0 failed, 0 errors',
  });
  const row = (name: string) => verdicts.find(({ spec }) => spec === name)!;
  expect(row('answers')).toMatchObject({ titlePath: ['chat.spec.ts', 'answers'], agent: null, turns: null });
  expect(row('answers').trials[1]!.reason).toMatch(/^the answer names the policy.*\(chat\.spec\.ts:\d+\)/);
  for (const name of ['an agent helps', 'go']) expect(row(name)).toMatchObject({ agent: 'go', turns: 1 });

  expect(run.output).not.toMatch(/\d+ failed|retry #1/);
  expect(run.output.match(/a retry does not count as a trial/g)).toHaveLength(1);
  expect(run.output.match(/› once /g), 'without a policy it runs once').toHaveLength(1);
  expect(run.output, 'what a verdict tolerates does not stop the projects that depend on it').toMatch(
    /› the rest /,
  );
  expect(run.output).toContain('1 spec and 5 tests: 6 passed');
  expect(suite.read('summary.md')).toMatch(/^\| assistant › is strict \| .* \| 2\/2, needs/m);
  expect(suite.read('junit.xml')).toMatch(/failures="0"/);
  expect(suite.read('junit.xml')).toContain('2/2 (failed, tolerated): the answer names the policy');
  expect(JSON.parse(suite.read('report.json')).stats).toMatchObject({ unexpected: 0, flaky: 0, skipped: 2 });
});
