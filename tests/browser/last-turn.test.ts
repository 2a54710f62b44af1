// What the agent's last turn began is over before anything is graded: an agent of one's own need not wait for it.
import { expect, test } from 'vitest';
import type { SessionTask } from '../../src/agents/agent';
import { takeScreenshot } from '../../src/browser/session/pictures';
import type { OpenSession } from '../../src/browser/session/session';
import { sessionsOfTests } from '../support/sessions';
import { browserOfTests } from '../support/shared-browser';
import { playTrial } from '../support/trials';
import { serverOfTests } from '../support/two-sites';

const SLOW_MS = 500;
const ERROR = '<p class="error">Out of stock</p>';
const PAGES: Record<string, string> = {
  '/link': '<h1>Shop</h1><a href="/slow">Buy</a>',
  '/fetch': `<h1>Shop</h1><button onclick="fetch('/slow').then(() => { document.body.insertAdjacentHTML('beforeend', '${ERROR.replaceAll('"', '&quot;')}') })">Buy</button>`,
  '/later': `<h1>Shop</h1><p class="row">Rose</p><p id="hint" hidden>Ask us</p><button>Buy</button><script>goOn = () => { hint.hidden = false; document.body.insertAdjacentHTML('beforeend', '<h2>Done</h2><p class=row>Rose</p>${ERROR}') }</script>`,
  '/moves': `<h1>Shop</h1><p class="row">Rose</p><p id="hint" hidden>Ask us</p><button>Buy</button><script>goOn = () => { location = '/thanks' }</script>`,
  '/soon': `<h1>Shop</h1><button onclick="requestIdleCallback(() => setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '${ERROR.replaceAll('"', '&quot;')}') }, 200))">Buy</button>`,
  '/thanks': '<h1>Shop</h1><h2>Done</h2>',
  '/slow': `<h1>Shop</h1>${ERROR}`,
  '/to-500': '<h1>Shop</h1><a href="/500">Buy</a>',
  '/to-500-moved': '<h1>Shop</h1><a href="/moved/500">Buy</a>',
  '/to-full-500': '<h1>Shop</h1><a href="/full/500">Buy</a>',
  '/to-404': '<h1>Shop</h1><a href="/404">Buy</a>',
  '/500': '<h1>Something went wrong</h1>',
  '/full/500': '<h1>Something went wrong</h1><p class="row">Rose</p>',
  '/moved/500': `<h1>Something went wrong</h1><script>history.replaceState(null, '', '/orders')</script>`,
  '/404': '<h1>This order is gone</h1>',
};

const open = sessionsOfTests(browserOfTests());
let opened: OpenSession;
/** Of the newest trial, by name. */
let pictures: Map<string, Buffer>;
type Attach = (name: string, image: Buffer) => Promise<void>;
/** In place of the report. Some pages go on once the last assertion is checked. */
const output = {
  async step(title: string, body: (attach: Attach) => unknown) {
    if (title.startsWith('"h2" ')) await opened.session.page.evaluate('goOn()');
    return body(async (name, image) => void pictures.set(name, image));
  },
};

const site = serverOfTests((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.statusCode = Number(/\/([45]\d\d)$/.exec(request.url!)?.[1] ?? 200);
  setTimeout(() => response.end(PAGES[request.url!] ?? ''), request.url === '/slow' ? SLOW_MS : 0);
});

async function buyOn(path: string, ...assertion: object[]) {
  opened = await open();
  pictures = new Map();
  const given = {
    entryUrl: `http://localhost:${site.port}${path}`,
    assertion,
    run: (task: SessionTask) =>
      task.turn('buy', () => task.page.getByText('Buy').click({ noWaitAfter: true })),
    expectTimeoutMs: 2_000,
  };
  return playTrial(opened, given, output);
}

test.each(['/link', '/fetch'])('what comes after a click on %s is graded', async path => {
  const record = await buyOn(path, { type: 'dom', selector: '.error', state: 'absent' });
  expect(record).toMatchObject({ status: 'completed', outcome: 'failed' });
  expect(record.reason).toContain('.error');
  // Of the page as it is graded.
  expect(pictures.get('end.jpg')).toEqual(await takeScreenshot(opened.session.page));
});

test.each<[string, object, passed: boolean]>([
  ['absent', { selector: '.error', state: 'absent' }, false],
  ['hidden', { selector: '#hint', state: 'hidden' }, false],
  ['there at most once', { selector: '.row', state: 'attached', count: { max: 1 } }, false],
  ['absent, and is', { selector: '.other', state: 'absent' }, true],
])('what must be %s, must be so once the others hold', async (_, given, passed) => {
  const done = { type: 'dom', selector: 'h2', state: 'visible' };
  const record = await buyOn('/later', { type: 'dom', ...given }, done);
  expect(record.assertions.map(each => each.passed)).toEqual([passed, true]);
  if (!passed) expect(record.reason).toContain('at the end; it held before');
});

test('the final URL is that after the other assertions', async () => {
  const url = { type: 'url', pattern: '**/moves' };
  const record = await buyOn('/moves', url, { type: 'dom', selector: 'h2', state: 'visible' });
  expect(record.assertions.map(each => each.passed)).toEqual([false, true]);
  expect(record.reason).toContain('/thanks does not match "**/moves" (at the end; it held before)');
});

test('what must be absent must be so after half a second, too, if a request must never be sent', async () => {
  const never = { type: 'network', urlPattern: '**/pay', never: true };
  const record = await buyOn('/soon', never, { type: 'dom', selector: '.error', state: 'absent' });
  expect(record.assertions.map(each => each.passed)).toEqual([true, false]);
});

test.each<[string, object]>([
  ['hidden', { selector: '#hint', state: 'hidden' }],
  ['there once', { selector: '.row', state: 'visible', count: 1 }],
  ['there with a text once', { selector: 'p', state: 'text', text: 'Rose', count: 1 }],
])('what was %s need not be there any more at the end', async (_, given) => {
  const done = { type: 'dom', selector: 'h2', state: 'visible' };
  const record = await buyOn('/moves', { type: 'dom', ...given }, done);
  expect(record).toMatchObject({ outcome: 'passed', finalUrl: `http://localhost:${site.port}/thanks` });
});

test.each<[string, object, string, passed: boolean]>([
  ['absent', { state: 'absent' }, '/to-500', false],
  ['there at most twice', { state: 'visible', count: { max: 2 } }, '/to-500', false],
  ['absent', { state: 'absent' }, '/to-500-moved', false],
  ['there at most twice', { state: 'visible', count: { max: 2 } }, '/to-full-500', true],
  ['absent', { state: 'absent' }, '/to-404', true],
  ['there at most twice', { state: 'visible', count: { max: 2 } }, '/to-404', true],
])('what must be %s (%o) after %s', async (_, given, path, passed) => {
  const record = await buyOn(path, { type: 'dom', selector: '.row', ...given });
  expect(record.assertions.map(each => each.passed)).toEqual([passed]);
  if (!passed) expect(record.reason).toContain('that ".row" is absent says nothing: the server answered 500');
});
