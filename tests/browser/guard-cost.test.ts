// What the guard costs in requests. What it costs in time is measured by `npm run bench -- --only load`.
import type { Page } from '@playwright/test';
import { beforeAll, expect, it, vi } from 'vitest';
import { type GuardOptions, guardContext } from '../../src/browser/guard/guard';
import { type NetworkLog, recordNetwork } from '../../src/browser/session/network';
import { within } from '../../src/browser/waiting';
import { browserOfTests } from '../support/shared-browser';
import { siteOfTests } from '../support/two-sites';

const IMAGES = 20;
const FETCHES = 5;
const PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>';

const browser = browserOfTests();
let page: Page;
let network: NetworkLog;

const cached = { 'cache-control': 'max-age=3600' };
const site = siteOfTests('localhost', path => {
  if (path.startsWith('/image'))
    return { headers: { ...cached, 'content-type': 'image/svg+xml' }, body: PIXEL };
  if (path.startsWith('/data'))
    return { headers: { ...cached, 'content-type': 'application/json' }, body: '{}' };
  const images = Array.from({ length: IMAGES }, (_, i) => `<img src="/image${i}">`).join('');
  const fetches = `Promise.all(Array.from({ length: ${FETCHES} }, (_, i) => fetch('/data' + i).then(a => a.json())))`;
  return { body: `${images}<script>window.fetched = ${fetches}</script>` };
});
beforeAll(async () => {
  const context = await browser().newContext();
  page = await context.newPage();
  network = recordNetwork(context, { maxEvents: 1_000 });
  await load();
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

/** The calls that Playwright's runner makes steps of in one load of the page. */
async function stepsOfLoad(): Promise<string[]> {
  const { _instrumentation: told } = page as unknown as {
    _instrumentation: Record<'addListener' | 'removeListener', (listener: object) => void>;
  };
  const steps: string[] = [];
  const listener = { onApiCallBegin: (_: unknown, { method }: { method: string }) => steps.push(method) };
  told.addListener(listener);
  await load();
  told.removeListener(listener);
  return steps;
}

it('is no step of the test, however many requests are made', async () => {
  const steps = await stepsOfLoad();
  expect(steps).not.toEqual([]);
  const guard = await guardContext(page.context(), { allowedDomains: ['localhost'], network });
  expect(await stepsOfLoad()).toEqual(steps);
  await guard.dispose();
});

it('does not wait at its end for a browser whose answers stand behind a flood', async () => {
  const session = await browser().newBrowserCDPSession();
  const detach = session.detach.bind(session);
  session.detach = () => detach().then(() => new Promise(() => {}));
  vi.spyOn(browser(), 'newBrowserCDPSession').mockResolvedValueOnce(session);
  const guard = await guardContext(page.context(), { allowedDomains: ['localhost'] });
  expect(guard.means).toBe('protocol');
  expect(
    await within(
      guard.dispose().then(() => 'done'),
      60_000,
    ),
  ).toBe('done');
  await page.goto(`http://127.0.0.1:${site.port}/`);
});
