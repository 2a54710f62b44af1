// Ways in which a page, or an agent on it, may try to leave the site. Each is tried with the guard, which sees it only if it works.
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
type How = Trick['how'];
const clicked = (name: string, html: string, how: How = 'navigation', more: Partial<Trick> = {}): Trick => ({
  ...{ name, html, act: click, how },
  ...more,
});
const scripted = (
  name: string,
  script: string,
  how: How = 'navigation',
  more: Partial<Trick> = {},
): Trick => ({
  ...{ name, script, how },
  ...more,
});
/** A click of `#y` in the page's frame. */
const inFrame = (name: string, html: string): Trick => ({
  ...{ name, html, how: 'navigation' },
  act: page => page.frameLocator('iframe').locator('#y').click(),
});
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

/** Pages whose `#x` is clicked. */
const CLICKED: Record<string, string> = {
  link: '<a id=x href="BAD/out">x</a>',
  'link to the same path': '<a id=x href="BAD/">x</a>',
  'link with a base': '<base href="BAD/"><a id=x href="out">x</a>',
  'link without a scheme': '<a id=x href="//other.test:PORT/out">x</a>',
  'link with a user name like the allowed host': '<a id=x href="http://localhost@other.test:PORT/out">x</a>',
  'link to a host that begins like the allowed one':
    '<a id=x href="http://localhost.other.test:PORT/out">x</a>',
  'link to the same machine by address': '<a id=x href="http://2130706433:PORT/out">x</a>',
  'link with a trailing dot': '<a id=x href="http://127.0.0.1.:PORT/out">x</a>',
  'link in an SVG': '<svg><a id=x href="BAD/out"><text y=20>x</text></a></svg>',
  'form POST': '<form method=post action="BAD/out"><input name=a value=1><button id=x>x</button></form>',
  'form GET': '<form action="BAD/out"><input name=a><button id=x>x</button></form>',
  formaction: '<form method=post action="/"><button id=x formaction="BAD/out">x</button></form>',
  'download link': '<a id=x download href="BAD/out">x</a>',
  'download by its answer': '<a id=x href="BAD/out-attached">x</a>',
  'javascript: link': `<a id=x href="javascript:location='BAD/out'">x</a>`,
};

/** Those where that opens a tab. */
const CLICKED_POPUPS: Record<string, string> = {
  'link to _blank': '<a id=x target=_blank href="BAD/out">x</a>',
  'link to _blank with an opener': '<a id=x target=_blank rel=opener href="BAD/out">x</a>',
  'link to _blank, noreferrer': '<a id=x target=_blank rel="noreferrer" href="BAD/out">x</a>',
  'form POST to _blank': '<form method=post target=_blank action="BAD/out"><button id=x>x</button></form>',
  'download in a new tab': '<a id=x target=_blank href="BAD/out-attached">x</a>',
};

/** Scripts of the page. */
const SCRIPTED: Record<string, string> = {
  'window.open to _self': `open('BAD/out', '_self') && 0`,
  'window.open to _top': `open('BAD/out', '_top') && 0`,
  'window.open of a blank tab, then its location': `open('about:blank').location = 'BAD/out'; 0`,
  'window.open of a blank tab, later its location': `w = open(''); setTimeout(() => { w.location.href = 'BAD/out' }, 50); 0`,
  'window.open of a blank tab, then a script in it': `w = open(''); w.document.write('<script>location.replace("BAD/out")<' + '/script>'); 0`,
  'window.open of a blank tab, then a meta refresh in it': `w = open(''); w.document.write('<meta http-equiv=refresh content="0;url=BAD/out">'); w.document.close(); 0`,
  'window.open of a named tab twice': `open('about:blank', 'twice'); open('BAD/out', 'twice'); 0`,
  location: `location = 'BAD/out'`,
  'location.assign': `location.assign('BAD/out')`,
  'location.replace': `location.replace('BAD/out')`,
  'location.host': `location.host = 'other.test:PORT'; 0`,
  'navigation.navigate': `navigation.navigate('BAD/out').finished.catch(() => {}); 0`,
  'meta refresh': `document.head.innerHTML = '<meta http-equiv=refresh content="0;url=BAD/out">'`,
  'blob: tab': `open(URL.createObjectURL(new Blob(['<script>location = "BAD/out"<' + '/script>'], { type: 'text/html' }))) && 0`,
};

/** Those that open a tab. */
const SCRIPTED_POPUPS: Record<string, string> = {
  'window.open': `open('BAD/out') && 0`,
  'window.open, noopener': `open('BAD/out', '_blank', 'noopener') && 0`,
  'window.open, a window of its own': `open('BAD/out', 'w', 'width=300,height=300') && 0`,
  'window.open of javascript:': `open('javascript:location="BAD/out"') && 0`,
};

/** Those that Chromium itself refuses. */
const REFUSED_ANYWAY: Record<string, string> = {
  'data: page': `location = 'data:text/html,<script>location="BAD/out"<' + '/script>'`,
  'data: tab': `open('data:text/html,<script>location="BAD/out"<' + '/script>') && 0`,
  'file: page': `location = 'file:///etc/passwd'`,
  'file: tab': `open('file:///etc/passwd') && 0`,
  'view-source:': `open('view-source:BAD/out') && 0`,
};

/** Pages where `#y` is clicked in a frame. */
const IN_FRAMES: Record<string, string> = {
  'frame: link to _top': '<iframe srcdoc="<a id=y target=_top href=BAD/out>y</a>"></iframe>',
  'frame: link to _parent': '<iframe srcdoc="<a id=y target=_parent href=BAD/out>y</a>"></iframe>',
  'frame of the other site: top.location after a click': '<iframe src="BAD/framed"></iframe>',
  'frame: form to _top':
    '<iframe srcdoc="<form target=_top method=post action=BAD/out><button id=y>y</button></form>"></iframe>',
  'frame of data: with top.location after a click': `<iframe src="data:text/html,<button id=y onclick='top.location=&quot;BAD/out&quot;'>y</button>"></iframe>`,
};

/** Clicks by which a user opens a tab. */
const USERS_CLICKS: Record<string, Parameters<Page['click']>[1]> = {
  'control click': { modifiers: ['Control'] },
  'shift click': { modifiers: ['Shift'] },
  'middle click': { button: 'middle' },
};

export const TRICKS: Trick[] = [
  ...Object.entries(CLICKED).map(([name, text]) => clicked(name, text)),
  ...Object.entries(CLICKED_POPUPS).map(([name, text]) => clicked(name, text, 'popup')),
  ...Object.entries(SCRIPTED).map(([name, text]) => scripted(name, text)),
  ...Object.entries(SCRIPTED_POPUPS).map(([name, text]) => scripted(name, text, 'popup')),
  ...Object.entries(REFUSED_ANYWAY).map(([name, text]) => scripted(name, text, 'browser')),
  ...Object.entries(IN_FRAMES).map(([name, text]) => inFrame(name, text)),
  ...Object.entries(USERS_CLICKS).map(([how, options]) =>
    clicked(`link, ${how}`, '<a id=x href="BAD/out">x</a>', 'popup', {
      act: page => page.click('#x', options),
      escapesRouting: true,
    }),
  ),
  scripted(
    'window.open of an allowed tab, then its location',
    `w = open('/ok'); w.onload = () => { w.location = 'BAD/out' }; 0`,
    'navigation',
    { paths: { '/ok': { body: 'ok' } } },
  ),
  scripted('window.open of a redirect', `open('/hop') && 0`, 'popup', {
    paths: { '/hop': RESULT },
    escapesRouting: true,
  }),
  scripted('opener.location', `open('/ok') && 0`, 'navigation', {
    paths: { '/ok': { body: '<script>opener.location = "BAD/out"</script>' } },
  }),
  {
    name: 'form by script',
    html: '<form id=f method=post enctype="text/plain" action="BAD/out"></form>',
    script: 'f.submit()',
    how: 'navigation',
  },
  clicked(
    'form whose answer redirects with its body',
    '<form method=post action="/hop"><input name=a value=1><button id=x>x</button></form>',
    'redirect',
    { paths: { '/hop': { status: 307, headers: { location: 'BAD/out' } } }, escapesRouting: true },
  ),
  scripted('Refresh header', `location = '/go'`, 'navigation', {
    paths: { '/go': { headers: { refresh: '0;url=BAD/out' } } },
    endsAt: /\/go$/,
  }),
  clicked('redirect', '<a id=x href="/hop">x</a>', 'redirect', {
    paths: { '/hop': RESULT },
    escapesRouting: true,
  }),
  clicked('redirect at the third hop', '<a id=x href="/1">x</a>', 'redirect', {
    paths: {
      '/1': { status: 301, headers: { location: '/2' } },
      '/2': { status: 303, headers: { location: '/hop' } },
      '/hop': { status: 308, headers: { location: 'BAD/out' } },
    },
    escapesRouting: true,
  }),
  clicked('redirect out and back', '<a id=x href="/hop">x</a>', 'redirect', {
    paths: { '/hop': { status: 302, headers: { location: 'BAD/back' } } },
    refusedAt: 'back$',
    escapesRouting: true,
  }),
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
    name: 'frame of the other site: window.open after a click',
    html: '<iframe src="BAD/framed"></iframe>',
    act: page => page.frameLocator('iframe').locator('#z').click(),
    how: 'popup',
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
  scripted('history.back', 'history.back()', 'navigation', {
    before: (page, bad) => page.goto(`${bad}/out`),
  }),
  {
    name: 'history.go by an agent',
    before: (page, bad) => page.goto(`${bad}/out`),
    act: page => page.goBack(),
    how: 'navigation',
  },
  clicked('download by a redirect', '<a id=x download href="/hop">x</a>', 'navigation', {
    paths: { '/hop': RESULT },
  }),
  scripted(
    'blob: page',
    `location = URL.createObjectURL(new Blob(['<script>location = "BAD/out"<' + '/script>'], { type: 'text/html' }))`,
    'navigation',
    { endsAt: /^blob:http:\/\/localhost:/ },
  ),
  { name: 'goto by an agent', act: (page, bad) => page.goto(`${bad}/out`), how: 'navigation' },
  {
    name: 'view-source: by an agent',
    act: (page, bad) => page.goto(`view-source:${bad}/out`),
    how: 'navigation',
  },
];
