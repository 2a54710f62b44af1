// Pass policies for ordinary tests, beside specs and tests without one (shards.test.ts: in shards; bad-input.test.ts: wrong ones).
import { beforeAll, describe, expect, test } from 'vitest';
import { CLICKS_GO, config, makeSuite, type Run, type Suite, spec, startSite } from './suite';

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

// FAILING: by title, repeat indexes of the trials that fail. Each repeat costs a worker, so there are no more than two, and each
// failure but the last of a repeat one more, so they come last, in one repeat.
const FAILS = `const fails = ({ title, repeatEachIndex }) => (JSON.parse(process.env.FAILING ?? '{}')[title.split(' · ')[0]] ?? []).includes(repeatEachIndex);`;
const TESTS = `import { test, expect } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
${FAILS}
test('once', () => { expect(fails(test.info())).toBe(false); });
test.describe('assistant', passPolicy({ k: 2, minPasses: 1 }), () => {
  test.fail('is known to fail', () => { expect(fails(test.info())).toBe(true); });
  test.skip('is skipped', () => {});
  test('is strict', passPolicy({ k: 2, minPasses: 2 }), () => { expect(fails(test.info())).toBe(false); });
  test('answers', () => { expect.soft(fails(test.info())).toBe(false); });
});
test('answers', { ...passPolicy({ k: 2, minPasses: 1 }), tag: '@chat' }, () => {
  expect(fails(test.info()), 'the answer names the policy').toBe(false);
});
test.describe('assistant', passPolicy({ k: 2, minPasses: 1 }), () => {
  test('takes its time', async () => {
    test.setTimeout(500);
    if (fails(test.info())) await new Promise(() => {});
  });
  test('dies', () => { if (fails(test.info())) process.exit(3); });
});
`;

const AGENT = `import { passPolicy, test } from '@taskproof/playwright';
test('an agent helps', passPolicy({ k: 1, minPasses: 1 }), async ({ page, agent }) => {
  await page.goto(process.env.SITE);
  await agent.run('Click "Go"');
  await page.locator('#done').waitFor();
});
`;

const SPECS = `import { test as base, taskproofTests } from '@taskproof/playwright';
${FAILS}
const test = base.extend({
  page: async ({ page }, use, testInfo) => {
    if (fails(testInfo))
      await page.addInitScript(() => addEventListener('click', event => event.stopImmediatePropagation(), true));
    await use(page);
  },
});
taskproofTests('tasks/*.yaml', { test });
`;

const REPORTERS = `[['list'], ['junit', { outputFile: 'junit.xml' }], ['json', { outputFile: 'report.json' }],
  ['@taskproof/playwright/reporter', { summary: 'summary.md' }]]`;

let site: { url: string };
let suite: Suite;
beforeAll(async () => {
  site = await startSite({ '/': PAGE });
  suite = makeSuite({
    'playwright.config.ts': config({
      reporters: REPORTERS,
      taskproof: `{ agent: ${CLICKS_GO} }`,
      projects: `[{ name: 'agents', testDir: '.', testMatch: '**/*.spec.*', ...repeats('tasks/*.yaml'), retries: 1 }]`,
    }),
    'tasks/go.yaml': spec({ id: 'go', url: `${site.url}/`, k: 2, minPasses: 1 }),
    'a-spec.spec.ts': SPECS,
    'chat.spec.ts': TESTS,
    'agent.spec.ts': AGENT,
  });
});

const failing = (titles: Record<string, number[]>) => ({ FAILING: JSON.stringify(titles), SITE: site.url });
const rowsOf = (run: Run) =>
  Object.fromEntries(
    run
      .results()
      .verdicts.map(({ spec, verdict, k, passes, failures, errors }) => [
        spec,
        `${verdict} ${passes}/${k}, ${failures} failed, ${errors} errors`,
      ]),
  );

describe('a run in which all that fails is tolerated', () => {
  let run: Run;
  beforeAll(async () => {
    // With -x, which what is tolerated does not stop.
    run = await suite.playwright(
      ['test', '-x'],
      failing({ go: [1], answers: [1], 'takes its time': [1], dies: [1], 'is known to fail': [1] }),
    );
  });

  test('passes, with a verdict for each test with a policy beside those of specs', () => {
    expect(run.exitCode, run.output).toBe(0);
    expect(rowsOf(run)).toEqual({
      'an agent helps': 'passed 1/1, 0 failed, 0 errors',
      'assistant › answers': 'passed 1/2, 1 failed, 0 errors',
      'chat.spec.ts › answers': 'passed 1/2, 1 failed, 0 errors',
      dies: 'passed 1/2, 0 failed, 1 errors',
      go: 'passed 1/2, 1 failed, 0 errors',
      'is known to fail': 'passed 1/2, 1 failed, 0 errors',
      'is strict': 'passed 2/2, 0 failed, 0 errors',
      'takes its time': 'passed 1/2, 1 failed, 0 errors',
    });
  });

  test('rows are known by file and titles, and say why a trial failed', () => {
    const row = run.results().verdicts.find(({ spec }) => spec === 'assistant › answers')!;
    expect(row).toMatchObject({
      titlePath: ['chat.spec.ts', 'assistant', 'answers'],
      file: 'chat.spec.ts',
      ...{ agent: null, turns: null, costUsd: 0, project: 'agents' },
    });
    expect(row.trials[1]).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(
        /^expect\(received\)\.toBe.*\(chat\.spec\.ts:9\): expected false, received true$/,
      ),
    });
  });

  test('the turns of an agent are counted', () => {
    for (const name of ['an agent helps', 'go'])
      expect(run.results().verdicts.find(({ spec }) => spec === name)).toMatchObject({
        agent: 'go',
        turns: 1,
      });
  });

  test('one project has nothing to be compared with', () => {
    expect(run.results()).not.toHaveProperty('comparison');
    expect(run.output).not.toContain('passes, turns, cost');
  });

  test('every reporter shows tolerated failures as expected, and runs a test without a policy once', () => {
    expect(run.output).not.toMatch(/\d+ failed/);
    expect(run.output.match(/› once /g)).toHaveLength(1);
    expect(suite.read('junit.xml')).toMatch(/failures="0"/);
    expect(suite.read('junit.xml')).toContain('2/2 (failed, tolerated): the answer names the policy');
    expect(JSON.parse(suite.read('report.json')).stats).toMatchObject({
      unexpected: 0,
      flaky: 0,
      skipped: 2,
    });
  });

  test('retries are off, which is said once', () => {
    expect(run.output.match(/a retry does not count as a trial/g)).toHaveLength(1);
    expect(run.output).not.toContain('retry #1');
  });

  test('tests have a table without the columns of agents, unless one has an agent', () => {
    expect(suite.read('summary.md')).toContain('### Tests with a pass policy');
    expect(run.output).toContain('1 spec: 1 passed; 7 tests: 7 passed');
  });
});

test('the decisive failure stops a run with -x; what is settled is not played on', async () => {
  const run = await suite.playwright(
    ['test', 'chat', '-x', '--grep', 'chat|strict'],
    failing({ 'is known to fail': [0], 'is strict': [0] }),
  );
  expect(run.exitCode).toBe(1);
  expect(run.output).toContain('Testing stopped early after 1 maximum allowed failures');
  expect(rowsOf(run)['is strict']).toMatch(/^failed 0\/2, 1 failed/);
  expect(rowsOf(run)['is known to fail']).toMatch(/^undecided 0\/2, 1 failed/);
});

describe('without specs', () => {
  const alone = (test: string, project = 'repeatEach: 2') => ({
    'playwright.config.ts': `export default { reporter: [['list'], ['@taskproof/playwright/reporter']], projects: [{ name: 'p', ${project} }] };`,
    'a.spec.ts': `import { expect, test } from '@playwright/test';\nimport { passPolicy } from '@taskproof/playwright';\n${test}`,
  });

  // confirm.test.ts: with early stop, a baseline and fresh trials.
  test('no SDK is loaded, and a repeatEach of the suite stays its own', async () => {
    const source = `test('plain', () => {
  console.log('loaded ' + Object.keys(require.cache).filter(file => /@anthropic-ai/.test(file)).length);
});
test('tolerated', passPolicy({ k: 2, minPasses: 1 }), () => { expect(test.info().repeatEachIndex).toBe(1); });`;
    const run = await makeSuite(alone(source)).playwright(['test']);
    expect(run.exitCode, run.output).toBe(0);
    expect(run.output.match(/^loaded 0$/gm)).toHaveLength(2);
    expect(run.output).toMatch(/test +project +verdict +passes +rate \(95%\)$/m);
    expect(run.output).toMatch(/1 test: 1 passed \([\d.ms]+\)/);
  });

  test('without the reporter nothing is judged, which is said', async () => {
    const source = `test('x', passPolicy({ k: 2, minPasses: 1 }), () => { expect(1).toBe(2); });`;
    const run = await makeSuite(alone(source, 'repeatEach: 1')).playwright(['test', '--reporter=dot']);
    expect(run.exitCode).toBe(1);
    expect(run.output).toContain('No verdict will be computed: a test with passPolicy() needs 1 of 2 trials');
  });
});
