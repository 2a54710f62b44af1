// Specs as a suite declares them: the same ones in several describes, one by itself, broken ones among good ones.
import { expect, test } from 'vitest';
import { config, makeSuite, PAGE, spec, startSite, TASKS_TEST } from './suite';

const reporters = (last: string) => `[['list'], ['@taskproof/playwright/reporter'], ${last}]`;

test('the same spec in two describes has two verdicts, and a recording in a folder of its own', async () => {
  const site = await startSite({
    '/': '<button onclick="done.hidden = innerWidth < 500">Go</button><p id="done" hidden>Done</p>',
  });
  const suite = makeSuite({
    'playwright.config.ts': config({
      taskproof: '{ record: true, earlyStop: true }',
      reporters: reporters("['blob']"),
    }),
    'merge.config.ts': `export default { testDir: '.', reporter: ${reporters("['line']")} };`,
    'tasks/cart.yaml': spec({ id: 'cart', url: `${site.url}/`, k: 2 }),
    'cart.spec.ts': `
import { test } from '@playwright/test';
import { taskproofTests } from '@taskproof/playwright';
for (const [name, width] of [['desktop', 900], ['phone', 320]] as const)
  test.describe(name, () => {
    test.use({ viewport: { width, height: 600 } });
    taskproofTests('tasks/*.yaml');
  });
`,
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  // The phone's verdict is settled by its first trial, the desktop's is not.
  const rows = [
    {
      ...{ spec: 'cart', describe: 'desktop', k: 2, passes: 2, failures: 0, verdict: 'passed' },
      // Two passes, at which trials of 2 of 2 stop: the exact interval, not Wilson's.
      ...{ earlyStop: true, rate: 1, interval: [0.1581, 1] },
    },
    { spec: 'cart', describe: 'phone', k: 2, passes: 0, failures: 1, verdict: 'failed' },
  ];
  expect(run.results(), 'early stop leaves out what can change nothing').toMatchObject({
    ...{ complete: true, verdicts: rows },
  });
  expect(run.output).toMatch(/phone › cart +agents +✗ failed/);
  expect(run.output).toContain('cart.spec.ts:7:5 › phone › cart · trial 2/2');
  expect(suite.exists('recordings/desktop/cart.json')).toBe(true);
  expect(suite.exists('recordings/phone/cart.json')).toBe(false);

  const merged = await suite.playwright(['merge-reports', '--config=merge.config.ts', 'blob-report']);
  expect(merged.exitCode, merged.output).toBe(1);
  expect(merged.results().verdicts).toMatchObject(rows);
});

test('one spec can be chosen by its name; those that do not parse fail by themselves, and the others are judged', async () => {
  const site = await startSite({ '/': PAGE });
  const url = `${site.url}/`;
  const good = ['cart', 'cart-gift', 'mini-cart'];
  const suite = makeSuite({
    'playwright.config.ts': config(),
    'tasks.spec.ts': TASKS_TEST,
    'tasks/cart.yaml': spec({ id: 'cart', url, extra: 'tags: [smoke]' }),
    'tasks/cart-gift.yaml': spec({ id: 'cart-gift', url, k: 2 }),
    'tasks/mini-cart.yaml': spec({ id: 'mini-cart', url }),
    'tasks/broken.yaml': 'specVersion: "0.1"\nid: broken\ngoal: [',
    'tasks/typo.yaml': spec({ id: 'typo', url }).replace('goal:', 'gaol:'),
  });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  const { verdicts, ...results } = run.results();
  expect(verdicts.map(({ spec, verdict }) => [spec, verdict])).toEqual(good.map(id => [id, 'passed']));
  expect(results).toMatchObject({ status: 'failed', complete: false });
  expect(results.incompleteBecause).toBe('tasks/broken.yaml does not parse; tasks/typo.yaml does not parse');
  for (const said of [
    /Error: tasks\/broken\.yaml: not a readable YAML file/,
    /tasks\/typo\.yaml:3:1 gaol: .*did you mean `goal`/,
    /> 3 \| goal: \[/,
    /at tasks\/broken\.yaml:3\n/,
    /2 failed\n/,
    /4 passed/,
  ])
    expect(run.output).toMatch(said);
  expect(run.output).not.toContain('skipped');

  // Neither of the others, whose names have "cart" in them, too.
  const alone = await suite.playwright(['test', '--list', 'tasks.spec', '--grep', ' cart @|yaml']);
  expect(alone.exitCode, alone.output).toBe(0);
  const listed = [...alone.output.matchAll(/› (\S+)(?= @|$)/gm)].map(([, name]) => name);
  expect(new Set(listed), alone.output).toEqual(new Set(['cart', 'tasks/broken.yaml', 'tasks/typo.yaml']));
});
