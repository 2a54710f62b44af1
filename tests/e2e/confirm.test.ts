// A baseline, a diff and fresh trials of real `playwright test` processes, with an agent whose pass rate is known.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { config, makeSuite, PLAIN, type Suite, spec, startSite, TASKS_TEST } from './suite';

const exec = promisify(execFile);

async function taskproof(suite: Suite, args: string[], env: Record<string, string> = {}) {
  const cli = join(inject('installed'), 'node_modules/@taskproof/playwright/dist/cli.js');
  const options = { cwd: suite.folder, env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '', ...env } };
  const ended = await exec(process.execPath, [cli, ...args], options).catch(error => error);
  return {
    code: (ended.code as number | undefined) ?? 0,
    out: String(ended.stdout),
    err: String(ended.stderr),
  };
}

/** Passes each trial with chance 1, or that of its spec in RATES; each trial costs 10 cents. */
const COIN = `defineAgent({ name: 'coin', async run(task) {
  const rate = JSON.parse(process.env.RATES ?? '{}')[new URL(task.entryUrl).hash.slice(1)] ?? 1;
  task.usage({ costUsd: 0.1 });
  if ((task.seed % 1000) / 1000 < rate) await task.turn('click Go', () => task.page.getByText('Go').click());
} })`;

const SETUP = `import { test } from '@playwright/test';
test('log in', () => console.log('setup ran'));`;
const ORDINARY = `import { test } from '@playwright/test';
test('ordinary', () => console.log('ordinary ran'));`;

let suite: Suite;
let site: Awaited<ReturnType<typeof startSite>>;
const rates = (of: Record<string, number>) => ({ RATES: JSON.stringify(of) });

beforeAll(async () => {
  site = await startSite({
    '/': `<button onclick="document.body.innerHTML='<p id=done>done</p>'">Go</button>`,
  });
  const specs = ['cart', 'cart-2', 'docs'].map(id => [
    `tasks/${id}.yaml`,
    spec({ id, url: `${site.url}/#${id}`, goal: 'Go', k: 5, minPasses: 4 }),
  ]);
  suite = makeSuite({
    ...Object.fromEntries(specs),
    'tasks.spec.ts': TASKS_TEST,
    'ordinary.spec.ts': ORDINARY,
    'log-in.setup.ts': SETUP,
    'playwright.config.ts': config({
      reporters: PLAIN,
      taskproof: `{ agent: ${COIN}, earlyStop: true }`,
      projects: `[{ name: 'setup', testMatch: 'log-in.setup.ts' },
        { name: 'agents', testDir: '.', testMatch: '*.spec.ts', dependencies: ['setup'], ...repeats('tasks/**/*.yaml') }]`,
      extra: 'maxFailures: 0,',
    }),
  });
  // Without early stop, so that the baseline has all trials.
  const whole = suite.read('playwright.config.ts').replace('earlyStop: true', 'earlyStop: false');
  suite.write({ 'whole.config.ts': whole });
  const first = await suite.playwright(['test', '--config=whole.config.ts']);
  expect(first.exitCode, first.output).toBe(0);
  const saved = await taskproof(suite, ['baseline', 'save']);
  expect(saved.code, saved.err).toBe(0);
}, 600_000);

test('a real regression: the diff names it, fresh trials confirm it, and nothing else is played', async () => {
  const run = await suite.playwright(['test', '--config=whole.config.ts'], rates({ cart: 0 }));
  expect(run.exitCode, run.output).toBe(1);
  const diff = await taskproof(suite, ['diff', '--json']);
  expect(diff.code).toBe(1);
  expect(JSON.parse(diff.out).rows).toMatchObject([
    { spec: 'cart', change: 'regressed', candidate: true, proven: true },
    { spec: 'cart-2', change: 'unchanged', candidate: false },
    { spec: 'docs', change: 'unchanged', candidate: false },
  ]);
  const before = suite.read('taskproof-results.json');
  const confirmed = await taskproof(suite, ['confirm'], rates({ cart: 0 }));
  expect(confirmed.err).toContain(
    'Playing 1 candidate again: cart [agents]. Up to 15 fresh trials each, at most $1.50',
  );
  expect(confirmed.err).toContain('setup ran');
  expect(confirmed.err).not.toContain('ordinary ran');
  expect(confirmed.err).not.toMatch(/cart-2|docs · /);
  expect(confirmed.out).toMatch(/^regressed +cart +agents +5\/5 +0\/5 +0\/7 +\$0\.70$/m);
  expect(confirmed.code, confirmed.err).toBe(1);
  expect(suite.read('taskproof-results.json'), 'the results of the run stay').toBe(before);
}, 600_000);

test('a candidate that fresh trials clear, in Markdown and JSON', async () => {
  // The run before was of a bad hour.
  const markdown = await taskproof(suite, ['confirm', '--markdown', '-o', 'comment.md', '--', '--workers=2']);
  expect(markdown.code, markdown.err).toBe(0);
  expect(suite.read('comment.md')).toMatch(/^<!-- taskproof-diff -->\n\n### Taskproof: nothing is worse\n/);
  const json = await taskproof(suite, ['confirm', '--json', '--trials', '12'], rates({ docs: 0 }));
  expect(json.code, json.err).toBe(0);
  expect(JSON.parse(json.out)).toMatchObject({
    outcome: 'same',
    candidates: [{ spec: 'cart', answer: 'not confirmed', fresh: { failures: 0, errors: 0 } }],
  });
}, 600_000);

test('--max-cost: no trial starts that may pass it, and then nothing is known', async () => {
  const { code, out, err } = await taskproof(suite, ['confirm', '--max-cost', '0.25'], rates({ cart: 0 }));
  expect(err).toContain('and no more than $0.25');
  expect(out).toMatch(/^can't tell +cart +agents +5\/5 +0\/5 +0\/2 +\$0\.20$/m);
  expect(code).toBe(3);
}, 600_000);

test('Playwright that does not start is a failure of the command', async () => {
  const { code, err } = await taskproof(suite, ['confirm', '--', '--config=nowhere.config.ts']);
  expect([code, err]).toEqual([2, expect.stringContaining('before a trial was played')]);
}, 600_000);

test('a candidate that no longer exists, a spec removed, and the site down', async () => {
  rmSync(join(suite.folder, 'tasks/cart.yaml'));
  const gone = await taskproof(suite, ['confirm']);
  expect([gone.code, gone.out]).toEqual([3, expect.stringContaining('cart [agents] was not found')]);
  const fewer = await suite.playwright(['test']);
  expect(fewer.exitCode, fewer.output).toBe(0);
  for (const command of ['diff', 'confirm']) {
    const { code, out } = await taskproof(suite, [command]);
    expect([code, out]).toEqual([
      3,
      expect.stringContaining('1 spec of the baseline did not run (cart [agents])'),
    ]);
    expect((await taskproof(suite, [command, '--allow', 'removed'])).code).toBe(0);
  }
  await site.close();
  await suite.playwright(['test']);
  const { code, out } = await taskproof(suite, ['diff', '--allow', 'removed']);
  expect([code, out]).toEqual([3, expect.stringContaining('2 specs without a verdict on one side')]);
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

  // Two shards of two runs.
  probed.write({ 'playwright.config.ts': config({ reporters: PLAIN }) });
  for (const name of ['one', 'two'])
    await probed.playwright(
      ['test', '--grep', 'vacuous', '--shard=1/2', '--reporter=blob,@taskproof/playwright/reporter'],
      {
        PLAYWRIGHT_BLOB_OUTPUT_FILE: join(probed.folder, 'blobs', `${name}.zip`),
      },
    );
  const merged = await probed.playwright([
    'merge-reports',
    '--reporter=@taskproof/playwright/reporter',
    'blobs',
  ]);
  expect(merged.exitCode).toBe(1);
  expect(merged.output).toMatch(
    /the blob of shard 1\/2 started \S+ and the blob of shard 1\/2 started \S+ are of two runs/,
  );
}, 600_000);
