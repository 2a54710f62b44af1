// What the runner's own flags, and other reporters, make of specs.
import { describe, expect, test } from 'vitest';
import { config, makeSuite, spec, startSite } from './suite';

const PAGE = '<button onclick="done.hidden=false">Go</button><p id="done" hidden>Done</p>';

async function suiteWith(
  failing: Record<string, number[]>,
  options: { reporters?: string; taskproof?: string; k?: number } = {},
) {
  const site = await startSite({ '/': PAGE });
  const k = options.k ?? 4;
  return makeSuite({
    'playwright.config.ts': config({ reporters: options.reporters, taskproof: options.taskproof }).replace(
      'workers: 2',
      'workers: 1',
    ),
    ...Object.fromEntries(
      Object.keys(failing).map(id => [
        `tasks/${id}.yaml`,
        spec({ id, url: `${site.url}/`, k, minPasses: k - 1 }),
      ]),
    ),
    'tasks.spec.ts': `import { test as base, taskproofTests } from '@taskproof/playwright';
const failing = ${JSON.stringify(failing)};
const test = base.extend({
  page: async ({ page }, use, testInfo) => {
    if (failing[testInfo.title].includes(testInfo.repeatEachIndex) && !process.env.MENDED)
      await page.addInitScript(() => addEventListener('click', event => event.stopImmediatePropagation(), true));
    await use(page);
  },
});
taskproofTests('tasks/**/*.yaml', { test });`,
  });
}

test('-x: a tolerated failure does not stop the run, the decisive one does', async () => {
  const suite = await suiteWith({ kept: [0] });
  const kept = await suite.playwright(['test', '-x']);
  expect(kept.exitCode, kept.output).toBe(0);
  expect(kept.results().verdicts[0]).toMatchObject({ verdict: 'passed', passes: 3, failures: 1 });
  const lost = await suiteWith({ lost: [0, 1] });
  const run = await lost.playwright(['test', '-x']);
  expect(run.exitCode, run.output).toBe(1);
  expect(run.results().verdicts[0]).toMatchObject({ verdict: 'failed', passes: 0, failures: 2, missing: 2 });
});

test('--last-failed reruns all trials of a lost spec, and none of a kept one', async () => {
  const suite = await suiteWith({ kept: [1], lost: [1, 2] });
  const first = await suite.playwright(['test']);
  expect(first.exitCode, first.output).toBe(1);
  const again = await suite.playwright(['test', '--last-failed'], { MENDED: '1' });
  expect(again.exitCode, again.output).toBe(0);
  expect(again.results().verdicts).toMatchObject([{ spec: 'lost', verdict: 'passed', passes: 4 }]);
});

describe('every reporter tells the same story', () => {
  const OURS = `['@taskproof/playwright/reporter']`;
  const THEIRS = `['json', { outputFile: 'pw.json' }], ['junit', { outputFile: 'pw.xml' }]`;
  test.each([
    { order: 'ours first', reporters: `[${OURS}, ['list'], ${THEIRS}, ['html']]` },
    { order: 'ours last', reporters: `[['html'], ${THEIRS}, ['github'], ${OURS}]` },
  ])('$order', async ({ reporters }) => {
    const suite = await suiteWith({ kept: [1], lost: [0, 1] }, { reporters, k: 3 });
    const run = await suite.playwright(['test']);
    expect(run.exitCode, run.output).toBe(1);
    const { suites, stats } = JSON.parse(suite.read('pw.json'));
    expect(stats).toMatchObject({ unexpected: 2, expected: 4, flaky: 0 });
    const specs = suites[0].suites?.[0]?.specs ?? suites[0].specs;
    const red = specs
      .filter((entry: { ok: boolean }) => !entry.ok)
      .map((entry: { title: string }) => entry.title);
    expect(red.sort()).toEqual([
      'lost · trial 1/3 (failed) · verdict: failed 1/3',
      'lost · trial 2/3 (failed) · verdict: failed 1/3',
    ]);
    expect(suite.read('pw.xml').match(/<(failure|error) /g)).toHaveLength(2);
    const annotations = run.output.match(/^::error .*$/gm) ?? [];
    expect(annotations.length).toBeGreaterThanOrEqual(reporters.includes('github') ? 2 : 0);
    expect(annotations.filter(line => !line.includes('lost'))).toEqual([]);
  });
  test('our reporter alone still shows errors, verdicts and the exit status', async () => {
    const suite = await suiteWith({ lost: [0, 1] }, { reporters: `[${OURS}]`, k: 3 });
    const run = await suite.playwright(['test']);
    expect(run.exitCode).toBe(1);
    expect(run.output).toContain('"#done" matches 1, but none is visible');
    expect(run.output).toMatch(/lost\s+agents\s+✗ failed\s+1\/3, needs 2/);
    expect(run.output).not.toContain('No verdict will be computed');
  });

  test('a run without our reporter is told that it has no verdict', async () => {
    const suite = await suiteWith({ kept: [] }, { k: 2 });
    const run = await suite.playwright(['test', '--reporter=dot']);
    expect(run.output).toContain(
      'No verdict will be computed: "kept" needs 1 of 2 trials to pass, but the reporter "@taskproof/playwright/reporter" is not used',
    );
  });
});

test('earlyStop: trials after a settled verdict are skipped with the reason', async () => {
  const suite = await suiteWith({ lost: [0, 1], kept: [] }, { taskproof: '{ earlyStop: true }', k: 5 });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  const [kept, lost] = run.results().verdicts;
  expect(kept).toMatchObject({ verdict: 'passed', k: 5, passes: 4, missing: 1, rate: 1 });
  expect(lost).toMatchObject({ verdict: 'failed', passes: 0, failures: 2, missing: 3, rate: 0 });
  expect(lost!.trials.filter(trial => trial.outcome === 'skipped').map(trial => trial.reason)).toEqual(
    Array(3).fill('early stop: the verdict is settled (failed, 0 of 2 passed, needs 4 of 5)'),
  );
  expect(run.output).toContain('(2 ran)');
  expect(run.results().complete).toBe(true);
});

test('maxRunCostUsd: beyond it no new trial starts, and the verdict is not guessed', async () => {
  const agent = `defineAgent({ name: 'dear', async run(task) { await task.turn('click Go', () => { task.usage({ costUsd: 0.4 }); return task.page.getByText('Go').click(); }); } })`;
  const suite = await suiteWith({ kept: [] }, { taskproof: `{ agent: ${agent}, maxRunCostUsd: 0.5 }`, k: 4 });
  const run = await suite.playwright(['test']);
  expect(run.exitCode, run.output).toBe(1);
  const [verdict] = run.results().verdicts;
  expect(verdict).toMatchObject({ verdict: 'undecided', passes: 2, missing: 2, costUsd: 0.8 });
  expect(verdict!.reason).toContain('maxRunCostUsd of $0.5');
});

test('the summary, the step summary and the baseline are written at the end', async () => {
  const suite = await suiteWith(
    { kept: [1], lost: [0, 1] },
    {
      k: 3,
      reporters: `[['list'], ['@taskproof/playwright/reporter', { summary: 'out/summary.md', baseline: 'base.json', outputFile: 'out/results.json' }]]`,
    },
  );
  const first = await suite.playwright(['test'], {
    MENDED: '1',
    GITHUB_STEP_SUMMARY: `${suite.folder}/step.md`,
  });
  expect(first.exitCode, first.output).toBe(0);
  expect(first.output, 'a missing baseline costs a warning').toContain('base.json');
  suite.write({ 'base.json': suite.read('out/results.json') });
  const second = await suite.playwright(['test']);
  expect(second.exitCode).toBe(1);
  expect(second.output).toMatch(/regressed.*lost/s);
  expect(suite.read('out/summary.md')).toMatch(/Taskproof: failed[\s\S]*lost/);
  expect(suite.read('step.md')).toContain('Taskproof: passed');
});
