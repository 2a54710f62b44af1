// The cost of loading: the package in a Playwright worker compared with Playwright itself, and a page with and without the
// network log and the domain guard, in turn.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { launchOptions } from '../scripts/browser.mjs';
import { builtLibrary, ROOT } from './lib/processes.mjs';
import { median, ratios } from './lib/report.mjs';

const IMAGES = 200;
const FETCHES = 20;
const AT_MOST = 1.3;

export async function load({ quick }) {
  const ofPackage = loadPackage(quick ? 3 : 31);
  const ofPage = await loadPage(quick ? 3 : 90);
  return {
    title: `the package, and a warm page of ${IMAGES} cached images and ${FETCHES} fetches`,
    rows: [...ofPackage.rows, ...ofPage.rows],
    details: { unit: 'ms', package: ofPackage.times, page: ofPage.times },
  };
}

/** Fresh processes that load Playwright first, then those of our files that such a process of a run loads. */
const PROCESSES = {
  'in a worker': { files: ['index.js'], target: { atMost: 0.3 } },
  'in a worker of a suite with passPolicy() alone': {
    files: ['index.js'],
    policy: true,
    target: { atMost: 0.3 },
  },
  'in the main process, with the reporter': { files: ['index.js', 'reporter.js'] },
  'in a worker that plays a trial of lexical()': {
    files: ['index.js', 'playwright/trial-test.js', 'agents/lexical/play.js'],
  },
};

function loadPackage(rounds) {
  const script = `const require = process.getBuiltinModule('module').createRequire(${JSON.stringify(join(ROOT, 'package.json'))});
const timed = (names, then) => { const began = performance.now(); const loaded = names.map(name => require(name)); then?.(loaded[0]); return performance.now() - began; };
const [policy, playwright, ...own] = process.argv.slice(1);
const times = [timed([playwright]), timed(own, policy ? ({ passPolicy }) => passPolicy({ k: 5, minPasses: 4 }) : undefined)];
if (policy && Object.keys(require.cache).some(file => file.includes('@anthropic-ai'))) throw new Error('an SDK is loaded');
console.log(JSON.stringify(times));`;
  const times = Object.fromEntries(Object.keys(PROCESSES).map(name => [name, { playwright: [], own: [] }]));
  for (let round = 0; round <= rounds; round++)
    for (const [name, { files, policy = false }] of Object.entries(PROCESSES)) {
      const own = files.map(file => join(builtLibrary(), 'dist', file));
      const args = ['-e', script, policy ? 'policy' : '', '@playwright/test', ...own];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      const found = JSON.parse(stdout);
      // The first round reads the files from the disk.
      if (round === 0) continue;
      times[name].playwright.push(found[0]);
      times[name].own.push(found[1]);
    }
  const rows = Object.entries(PROCESSES).map(([name, { target }]) => {
    const { own, playwright } = times[name];
    return {
      name: `the package / @playwright/test, ${name}`,
      ...ratios(own, playwright),
      unit: 'x',
      ...(target ? { target } : {}),
      note: `${median(own).toFixed(0)} ms / ${median(playwright).toFixed(0)} ms`,
    };
  });
  return { rows, times };
}

async function loadPage(rounds) {
  const require = createRequire(join(ROOT, 'package.json'));
  const { chromium } = require('@playwright/test');
  const { guardContext } = require(join(builtLibrary(), 'dist/browser/guard/guard.js'));
  const { recordNetwork } = require(join(builtLibrary(), 'dist/browser/session/network.js'));
  // In another thread, since the site and the guard and log would wait for each other in one.
  const site = new Worker(new URL('./lib/heavy-site.mjs', import.meta.url), {
    workerData: { images: IMAGES, fetches: FETCHES },
  });
  const [url] = await once(site, 'message');
  const browser = await chromium.launch(launchOptions());
  const page = await browser.newPage();
  const context = page.context();
  const opened = async () => {
    const began = performance.now();
    await page.goto(url);
    await page.evaluate('window.fetched.then(() => 0)');
    return performance.now() - began;
  };
  const sides = {
    off: opened,
    log: async () => {
      const network = recordNetwork(context);
      const ms = await opened();
      network.stop();
      return ms;
    },
    'log and guard': async () => {
      const network = recordNetwork(context);
      const guard = await guardContext(context, { allowedDomains: ['127.0.0.1'], network });
      const ms = await opened();
      await guard.dispose();
      network.stop();
      return ms;
    },
  };
  const times = { off: [], log: [], 'log and guard': [] };
  const order = Object.entries(sides);
  for (const [, run] of order) await run();
  for (let round = 0; round < rounds; round++) {
    // In turn, since a load may leave something for the next one to clean up.
    order.push(...order.splice(0, 1));
    for (const [side, run] of order) times[side]?.push(await run());
  }
  await browser.close();
  await site.terminate();
  const row = side => ({
    name: `${side} / off`,
    ...ratios(times[side] ?? [], times.off ?? []),
    unit: 'x',
    target: { atMost: AT_MOST },
    note: `${median(times[side] ?? []).toFixed(0)} ms / ${median(times.off ?? []).toFixed(0)} ms`,
  });
  return { rows: [row('log'), row('log and guard')], times };
}
