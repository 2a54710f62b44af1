// What the runner's own flags, and other reporters, make of specs.
import { beforeAll, describe, expect, test } from 'vitest';
import { testsIn } from '../support/json-report';
import { CLICKS_GO, config, makeSuite, PAGE, type Run, type Suite, spec, startSite } from './suite';

const OURS = `'@taskproof/playwright/reporter'`;

interface Options {
  k: number;
  /** By spec. */
  minPasses: Record<string, number>;
  reporters?: string;
  /** Further keys of `use.taskproof`. */
  taskproof?: string;
}

/** A suite of specs with the repeat indexes at which their button does nothing. */
async function suiteWith(failing: Record<string, number[]>, options: Options): Promise<Suite> {
  const { k, minPasses, reporters = `[['list'], [${OURS}]]`, taskproof = '' } = options;
  const site = await startSite({ '/': PAGE });
  return makeSuite({
    'playwright.config.ts': config({
      reporters,
      taskproof: `{ agent: ${CLICKS_GO}, ${taskproof} }`,
    }),
    ...Object.fromEntries(
      Object.keys(failing).map(id => [
        `tasks/${id}.yaml`,
        spec({ id, url: `${site.url}/`, k, minPasses: minPasses[id] }),
      ]),
    ),
    'tasks.spec.ts': `import { test as base, taskproofTests } from '@taskproof/playwright';
const failing = ${JSON.stringify(failing)};
const test = base.extend({
  page: async ({ page }, use, testInfo) => {
    if (failing[testInfo.title.split(' ')[0]].includes(testInfo.repeatEachIndex) && !process.env.MENDED)
      await page.addInitScript(() => addEventListener('click', event => event.stopImmediatePropagation(), true));
    await use(page);
  },
});
taskproofTests('tasks/**/*.yaml', { test });`,
  });
}

describe('-x with our reporter alone', () => {
  let run: Run;
  beforeAll(async () => {
    const suite = await suiteWith(
      { lost: [0, 1], unplayed: [] },
      { k: 2, minPasses: { lost: 1, unplayed: 2 }, reporters: `[[${OURS}]]` },
    );
    run = await suite.playwright(['test', '-x']);
  });
  const rowOf = (id: string) => run.results().verdicts.find(({ spec }) => spec === id);

  test('-x: a tolerated failure does not stop the run', () => {
    expect(rowOf('unplayed'), run.output).toMatchObject({ passes: 1 });
  });

  test('-x: the decisive failure stops the run', () => {
    expect(run.exitCode, run.output).toBe(1);
    expect(rowOf('lost')).toMatchObject({ verdict: 'failed', passes: 0, failures: 2 });
    expect(rowOf('unplayed')).toMatchObject({ verdict: 'undecided', passes: 1, missing: 1 });
  });

  test('our reporter alone still shows errors, verdicts and the exit status', () => {
    expect(run.exitCode).toBe(1);
    expect(run.output).toContain('"#done" matches 1, but none is visible');
    expect(run.output).toMatch(/lost\s+agents\s+✗ failed\s+0\/2, needs 1/);
    expect(run.output).not.toContain('No verdict will be computed');
  });
});

describe('one kept and one lost spec', () => {
  let suite: Suite;
  let first: Run;
  let again: Run;

  // Lost, and rerun without its fault, with the run before as its baseline.
  beforeAll(async () => {
    const ours = `[${OURS}, { summary: 'out/summary.md', baseline: 'base.json', outputFile: 'out/results.json' }]`;
    const theirs = (order: string) =>
      `['json', { outputFile: '${order}.json' }], ['junit', { outputFile: '${order}.xml' }], ['github']`;
    suite = await suiteWith(
      { kept: [1], lost: [0] },
      {
        k: 2,
        minPasses: { kept: 1, lost: 2 },
        reporters: `[${theirs('before')}, ${ours}, ['list'], ${theirs('after')}]`,
      },
    );
    const step = (name: string) => ({ GITHUB_STEP_SUMMARY: `${suite.folder}/${name}.md` });
    first = await suite.playwright(['test'], step('first'));
    for (const file of ['before.json', 'before.xml', 'after.json', 'after.xml', 'out/summary.md'])
      suite.write({ [`first/${file}`]: suite.read(file) });
    suite.write({ 'base.json': suite.read('out/results.json') });
    again = await suite.playwright(['test', '--last-failed'], { MENDED: '1', ...step('again') });
  });

  test.each(['before', 'after'])('reporters %s ours tell the same story', order => {
    const json = suite.read(`first/${order}.json`);
    const junit = suite.read(`first/${order}.xml`);
    expect(first.exitCode, first.output).toBe(1);
    expect(JSON.parse(json).stats).toMatchObject({ unexpected: 1, expected: 3, flaky: 0 });
    const red = testsIn(json).filter(({ ok }) => !ok);
    expect(red.map(({ title }) => title)).toEqual(['lost · trial 1/2']);
    expect(junit.match(/<(failure|error) /g)).toHaveLength(1);
    expect(junit).toContain('<property name="verdict" value="failed: 1/2 passed, needs 2">');
    expect(junit).toContain('<property name="policy" value="at least 1 of 2 trials must pass">');
    expect(junit).toMatch(/<property name="trial" value="2\/2 \(failed, tolerated\): /);
    expect(junit).not.toContain('_taskproof');
  });

  test('the annotations of GitHub, before ours and after, name the lost spec alone', () => {
    const annotations = first.output.match(/^::error .*$/gm) ?? [];
    expect(
      annotations.filter(line => line.includes('title=')),
      first.output,
    ).toHaveLength(2);
    expect(annotations.filter(line => !line.includes('lost'))).toEqual([]);
  });

  test('--last-failed reruns all trials of a lost spec, and none of a kept one', () => {
    expect(again.exitCode, again.output).toBe(0);
    const { verdicts } = JSON.parse(suite.read('out/results.json'));
    expect(verdicts).toMatchObject([{ spec: 'lost', verdict: 'passed', passes: 2 }]);
  });

  test('the summary, the step summary and the baseline are written at the end', () => {
    expect(first.output, 'a missing baseline costs a warning').toContain('base.json');
    expect(first.output).not.toMatch(/^fixed/m);
    expect(again.output).toMatch(/^fixed +lost /m);
    expect(suite.read('first/out/summary.md')).toMatch(/Taskproof: failed[\s\S]*lost/);
    expect(suite.read('out/summary.md')).toContain('Taskproof: passed');
    expect(suite.read('first.md')).toContain('Taskproof: failed');
    expect(suite.read('again.md')).toContain('Taskproof: passed');
  });
});

describe('a run that leaves out trials', () => {
  let run: Run;
  // Played in the order of the files: what one has spent counts for those after it, each with a cap of its own.
  beforeAll(async () => {
    const suite = await suiteWith(
      { lost: [0], kept: [] },
      { taskproof: 'earlyStop: true', k: 2, minPasses: { lost: 2, kept: 1 } },
    );
    const tasks = suite.read('tasks/kept.yaml');
    const twice = (id: string) =>
      tasks.replace('id: kept', `id: ${id}`).replace('minPasses: 1', 'minPasses: 2');
    suite.write({
      'dear/dear.yaml': twice('dear'),
      'dear/later.yaml': twice('later'),
      'dear.spec.ts': `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
const agent = defineAgent({ name: 'dear', async run(task) {
  await task.turn('click Go', () => { task.usage({ costUsd: 0.4 }); return task.page.getByText('Go').click(); });
} });
test.use({ taskproof: { agent, maxRunCostUsd: 0.3 } });
taskproofTests('dear/*.yaml', { test });`,
      'dies/dies.yaml': twice('dies'),
      'dies/next.yaml': twice('next'),
      'dies.spec.ts': `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
const agent = defineAgent({ name: 'dear', run: task => task.turn('click Go', () => {
  task.usage({ costUsd: 0.4 });
  process.exit(3);
}) });
test.use({ taskproof: { agent, maxRunCostUsd: 0.7 } });
taskproofTests('dies/*.yaml', { test });`,
      'judged/one.yaml': `${twice('one')}\njudge: It is fine.\n`,
      'judged/two.yaml': `${twice('two')}\njudge: It is fine.\n`,
      'y-judged.spec.ts': `import { defineAgent, taskproofTests, test } from '@taskproof/playwright';
const agent = defineAgent({ name: 'free', run: task => task.turn('click Go', () => task.page.getByText('Go').click()) });
const judge = { name: 'dear', judge: async () => ({ passed: true, reason: 'Yes.', usage: { inputTokens: 9, outputTokens: 9, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: 0.5 } }) };
test.use({ taskproof: { agent, judge, maxRunCostUsd: 1.3 } });
taskproofTests('judged/*.yaml', { test });`,
      'z-plain.spec.ts': `import { defineAgent, expect, test } from '@taskproof/playwright';
const agent = defineAgent({ name: 'dear', run: task => task.turn('look', () => task.usage({ costUsd: 0.4 })) });
test.use({ taskproof: { agent, maxRunCostUsd: 1.6 } });
for (const title of ['first', 'second'])
  test(title, async ({ page, agent }) => {
    await page.setContent('Hello');
    await agent.run('Look at the page.', { allowedDomains: ['shop.test'] });
  });`,
    });
    run = await suite.playwright(['test']);
  });
  const rowOf = (id: string) => run.results().verdicts.find(({ spec }) => spec === id)!;

  test('earlyStop: trials after a settled verdict are skipped with the reason', () => {
    expect(run.exitCode, run.output).toBe(1);
    const lost = rowOf('lost');
    expect(rowOf('kept')).toMatchObject({ verdict: 'passed', k: 2, passes: 1, missing: 1, rate: 1 });
    expect(lost).toMatchObject({ verdict: 'failed', passes: 0, failures: 1, missing: 1, rate: 0 });
    expect(lost.trials.filter(trial => trial.outcome === 'skipped').map(trial => trial.reason)).toEqual([
      'early stop: the verdict is settled (failed, 0 of 1 passed, needs 2 of 2)',
    ]);
    expect(run.output).toContain('(1 ran)');
  });

  test('maxRunCostUsd: beyond it no new trial starts, and the verdict is not guessed', () => {
    expect(rowOf('dear')).toMatchObject({ verdict: 'undecided', passes: 1, missing: 1, costUsd: 0.4 });
    expect(rowOf('dear').reason).toContain('maxRunCostUsd of $0.3');
    expect(rowOf('later')).toMatchObject({ verdict: 'undecided', passes: 0, missing: 2, costUsd: 0 });
    expect(run.results().complete).toBe(false);
  });

  test('maxRunCostUsd: what a trial spent counts, though its worker died, and what a judge costs', () => {
    const [died] = rowOf('dies').trials;
    expect(died, run.output).toMatchObject({ outcome: 'error', errorKind: 'internal' });
    expect(rowOf('next').reason).toContain('the run has spent $0.8000 of its maxRunCostUsd of $0.7');
    expect(rowOf('two').reason).toContain('the run has spent $1.3000 of its maxRunCostUsd of $1.3');
  });

  test('maxRunCostUsd: a test without a pass policy counts, and fails beyond it: skipped, it would look green', () => {
    expect(run.output).toMatch(/✓ .* z-plain\.spec\.ts:\d+:\d+ › first/);
    expect(run.output).toMatch(/✘ .* z-plain\.spec\.ts:\d+:\d+ › second/);
    expect(run.output).toContain('agent.run: the run has spent $1.7000 of its maxRunCostUsd of $1.6');
  });
});
