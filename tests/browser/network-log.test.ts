import type { BrowserContext, Page } from '@playwright/test';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { guardContext } from '../../src/browser/guard/guard';
import { type NetworkLog, recordNetwork } from '../../src/browser/session/network';
import { openSession } from '../../src/browser/session/session';
import type { NetworkEvent } from '../../src/data/record';
import { browserOfTests } from '../support/shared-browser';
import { playTrial } from '../support/trials';
import { siteOfTests, startSite } from '../support/two-sites';

const SCRIPT = { 'content-type': 'text/javascript' };
const browser = browserOfTests();
let context: BrowserContext;
let page: Page;
let log: NetworkLog;

// Service workers need a secure origin, which of http only localhost is.
const site = siteOfTests('localhost', path => {
  if (path === '/hop1') return { status: 302, headers: { location: '/hop2' } };
  if (path === '/hop2') return { status: 307, headers: { location: '/landed' } };
  if (path === '/orders') return { status: 201 };
  if (path === '/missing') return { status: 404 };
  if (path === '/never') return { never: true };
  if (path === '/worker.js') return { headers: SCRIPT, body: 'fetch("/from-worker")' };
  if (path === '/shared.js')
    return { headers: SCRIPT, body: 'onconnect = () => fetch("/from-shared-worker")' };
  if (path === '/service.js')
    return {
      headers: SCRIPT,
      body: 'onactivate = e => e.waitUntil(clients.claim()); onfetch = e => { if (e.request.url.endsWith("/served")) e.respondWith(fetch("/behind")) }',
    };
  return { body: `<title>${path}</title>` };
});
beforeEach(async () => {
  context = await browser().newContext({ baseURL: site.origin });
  page = await context.newPage();
  log = recordNetwork(context);
  site.hits.length = 0;
});
afterEach(() => context.close());

/** `METHOD path status`, in the order of the log. */
function lines(events: readonly NetworkEvent[] = log.events): string[] {
  return events.map(({ method, url, status }) => `${method} ${url.replace(site.origin, '')} ${status}`);
}

async function logged(line: string): Promise<void> {
  await expect.poll(() => lines()).toContain(line);
}

async function guarded(): Promise<void> {
  const guard = await guardContext(context, { allowedDomains: ['localhost'], network: log });
  onTestFinished(() => guard.dispose());
}

it('has each hop of a redirect chain with its own status', async () => {
  await page.goto('/hop1');
  expect(lines()).toEqual(['GET /hop1 302', 'GET /hop2 307', 'GET /landed 200']);
  const times = log.events.map(event => event.startedAtMs);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(log.events.map(event => event.resourceType)).toEqual(['document', 'document', 'document']);
});

it('has methods and failures', async () => {
  await page.goto('/');
  await page.evaluate(async () => {
    await fetch('/orders', { method: 'POST', body: '{}' });
    // A body that nobody reads is aborted some time later.
    await (await fetch('/missing')).text();
    await fetch('http://localhost:1/').catch(() => {});
  });
  expect(lines()).toEqual([
    'GET / 200',
    'POST /orders 201',
    'GET /missing 404',
    'GET http://localhost:1/ null',
  ]);
  expect(log.events[3]?.failure).toContain('net::ERR_');
  expect(log.events[2]).not.toHaveProperty('failure');
});

it('has how long an answer took', async () => {
  await page.route('**/late', route => new Promise(end => setTimeout(end, 400)).then(() => route.fulfill()));
  await page.goto('/');
  await page.evaluate(() => fetch('/late'));
  await page.evaluate(() => void fetch('/never'));
  await expect.poll(lines).toContain('GET /never null');
  const [, late, never] = log.events;
  expect(late?.answeredAfterMs).toBeGreaterThan(350);
  expect(never).not.toHaveProperty('answeredAfterMs');
});

it('has popups, workers and service workers', async () => {
  await page.goto('/');
  await page.evaluate(() => {
    window.open('/popup');
    new Worker('/worker.js');
  });
  await logged('GET /popup 200');
  await logged('GET /from-worker 200');
  await page.evaluate(async () => {
    const claimed = new Promise(resolve => {
      navigator.serviceWorker.oncontrollerchange = resolve;
    });
    await navigator.serviceWorker.register('/service.js');
    await claimed;
    await fetch('/served');
  });
  await logged('GET /behind 200');
});

it('shortens data: URLs and cuts endless ones', async () => {
  const added = recordNetwork(context);
  added.add({ url: `data:image/png;base64,${'A'.repeat(5_000)}`, method: 'get', resourceType: 'image' });
  added.add({ url: `${site.origin}/?${'q'.repeat(50_000)}`, method: 'GET', resourceType: 'fetch' });
  expect(added.events[0]).toMatchObject({
    url: 'data:image/png;base64,… (5000 more characters)',
    method: 'GET',
  });
  expect(added.events[1]?.url.length).toBeLessThan(8_300);
});

it('ends at its limit, and is told of nothing more', async () => {
  let [ends, held] = [0, 0];
  const add: NetworkLog['add'] = seen => {
    held++;
    return small.add(seen);
  };
  const guard = await guardContext(context, { allowedDomains: ['localhost'], network: { add } });
  const onFull = () => {
    ends++;
    guard.endLog();
  };
  const small = recordNetwork(context, { maxEvents: 20, onFull });
  await page.goto('/');
  const ask = (from: number, to: number) =>
    page.evaluate(
      async ([first, last]) => {
        for (let i = first!; i < last!; i++) await (await fetch(`/n${i}`)).text();
      },
      [from, to],
    );
  await ask(0, 25);
  expect(lines(small.events).at(-1)).toBe('GET /n18 200');
  expect([small.events.length, small.isFull, ends]).toEqual([20, true, 1]);
  const heldMeanwhile = async () => {
    const before = held;
    await ask(25, 30);
    return held - before;
  };
  await expect.poll(heldMeanwhile).toBe(0);
  await page.evaluate(() => {
    location.href = 'http://elsewhere.test/';
  });
  await expect.poll(() => guard.refusals.length).toBe(1);
  await guard.dispose();
});

it('ends in a session, too: the agent is told, and no request is held or waited for any more', async () => {
  const opened = await openSession(page, ['localhost']);
  await page.goto('/');
  const asks = async (url: string) => {
    const begun = context.waitForEvent('request', request => request.url().endsWith(url));
    await page.evaluate(path => void fetch(path), url);
    await begun;
  };
  const since = performance.now();
  await asks('/never');
  expect(opened.session.isBusy(since)).toBe(true);
  const held = vi.spyOn(opened.network, 'add');
  const seen = { url: `${site.origin}/n`, method: 'GET', resourceType: 'fetch' };
  while (!opened.network.isFull) opened.network.add(seen);
  expect(opened.network.events).toHaveLength(20_000);
  expect(opened.session.takeNotices()).toEqual([
    'The page sent more than 20000 requests. The network log has none of the later ones.',
  ]);
  // The browser is told, and requests that it has paused before then are still reported.
  const addedByFetch = async () => {
    const before = held.mock.calls.length;
    await page.evaluate(() => fetch('/orders').then(answer => answer.text()));
    return held.mock.calls.length - before;
  };
  await expect.poll(addedByFetch).toBe(0);
  const ended = held.mock.calls.length;
  await asks('/never');
  expect(opened.session.isBusy(since)).toBe(false);
  expect(held.mock.calls.length).toBe(ended);
  await opened.close();
});

it.each(['beside the guard', 'alone'])(
  'counts no redirect of the browser itself as an answer: %s',
  async how => {
    if (how === 'beside the guard') await guarded();
    await page.goto('/');
    // `dev` is on the list of domains that browsers ask by https alone.
    await page.evaluate(() =>
      fetch('http://no-such-shop.dev/orders', { method: 'POST', mode: 'no-cors' }).catch(() => {}),
    );
    await expect.poll(() => log.events.at(-1)?.failure).toContain('net::ERR_');
    expect(log.events.slice(1)).toMatchObject([
      { url: 'http://no-such-shop.dev/orders', method: 'POST', status: null, answeredBy: 'browser' },
      { url: 'https://no-such-shop.dev/orders', method: 'POST', status: null },
    ]);
  },
);

it('records nothing after stop', async () => {
  await page.goto('/');
  log.stop();
  await page.goto('/later');
  expect(lines()).toEqual(['GET / 200']);
});

it('takes what another observer saw once, whichever of the two is first', async () => {
  await page.goto('/');
  const ping = { url: `${site.origin}/beacon`, method: 'POST', resourceType: 'ping' };
  log.add(ping)({ status: 204 });
  expect(lines().filter(line => line.includes('/beacon'))).toEqual(['POST /beacon 204']);
  await page.evaluate(() => navigator.sendBeacon('/beacon'));
  await logged('POST /beacon 200');
  await page.evaluate(() => navigator.sendBeacon('/beacon'));
  await expect.poll(() => lines().filter(line => line === 'POST /beacon 200').length).toBe(2);
  log.add(ping);
  expect(lines().filter(line => line.includes('/beacon'))).toHaveLength(2);
  log.add(ping);
  expect(lines().filter(line => line.includes('/beacon'))).toHaveLength(3);
});

it('takes requests of a long address once, too, each with its own answer', async () => {
  await page.goto('/');
  const long = `/long?${'q'.repeat(10_000)}`;
  log.add({ url: site.origin + long, method: 'GET', resourceType: 'xhr' });
  for (let times = 0; times < 2; times++) await page.evaluate(async url => void (await fetch(url)), long);
  const found = () => log.events.filter(({ url }) => url.includes('/long')).map(({ status }) => status);
  await expect.poll(found).toEqual([200, 200]);
});

const UNSEEN = ['POST /beacon-at-unload', 'PUT /keepalive-at-unload', 'GET /from-shared-worker'];

async function unseenRequests(): Promise<void> {
  await page.goto('/');
  await page.evaluate(() => {
    new SharedWorker('/shared.js').port.start();
    navigator.sendBeacon('/beacon');
    void fetch('/orders', { method: 'POST' });
  });
  await expect.poll(() => site.hits).toContain('GET /from-shared-worker');
  await page.evaluate(() => {
    addEventListener('pagehide', () => {
      navigator.sendBeacon('/beacon-at-unload');
      void fetch('/keepalive-at-unload', { method: 'PUT', keepalive: true });
    });
  });
  await page.goto('/next');
  await expect.poll(() => site.hits).toEqual(expect.arrayContaining(UNSEEN));
}

it('gets from the guard what the context does not report, and nothing twice', async () => {
  await guarded();
  await unseenRequests();
  for (const request of UNSEEN) await logged(`${request} 200`);
  await logged('POST /orders 201');
  await logged('POST /beacon 200');
  expect(
    lines()
      .map(line => line.replace(/ \w+$/, ''))
      .sort(),
  ).toEqual([...site.hits].sort());
});

it.each([
  ['a beacon', "navigator.sendBeacon('/orders')"],
  ['a request that outlives its page', "fetch('/orders', { method: 'POST', keepalive: true })"],
])('gets from the guard how the server answered %s', async (_, send) => {
  await guarded();
  // Sometimes the context has the answer, too.
  for (let round = 1; round <= 2; round++) {
    await page.goto('/');
    await page.evaluate(`${send}; location.href = '/next'`);
    await page.waitForURL('**/next');
    await expect.poll(() => lines().filter(line => line === 'POST /orders 201').length).toBe(round);
  }
});

it('gets from the guard how the server answered links with `download`, once', async () => {
  await guarded();
  await page.goto('/');
  for (const path of ['/orders', '/hop1', '/missing', '/orders']) {
    const download = page.waitForEvent('download');
    await page.evaluate(
      href => Object.assign(document.createElement('a'), { href, download: '' }).click(),
      path,
    );
    await (await download).failure();
  }
  await page.goto('/next');
  await logged('GET /next 200');
  expect(lines()).toEqual([
    ...['GET / 200', 'GET /orders 201', 'GET /hop1 302', 'GET /hop2 307', 'GET /landed 200'],
    ...['GET /missing 404', 'GET /orders 201', 'GET /next 200'],
  ]);
});

it('misses just these without the guard', async () => {
  await unseenRequests();
  await logged('GET /next 200');
  for (const request of UNSEEN) expect(lines().join('\n')).not.toContain(request);
});

it('has the last requests of a closed tab', async () => {
  await guarded();
  await page.goto('/');
  await page.evaluate(() => addEventListener('pagehide', () => navigator.sendBeacon('/beacon-at-close')));
  await page.close();
  await expect.poll(() => lines().join('\n')).toContain('POST /beacon-at-close');
});

it('leaves out what other contexts of the browser send', async () => {
  const other = await browser().newContext({ baseURL: site.origin });
  const otherPage = await other.newPage();
  await guarded();
  await otherPage.goto('/');
  await otherPage.evaluate(() => {
    new SharedWorker('/shared.js').port.start();
    navigator.sendBeacon('/beacon');
  });
  await expect
    .poll(() => site.hits)
    .toEqual(expect.arrayContaining(['GET /from-shared-worker', 'POST /beacon']));
  await page.goto('/mine');
  expect(lines()).toEqual(['GET /mine 200']);
  await other.close();
});

it('leaves preflights out, and lets them refuse what they refuse', async () => {
  const strict = await startSite('other.test', () => undefined);
  await guarded();
  await page.goto('/');
  const outcome = await page.evaluate(
    url => fetch(url, { method: 'PUT', headers: { 'x-a': '1' } }).then(String, () => 'refused'),
    strict.origin,
  );
  expect(outcome).toBe('refused');
  expect(strict.hits).toEqual(['OPTIONS /']);
  expect(log.events.filter(event => event.method === 'OPTIONS')).toEqual([]);
  await strict.close();
});

it('and the turns of a trial are timed from one moment, however long the session was open before', async () => {
  const opened = await openSession(page, ['localhost']);
  // Together longer than the trial takes to open its page.
  for (let visit = 0; visit < 20; visit++) await page.goto('/before');
  const { network, turns } = await playTrial(opened, {
    entryUrl: `${site.origin}/entry`,
    assertion: { type: 'url', pattern: '**' },
    expectTimeoutMs: 20_000,
    run: task => task.turn('look', async () => {}),
  });
  await opened.close();
  const entry = network.events.find(({ url }) => url.endsWith('/entry'))!;
  expect(entry.startedAtMs).toBeLessThanOrEqual(turns[0]!.startedAtMs);
});
