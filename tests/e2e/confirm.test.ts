// A baseline, a diff and fresh trials of real `playwright test` processes, with an agent whose pass rate is known.
import { beforeAll, expect, test } from 'vitest';
import type { Results } from '../../src/data/results';
import { config, inProcess, makeSuite, type Suite, spec, startSite, TASKS_TEST, taskproof } from './suite';

/** Passes every trial but those of the specs that FAILS names; each costs 10 cents. No chance, so that no test hangs on it. */
const AGENT = `defineAgent({ name: 'known', async run(task) {
  task.usage({ costUsd: 0.1 });
  if (!(process.env.FAILS ?? '').split(' ').includes(new URL(task.entryUrl).hash.slice(1)))
    await task.turn('click Go', () => task.page.getByText('Go').click());
} })`;

const SETUP = `import { test } from '@playwright/test';
test('log in', () => console.log('setup ran'));`;
const ORDINARY = `import { test } from '@playwright/test';
test('ordinary', () => console.log('ordinary ran'));`;
const POLICIES = `import { expect, test } from '@playwright/test';
import { passPolicy } from '@taskproof/playwright';
// Each failure costs a worker.
for (const [title, k] of Object.entries({ steady: 2, mended: 1, broken: 1 }))
  test(title, passPolicy({ k, minPasses: 1 }), () => {
    expect((process.env.FAILS ?? '').split(' ')).not.toContain(title);
  });`;

/** The same run, had these failed; their trials are one each. */
function failing(passed: Results, ...specs: string[]): Results {
  const verdicts = passed.verdicts.map(row => {
    if (!specs.includes(row.spec)) return row;
    const [trial] = row.trials;
    const failed = { ...trial!, outcome: 'failed' as const, reason: 'It fell.' };
    return { ...row, verdict: 'failed' as const, passes: 0, failures: 1, rate: 0, trials: [failed] };
  });
  return { ...passed, status: 'failed', verdicts };
}

let suite: Suite;
/** For `confirm`: four nights as the baseline, and a run in which the cart alone fell, so that the suite as a whole did not. */
const CART_ALONE = ['few.json', 'cart.json'];

beforeAll(async () => {
  const site = await startSite({
    '/': `<button onclick="document.body.innerHTML='<p id=done>done</p>'">Go</button>`,
  });
  const specs = ['cart', 'cart-2'].map((id, index) => [
    // The one that fails is last: after it another worker would start.
    `tasks/${9 - index}.yaml`,
    spec({ id, url: `${site.url}/#${id}`, goal: 'Go' }),
  ]);
  suite = makeSuite({
    ...Object.fromEntries(specs),
    'tasks.spec.ts': TASKS_TEST,
    'ordinary.spec.ts': ORDINARY,
    'policies.spec.ts': POLICIES,
    'log-in.setup.ts': SETUP,
    'playwright.config.ts': config({
      taskproof: `{ agent: ${AGENT}, earlyStop: true }`,
      // One of the runs below has a project before it, which costs each of them a worker.
      projects: `[{ name: 'setup', testMatch: 'log-in.setup.ts' },
        { name: 'agents', testDir: '.', testMatch: '*.spec.ts', dependencies: ['setup'], ...repeats('tasks/**/*.yaml', { atLeast: 2 }) }]
        .slice(process.env.SETUP ? 0 : 1).map(each => process.env.SETUP ? each : { ...each, dependencies: [] })`,
    }),
  });
  // Without early stop, so that the baseline has all trials.
  const whole = suite.read('playwright.config.ts').replace('earlyStop: true', 'earlyStop: false');
  const sharded = whole.replace('expect:', 'shard: { current: 2, total: 2 }, expect:');
  suite.write({ 'whole.config.ts': whole, 'sharded.config.ts': sharded });
  const first = await suite.playwright(['test', '--config=whole.config.ts']);
  expect(first.exitCode, first.output).toBe(0);
  const passed = first.results();
  // As a hundred nights would leave it: the more a baseline holds, the fewer later trials prove something.
  const nights = Array.from({ length: 100 }, (_, day) => `night-${day}.json`);
  for (const [day, file] of nights.entries())
    suite.write({
      [file]: JSON.stringify({ ...passed, startedAt: new Date(day * 86_400_000).toISOString() }),
    });
  for (const [file, runs] of [
    ['few.json', 4],
    ['forty.json', 40],
    ['taskproof-baseline.json', 100],
  ] as const) {
    const save = ['baseline', 'save', '-o', file, '--runs', `${runs}`, ...nights.slice(-runs)];
    expect((await inProcess(suite, save)).code).toBe(0);
  }
  suite.write({
    'taskproof-results.json': JSON.stringify(failing(passed, 'cart', 'mended', 'broken')),
    'cart.json': JSON.stringify(failing(passed, 'cart')),
  });
}, 600_000);

test('real regressions of a spec and of a test: the diff names them, fresh trials confirm them, and nothing else is played', async () => {
  const diff = await inProcess(suite, ['diff', '--json']);
  expect(diff.code).toBe(1);
  const fell = { change: 'regressed', candidate: true, proven: true };
  const { rows } = JSON.parse(diff.out) as { rows: { spec: string }[] };
  expect(Object.fromEntries(rows.map(row => [row.spec, row]))).toMatchObject({
    ...{ cart: fell, broken: fell, mended: fell },
    ...{ 'cart-2': { change: 'unchanged', candidate: false }, steady: { change: 'unchanged' } },
  });
  const before = suite.read('taskproof-results.json');
  // Against forty nights, one failure is no proof.
  const env = { FAILS: 'cart broken', SETUP: '1' };
  const args = ['forty.json', '--trials', '3', '--markdown', '-o', 'comment.md'];
  // All fresh trials are played, although the config is one of two shards.
  const own = ['--', '--config=sharded.config.ts'];
  const confirmed = await taskproof(suite, ['confirm', ...args, ...own], env);
  expect(confirmed.err).toMatch(
    /^Running 3 candidates again: .*\. Up to 3 fresh trials each, at most \$0\.30 /m,
  );
  for (const name of [
    'cart [agents]',
    'policies.spec.ts › broken [agents]',
    'policies.spec.ts › mended [agents]',
  ])
    expect(confirmed.err).toContain(name);
  expect(confirmed.err).toContain('setup ran');
  for (const other of ['ordinary ran', 'cart-2', '› steady']) expect(confirmed.err).not.toContain(other);
  const comment = suite.read('comment.md');
  expect(comment).toMatch(/^<!-- taskproof-diff -->\n\n### Taskproof: worse than the baseline\n/);
  for (const row of [
    '| **regressed** | cart | agents | 40/40 | 0/1 | 0/2 | \\$0.20 |',
    '| **regressed** | broken | agents | 40/40 | 0/1 | 0/2 |',
    '| not confirmed | mended | agents | 40/40 | 0/1 | 2/2 |',
  ])
    expect(comment).toContain(row);
  expect(confirmed.code, confirmed.err).toBe(1);
  expect(suite.read('taskproof-results.json'), 'the results of the run stay').toBe(before);
}, 600_000);

test('--max-cost, in JSON: no trial starts that may pass it, and then nothing is known', async () => {
  // Two would do to confirm it.
  const args = ['confirm', ...CART_ALONE, '--trials', '2', '--max-cost', '0.15', '--json'];
  const { code, out, err } = await taskproof(suite, args, { FAILS: 'cart' });
  expect(err).toContain('capped at $0.15');
  expect(code, err).toBe(3);
  expect(JSON.parse(out)).toMatchObject({
    outcome: 'unknown',
    candidates: [
      {
        ...{ spec: 'cart', answer: 'open' },
        fresh: { passes: 0, failures: 1, costUsd: 0.1, reason: expect.stringContaining('--max-cost') },
      },
    ],
  });
}, 600_000);

test('Playwright that does not start is a failure of the command', async () => {
  const { code, err } = await taskproof(suite, ['confirm', '--', '--config=nowhere.config.ts']);
  expect([code, err]).toEqual([2, expect.stringContaining('before any trial ran')]);
}, 600_000);

test('probe: a spec that holds although nothing was done; neither agent nor judge is asked', async () => {
  const other = await startSite({ '/': '<h1>Shop</h1>' });
  const { url } = other;
  const asked = `defineAgent({ name: 'asked', preflight() { throw new Error('the agent was asked'); }, async run() {} })`;
  const probed = makeSuite({
    'playwright.config.ts': config({ taskproof: `{ agent: ${asked} }` }),
    'tasks.spec.ts': TASKS_TEST,
    'tasks/vacuous.yaml': spec({
      id: 'vacuous',
      url: `${url}/`,
      k: 3,
      assertions: "  - { type: dom, selector: h1, state: visible }\n  - { type: url, pattern: '**/' }\n",
    }),
    'tasks/w-guess.yaml': spec({
      id: 'guess',
      url: `${url}/`,
      assertions: '  - { type: answer, text: shop }\n  - { type: answer, text: Monday }\n',
    }).replace("'0.1'", 'playwright/1'),
    // It fails, so it is last: after it another worker would start.
    'tasks/z-sound.yaml': spec({ id: 'sound', url: `${url}/`, k: 3 }),
  });
  probed.write({ 'test-results/.last-run.json': 'of an earlier run' });
  const { code, out, err } = await taskproof(probed, ['probe']);
  expect(out, err).toContain('1 spec passed although nothing was done:');
  expect(out).toMatch(/vacuous \[agents\] +tasks\/vacuous\.yaml\n +already holds: .*h1.*\n +already holds: /);
  expect(out).toMatch(
    /right answer to 1 spec:\n+.*guess \[agents\] .*\n +a guess passes: the answer contains "shop"/,
  );
  expect(out).not.toContain('Monday');
  expect(out).toContain('Without an agent, 2 of 3 specs failed, as they should.');
  expect(code).toBe(1);
  expect(probed.read('test-results/.last-run.json')).toBe('of an earlier run');
  // Playwright tells a failure of what is to fail as a pass, and the other way round.
  expect(err).toContain('Expected to fail, but passed');
  expect(err).toMatch(/\b1 failed\n[\s\S]*vacuous[\s\S]*\b2 passed/);
  // Where all is sound it is 0: docs.test.ts.
  probed.write({ 'tasks/cut.yaml': 'id: [' });
  const cut = await taskproof(probed, ['probe', '--json', '--', '--grep', 'sound|cut']);
  expect([cut.code, JSON.parse(cut.out)]).toEqual([
    3,
    expect.objectContaining({
      incompleteBecause: 'tasks/cut.yaml does not parse',
      specs: [expect.objectContaining({ spec: 'sound', vacuous: false })],
    }),
  ]);
}, 600_000);
