import { type BrowserContext, errors, type Page } from '@playwright/test';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Guard, type GuardOptions, guardContext } from '../../src/browser/guard/guard';
import { TRICKS, type Trick } from '../support/escape-tricks';
import { browserOfTests } from '../support/shared-browser';
import { type Answer, launchPersistent, siteOfTests } from '../support/two-sites';

const browser = browserOfTests();
let trick: Trick | undefined;
/** One for all tests that leave nothing behind in it: a new one for each would be most of what they cost. */
let context: BrowserContext | undefined;
let page: Page;
let guard: Guard | undefined;
let leavesTraces = false;
/** The trick whose page the last try has left as it was: the next has it without a navigation. */
let stayed: Trick | undefined;

const FRAMED = `<button id=y onclick="top.location = '/out'">y</button><button id=z onclick="window.open('/out')">z</button>`;

// Only of localhost does Chromium accept service workers over http.
const good = siteOfTests('localhost', path => {
  if (trick?.paths?.[path]) return filledIn(trick.paths[path]);
  if (path === '/') return filledIn({ body: `<input id=state>${trick?.html ?? ''}` });
  return { body: `<title>${path}</title>` };
});
const bad = siteOfTests('other.test', (path): Answer => {
  if (path === '/back') return { status: 302, headers: { location: `${good.origin}/returned` } };
  if (path === '/out-attached') return { headers: { 'content-disposition': 'attachment; filename=a.txt' } };
  return { body: path === '/framed' ? FRAMED : 'bad', headers: { 'cache-control': 'no-store' } };
});
beforeEach(async () => {
  context ??= await browser().newContext({ baseURL: good.origin });
  page = context.pages()[0] ?? (await context.newPage());
  trick = undefined;
  guard = undefined;
  good.hits.length = 0;
  bad.hits.length = 0;
});
afterEach(async ({ task }) => {
  await guard?.dispose();
  if (leavesTraces || task.result?.state === 'fail') await closeContext();
  else await Promise.all(context!.pages().map(tab => tab !== page && tab.close()));
});

async function closeContext(): Promise<void> {
  await context?.close();
  context = undefined;
  stayed = undefined;
  leavesTraces = false;
}

function withAddresses(text: string): string {
  return text
    .replaceAll('BAD', bad.origin)
    .replaceAll('GOOD', good.origin)
    .replaceAll('PORT', String(bad.port));
}

/** Nothing is kept for the next trick: a permanent redirect would be, and the tricks share paths. */
function filledIn({ status, headers = {}, body = '' }: Answer): Answer {
  const filled = Object.entries(headers).map(([name, value]) => [name, withAddresses(value)]);
  return {
    status,
    headers: { 'cache-control': 'no-store', ...Object.fromEntries(filled) },
    body: withAddresses(body),
  };
}

async function turnOn(options: Partial<GuardOptions> = {}): Promise<Guard> {
  guard = await guardContext(context!, { allowedDomains: ['localhost'], ...options });
  return guard;
}

/** Shows the trick's page, with state in it. */
async function prepare(of: Trick, options: Partial<GuardOptions>): Promise<void> {
  trick = of;
  await of.before?.(page, bad.origin);
  await turnOn(options);
  if (of !== stayed || !(await isAsPrepared(of))) {
    await page.goto('/');
    await page.evaluate(name => {
      Object.assign(window, { state: `kept: ${name}` });
      Object.assign(document.getElementById('state')!, { value: 'typed' });
    }, of.name);
  }
  bad.hits.length = 0;
}

async function isAsPrepared({ name }: Trick): Promise<boolean> {
  if (page.url() !== `${good.origin}/`) return false;
  const state = await page.evaluate(() => [
    (window as unknown as { state: unknown }).state,
    document.querySelector<HTMLInputElement>('input#state')?.value,
  ]);
  return state.join() === `kept: ${name},typed`;
}

/** Tries it. A refused navigation rejects what waits for it. */
async function attempt({ act, script }: Trick): Promise<void> {
  const tried = act ? act(page, bad.origin) : page.evaluate(withAddresses(script!));
  await tried.catch(error => {
    if (error instanceof errors.TimeoutError) throw error;
  });
}

/** Requests at the other site, but for those of the frame that a trick begins in. */
function hits(): string[] {
  return bad.hits.filter(hit => !hit.endsWith('/framed'));
}

/** Where a try leaves a service worker behind, or the page begins elsewhere. */
const needsOwnContext = ({ before, paths }: Trick) => Boolean(before || paths?.['/service.js']);

describe.each(TRICKS)('$name', row => {
  if (needsOwnContext(row)) {
    beforeAll(closeContext);
    beforeEach(() => {
      leavesTraces = true;
    });
  }

  it('is not let out', async () => {
    await prepare(row, {});
    expect(guard!.means).toBe('protocol');
    await attempt(row);
    // One that no longer works as a way out is not refused.
    if (row.how !== 'browser') {
      await expect.poll(() => guard!.refusals.length).toBe(1);
      // A tab that a click with a key opens is a popup or a navigation, by the browser's build.
      const kinds = row.how === 'popup' && row.escapesRouting ? ['popup', 'navigation'] : [row.how];
      expect(kinds).toContain(guard!.refusals[0]!.how);
      expect(guard!.refusals[0]!.url).toMatch(new RegExp(`:${bad.port}/${row.refusedAt ?? ''}`));
    }
    // A round trip through the network, by which a request that got out would have arrived.
    await page.evaluate(`fetch('${good.origin}/settled').then(answer => answer.text())`);
    if (row.endsAt) expect(page.url()).toMatch(row.endsAt);
    else {
      expect(await isAsPrepared(row), 'the page keeps its state').toBe(true);
      stayed = row;
    }
    expect(hits()).toEqual([]);
    for (const other of context!.pages())
      expect(other.url()).toMatch(/^(about:blank|(blob:)?http:\/\/localhost:)/);
    expect(guard!.refusals.filter(refusal => refusal.how === 'escaped')).toEqual([]);
  });

  if (row.how === 'browser') return;

  it('is not let out by routing only, or reported', async () => {
    await prepare(row, { means: 'route' });
    expect(guard!.means).toBe('route');
    await attempt(row);
    await expect.poll(() => guard!.refusals.length).toBe(1);
    const { how } = guard!.refusals[0]!;
    // Some builds let routing see what others open behind its back: then it must be refused like the rest.
    const escaped = row.escapesRouting && how === 'escaped';
    expect(how).toBe(escaped ? 'escaped' : 'navigation');
    // One that got out may still be on its way; one that did not leaves the page able to ask its own site.
    if (escaped) {
      stayed = undefined;
      return;
    }
    await page.evaluate(`fetch('${good.origin}/settled').then(answer => answer.text())`);
    expect(hits()).toEqual([]);
  });
});

describe.each(['best', 'route'] as const)('means: %s', means => {
  it('lets allowed pages be, and subresources and subframes of any host', async () => {
    const reached: string[] = [];
    await turnOn({
      means,
      allowedDomains: ['localhost', '*.shop.test'],
      onRefused: url => reached.push(url),
    });
    await page.goto('/');
    await page.evaluate(async url => {
      const loaded = (element: HTMLElement) =>
        new Promise(resolve => {
          element.onload = element.onerror = resolve;
          document.body.append(element);
        });
      await loaded(Object.assign(new Image(), { src: `${url}/image` }));
      await loaded(Object.assign(document.createElement('iframe'), { src: `${url}/framed` }));
      await fetch(`${url}/fetched`, { mode: 'no-cors' });
    }, bad.origin);
    expect(bad.hits).toEqual(['GET /image', 'GET /framed', 'GET /fetched']);
    const popup = page.waitForEvent('popup');
    await page.evaluate(url => void window.open(url), `http://a.b.shop.test:${good.port}/popup`);
    await (await popup).waitForURL('**/popup');
    expect(reached).toEqual([]);
  });

  it('reports a page that no request leads to', async () => {
    const reported: string[] = [];
    await turnOn({ means, onRefused: (url, how) => reported.push(`${how} ${url}`) });
    await page.goto('data:text/html,elsewhere');
    expect(reported).toEqual(['escaped data:text/html,elsewhere']);
    expect(guard!.refusals).toEqual([{ url: 'data:text/html,elsewhere', how: 'escaped' }]);
  });

  it('keeps an escape, however much was refused before', async () => {
    await turnOn({ means, maxRefusals: 2 });
    for (const path of ['/1', '/2', '/3']) await page.goto(bad.origin + path).catch(() => {});
    await page.goto('data:text/html,elsewhere');
    await page.goto('data:text/html,again');
    expect(guard!.refusals.map(({ how }) => how)).toEqual(['navigation', 'navigation', 'escaped']);
  });

  it('is no matter to other contexts, and none to its own once it is off', async () => {
    await turnOn({ means });
    const other = await browser().newContext();
    const otherPage = await other.newPage();
    await otherPage.goto(`${bad.origin}/other`);
    await page.goto(`${bad.origin}/mine`).catch(() => {});
    expect(bad.hits).toEqual(['GET /other']);
    await guard!.dispose();
    await page.goto(`${bad.origin}/after`);
    expect(bad.hits).toEqual(['GET /other', 'GET /after']);
    expect(guard!.refusals).toHaveLength(1);
    await guard!.dispose();
    await other.close();
  });

  it('stands beside routes and log-in of the suite', async () => {
    leavesTraces = true;
    await context!.route('**/mocked', route => route.fulfill({ body: 'mock' }));
    await page.route('**/slow', route => route.continue({ headers: { 'x-route': '1' } }));
    await turnOn({ means });
    await page.goto('/mocked');
    expect(await page.textContent('body')).toBe('mock');
    await page.goto('/slow');
    await page.goto(`${bad.origin}/out`).catch(() => {});
    expect([good.hits, bad.hits]).toEqual([['GET /slow'], []]);
  });

  it('refuses what another route lets go, or reports it', async () => {
    await turnOn({ means });
    leavesTraces = true;
    await page.route('**/out', route => route.continue());
    await context!.route('**/out*', route => route.fallback());
    await page.goto(`${bad.origin}/out`).catch(() => {});
    const [how, seen] = means === 'best' ? ['navigation', []] : ['escaped', ['GET /out']];
    expect(guard!.refusals).toEqual([{ url: `${bad.origin}/out`, how }]);
    expect(bad.hits).toEqual(seen);
  });

  it('can be taken off a context that has gone', async () => {
    const gone = await browser().newContext();
    await gone.newPage();
    const off = await guardContext(gone, { allowedDomains: ['localhost'], means });
    await gone.close();
    await off.dispose();
  });
});

it('refuses file: by an agent', async () => {
  await turnOn();
  await page.goto('/');
  await expect(page.goto('file:///etc/passwd')).rejects.toThrow('ERR_ABORTED');
  expect(guard!.refusals).toEqual([{ url: 'file:///etc/passwd', how: 'navigation' }]);
  expect(page.url()).toBe(`${good.origin}/`);
});

it('guards a persistent context', async () => {
  const persistent = await launchPersistent();
  const off = await guardContext(persistent, { allowedDomains: ['localhost'] });
  expect(off.means).toBe('protocol');
  await persistent
    .pages()[0]!
    .goto(`${bad.origin}/out`)
    .catch(() => {});
  expect([bad.hits, off.refusals.length]).toEqual([[], 1]);
  await off.dispose();
  await persistent.close();
});

it('guards a context that has no page yet', async () => {
  await closeContext();
  context = await browser().newContext();
  leavesTraces = true;
  await turnOn();
  expect(context.pages()).toEqual([]);
  const first = await context.newPage();
  await first.goto(`${bad.origin}/out`).catch(() => {});
  expect([bad.hits, guard!.refusals.length]).toEqual([[], 1]);
});

it('guards two contexts by their own domains', async () => {
  const second = await browser().newContext();
  const secondPage = await second.newPage();
  await turnOn();
  const other = await guardContext(second, { allowedDomains: ['other.test'] });
  await secondPage.goto(`${bad.origin}/hers`);
  await secondPage.goto(`${good.origin}/not-hers`).catch(() => {});
  await page.goto('/his');
  await page.goto(`${bad.origin}/not-his`).catch(() => {});
  expect([good.hits, bad.hits]).toEqual([['GET /his'], ['GET /hers']]);
  await other.dispose();
  await page.goto(`${bad.origin}/still-not-his`).catch(() => {});
  expect(bad.hits).toEqual(['GET /hers']);
  await second.close();
});

it('leaves no tab of a refused popup behind', async () => {
  const session = await browser().newBrowserCDPSession();
  const tabs = async () =>
    (await session.send('Target.getTargets')).targetInfos.filter(target => target.type === 'page').length;
  const before = await tabs();
  await turnOn();
  await page.goto('/');
  await page.evaluate(url => {
    for (let i = 0; i < 8; i++) window.open(`${url}/out${i}`);
  }, bad.origin);
  await expect.poll(() => guard!.refusals.length).toBe(8);
  await expect.poll(tabs).toBe(before);
  expect(bad.hits).toEqual([]);
  await session.detach();
});

// SECURITY.md says so: these are requests beside the page, not navigations.
it('lets <a ping> through', async () => {
  trick = {
    name: 'ping',
    html: `<a id=x href="#here" ping="BAD/pinged">x</a>`,
    act: async () => {},
    how: 'browser',
  };
  await turnOn();
  await page.goto('/');
  await page.click('#x');
  await expect.poll(() => bad.hits).toEqual(['POST /pinged']);
});
