// What the network log and the domain guard add to a page load: on and off, load by load in turn.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { launchOptions } from '../scripts/browser.mjs';
import { median, ratios } from './lib/statistics.mjs';
import { builtLibrary, ROOT } from './lib/suite.mjs';

const IMAGES = 200;
const FETCHES = 20;
const AT_MOST = 1.3;
const PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>';

/** @param {{ quick: boolean }} options @returns {Promise<{ title: string, rows: import('./lib/report.mjs').Row[], details: unknown }>} */
export async function load({ quick }) {
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
  /** @type {Record<string, () => Promise<number>>} */
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
  /** @type {Record<string, number[]>} */
  const times = { off: [], log: [], 'log and guard': [] };
  const means = { loads: quick ? 3 : 31 };
  await once();
  for (let round = 0; round < means.loads; round++)
    for (const [side, run] of Object.entries(sides)) times[side]?.push(await run());
  await browser.close();
  site.stop();
  const row = (/** @type {string} */ side) => ({
    name: `${side} / off`,
    ...ratios(times[side] ?? [], times.off ?? []),
    unit: 'x',
    target: { atMost: AT_MOST },
    note: `${median(times[side] ?? []).toFixed(0)} ms / ${median(times.off ?? []).toFixed(0)} ms`,
  });
  return {
    title: `a warm page of ${IMAGES} cached images and ${FETCHES} fetches`,
    rows: [row('log'), row('log and guard')],
    details: { unit: 'ms', times },
  };
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
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
