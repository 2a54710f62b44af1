// Many trials that wait for a model: a Messages API that answers after 1.5 s, once after 8 s. Runs with the workers that the reporter
// chooses, with Playwright's own number, plain tests that do and wait the same, and an API that refuses more than 5 requests a second.
import { availableParallelism } from 'node:os';
import { load } from '../scripts/bundle.mjs';
import { LAUNCH, makeSuite } from './lib/processes.mjs';
import { median } from './lib/report.mjs';
import { startSite } from './lib/site.mjs';
import { sampleTree } from './lib/usage.mjs';

const LATENCY_MS = 1_500;
const SLOW_MS = 8_000;
/** Turns of a trial; one more request ends it. */
const TURNS = 6;
/** Cards of the shop that a page shows at first. */
const IN_VIEW = 4;
const K = 5;
const LIMIT = 5;

const GONE_MS = 60_000;
const WORKERS_A_CORE = [1, 2, 4, 8];
/** Trials of each worker: the first takes its start, too. */
const ROUNDS = 12;

/** Each can run alone: `npm run bench -- --only throughput --part resume`. */
const PARTS = { whole, limited, gone, resumed, workers };

export async function throughput({ quick, part }) {
  if (part && !(part in PARTS)) throw new Error(`Parts of throughput: ${Object.keys(PARTS).join(', ')}`);
  const api = await load('bench-throughput', `export * from './tests/support/messages-api';`);
  const site = await startSite();
  const given = { api, site, trials: quick ? 20 : 200 };
  const found = { rows: [], details: {} };
  try {
    for (const name of part ? [part] : Object.keys(PARTS)) {
      const { rows, ...details } = await PARTS[name](given, quick);
      found.rows.push(...rows);
      found.details[name] = details;
    }
  } finally {
    site.stop();
  }
  return { title: `trials of ${TURNS} turns, a model that answers after ${LATENCY_MS / 1000} s`, ...found };
}

async function whole(given, quick) {
  const ours = await play(given);
  const same = { ...given, workers: String(ours.workers) };
  // Their time grows with the number of trials, so that fewer tell the rate.
  const before = await play({ ...given, trials: quick ? 5 : 10, workers: '50%' });
  const plain = await play({ ...same, trials: quick ? 20 : 80, plain: true });
  const runs = { ours, before, plain };
  return { rows: rowsOf(runs), ...runs };
}

async function limited(given, quick) {
  const runs = [];
  for (const workers of quick ? ['8'] : ['1', '8', '32']) {
    const trials = workers === '1' ? 10 : given.trials;
    runs.push(await play({ ...given, trials, workers, limit: LIMIT }));
  }
  return { rows: runs.flatMap(limitRows), runs };
}

/** From the middle of the run on each connection is closed for a minute. */
async function gone(given) {
  const run = await play({ ...given, goneMs: GONE_MS });
  const name = `the API gone for ${GONE_MS / 1000} s: trials lost or failed`;
  const note = `of ${run.trials}; ${run.refused} connections closed, ${(run.ms / 1000).toFixed(0)} s in all`;
  return {
    rows: [{ name, value: run.lost + run.failed, unit: 'trials', target: { atMost: 0 }, note }],
    run,
  };
}

/** The main process is killed when half of the trials have got their last answer. */
async function resumed(given) {
  const run = await play({ ...given, killed: true });
  const name = what => `SIGKILL after half, then resume: ${what}`;
  const target = (unit, atMost) => ({ unit, target: { atMost } });
  const note = `${run.workers} workers, ${run.trials} trials; ${run.lost} lost, ${run.failed} failed`;
  return {
    rows: [
      { name: name('specs without just their k trials'), value: run.uneven, ...target('specs', 0), note },
      { name: name('played twice'), value: run.begun - run.trials, ...target('trials', run.workers) },
    ],
    run,
  };
}

async function workers(given) {
  const rows = [];
  for (const each of WORKERS_A_CORE) {
    const workers = each * availableParallelism();
    const trials = Math.min(given.trials, K * Math.ceil((ROUNDS * workers) / K));
    const run = await play({ ...given, trials, workers: String(workers) });
    const note = `${run.workers} workers: ${run.cpuSeconds.toFixed(1)} s of CPU a trial, ${(run.ms / run.best).toFixed(2)} x the best; ${run.lost} lost, ${run.failed} failed`;
    rows.push({ name: `trials an hour, ${each} workers a core`, value: perHour(run), unit: 'trials', note });
  }
  return { rows };
}

/** One run, and what it took. */
async function play({
  api,
  site,
  trials,
  workers,
  plain = false,
  limit = Number.POSITIVE_INFINITY,
  goneMs = 0,
  killed = false,
}) {
  const served = [];
  let [refused, begun, done, backAt] = [0, 0, 0, Number.POSITIVE_INFINITY];
  const wait = ms => new Promise(resolve => setTimeout(resolve, ms));
  const script = async request => {
    const now = performance.now();
    if (served.filter(at => at > now - 1_000).length >= limit) {
      refused++;
      const headers = { 'retry-after': '1' };
      return { fault: 'status', status: 429, type: 'rate_limit_error', headers };
    }
    if (goneMs && served.length >= (trials * (TURNS + 1)) / 2) {
      if (backAt === Number.POSITIVE_INFINITY) backAt = now + goneMs;
      if (now < backAt) {
        refused++;
        return { fault: 'drop' };
      }
    }
    served.push(now);
    await wait(served.length === 20 ? SLOW_MS : LATENCY_MS);
    const { turn } = request;
    if (turn === 0) begun++;
    if (turn === TURNS) {
      if (++done === trials / 2) half();
      return api.done();
    }
    const target = api.byRef(request.ref(`"Add plant ${(turn % IN_VIEW) + 1} to basket"`));
    return api.reply(api.call('left_click', { target }));
  };
  const server = await api.startMessagesApi({ script });
  const suite = makeSuite(plain ? plainFiles(site.url, trials) : ourFiles(site.url, trials, server.url));
  let half = () => {};
  let used;
  const began = performance.now();
  let child = suite.playwright(['test', ...(workers ? [`--workers=${workers}`] : [])]);
  const sampled = sampleTree(child.pid);
  try {
    if (killed) {
      const isHalf = new Promise(resolve => {
        half = resolve;
      });
      await Promise.race([isHalf, child.ended]);
      await child.stop('SIGKILL');
      used = workersOf(child);
      child = suite.taskproof(['resume']);
    }
    await child.ended;
    const ms = performance.now() - began;
    const { cpuSeconds, pssMb } = sampled.stop();
    const output = child.output();
    used ??= workersOf(child);
    if (!used || output.includes('task spec')) throw new Error(output);
    const verdicts = plain ? [] : JSON.parse(suite.read('taskproof-results.json')).verdicts;
    const [lost, failed] = ['errors', 'failures'].map(key =>
      verdicts.reduce((sum, each) => sum + each[key], 0),
    );
    const uneven = verdicts.filter(({ passes, failures, errors }) => passes + failures + errors !== K);
    if (plain && !output.includes(`${trials} passed`)) throw new Error(output);
    const best = Math.max((trials * (TURNS + 1) * LATENCY_MS) / used, SLOW_MS);
    console.error(
      `  ${trials} trials${plain ? ' of plain tests' : ''}, ${used} workers: ${(ms / 1000).toFixed(0)} s`,
    );
    const spanMs = (served.at(-1) ?? 0) - (served[0] ?? 0);
    // What the limit, or the workers at this latency, allow.
    const possible = Math.min(limit, used / (LATENCY_MS / 1_000));
    const share = (served.length - 1) / (spanMs / 1_000) / possible;
    return {
      ...{ workers: used, trials, ms, best, cpuSeconds: cpuSeconds / trials, lost, failed },
      // In the middle of the run all workers play.
      mb: median(pssMb.slice(Math.floor(pssMb.length / 4), Math.ceil((pssMb.length * 3) / 4))) / used,
      ...{ served: served.length, refused, share, begun, uneven: uneven.length },
    };
  } finally {
    sampled.stop();
    await child.stop();
    await server.close();
    suite.remove();
  }
}

const workersOf = child => Number(/using (\d+) workers?/.exec(child.output())?.[1]);
const perHour = ({ trials, ms }) => trials / (ms / 3_600_000);

function rowsOf({ ours, before, plain }) {
  return [
    {
      name: `${ours.trials} trials / the best that the latency allows, wall time`,
      ...{ value: ours.ms / ours.best, unit: 'x', target: { atMost: 1.5 } },
      note: `${ours.workers} workers, ${(ours.ms / 1000).toFixed(0)} s; ${ours.lost} lost, ${ours.failed} failed`,
    },
    {
      name: "trials an hour / with Playwright's own number of workers",
      ...{ value: perHour(ours) / perHour(before), unit: 'x', target: { atLeast: 8 } },
      note: `${perHour(ours).toFixed(0)} with ${ours.workers} workers, ${perHour(before).toFixed(0)} with ${before.workers}`,
    },
    {
      name: 'CPU of a trial / of a plain test with a picture for each action',
      ...{ value: ours.cpuSeconds / plain.cpuSeconds, unit: 'x', target: { atMost: 1.3 } },
      note: `${ours.cpuSeconds.toFixed(1)} s / ${plain.cpuSeconds.toFixed(1)} s`,
    },
    {
      name: 'memory (PSS) for each worker',
      ...{ value: ours.mb, unit: 'MB', target: { atMost: 120 } },
      note: `plain tests: ${plain.mb.toFixed(0)} MB`,
    },
  ];
}

function limitRows({ workers, lost, failed, trials, share, served, refused }) {
  const name = what => `${LIMIT} requests a second, ${workers} workers: ${what}`;
  return [
    {
      name: name('trials lost'),
      value: lost,
      unit: 'trials',
      target: { atMost: 0 },
      note: `of ${trials}; ${failed} failed`,
    },
    {
      ...{ name: name('used, of what the limit and the workers allow'), value: share * 100, unit: '%' },
      target: { atLeast: 90 },
    },
    {
      ...{ name: name('refused (429), of those served'), value: (refused / served) * 100, unit: '%' },
      target: { atMost: 5 },
    },
  ];
}

function ourFiles(site, trials, apiUrl) {
  const specs = Array.from({ length: trials / K }, (_, i) => [
    `tasks/buy-${i}.yaml`,
    `specVersion: '0.1'\nid: buy-${i}\ngoal: Buy plants.\nentryUrl: ${site}/shop\nmaxSteps: 20\npassPolicy: { k: ${K}, minPasses: ${K} }\nassertions:\n  - { type: dom, selector: '#status', state: text, text: Clicked ${TURNS} times }\n`,
  ]);
  return {
    ...Object.fromEntries(specs),
    'playwright.config.mjs': `import { claude, repeats } from '@taskproof/playwright';
export default { testMatch: 'tasks.spec.mjs', reporter: [['line'], ['@taskproof/playwright/reporter']],
  projects: [{ name: 'bench', ...repeats('tasks/*.yaml'), use: { launchOptions: ${LAUNCH}, taskproof: {
    agent: claude({ baseURL: '${apiUrl}', apiKey: 'test-key' }) } } }] };`,
    'tasks.spec.mjs': `import { taskproofTests } from '@taskproof/playwright'; taskproofTests('tasks/*.yaml');`,
  };
}

/** The same actions and waits, repeated as ours are. */
function plainFiles(site, trials) {
  return {
    'playwright.config.mjs': `export default { testMatch: 'plain.spec.mjs', reporter: 'line', fullyParallel: true, repeatEach: ${K},
  use: { launchOptions: ${LAUNCH} } };`,
    'plain.spec.mjs': `import { test, expect } from '@playwright/test';
for (let i = 0; i < ${trials / K}; i++) test('buy ' + i, async ({ page }) => {
  await page.goto('${site}/shop');
  for (let turn = 0; turn < ${TURNS}; turn++) {
    await new Promise(resolve => setTimeout(resolve, ${LATENCY_MS}));
    await page.getByRole('button', { name: 'Add plant ' + ((turn % ${IN_VIEW}) + 1) + ' to basket', exact: true }).click();
    await test.info().attach('turn ' + turn, { body: await page.screenshot({ type: 'jpeg' }), contentType: 'image/jpeg' });
  }
  await new Promise(resolve => setTimeout(resolve, ${LATENCY_MS}));
  await expect(page.locator('#status')).toHaveText('Clicked ${TURNS} times');
});`,
  };
}
