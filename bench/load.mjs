// What loading costs: the package in a Playwright worker beside Playwright's own, and a page with the network log and the
// domain guard on and off, load by load in turn.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { launchOptions } from '../scripts/browser.mjs';
import { builtLibrary, ROOT } from './lib/processes.mjs';
import { median, ratios } from './lib/report.mjs';

const IMAGES = 200;
const FETCHES = 20;
const AT_MOST = 1.3;
const PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>';

export async function load({ quick }) {
  const ofPackage = loadPackage(quick ? 3 : 31);
  const ofPage = await loadPage(quick ? 3 : 31);
  return {
    title: `the package, and a warm page of ${IMAGES} cached images and ${FETCHES} fetches`,
    rows: [...ofPackage.rows, ...ofPage.rows],
    details: { unit: 'ms', package: ofPackage.times, page: ofPage.times },
  };
}

/** Fresh processes that load Playwright first and then, of ours, what such a process of a run loads. */
const PROCESSES = {
  'in a worker': { files: ['index.js'], target: { atMost: 0.2 } },
  'in the main process, with the reporter': { files: ['index.js', 'reporter.js'], target: { atMost: 0.2 } },
  'in a worker that plays a trial of lexical()': {
    files: ['index.js', 'playwright/trial-test.js', 'agents/lexical/play.js'],
  },
};

function loadPackage(rounds) {
  const script = `const require = process.getBuiltinModule('module').createRequire(${JSON.stringify(join(ROOT, 'package.json'))});
const timed = names => { const began = performance.now(); names.forEach(name => require(name)); return performance.now() - began; };
const [playwright, ...own] = process.argv.slice(1);
console.log(JSON.stringify([timed([playwright]), timed(own)]));`;
  const times = Object.fromEntries(Object.keys(PROCESSES).map(name => [name, { playwright: [], own: [] }]));
  for (let round = 0; round <= rounds; round++)
    for (const [name, { files }] of Object.entries(PROCESSES)) {
      const own = files.map(file => join(builtLibrary(), 'dist', file));
      const args = ['-e', script, '@playwright/test', ...own];
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
  const { guardContext } = require(join(builtLibrary(), 'dist/browser/guard.js'));
  const { recordNetwork } = require(join(builtLibrary(), 'dist/browser/network-log.js'));
  const site = await startHeavySite();
  const browser = await chromium.launch(launchOptions());
  const page = await browser.newPage();
  const context = page.context();
  const once = async () => {
    const began = performance.now();
    await page.goto(site.url);
    await page.evaluate('window.fetched.then(() => 0)');
    return performance.now() - began;
  };
  const sides = {
    off: once,
    log: async () => {
      const network = recordNetwork(context);
      const ms = await once();
      network.stop();
      return ms;
    },
    'log and guard': async () => {
      const network = recordNetwork(context);
      const guard = await guardContext(context, { allowedDomains: ['127.0.0.1'], network });
      const ms = await once();
      await guard.dispose();
      network.stop();
      return ms;
    },
  };
  const times = { off: [], log: [], 'log and guard': [] };
  await once();
  for (let round = 0; round < rounds; round++)
    for (const [side, run] of Object.entries(sides)) times[side]?.push(await run());
  await browser.close();
  site.stop();
  const row = side => ({
    name: `${side} / off`,
    ...ratios(times[side] ?? [], times.off ?? []),
    unit: 'x',
    target: { atMost: AT_MOST },
    note: `${median(times[side] ?? []).toFixed(0)} ms / ${median(times.off ?? []).toFixed(0)} ms`,
  });
  return { rows: [row('log'), row('log and guard')], times };
}

async function startHeavySite() {
  const images = Array.from({ length: IMAGES }, (_, i) => `<img src="/image${i}">`).join('');
  const fetches = `Promise.all(Array.from({ length: ${FETCHES} }, (_, i) => fetch('/data' + i).then(a => a.json())))`;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const cached = { 'cache-control': 'max-age=3600' };
    if (path.startsWith('/image'))
      response.writeHead(200, { ...cached, 'content-type': 'image/svg+xml' }).end(PIXEL);
    else if (path.startsWith('/data'))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><title>Heavy</title>${images}<script>window.fetched = ${fetches}</script>`);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
