// The example tasks, played by a scripted agent in trials (guard, network log, record, a picture for each turn), compared
// with the same actions and checks in plain Playwright tests: real runs with one worker, in turn.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSite } from '../example-tasks/site/server.mjs';
import { LAUNCH, makeSuite, ROOT } from './lib/processes.mjs';
import { ratios, spread } from './lib/report.mjs';

const AT_MOST = 1.15;
/** Trials of one turn on an idle page: they show what a trial costs besides its agent. */
const TRIVIAL = 150;
const TRIVIAL_AT_MOST = 1.3;

export async function trial({ quick }) {
  const rounds = quick ? 1 : 5;
  const site = await startSite({ port: 0 });
  const count = quick ? 10 : TRIVIAL;
  const suite = makeSuite({ ...files(), ...trivialFiles(count) });
  const runs = {
    plain: [],
    plainPictures: [],
    ours: [],
    plainTrivial: [],
    oursTrivial: [],
  };
  const sides = [
    ['plain', ['-c', 'plain.config.mjs']],
    ['ours', ['-c', 'ours.config.mjs', '--repeat-each=1']],
    ['plainPictures', ['-c', 'plain.config.mjs'], { BENCH_PICTURES: '1' }],
    ['plainTrivial', ['-c', 'plain-trivial.config.mjs']],
    ['oursTrivial', ['-c', 'ours-trivial.config.mjs']],
  ];
  try {
    await run(suite, [...sides[0][1]], { BENCH_SITE: site.url });
    for (let round = 0; round < rounds; round++)
      // The order changes, so that no side always runs after the same other one.
      for (const [name, args, env] of round % 2 ? [...sides].reverse() : sides) {
        // These take several times as long, so they run only in every other round.
        if (name.endsWith('Trivial') && round % 2) continue;
        const found = await run(suite, [...args], { ...env, BENCH_SITE: site.url });
        console.log(`bench: trial: ${name} took ${(found.wallMs / 1000).toFixed(1)} s`);
        runs[name]?.push(found);
      }
  } finally {
    await site.close();
    suite.remove();
  }
  const wall = side => runs[side]?.map(each => each.wallMs) ?? [];
  const inside = side => runs[side]?.map(each => each.testsMs) ?? [];
  return {
    title: '12 example tasks, one worker, k = 1',
    rows: [
      {
        name: 'trials / plain tests, wall time of the run',
        ...ratios(wall('ours'), wall('plain')),
        unit: 'x',
        target: { atMost: AT_MOST },
      },
      {
        name: 'trials / plain tests, time inside the tests',
        ...ratios(inside('ours'), inside('plain')),
        unit: 'x',
      },
      {
        name: 'trials / plain tests with as many pictures, wall time',
        ...ratios(wall('ours'), wall('plainPictures')),
        unit: 'x',
      },
      {
        name: `${count} trials of one turn / as many plain tests, wall time`,
        ...ratios(wall('oursTrivial'), wall('plainTrivial')),
        unit: 'x',
        target: { atMost: TRIVIAL_AT_MOST },
      },
      { name: 'a run of plain tests', ...spread(wall('plain')), unit: 'ms' },
      { name: 'a run of trials', ...spread(wall('ours')), unit: 'ms' },
    ],
    details: { runs },
  };
}

async function run(suite, args, env = {}) {
  const began = performance.now();
  const child = suite.playwright(['test', ...args], {
    ...env,
    BENCH_TIMES: join(suite.folder, 'times.json'),
  });
  const status = await child.ended;
  const wallMs = performance.now() - began;
  if (status !== 0)
    throw new Error(`playwright test ${args.join(' ')} ended with ${status}:\n${child.output()}`);
  const { testsMs, tests } = JSON.parse(readFileSync(join(suite.folder, 'times.json'), 'utf8'));
  return { wallMs, testsMs, tests };
}

/** Counts the tests of a run, and the time inside them. */
const TIMES = `import { writeFileSync } from 'node:fs';
export default class { ms = 0; count = 0;
  onTestEnd(test, result) { this.ms += result.duration; this.count++; }
  onEnd() { writeFileSync(process.env.BENCH_TIMES, JSON.stringify({ testsMs: this.ms, tests: this.count })); } }`;

const USE = `{ ...devices['Desktop Chrome'], launchOptions: ${LAUNCH} }`;

/** @param {string} spec @param {string} agent @param {string} globs */
const oursConfig = (spec, agent, globs) => `import { devices } from '@playwright/test';
import { repeats } from '@taskproof/playwright';
import { agent } from '${agent}';
export default { workers: 1, testMatch: '${spec}', reporter: [['./times.mjs'], ['line'], ['@taskproof/playwright/reporter']],
  projects: [{ name: 'bench', ...repeats(${JSON.stringify(globs)}), use: { ...${USE}, taskproof: { agent, origin: process.env.BENCH_SITE } } }] };`;

/** @param {string} spec */
const plainConfig = spec => `import { devices } from '@playwright/test';
export default { workers: 1, fullyParallel: true, testMatch: '${spec}', reporter: [['./times.mjs'], ['line']], projects: [{ name: 'bench', use: ${USE} }] };`;

/** @param {number} count */
function trivialFiles(count) {
  const specs = Array.from({ length: count }, (_, index) => [
    `trivial/t${index}.yaml`,
    `specVersion: '0.1'\nid: t${index}\ngoal: Look.\nentryUrl: http://127.0.0.1:4173/docs\nmaxSteps: 3\npassPolicy: { k: 1, minPasses: 1 }\nassertions:\n  - { type: dom, selector: h1, state: visible }\n`,
  ]);
  return {
    ...Object.fromEntries(specs),
    'ours-trivial.config.mjs': oursConfig('ours-trivial.spec.mjs', './trivial-agent.mjs', 'trivial/*.yaml'),
    'trivial-agent.mjs': `import { defineAgent } from '@taskproof/playwright';
export const agent = defineAgent({ name: 'scripted', run: task => task.turn('hover', () => task.page.locator('h1').hover()) });`,
    'ours-trivial.spec.mjs': `import { taskproofTests } from '@taskproof/playwright';
taskproofTests('trivial/*.yaml');`,
    'plain-trivial.config.mjs': plainConfig('plain-trivial.spec.mjs'),
    'plain-trivial.spec.mjs': `import { expect, test } from '@playwright/test';
for (let index = 0; index < ${count}; index++)
  test('t' + index, async ({ page }) => {
    await page.goto(process.env.BENCH_SITE + '/docs');
    await test.step('hover', () => page.locator('h1').hover());
    await expect(page.locator('h1')).toBeVisible();
  });`,
  };
}

function files() {
  const tasks = join(ROOT, 'bench/tasks.mjs');
  return {
    'times.mjs': TIMES,
    'ours.config.mjs': oursConfig('ours.spec.mjs', './agent.mjs', join(ROOT, 'example-tasks/tasks/*.yaml')),
    'agent.mjs': `import { defineAgent } from '@taskproof/playwright';
import { TASKS } from ${JSON.stringify(tasks)};
export const agent = defineAgent({ name: 'scripted', async run(task) {
  for (const [title, act] of TASKS[task.specId].actions) await task.turn(title, () => act(task.page));
} });`,
    'ours.spec.mjs': `import { taskproofTests } from '@taskproof/playwright';
taskproofTests(${JSON.stringify(join(ROOT, 'example-tasks/tasks/*.yaml'))});`,
    'plain.config.mjs': plainConfig('plain.spec.mjs'),
    'plain.spec.mjs': `import { expect, test } from '@playwright/test';
import { TASKS } from ${JSON.stringify(tasks)};
for (const [id, { entryUrl, actions, check }] of Object.entries(TASKS))
  test(id, async ({ page, context }) => {
    let active = page;
    context.on('page', opened => { active = opened; });
    const answers = [];
    context.on('response', answer => answers.push({ method: answer.request().method(), url: answer.url(), status: answer.status() }));
    await page.goto(entryUrl);
    for (const [title, act] of actions) {
      await test.step(title, () => act(active));
      // A page that is about to be replaced can't be drawn. A trial skips this picture, too.
      const body = process.env.BENCH_PICTURES && (await active.screenshot({ type: 'jpeg', quality: 60, scale: 'css', timeout: 5_000 }).catch(() => undefined));
      if (body) await test.info().attach(title, { body, contentType: 'image/jpeg' });
    }
    await check(active, expect, answers);
  });`,
  };
}
