// A baseline, a diff and fresh trials of real `playwright test` processes, with an agent whose pass rate is known.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { config, makeSuite, PLAIN, type Suite, spec, startSite, TASKS_TEST, taskproof } from './suite';

/** Passes every trial but those of the spec that FAILS names; each costs 10 cents. No chance, so that no test hangs on it. */
const AGENT = `defineAgent({ name: 'known', async run(task) {
  task.usage({ costUsd: 0.1 });
  if (new URL(task.entryUrl).hash.slice(1) !== process.env.FAILS)
    await task.turn('click Go', () => task.page.getByText('Go').click());
} })`;

const SETUP = `import { test } from '@playwright/test';
test('log in', () => console.log('setup ran'));`;
const ORDINARY = `import { test } from '@playwright/test';
test('ordinary', () => console.log('ordinary ran'));`;

let suite: Suite;
let site: Awaited<ReturnType<typeof startSite>>;
const CART_FAILS = { FAILS: 'cart' };

beforeAll(async () => {
  site = await startSite({
    '/': `<button onclick="document.body.innerHTML='<p id=done>done</p>'">Go</button>`,
  });
  const specs = [
    { id: 'cart', k: 3, minPasses: 2 },
    { id: 'cart-2', k: 1, minPasses: 1 },
  ].map(({ id, ...policy }, index) => [
    // The one that fails is last: after it another worker would start.
    `tasks/${9 - index}.yaml`,
    spec({ id, url: `${site.url}/#${id}`, goal: 'Go', ...policy }),
  ]);
  suite = makeSuite({
    ...Object.fromEntries(specs),
    'tasks.spec.ts': TASKS_TEST,
    'ordinary.spec.ts': ORDINARY,
    'log-in.setup.ts': SETUP,
    'playwright.config.ts': config({
      reporters: PLAIN,
      taskproof: `{ agent: ${AGENT}, earlyStop: true }`,
      // One of the runs below has a project before it, which costs each of them a worker.
      projects: `[{ name: 'setup', testMatch: 'log-in.setup.ts' },
        { name: 'agents', testDir: '.', testMatch: '*.spec.ts', dependencies: ['setup'], ...repeats('tasks/**/*.yaml') }]
        .slice(process.env.SETUP ? 0 : 1).map(each => process.env.SETUP ? each : { ...each, dependencies: [] })`,
    }),
  });
  // Without early stop, so that the baseline has all trials.
  const whole = suite.read('playwright.config.ts').replace('earlyStop: true', 'earlyStop: false');
  const sharded = whole.replace('expect:', 'shard: { current: 2, total: 2 }, expect:');
  suite.write({ 'whole.config.ts': whole, 'sharded.config.ts': sharded });
  const first = await suite.playwright(['test', '--config=whole.config.ts']);
  expect(first.exitCode, first.output).toBe(0);
  const saved = await taskproof(suite, ['baseline', 'save']);
  expect(saved.code, saved.err).toBe(0);
}, 600_000);

test('a real regression: the diff names it, fresh trials confirm it, and nothing else is played', async () => {
  const run = await suite.playwright(['test', '--config=whole.config.ts'], CART_FAILS);
  expect(run.exitCode, run.output).toBe(1);
  const diff = await taskproof(suite, ['diff', '--json']);
  expect(diff.code).toBe(1);
  expect(JSON.parse(diff.out).rows).toMatchObject([
    { spec: 'cart', change: 'regressed', candidate: true, proven: true },
    { spec: 'cart-2', change: 'unchanged', candidate: false },
  ]);
  const before = suite.read('taskproof-results.json');
  const confirmed = await taskproof(suite, ['confirm', '--trials', '5'], { ...CART_FAILS, SETUP: '1' });
  expect(confirmed.err).toContain(
    'Running 1 candidate again: cart [agents]. Up to 5 fresh trials, at most $0.50',
  );
  expect(confirmed.err).toContain('setup ran');
  expect(confirmed.err).not.toContain('ordinary ran');
  expect(confirmed.err).not.toContain('cart-2');
  expect(confirmed.out).toMatch(/^regressed +cart +agents +3\/3 +0\/3 +0\/4 +\$0\.40$/m);
  expect(confirmed.code, confirmed.err).toBe(1);
  expect(suite.read('taskproof-results.json'), 'the results of the run stay').toBe(before);
}, 600_000);

test('a candidate that fresh trials clear, in Markdown', async () => {
  // The run before was of a bad hour.
  const own = ['--workers=1', '--config=sharded.config.ts'];
  const args = ['confirm', '--trials', '3', '--markdown', '-o', 'comment.md', '--', ...own];
  const { code, err } = await taskproof(suite, args, { FAILS: 'cart-2' });
  expect(code, err).toBe(0);
  expect(err, 'all fresh trials, although the config is one of two shards').toMatch(/^Running 3 tests /m);
  expect(suite.read('comment.md')).toMatch(/^<!-- taskproof-diff -->\n\n### Taskproof: nothing is worse\n/);
}, 600_000);

test('--max-cost, in JSON: no trial starts that may pass it, and then nothing is known', async () => {
  // Three would do to confirm it.
  const args = ['confirm', '--trials', '3', '--max-cost', '0.15', '--json'];
  const { code, out, err } = await taskproof(suite, args, CART_FAILS);
  expect(err).toContain('capped at $0.15');
  expect(code, err).toBe(3);
  expect(JSON.parse(out)).toMatchObject({
    outcome: 'unknown',
    candidates: [
      { spec: 'cart', answer: 'open', fresh: { passes: 0, failures: 1, errors: 0, costUsd: 0.1 } },
    ],
  });
}, 600_000);

test('Playwright that does not start is a failure of the command', async () => {
  const { code, err } = await taskproof(suite, ['confirm', '--', '--config=nowhere.config.ts']);
  expect([code, err]).toEqual([2, expect.stringContaining('before any trial ran')]);
}, 600_000);

test('a candidate that no longer exists, a spec removed, and the site down', async () => {
  rmSync(join(suite.folder, 'tasks/9.yaml'));
  const gone = await taskproof(suite, ['confirm']);
  expect([gone.code, gone.out]).toEqual([3, expect.stringContaining('cart [agents] was not found')]);
  const fewer = await suite.playwright(['test']);
  expect(fewer.exitCode, fewer.output).toBe(0);
  for (const command of ['diff', 'confirm']) {
    const { code, out } = await taskproof(suite, [command]);
    expect([code, out]).toEqual([
      3,
      expect.stringContaining('1 spec of the baseline no longer in the suite (cart [agents])'),
    ]);
    expect((await taskproof(suite, [command, '--allow', 'removed'])).code).toBe(0);
  }
  await site.close();
  await suite.playwright(['test']);
  const { code, out } = await taskproof(suite, ['diff', '--allow', 'removed']);
  expect([code, out]).toEqual([3, expect.stringContaining('1 spec without a verdict on one side')]);
}, 600_000);

test('probe: a spec that holds although nothing was done; neither agent nor judge is asked', async () => {
  const other = await startSite({ '/': '<h1>Shop</h1>' });
  const { url } = other;
  const asked = `defineAgent({ name: 'asked', preflight() { throw new Error('the agent was asked'); }, async run() {} })`;
  const probed = makeSuite({
    'playwright.config.ts': config({ reporters: PLAIN, taskproof: `{ agent: ${asked} }` }),
    'tasks.spec.ts': TASKS_TEST,
    'tasks/sound.yaml': spec({ id: 'sound', url: `${url}/`, k: 3 }),
    'tasks/vacuous.yaml': spec({
      id: 'vacuous',
      url: `${url}/`,
      k: 3,
      assertions: "  - { type: dom, selector: h1, state: visible }\n  - { type: url, pattern: '**/' }\n",
    }),
  });
  const { code, out, err } = await taskproof(probed, ['probe']);
  expect(out, err).toContain('1 spec vacuous: passed although nothing was done');
  expect(out).toMatch(/vacuous \[agents\] +tasks\/vacuous\.yaml\n +already holds: .*h1.*\n +already holds: /);
  expect(out).toContain('1 of 2 specs fail without an agent, as they should.');
  expect(code).toBe(1);
  const sound = await taskproof(probed, ['probe', '--json', '--', '--grep', 'sound']);
  expect([sound.code, JSON.parse(sound.out).specs]).toEqual([
    0,
    [expect.objectContaining({ spec: 'sound', vacuous: false })],
  ]);
}, 600_000);
