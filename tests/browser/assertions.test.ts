import type { Page } from '@playwright/test';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { recordNetwork } from '../../src/browser/session/network';
import { openSession } from '../../src/browser/session/session';
import { checkAssertion } from '../../src/grading/assertions';
import type { Assertion } from '../../src/spec';
import { browserOfTests } from '../support/shared-browser';
import { siteOfTests } from '../support/two-sites';

const browser = browserOfTests();

/** A page that goes on to itself as fast as it can, and comes to rest after a number of loads. */
const RESTLESS = `<!doctype html><body><p>Busy</p><script>
  const loads = Number(sessionStorage.loads ?? 0) + 1;
  sessionStorage.loads = loads;
  if (loads < 25) setTimeout(() => location.reload(), 5);
  else document.body.innerHTML = '<h1>At rest</h1>';
</script>`;

test('a page that navigates while it is looked at is waited for', async () => {
  const page = await browser().newPage();
  await page.route('http://restless.test/', route =>
    route.fulfill({ body: RESTLESS, contentType: 'text/html' }),
  );
  await page.goto('http://restless.test/');
  const assertion = { type: 'dom', selector: 'p', state: 'absent' } as const;
  await expect(checkAssertion(assertion, { page, network: [], timeoutMs: 30_000 })).resolves.toBeUndefined();
  await page.close();
});

/** Null where it holds, else the reason. */
function reasonOf(assertion: Assertion, state: Partial<Parameters<typeof checkAssertion>[1]>) {
  return checkAssertion(assertion, { network: [], timeoutMs: 1_500, page: null as never, ...state }).then(
    () => null,
    error => (error as Error).message,
  );
}

/** What a page may replace to tell its own story. */
const LYING = `<script>
  for (const [type, name] of [[Node, 'textContent'], [Node, 'nodeValue'], [HTMLElement, 'innerText']])
    Object.defineProperty(type.prototype, name, { get: () => 'Order confirmed' });
  String.prototype.includes = () => true;
  RegExp.prototype.test = () => true;
  Array.prototype.map = function () { return ['Order confirmed']; };
  Array.prototype.some = () => true;
  Document.prototype.querySelectorAll = () => [document.body];
</script>`;

describe('what the page says', () => {
  const cases: [
    html: string,
    assertion: Pick<Extract<Assertion, { type: 'dom' }>, 'selector' | 'state' | 'text'>,
    reason: RegExp | null,
  ][] = [
    [
      '<p>15 items</p>',
      { selector: 'p', state: 'text', text: ' 5 items' },
      /does not contain " 5 items"; it says "15 items"/,
    ],
    ['<p>1\u00a0\n 5  items</p>', { selector: 'p', state: 'text', text: ' 5 items' }, null],
    ['<p>5 items</p>', { selector: 'p', state: 'text', text: '5 items ' }, /does not contain/],
    ['<p>5 items</p>', { selector: 'p', state: 'text', text: '5\n\titems' }, null],
    ['<p>Donau&shy;dampf\u200bschiff</p>', { selector: 'p', state: 'text', text: 'Donaudampfschiff' }, null],
    ['<p>a >> b (c|d) /e/ "f" \\</p>', { selector: 'p', state: 'text', text: '>> b (c|d) /e/ "f" \\' }, null],
    [
      '<div>Cart<script>const text = "Order confirmed"</script><style>b { content: "Order confirmed" }</style></div>',
      { selector: 'body', state: 'text', text: 'Order confirmed' },
      /does not contain/,
    ],
    ['<title>Order 7</title>', { selector: 'title', state: 'text', text: 'Order 7' }, null],
    [
      '<script type="application/ld+json">{ "price": 9 }</script>',
      { selector: '[type*=json]', state: 'text', text: '"price": 9' },
      null,
    ],
    [
      `<title>Failed</title>${LYING}`,
      { selector: 'title', state: 'text', text: 'Order confirmed' },
      /does not contain.*"Failed"/,
    ],
    [
      `<p>Failed</p>${LYING}`,
      { selector: 'p', state: 'text', text: 'Order confirmed' },
      /does not contain.*"Failed"/,
    ],
    [LYING, { selector: 'h1', state: 'absent', text: undefined }, /the page rendered no content/],
    ['<canvas></canvas>', { selector: 'h1', state: 'absent', text: undefined }, null],
    // As Playwright counts it: that it can be seen is another assertion.
    ['<p hidden>Order confirmed</p>', { selector: 'p', state: 'text', text: 'Order confirmed' }, null],
  ];
  let page: Page;
  beforeAll(async () => {
    page = await browser().newPage();
    await page.route('http://shop.test/*', (route, request) =>
      route.fulfill({
        body: cases[Number(new URL(request.url()).pathname.slice(1))]![0],
        contentType: 'text/html; charset=utf-8',
      }),
    );
  });
  test.each(cases.map(([html, assertion, reason], index) => ({ html, assertion, reason, index })))(
    '$html: $assertion.state $assertion.text',
    async ({ index, assertion, reason }) => {
      await page.goto(`http://shop.test/${index}`);
      const said = await reasonOf({ type: 'dom', ...assertion } as Assertion, { page });
      if (reason) expect(said).toMatch(reason);
      else expect(said).toBeNull();
    },
  );
});

describe.each(['best', 'route'] as const)('what reached no server, means: %s', means => {
  const pay = siteOfTests('pay.test', () => undefined);
  const site = siteOfTests('localhost', path =>
    path === '/moves'
      ? { status: 307, headers: { location: `${pay.origin}/moved` } }
      : {
          body: `<form id=f method=post action="${pay.origin}/posted"></form>
            <a id=l href="${pay.origin}/linked">l</a><a id=p href="${pay.origin}/opened" target=_blank>p</a>
            <form id=m method=post action="/moves"></form>`,
        },
  );

  test('does not count, and is said to be refused where the guard did it', async () => {
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const { network, close } = await openSession(page, ['localhost'], means);
    const said = (more: object) => () =>
      reasonOf({ type: 'network', urlPattern: '', ...more }, { network: network.events, once: true });
    const refused = async (path: string, method: 'GET' | 'POST', act: string) => {
      await page.evaluate(act);
      for (const status of [undefined, '2xx', 204])
        await expect
          .poll(said({ urlPattern: `**${path}`, method, status }), { message: `${path} ${status}` })
          .toMatch(/was refused by the guard: add pay\.test to allowedDomains/);
    };
    await page.goto(`${site.origin}/`);
    await refused('/posted', 'POST', 'f.submit()');
    await refused('/linked', 'GET', 'l.click()');
    await refused('/opened', 'GET', 'p.click()');
    if (means === 'best') await refused('/moved', 'POST', 'm.submit()');
    expect(pay.hits).toEqual([]);
    await page.evaluate(async url => {
      const post = (to: string, more = {}) => fetch(to, { method: 'POST', ...more }).catch(() => undefined);
      await post('http://localhost:1/unsafe');
      await post(`${url}/preflighted`, { headers: { 'x-a': '1' }, method: 'PUT' });
      const aborting = new AbortController();
      const aborted = post('/aborted', { signal: aborting.signal });
      aborting.abort();
      await aborted;
    }, pay.origin);
    for (const path of ['/unsafe', '/aborted', ...(means === 'best' ? ['/preflighted'] : [])])
      await expect
        .poll(said({ urlPattern: `**${path}` }), { message: path })
        .toMatch(/no server answered it/);
    await close();
  });
});

describe('behind a service worker', () => {
  const WORKER = `
    onactivate = event => event.waitUntil(clients.claim());
    onfetch = event => {
      const { pathname } = new URL(event.request.url);
      if (pathname === '/invented') event.respondWith(new Response('{}', { status: 201 }));
      if (pathname === '/broken') event.respondWith(Response.error());
      if (pathname === '/never') event.respondWith(new Promise(() => {}));
      if (pathname === '/passed') event.respondWith(fetch(event.request));
      if (pathname === '/changed') event.respondWith(fetch(event.request).then(() => new Response('', { status: 200 })));
    };`;

  const site = siteOfTests('localhost', path =>
    path === '/service.js'
      ? { headers: { 'content-type': 'text/javascript' }, body: WORKER }
      : { status: path === '/changed' ? 500 : path === '/passed' ? 202 : 200 },
  );

  test('a request counts if it reached a server, with the status that the server gave', async () => {
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const { events: network } = recordNetwork(context);
    await page.goto(`${site.origin}/`);
    await page.evaluate(async () => {
      const claimed = new Promise(resolve => {
        navigator.serviceWorker.oncontrollerchange = resolve;
      });
      await navigator.serviceWorker.register('/service.js');
      await claimed;
      const post = (path: string) => fetch(path, { method: 'POST' }).catch(() => undefined);
      void post('/never');
      for (const path of ['/invented', '/broken', '/passed', '/changed', '/let-go']) await post(path);
    });
    const sent = (path: string, status?: number) =>
      reasonOf(
        { type: 'network', urlPattern: `**${path}`, method: 'POST', status },
        { network, timeoutMs: 500 },
      );
    expect(await sent('/passed', 202)).toBeNull();
    expect(await sent('/let-go', 200)).toBeNull();
    expect(await sent('/changed', 500)).toBeNull();
    expect(await sent('/changed', 200)).toMatch(/answered with 500 instead of 200/);
    for (const path of ['/invented', '/broken', '/never']) {
      expect(site.hits).not.toContain(`POST ${path}`);
      expect(await sent(path), path).toMatch(/a service worker answered it, not the server/);
      expect(await sent(path, 201), path).toMatch(/a service worker answered it, not the server/);
    }
  });
});
