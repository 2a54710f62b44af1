// The endpoint in a real Chromium, with Playwright as its client and with a client that speaks the bare protocol.
import { createConnection } from 'node:net';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CdpEndpoint, openCdpEndpoint } from '../../src/browser/cdp/endpoint';
import { recordNetwork } from '../../src/browser/session/network';
import { openSession } from '../../src/browser/session/session';
import { type CdpClient, connectCdp } from '../support/cdp-client';
import { browserOfTests } from '../support/shared-browser';
import { type Answer, siteOfTests } from '../support/two-sites';

const BUTTON = `<button onclick="this.textContent = 'clicked'">Press</button>`;

const browser = browserOfTests('--site-per-process');
/** One for all, with an endpoint for each test: a new one for each would be most of what it costs. */
let context: BrowserContext;
let page: Page;
/** Pages that clients brought to the front. */
let fronts: Page[];
let endpoint: CdpEndpoint;
let clients: CdpClient[] = [];

const site = siteOfTests('shop.test', (path): Answer => {
  if (path === '/framed') return { body: `${BUTTON}<iframe src="${other.origin}/frame"></iframe>` };
  if (path === '/file')
    return { headers: { 'content-disposition': 'attachment; filename=bill.txt' }, body: 'bill' };
  if (path === '/popup') return { body: `<a href="/second" target="_blank">Open</a>` };
  if (path === '/worker')
    return {
      body: `<p id=answer></p><script>new Worker('/worker.js').onmessage = ({ data }) => { answer.textContent = data }</script>`,
    };
  if (path === '/worker.js')
    return { headers: { 'content-type': 'text/javascript' }, body: `postMessage('from the worker')` };
  return { body: `<title>${path}</title>${BUTTON}<a href="/file">Bill</a>` };
});
const other = siteOfTests('other.test', path =>
  path === '/frame' ? { body: `${BUTTON}<iframe src="${site.origin}/inner"></iframe>` } : { body: BUTTON },
);
beforeEach(async () => {
  if (!page || page.isClosed()) {
    context = await browser().newContext({ viewport: { width: 700, height: 500 } });
    page = await context.newPage();
  }
  if (await isChanged(page)) await page.goto(`${site.origin}/`);
  fronts = [];
  endpoint = await openCdpEndpoint(page, { onFront: front => fronts.push(front) });
});
afterEach(async ({ task }) => {
  for (const client of clients) client.close();
  clients = [];
  await endpoint.close();
  if (task.result?.state === 'fail') return context.close();
  await Promise.all(context.pages().map(tab => tab !== page && tab.close()));
});

/** Whether it is not as it was when it was opened. */
async function isChanged(tab: Page): Promise<boolean> {
  if (new URL(tab.url(), site.origin).pathname !== '/') return true;
  return (await tab.evaluate('document.title + document.body.innerText')) !== '/Press Bill';
}

async function raw(): Promise<CdpClient> {
  const client = await connectCdp(endpoint.url);
  clients.push(client);
  return client;
}

/** The page's own session. */
async function attached(client: CdpClient, targetId = endpoint.targetId): Promise<string> {
  const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  return sessionId;
}

/** Resolves when Playwright has heard of it, or it would only hear of it in the next test. */
async function blankTab(client: CdpClient, options: object = {}) {
  const { targetId } = await client.send('Target.createTarget', { url: 'about:blank', ...options });
  return { targetId, opened: await endpoint.pageOf(targetId) };
}

test('a page that a client brings to the front is told before the client is answered', async () => {
  const second = await context.newPage();
  const client = await raw();
  await client.send('Page.bringToFront', {}, await attached(client));
  expect(fronts).toEqual([page]);
  const { targetInfos } = await client.send('Target.getTargets');
  const other = targetInfos.find(
    ({ type, targetId }: { type: string; targetId: string }) =>
      type === 'page' && targetId !== endpoint.targetId,
  );
  await client.send('Page.bringToFront', {}, await attached(client, other.targetId));
  expect(fronts).toEqual([page, second]);
});

describe('Playwright over it', () => {
  let remote: Browser;
  let tab: Page;

  beforeEach(async () => {
    remote = await chromium.connectOverCDP(endpoint.url);
    tab = remote.contexts()[0]!.pages()[0]!;
  });
  afterEach(() => remote.close());

  test('sees the one context and its page', async () => {
    expect(remote.contexts()).toHaveLength(1);
    expect(remote.contexts()[0]!.pages()).toHaveLength(1);
    expect(tab.url()).toBe(`${site.origin}/`);
    expect(await tab.title()).toBe('/');
  });

  test('clicks, types and navigates in the very page', async () => {
    await tab.getByRole('button', { name: 'Press' }).click();
    expect(await page.getByRole('button').textContent()).toBe('clicked');
    await tab.goto(`${site.origin}/next`);
    expect(page.url()).toBe(`${site.origin}/next`);
  });

  test('clicks in frames of other sites, which have processes of their own', async () => {
    await page.goto(`${site.origin}/framed`);
    const outer = tab.frameLocator('iframe');
    await outer.getByRole('button').first().click();
    await outer.frameLocator('iframe').getByRole('button').click();
    const frame = page.frameLocator('iframe');
    expect(await frame.getByRole('button').textContent()).toBe('clicked');
    expect(await frame.frameLocator('iframe').getByRole('button').textContent()).toBe('clicked');
    expect(await page.getByRole('button').textContent()).toBe('Press');
  });

  test('runs workers', async () => {
    const worker = tab.waitForEvent('worker');
    await tab.goto(`${site.origin}/worker`);
    expect((await worker).url()).toBe(`${site.origin}/worker.js`);
    await expect.poll(() => page.textContent('#answer')).toBe('from the worker');
  });

  test('follows popups, opens tabs and closes them; each has its page on the other side', async () => {
    await page.goto(`${site.origin}/popup`);
    const [popup, seen] = await Promise.all([
      tab.waitForEvent('popup'),
      page.waitForEvent('popup'),
      tab.getByRole('link').click(),
    ]);
    await popup.getByRole('button').click();
    expect(await seen.getByRole('button').textContent()).toBe('clicked');

    const opened = context.waitForEvent('page');
    const fresh = await remote.contexts()[0]!.newPage();
    await fresh.goto(`${site.origin}/fresh`);
    const twin = await opened;
    await expect.poll(() => twin.url()).toBe(`${site.origin}/fresh`);
    await fresh.close();
    await expect.poll(() => twin.isClosed()).toBe(true);
    expect(page.isClosed()).toBe(false);
  });

  test('takes pictures in the size that the page has', async () => {
    const picture = await tab.screenshot({ type: 'png' });
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([700, 500]);
  });

  test('leaves the page as it is when it goes, and another client may come', async () => {
    await tab.getByRole('button').click();
    await remote.close();
    expect(page.isClosed()).toBe(false);
    expect(await page.getByRole('button').textContent()).toBe('clicked');
    expect(await page.evaluate('[innerWidth, innerHeight]')).toEqual([700, 500]);
    const second = await chromium.connectOverCDP(endpoint.url);
    expect(await second.contexts()[0]!.pages()[0]!.getByRole('button').textContent()).toBe('clicked');
    await second.close();
  });

  test('two clients at once', async () => {
    const second = await chromium.connectOverCDP(endpoint.url);
    const [, text] = await Promise.all([
      tab.getByRole('button').click(),
      second.contexts()[0]!.pages()[0]!.getByText('clicked').textContent(),
    ]);
    expect(text).toBe('clicked');
    await second.close();
    expect(await tab.getByRole('button').textContent()).toBe('clicked');
  });

  test('leaves downloads to the trial', async () => {
    const download = page.waitForEvent('download');
    await tab.getByRole('link', { name: 'Bill' }).click();
    expect((await download).suggestedFilename()).toBe('bill.txt');
    expect(await (await download).failure()).toBeNull();
  });
});

describe('the bare protocol', () => {
  test('attaches to a target, acts in it and hears of it', async () => {
    const client = await raw();
    const session = await attached(client);
    await client.send('Page.enable', {}, session);
    await client.send('Page.navigate', { url: `${site.origin}/raw` }, session);
    await expect.poll(() => client.events.map(({ method }) => method)).toContain('Page.loadEventFired');
    expect(
      client.events.every(event => event.sessionId === session || event.method.startsWith('Target.')),
    ).toBe(true);
    const { result } = await client.send('Runtime.evaluate', { expression: 'document.title' }, session);
    expect(result.value).toBe('/raw');
    await client.send('Target.detachFromTarget', { sessionId: session });
    await expect(client.send('Runtime.evaluate', { expression: '1' }, session)).rejects.toThrow(
      /Session with given id/,
    );
    expect(page.url()).toBe(`${site.origin}/raw`);
  });

  test('reaches frames of other sites in sessions below the page’s', async () => {
    await page.goto(`${site.origin}/framed`);
    const client = await raw();
    const session = await attached(client);
    const auto = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true };
    await client.send('Target.setAutoAttach', auto, session);
    const below = (parent: string) =>
      client.events.find(event => event.method === 'Target.attachedToTarget' && event.sessionId === parent);
    await expect.poll(() => below(session)).toBeTruthy();
    const frame = below(session)!.params.sessionId;
    await client.send('Target.setAutoAttach', auto, frame);
    await expect.poll(() => below(frame)).toBeTruthy();
    const inner = below(frame)!.params.sessionId;
    const { result } = await client.send('Runtime.evaluate', { expression: 'location.pathname' }, inner);
    expect(result.value).toBe('/inner');
    await expect(client.send('Runtime.nonsense', {}, inner)).rejects.toThrow(/wasn't found/);
  });

  test('attaches to tabs as they come, where it asked for that', async () => {
    const client = await raw();
    const auto = { waitForDebuggerOnStart: true, flatten: true };
    await client.send('Target.setAutoAttach', { ...auto, autoAttach: true });
    const urls = () =>
      client.events
        .filter(({ method }) => method === 'Target.attachedToTarget')
        .map(({ params }) => params.targetInfo.targetId);
    expect(urls()).toEqual([endpoint.targetId]);
    const { targetId } = await blankTab(client);
    expect(urls()).toEqual([endpoint.targetId, targetId]);
    await context.newPage();
    await expect.poll(urls).toHaveLength(3);
    await client.send('Target.setAutoAttach', { ...auto, autoAttach: false });
    await context.newPage();
    await client.send('Browser.getVersion');
    expect(urls()).toHaveLength(3);
  });

  test('lets what it does wait while it is held, and goes on in order; what only listens does not wait', async () => {
    const client = await raw();
    const session = await attached(client);
    const other = await attached(client);
    const evaluate = (expression: string) => client.send('Runtime.evaluate', { expression }, session);
    const done: string[] = [];
    endpoint.hold();
    const acts = [
      evaluate(`document.title += '1'`).then(() => done.push('first')),
      client.send('Page.enable', {}, session).then(() => done.push('listens')),
      evaluate(`document.title += '2'`).then(() => done.push('second')),
      blankTab(client).then(() => done.push('tab')),
    ];
    await client.send('Page.enable', {}, other);
    expect(await page.title()).toBe('/');
    expect(context.pages()).toHaveLength(1);
    expect(done).toEqual([]);
    endpoint.release();
    await Promise.all(acts);
    expect(done.filter(name => name !== 'tab')).toEqual(['first', 'listens', 'second']);
    expect(await page.title()).toBe('/12');
    await evaluate(`document.title += '3'`);
    expect(await page.title()).toBe('/123');
  });

  test('an answer to what is no message, or has an id of ours', async () => {
    const client = await raw();
    for (const text of ['nonsense', '7', 'null', '[]'])
      expect(await client.sendText(text), text).toMatchObject({ error: { code: -32700 } });
    expect(await client.sendText('{"method":"Browser.getVersion"}')).toMatchObject({
      error: { code: -32600 },
    });
    const ours = 1_500_000_001;
    expect(await client.sendText(`{"id":${ours},"method":"Browser.getVersion"}`, ours)).toMatchObject({
      error: { code: -32600 },
    });
    expect(await client.send('Browser.getVersion')).toHaveProperty('product');
  });

  const MALFORMED = [
    '"method":"Target.setAutoAttach","params":null',
    '"method":"Target.attachToTarget","params":null',
    '"method":"Browser.getVersion","params":[]',
    '"method":"Browser.getVersion","params":"x"',
    '"method":null',
    '"method":7,"params":{}',
    '"method":{"toString":1}',
    '"method":"Page.enable","sessionId":7',
    '"method":"Page.enable","sessionId":null',
    '"method":"Target.setAutoAttach","params":{"autoAttach":true,"filter":7}',
    '"method":"Target.attachToTarget","params":{"targetId":{}}',
    '"method":"Target.attachToTarget","params":{"targetId":null}',
    '"method":"Target.createTarget","params":{"url":null}',
  ];
  test('what is malformed is answered with an error, and no more', async () => {
    const client = await raw();
    const answer = { id: 1, error: { message: expect.any(String) } };
    for (const fields of MALFORMED)
      expect(await client.sendText(`{"id":1,${fields}}`, 1), fields).toMatchObject(answer);
    expect(await client.send('Browser.getVersion')).toHaveProperty('product');
  });

  test('what it answers itself is no request that was sent', async () => {
    const log = recordNetwork(context);
    const client = await raw();
    const session = await attached(client);
    await client.send('Fetch.enable', {}, session);
    const orders = async (answer: (requestId: string) => Promise<unknown>) => {
      const known = client.events.length;
      const done = page.evaluate(() => fetch('/orders', { method: 'POST' }).then(({ status }) => status));
      const paused = () => client.events.slice(known).find(({ method }) => method === 'Fetch.requestPaused');
      await expect.poll(paused).toBeTruthy();
      await answer(paused()!.params.requestId);
      return done;
    };
    const fulfilled = { responseCode: 201, responseHeaders: [{ name: 'content-type', value: 'a/b' }] };
    const status = await orders(requestId =>
      client.send('Fetch.fulfillRequest', { requestId, ...fulfilled }, session),
    );
    expect(status).toBe(201);
    await expect.poll(() => log.events.at(-1)).toMatchObject({ status: null, answeredBy: 'program' });
    expect(site.hits).not.toContain('POST /orders');
    const refuses = async (method: string, params: object) =>
      expect(client.send(method, params, session), method).rejects.toThrow(/is not available/);
    const sent = await orders(async requestId => {
      await refuses('Fetch.continueRequest', { requestId, url: `${site.origin}/`, method: 'GET' });
      await refuses('Fetch.continueResponse', { requestId, responseCode: 201 });
      await refuses('Fetch.fulfillRequest', { requestId, responseCode: 201, binaryResponseHeaders: 'AA==' });
      await refuses('Network.setRequestInterception', { patterns: [{}] });
      await refuses('Network.continueInterceptedRequest', { interceptionId: requestId, rawResponse: '' });
      await client.send('Fetch.continueRequest', { requestId }, session);
    });
    expect(sent).toBe(200);
    expect(log.events.at(-1)).toMatchObject({ method: 'POST', status: 200 });
    expect(log.events.at(-1)).not.toHaveProperty('answeredBy');
    log.stop();
  });

  const CLOSED = [
    'chrome://accessibility',
    ' CHROME://history',
    'chrome-untrusted://print/',
    'devtools://devtools/bundled/inspector.html',
    'view-source:http://shop.test/',
    'about:version',
    'about:blank/version',
    'file:///etc/hostname',
    'blob:chrome://settings/1',
    'nonsense',
  ];
  test('what is no page of a site does not open', async () => {
    const client = await raw();
    const session = await attached(client);
    for (const url of CLOSED) {
      const refuses = (method: string, asked?: string) =>
        expect(client.send(method, { url }, asked), url).rejects.toThrow(/only opens http and https pages/);
      await refuses('Page.navigate', session);
      await refuses('Target.createTarget', session);
      await refuses('Target.createTarget');
      await client.send('Runtime.evaluate', { expression: `void open(${JSON.stringify(url)})` }, session);
    }
    expect(page.url()).toBe(`${site.origin}/`);
    const urls = context.pages().map(tab => tab.url());
    expect(urls.filter(open => !/^(?:https?:|about:|:?$)/.test(open))).toEqual([]);
  });

  test('Browser.close closes the connection alone', async () => {
    const client = await raw();
    await client.send('Browser.close');
    expect(await client.closed).toBe(1000);
    expect(await page.title()).toBe('/');
  });
});

describe('what is not the trial’s', () => {
  let theirs: BrowserContext;
  let foreign: Page;
  let foreignTarget: string;
  let foreignContext: string;

  beforeAll(async () => {
    theirs = await browser().newContext();
    await theirs.addCookies([{ name: 'theirs', value: '1', url: site.origin }]);
    foreign = await theirs.newPage();
    await foreign.goto(`${site.origin}/foreign`);
    const session = await theirs.newCDPSession(foreign);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    foreignTarget = targetInfo.targetId;
    foreignContext = targetInfo.browserContextId!;
  });
  afterEach(async () => {
    if (!foreign.url().endsWith('/foreign')) await foreign.goto(`${site.origin}/foreign`);
  });
  afterAll(() => theirs.close());

  /** Of the browser and of the page. */
  async function refuses(methods: string, targetId: string, client: CdpClient, session: string) {
    for (const method of methods.split(' '))
      for (const asked of [session, undefined])
        await expect(client.send(method, { targetId, flatten: true }, asked), method).rejects.toThrow(
          'No target with given id found',
        );
  }

  test('its target is refused', async () => {
    const client = await raw();
    const methods =
      'Target.attachToTarget Target.closeTarget Target.activateTarget Target.getTargetInfo Browser.getWindowForTarget';
    await refuses(methods, foreignTarget, client, await attached(client));
    expect(foreign.isClosed()).toBe(false);
  });

  test('so is the browser’s own, also where an event has told its id', async () => {
    const client = await raw();
    const session = await attached(client);
    await client.send('Target.setDiscoverTargets', { discover: true, filter: [{}] });
    const { targetInfo } = await client.send('Target.getTargetInfo');
    expect(targetInfo.type).toBe('browser');
    await client.send('Target.getTargets', { filter: [{}] });
    await refuses('Target.attachToTarget Target.getTargetInfo', targetInfo.targetId, client, session);
  });

  test('windows of other contexts stay as they are', async () => {
    const client = await raw();
    const theirSession = await theirs.newCDPSession(foreign);
    const { windowId, bounds } = await theirSession.send('Browser.getWindowForTarget');
    const before = await theirSession.send('Browser.getWindowBounds', { windowId });
    for (const asked of [await attached(client), undefined])
      await client.send(
        'Browser.setWindowBounds',
        { windowId, bounds: { width: bounds.width! - 50 } },
        asked,
      );
    expect(await theirSession.send('Browser.getWindowBounds', { windowId })).toEqual(before);
  });

  test('a tab that it opens is seen by the trial, also one that it wants hidden', async () => {
    const client = await raw();
    expect((await blankTab(client, { hidden: true })).opened).toBeDefined();
    expect(context.pages()).toHaveLength(2);
  });

  test('it is in no list and no event, of the browser or of the page', async () => {
    const client = await raw();
    const session = await attached(client);
    const { targetInfos } = await client.send('Target.getTargets');
    expect(targetInfos.map((info: { targetId: string }) => info.targetId)).toContain(endpoint.targetId);
    expect(JSON.stringify(targetInfos)).not.toContain(foreignTarget);
    await client.send('Target.setDiscoverTargets', { discover: true });
    await client.send(
      'Target.setAutoAttach',
      { autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
      session,
    );
    await foreign.goto(`${site.origin}/moved`);
    const second = await theirs.newPage();
    await page.goto(`${site.origin}/own`);
    await expect.poll(() => JSON.stringify(client.events)).toContain('/own');
    expect(JSON.stringify(client.events)).not.toContain(foreignContext);
    await second.close();
  });

  test('its cookies are out of reach', async () => {
    await context.addCookies([{ name: 'ours', value: '1', url: site.origin }]);
    const client = await raw();
    const session = await attached(client);
    const named = { browserContextId: foreignContext };
    const names = ({ cookies }: { cookies: { name: string }[] }) => cookies.map(({ name }) => name);
    expect(names(await client.send('Storage.getCookies', named))).toEqual(['ours']);
    expect(names(await client.send('Network.getCookies', {}, session))).toEqual(['ours']);
    await expect(client.send('Storage.getCookies', named, session)).rejects.toThrow();
    await client.send('Storage.clearCookies', named);
    expect(await context.cookies()).toEqual([]);
    expect(await theirs.cookies()).toHaveLength(1);
  });

  const OF_ALL =
    'Target.createBrowserContext Target.sendMessageToTarget Browser.crash SystemInfo.getProcessInfo Tracing.start';
  const AT_ROOT = `${OF_ALL} Target.disposeBrowserContext Target.attachToBrowserTarget Target.exposeDevToolsProtocol Target.autoAttachRelated Fetch.enable Page.navigate Runtime.evaluate Storage.clearDataForOrigin constructor `;
  const IN_PAGES = `${OF_ALL} Tracing.getCategories Memory.getBrowserSamplingProfile Extensions.getExtensions Tethering.bind Storage.getSharedStorageEntries Target.createTarget Target.getTargets Target.somethingNew PageX.enable Something.new`;
  const NOT_OURS = /serves the browser context of one test/;

  test('what reaches more than the trial’s context is refused', async () => {
    const client = await raw();
    const params = { targetId: endpoint.targetId, browserContextId: foreignContext, message: '{}' };
    // The last one has no name.
    for (const method of AT_ROOT.split(' '))
      await expect(client.send(method, params), method).rejects.toThrow(NOT_OURS);
    expect(await foreign.title()).toBe('/foreign');
  });

  test('so it is to a page’s session and to one below it', async () => {
    const client = await raw();
    const session = await attached(client);
    const target = { targetId: endpoint.targetId, flatten: true };
    const below = await client.send('Target.attachToTarget', target, session);
    for (const method of IN_PAGES.split(' '))
      for (const asked of [session, below.sessionId])
        await expect(client.send(method, {}, asked), method).rejects.toThrow(NOT_OURS);
    expect(await client.send('Page.getNavigationHistory', {}, below.sessionId)).toHaveProperty('entries');
  });

  test('a client that holds its targets does not hold it up', async () => {
    const client = await raw();
    const session = await attached(client);
    const hold = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    await client.send('Target.setAutoAttach', hold);
    await client.send('Target.setAutoAttach', hold, session);
    const third = await theirs.newPage();
    await third.goto(`${site.origin}/worker`);
    await expect.poll(() => third.textContent('#answer')).toBe('from the worker');
    const own = await context.newPage();
    await own.goto(`${site.origin}/free`);
    expect(await own.title()).toBe('/free');
    await third.close();
  });
});

describe('who may connect, and for how long', () => {
  test('only at the whole address', async () => {
    const { url } = endpoint;
    const others = [`${new URL(url).origin.replace('http', 'ws')}/`, url.slice(0, -1), `${url}/x`];
    for (const other of others)
      await expect(connectCdp(other), other).rejects.toThrow(/Unexpected server response: 400/);
  });

  test('a foreign handshake is refused', async () => {
    const { port } = new URL(endpoint.url);
    const foreign: Record<string, string>[] = [
      // Web pages, one on this machine, one without an origin, an extension.
      ...[site.origin, 'http://localhost', 'null', 'chrome-extension://abcdefgh', 'x'].map(origin => ({
        origin,
      })),
      // A name that was made to lead here, one that begins like it, one without the port.
      ...[`evil.test:${port}`, `127.0.0.1.evil.test:${port}`, '127.0.0.1'].map(host => ({ host })),
      { host: 'evil.test', origin: 'http://evil.test' },
    ];
    for (const headers of foreign)
      await expect(connectCdp(endpoint.url, headers), JSON.stringify(headers)).rejects.toThrow(
        /Unexpected server response: 403/,
      );
  });

  test('a client may call it localhost, and name the endpoint itself as its origin', async () => {
    const { host, port } = new URL(endpoint.url);
    const accepted: Record<string, string>[] = [{ host: `localhost:${port}` }, { origin: `http://${host}` }];
    for (const headers of accepted) {
      const client = await connectCdp(endpoint.url, headers);
      clients.push(client);
      expect(await client.send('Browser.getVersion')).toHaveProperty('product');
    }
  });

  test('plain HTTP tells nothing', async () => {
    const answer = await fetch(endpoint.url.replace('ws:', 'http:'));
    expect(answer.status).toBe(426);
    expect((await fetch(`${new URL(endpoint.url).origin.replace('ws', 'http')}/json/version`)).ok).toBe(
      false,
    );
  });

  test('close() ends connections, also one that never said what it wants', async () => {
    const client = await raw();
    const { hostname, port } = new URL(endpoint.url);
    const silent = createConnection({ host: hostname, port: Number(port) });
    await new Promise(resolve => silent.once('connect', resolve));
    const ended = new Promise(resolve => silent.once('close', resolve));
    await endpoint.close();
    expect(await client.closed).toBe(1006);
    await ended;
    await expect(connectCdp(endpoint.url)).rejects.toThrow();
    expect(await page.title()).toBe('/');
    // A second time, it does nothing.
    await endpoint.close();
  });

  test('no session stays in the browser once a client has gone, however early', async () => {
    const sessions: CDPSession[] = [];
    const open = browser().newBrowserCDPSession.bind(browser());
    browser().newBrowserCDPSession = async () => {
      const session = await open();
      sessions.push(session);
      return session;
    };
    try {
      const client = await raw();
      const all = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
      await client.send('Target.setAutoAttach', all);
      // The answers are not waited for: it goes while it is being served.
      for (const _ of [1, 2, 3]) void client.send('Target.setAutoAttach', all);
      client.close();
      await client.closed;
      // One that goes before it has any session.
      (await raw()).close();
      await expect.poll(() => sessions.length).toBe(4);
      for (const session of sessions)
        await expect
          .poll(() =>
            session.send('Browser.getVersion').then(
              () => 'open',
              () => 'closed',
            ),
          )
          .toBe('closed');
    } finally {
      browser().newBrowserCDPSession = open;
    }
  });
});

test('pageOf finds the page of a target, and waits for one that Playwright has yet to hear of', async () => {
  expect(await endpoint.pageOf(endpoint.targetId)).toBe(page);
  expect(await endpoint.pageOf('0123456789ABCDEF')).toBeUndefined();
  const client = await raw();
  const { targetId } = await client.send('Target.createTarget', { url: `${site.origin}/later` });
  const later = await endpoint.pageOf(targetId);
  expect(later).toBeDefined();
  await expect.poll(() => later!.url()).toBe(`${site.origin}/later`);
});

test('the guard refuses what a client navigates to', async () => {
  const { refusals, close } = await openSession(page, ['shop.test']);
  try {
    const remote = await chromium.connectOverCDP(endpoint.url);
    const tab = remote.contexts()[0]!.pages()[0]!;
    await expect(tab.goto(`${other.origin}/out`)).rejects.toThrow();
    expect(other.hits).not.toContain('GET /out');
    expect(refusals).toEqual([{ url: `${other.origin}/out`, how: 'navigation' }]);
    expect(page.url()).toBe(`${site.origin}/`);
    const fresh = await remote.contexts()[0]!.newPage();
    await expect(fresh.goto(`${other.origin}/out`)).rejects.toThrow();
    const client = await raw();
    await client.send('Target.createTarget', { url: `${other.origin}/out` });
    await expect.poll(() => refusals.length).toBe(3);
    expect(other.hits).not.toContain('GET /out');
    await remote.close();
  } finally {
    await close();
  }
});

test('another browser is refused, with what to do', async () => {
  const firefox = {
    context: () => ({ browser: () => ({ browserType: () => ({ name: () => 'firefox' }) }) }),
  } as unknown as Page;
  await expect(openCdpEndpoint(firefox)).rejects.toThrow(
    /command\(\) requires Chromium.* uses firefox\. Set `use: \{ browserName: 'chromium' \}`/,
  );
});
