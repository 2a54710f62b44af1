// What the guard costs in requests. What it costs in time is measured by `npm run bench -- --only load`.
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GuardOptions, guardContext } from '../../src/browser/guard/guard';
import { type NetworkLog, recordNetwork } from '../../src/browser/session/network';
import { leaveSharedBrowser, sharedBrowser } from '../support/shared-browser';
import { type Site, startSite } from '../support/two-sites';

const IMAGES = 20;
const FETCHES = 5;
const PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>';

let browser: Browser;
let site: Site;
let page: Page;
let network: NetworkLog;

beforeAll(async () => {
  browser = await sharedBrowser();
  const cached = { 'cache-control': 'max-age=3600' };
  site = await startSite('localhost', path => {
    if (path.startsWith('/image'))
      return { headers: { ...cached, 'content-type': 'image/svg+xml' }, body: PIXEL };
    if (path.startsWith('/data'))
      return { headers: { ...cached, 'content-type': 'application/json' }, body: '{}' };
    const images = Array.from({ length: IMAGES }, (_, i) => `<img src="/image${i}">`).join('');
    const fetches = `Promise.all(Array.from({ length: ${FETCHES} }, (_, i) => fetch('/data' + i).then(a => a.json())))`;
    return { body: `${images}<script>window.fetched = ${fetches}</script>` };
  });
  const context = await browser.newContext();
  page = await context.newPage();
  network = recordNetwork(context, { maxEvents: 1_000 });
  await load();
});
afterAll(async () => {
  await leaveSharedBrowser();
  await site?.close();
});

async function load(): Promise<void> {
  await page.goto(`${site.origin}/`);
  await page.evaluate('window.fetched.then(() => 0)');
}

/** Requests that reach the site in three loads of a warm page with a guard. */
async function hitsOf(means: GuardOptions['means']): Promise<number> {
  site.hits.length = 0;
  for (let round = 0; round < 3; round++) {
    const guard = await guardContext(page.context(), { allowedDomains: ['localhost'], network, means });
    await load();
    await guard.dispose();
  }
  return site.hits.length;
}

it('leaves a warm page its cache', async () => {
  expect(await hitsOf('best')).toBe(3);
});

// What the guard by protocol is for, and that the test above can fail.
it('would cost the whole cache by routing', async () => {
  expect(await hitsOf('route')).toBe(3 * (1 + IMAGES + FETCHES));
});
