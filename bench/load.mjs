// What loading costs: the package in a Playwright worker beside Playwright's own, and a page with the network log and the
// domain guard on and off, load by load in turn.
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

/** Fresh processes, in each of them first Playwright and then the package, as a worker loads them. */
function loadPackage(rounds) {
  const script = `const require = process.getBuiltinModule('module').createRequire(${JSON.stringify(join(ROOT, 'package.json'))});
const timed = name => { const began = performance.now(); require(name); return performance.now() - began; };
console.log(JSON.stringify(process.argv.slice(1).map(timed)));`;
  const entries = { package: 'dist/index.js', reporter: 'dist/reporter.js' };
  const times = { playwright: [], package: [], playwrightForReporter: [], reporter: [] };
  for (let round = 0; round <= rounds; round++)
    for (const [name, entry] of Object.entries(entries)) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['-e', script, '@playwright/test', join(builtLibrary(), entry)],
        { encoding: 'utf8' },
      );
      if (status !== 0) throw new Error(stderr);
      const [playwright, own] = JSON.parse(stdout);
      // The first round reads the files from the disk.
      if (round === 0) continue;
      times[name].push(own);
      times[name === 'package' ? 'playwright' : 'playwrightForReporter'].push(playwright);
    }
  const row = (what, side, beside) => ({
    name: `${what} / @playwright/test, loaded before it in the same process`,
    ...ratios(times[side], times[beside]),
    unit: 'x',
    note: `${median(times[side]).toFixed(0)} ms / ${median(times[beside]).toFixed(0)} ms`,
  });
  return {
    rows: [
      row('the package', 'package', 'playwright'),
      row('the reporter', 'reporter', 'playwrightForReporter'),
    ],
    times,
  };
}

async function loadPage(rounds) {
  const require = createRequire(join(ROOT, 'package.json'));
  const { chromium } = require('@playwright/test');
  const { guardContext } = require(join(builtLibrary(), 'dist/browser/guard.js'));
  const { recordNetwork } = require(join(builtLibrary(), 'dist/browser/network-log.js'));
  // Not in this thread, where its answers would wait for the guard and the log, and these for it.
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
    // What a load leaves for the next one to clean up falls on each side in turn.
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
