// Ways in which a page, or an agent on it, may try to leave the site. Each is tried with the guard, and without it to show
// that it works.
import type { Page } from '@playwright/test';
import type { Answer } from './two-sites';

export interface Trick {
  name: string;
  /** The body of the page at `/`. `GOOD`, `BAD` and `PORT` (of the other site) are filled in. */
  html?: string;
  /** Other paths of the allowed site, filled in likewise. */
  paths?: Record<string, Answer>;
  /** Runs before the guard is on, with the page at no URL yet. */
  before?(page: Page, bad: string): Promise<unknown>;
  /** Tries to leave: a script of the page (filled in likewise), or what a user or an agent does. */
  script?: string;
  act?(page: Page, bad: string): Promise<unknown>;
  /** Where the page is afterwards, if it has moved. */
  endsAt?: RegExp;
  /** How it is refused: `browser` if Chromium itself does. */
  how: 'navigation' | 'redirect' | 'popup' | 'browser';
  /** The path that is refused there, as a regular expression, if others lead out, too. */
  refusedAt?: string;
  /** Whether routing can only report it. */
  escapesRouting?: true;
}

const click = (page: Page) => page.click('#x');
const SCRIPT = { 'content-type': 'text/javascript' };
const RESULT = { status: 302, headers: { location: 'BAD/out' } };

/** Lets a service worker take the page over, then runs `script`. */
function serviceWorker(script: string): Pick<Trick, 'paths' | 'script'> {
  const body = `onactivate = e => e.waitUntil(clients.claim());
    onmessage = e => e.source.navigate(e.data);
    onfetch = e => { if (e.request.url.endsWith('/go')) e.respondWith(Response.redirect('BAD/out')) };`;
  const claimed = `new Promise(async done => {
    navigator.serviceWorker.oncontrollerchange = done;
    await navigator.serviceWorker.register('/service.js');
  })`;
  return {
    paths: { '/service.js': { headers: SCRIPT, body } },
    script: `${claimed}.then(() => { ${script} })`,
  };
}

export const TRICKS: Trick[] = [
  { name: 'link', html: '<a id=x href="BAD/out">x</a>', act: click, how: 'navigation' },
  { name: 'link to the same path', html: '<a id=x href="BAD/">x</a>', act: click, how: 'navigation' },
  {
    name: 'link with a base',
    html: '<base href="BAD/"><a id=x href="out">x</a>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'link without a scheme',
    html: '<a id=x href="//other.test:PORT/out">x</a>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'link with a user name like the allowed host',
    html: '<a id=x href="http://localhost@other.test:PORT/out">x</a>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'link to a host that begins like the allowed one',
    html: '<a id=x href="http://localhost.other.test:PORT/out">x</a>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'link to the same machine by address',
    html: '<a id=x href="http://2130706433:PORT/out">x</a>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'link with a trailing dot',
    html: '<a id=x href="http://127.0.0.1.:PORT/out">x</a>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'link in an SVG',
    html: '<svg><a id=x href="BAD/out"><text y=20>x</text></a></svg>',
    act: click,
    how: 'navigation',
  },
  { name: 'link to _blank', html: '<a id=x target=_blank href="BAD/out">x</a>', act: click, how: 'popup' },
  {
    name: 'link to _blank with an opener',
    html: '<a id=x target=_blank rel=opener href="BAD/out">x</a>',
    act: click,
    how: 'popup',
  },
  {
    name: 'link to _blank, noreferrer',
    html: '<a id=x target=_blank rel="noreferrer" href="BAD/out">x</a>',
    act: click,
    how: 'popup',
  },
  {
    name: 'link, control click',
    html: '<a id=x href="BAD/out">x</a>',
    act: page => page.click('#x', { modifiers: ['Control'] }),
    how: 'popup',
    escapesRouting: true,
  },
  {
    name: 'link, shift click',
    html: '<a id=x href="BAD/out">x</a>',
    act: page => page.click('#x', { modifiers: ['Shift'] }),
    how: 'popup',
    escapesRouting: true,
  },
  {
    name: 'link, middle click',
    html: '<a id=x href="BAD/out">x</a>',
    act: page => page.click('#x', { button: 'middle' }),
    how: 'popup',
    escapesRouting: true,
  },

  { name: 'window.open', script: `open('BAD/out') && 0`, how: 'popup' },
  { name: 'window.open, noopener', script: `open('BAD/out', '_blank', 'noopener') && 0`, how: 'popup' },
  {
    name: 'window.open, a window of its own',
    script: `open('BAD/out', 'w', 'width=300,height=300') && 0`,
    how: 'popup',
  },
  { name: 'window.open to _self', script: `open('BAD/out', '_self') && 0`, how: 'navigation' },
  { name: 'window.open to _top', script: `open('BAD/out', '_top') && 0`, how: 'navigation' },
  {
    name: 'window.open of a blank tab, then its location',
    script: `open('about:blank').location = 'BAD/out'; 0`,
    how: 'navigation',
  },
  {
    name: 'window.open of a blank tab, later its location',
    script: `w = open(''); setTimeout(() => { w.location.href = 'BAD/out' }, 50); 0`,
    how: 'navigation',
  },
  {
    name: 'window.open of a blank tab, then a script in it',
    script: `w = open(''); w.document.write('<script>location.replace("BAD/out")<' + '/script>'); 0`,
    how: 'navigation',
  },
  {
    name: 'window.open of a blank tab, then a meta refresh in it',
    script: `w = open(''); w.document.write('<meta http-equiv=refresh content="0;url=BAD/out">'); w.document.close(); 0`,
    how: 'navigation',
  },
  {
    name: 'window.open of a named tab twice',
    script: `open('about:blank', 'twice'); open('BAD/out', 'twice'); 0`,
    how: 'navigation',
  },
  {
    name: 'window.open of an allowed tab, then its location',
    paths: { '/ok': { body: 'ok' } },
    script: `w = open('/ok'); w.onload = () => { w.location = 'BAD/out' }; 0`,
    how: 'navigation',
  },
  {
    name: 'window.open of a redirect',
    paths: { '/hop': RESULT },
    script: `open('/hop') && 0`,
    how: 'popup',
    escapesRouting: true,
  },
  {
    name: 'window.open of javascript:',
    script: `open('javascript:location="BAD/out"') && 0`,
    how: 'popup',
  },
  {
    name: 'opener.location',
    paths: { '/ok': { body: '<script>opener.location = "BAD/out"</script>' } },
    script: `open('/ok') && 0`,
    how: 'navigation',
  },

  {
    name: 'form POST',
    html: '<form method=post action="BAD/out"><input name=a value=1><button id=x>x</button></form>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'form POST to _blank',
    html: '<form method=post target=_blank action="BAD/out"><button id=x>x</button></form>',
    act: click,
    how: 'popup',
  },
  {
    name: 'form GET',
    html: '<form action="BAD/out"><input name=a><button id=x>x</button></form>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'formaction',
    html: '<form method=post action="/"><button id=x formaction="BAD/out">x</button></form>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'form by script',
    html: '<form id=f method=post enctype="text/plain" action="BAD/out"></form>',
    script: 'f.submit()',
    how: 'navigation',
  },
  {
    name: 'form whose answer redirects with its body',
    html: '<form method=post action="/hop"><input name=a value=1><button id=x>x</button></form>',
    paths: { '/hop': { status: 307, headers: { location: 'BAD/out' } } },
    act: click,
    how: 'redirect',
    escapesRouting: true,
  },

  { name: 'location', script: `location = 'BAD/out'`, how: 'navigation' },
  { name: 'location.assign', script: `location.assign('BAD/out')`, how: 'navigation' },
  { name: 'location.replace', script: `location.replace('BAD/out')`, how: 'navigation' },
  { name: 'location.host', script: `location.host = 'other.test:PORT'; 0`, how: 'navigation' },
  {
    name: 'navigation.navigate',
    script: `navigation.navigate('BAD/out').finished.catch(() => {}); 0`,
    how: 'navigation',
  },
  {
    name: 'meta refresh',
    script: `document.head.innerHTML = '<meta http-equiv=refresh content="0;url=BAD/out">'`,
    how: 'navigation',
  },
  {
    name: 'Refresh header',
    paths: { '/go': { headers: { refresh: '0;url=BAD/out' } } },
    script: `location = '/go'`,
    endsAt: /\/go$/,
    how: 'navigation',
  },

  {
    name: 'redirect',
    paths: { '/hop': RESULT },
    html: '<a id=x href="/hop">x</a>',
    act: click,
    how: 'redirect',
    escapesRouting: true,
  },
  {
    name: 'redirect at the third hop',
    paths: {
      '/1': { status: 301, headers: { location: '/2' } },
      '/2': { status: 303, headers: { location: '/hop' } },
      '/hop': { status: 308, headers: { location: 'BAD/out' } },
    },
    html: '<a id=x href="/1">x</a>',
    act: click,
    how: 'redirect',
    escapesRouting: true,
  },
  {
    name: 'redirect out and back',
    paths: { '/hop': { status: 302, headers: { location: 'BAD/back' } } },
    html: '<a id=x href="/hop">x</a>',
    act: click,
    how: 'redirect',
    refusedAt: 'back$',
    escapesRouting: true,
  },
  {
    name: 'redirect by an agent',
    paths: { '/hop': RESULT },
    act: page => page.goto('/hop'),
    how: 'redirect',
    escapesRouting: true,
  },

  {
    name: 'frame: top.location',
    html: '<iframe id=f srcdoc="x"></iframe>',
    script: `f.contentWindow.eval('top.location = "BAD/out"')`,
    how: 'navigation',
  },
  {
    name: 'frame: link to _top',
    html: '<iframe srcdoc="<a id=y target=_top href=BAD/out>y</a>"></iframe>',
    act: page => page.frameLocator('iframe').locator('#y').click(),
    how: 'navigation',
  },
  {
    name: 'frame: link to _parent',
    html: '<iframe srcdoc="<a id=y target=_parent href=BAD/out>y</a>"></iframe>',
    act: page => page.frameLocator('iframe').locator('#y').click(),
    how: 'navigation',
  },
  {
    name: 'frame of the other site: top.location after a click',
    html: '<iframe src="BAD/framed"></iframe>',
    act: page => page.frameLocator('iframe').locator('#y').click(),
    how: 'navigation',
  },
  {
    name: 'frame of the other site: window.open after a click',
    html: '<iframe src="BAD/framed"></iframe>',
    act: page => page.frameLocator('iframe').locator('#z').click(),
    how: 'popup',
  },
  {
    name: 'frame: form to _top',
    html: '<iframe srcdoc="<form target=_top method=post action=BAD/out><button id=y>y</button></form>"></iframe>',
    act: page => page.frameLocator('iframe').locator('#y').click(),
    how: 'navigation',
  },
  {
    name: 'frame of data: with top.location after a click',
    html: `<iframe src="data:text/html,<button id=y onclick='top.location=&quot;BAD/out&quot;'>y</button>"></iframe>`,
    act: page => page.frameLocator('iframe').locator('#y').click(),
    how: 'navigation',
  },

  {
    name: 'service worker that answers with a redirect',
    ...serviceWorker(`location = '/go'`),
    how: 'navigation',
  },
  {
    name: 'service worker that navigates its page',
    ...serviceWorker(`navigator.serviceWorker.controller.postMessage('BAD/out')`),
    how: 'navigation',
  },

  {
    name: 'history.back',
    before: (page, bad) => page.goto(`${bad}/out`),
    script: 'history.back()',
    how: 'navigation',
  },
  {
    name: 'history.go by an agent',
    before: (page, bad) => page.goto(`${bad}/out`),
    act: page => page.goBack(),
    how: 'navigation',
  },
  { name: 'download link', html: '<a id=x download href="BAD/out">x</a>', act: click, how: 'navigation' },
  {
    name: 'download by its answer',
    html: '<a id=x href="BAD/out-attached">x</a>',
    act: click,
    how: 'navigation',
  },
  {
    name: 'download in a new tab',
    html: '<a id=x target=_blank href="BAD/out-attached">x</a>',
    act: click,
    how: 'popup',
  },
  {
    name: 'download by a redirect',
    paths: { '/hop': RESULT },
    html: '<a id=x download href="/hop">x</a>',
    act: click,
    how: 'navigation',
  },

  {
    name: 'javascript: link',
    html: `<a id=x href="javascript:location='BAD/out'">x</a>`,
    act: click,
    how: 'navigation',
  },
  {
    name: 'blob: page',
    script: `location = URL.createObjectURL(new Blob(['<script>location = "BAD/out"<' + '/script>'], { type: 'text/html' }))`,
    endsAt: /^blob:http:\/\/localhost:/,
    how: 'navigation',
  },
  {
    name: 'blob: tab',
    script: `open(URL.createObjectURL(new Blob(['<script>location = "BAD/out"<' + '/script>'], { type: 'text/html' }))) && 0`,
    how: 'navigation',
  },
  {
    name: 'data: page',
    script: `location = 'data:text/html,<script>location="BAD/out"<' + '/script>'`,
    how: 'browser',
  },
  {
    name: 'data: tab',
    script: `open('data:text/html,<script>location="BAD/out"<' + '/script>') && 0`,
    how: 'browser',
  },
  { name: 'file: page', script: `location = 'file:///etc/passwd'`, how: 'browser' },
  { name: 'file: tab', script: `open('file:///etc/passwd') && 0`, how: 'browser' },
  { name: 'view-source:', script: `open('view-source:BAD/out') && 0`, how: 'browser' },
  { name: 'goto by an agent', act: (page, bad) => page.goto(`${bad}/out`), how: 'navigation' },
  {
    name: 'view-source: by an agent',
    act: (page, bad) => page.goto(`view-source:${bad}/out`),
    how: 'navigation',
  },
];

/** A document that a frame makes without a request. It says EVIL, and may appear in the trial's tab. */
export interface ForeignDocument {
  name: string;
  /** Run by a click in a frame of the other site. */
  script: string;
  /** `data`: the frame has a `data:` URL instead of the other site's. */
  frame?: 'data';
  /** Playwright never reports the tab, so no agent can see it. */
  unseen?: true;
}

const EVIL = '<h1>EVIL</h1>';
const BLOB = `URL.createObjectURL(new Blob(['${EVIL}'], { type: 'text/html' }))`;

/** Runs `script` once the tab `w` shows the site's document, which the frame can't read any more. */
const onceLoaded = (script: string) =>
  `t = setInterval(() => { try { w.document } catch { clearInterval(t); ${script} } }, 20)`;

export const FOREIGN_DOCUMENTS: ForeignDocument[] = [
  { name: 'a blank tab', script: `open('about:blank').document.body.innerHTML = '${EVIL}'` },
  {
    name: 'a blank tab, written to later',
    script: `w = open(''); setTimeout(() => { w.document.body.innerHTML = '${EVIL}' }, 100)`,
  },
  {
    name: 'a blank tab, document.open',
    script: `w = open(''); w.document.open(); w.document.write('${EVIL}'); w.document.close()`,
  },
  {
    name: 'a blank tab, pushState',
    script: `w = open(''); w.document.open(); w.document.write('${EVIL}'); w.document.close(); w.history.pushState(0, '', '/pushed')`,
  },
  {
    name: 'a blank tab that gives up its opener',
    script: `w = open(''); w.document.body.innerHTML = '${EVIL}'; w.opener = null`,
  },
  {
    name: 'a tab of the site, made blank later',
    script: `w = open('GOOD/ok'); ${onceLoaded(`w.location = 'about:blank'; setTimeout(() => { w.document.body.innerHTML = '${EVIL}' }, 200)`)}`,
  },
  {
    name: 'a tab of the site that has no answer yet',
    script: `w = open('GOOD/never'); w.document.open(); w.document.write('${EVIL}'); w.document.close()`,
    unseen: true,
  },
  {
    name: 'a tab of the site that has an empty answer',
    script: `w = open('GOOD/none'); setTimeout(() => { w.document.body.innerHTML = '${EVIL}' }, 200)`,
    unseen: true,
  },
  {
    name: 'a named tab of the site, opened again as a blank one',
    script: `w = open('GOOD/ok', 'w'); ${onceLoaded(`w = open('about:blank#x', 'w'); setTimeout(() => { w.document.body.innerHTML = '${EVIL}' }, 200)`)}`,
  },
  { name: 'a tab by a javascript: URL', script: `open("javascript:'${EVIL}'")`, unseen: true },
  {
    name: 'a srcdoc frame in the frame, a blank tab',
    script: `f = document.createElement('iframe'); f.srcdoc = 'x'; f.onload = () => { f.contentWindow.open('').document.write('${EVIL}') }; document.body.append(f)`,
  },
  {
    name: 'a blank tab whose opener closes',
    script: `w = open('GOOD/framed'); t = setInterval(() => { if (w[0]?.document.body?.firstChild) { clearInterval(t); w[0].open('').document.write('${EVIL}'); w.close() } }, 20)`,
  },
  { name: 'a blob: tab', script: `open(${BLOB})` },
  { name: 'a blob: tab without an opener', script: `open(${BLOB}, '', 'noopener')` },
  {
    name: 'a tab of the site, made a blob: later',
    script: `w = open('GOOD/ok'); ${onceLoaded(`w.location = ${BLOB}`)}`,
  },
  { name: 'the top page as blob:', script: `top.location = ${BLOB}` },
  { name: 'the top page as blob:, in its place', script: `top.location.replace(${BLOB})` },
  { name: 'the top page made blank', script: `top.location = 'about:blank'` },
  {
    name: 'the top page made blank, written by the frame of another tab',
    script: `w = open('GOOD/framed'); t = setInterval(() => { if (w[0]?.document.body?.firstChild) { clearInterval(t); w[0].eval('(' + other + ')')(top, w); top.location = 'about:blank' } }, 20);
      function other(target, own) { setInterval(() => { try { target.document.body.innerHTML = '${EVIL}'; own.close() } catch {} }, 20) }`,
  },
  {
    name: 'the top page made blank, written by a blank tab',
    script: `w = open(''); w.target = top; w.eval("setInterval(() => { try { target.document.body.innerHTML = '${EVIL}' } catch {} }, 1)"); top.location = 'about:blank'`,
  },
  {
    name: 'a data: frame, a blank tab',
    script: `open('').document.body.innerHTML = '${EVIL}'`,
    frame: 'data',
  },
  { name: 'a data: frame, a blob: tab', script: `open(${BLOB})`, frame: 'data' },
];
