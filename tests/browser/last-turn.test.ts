// What the agent's last turn began is over before anything is graded: an agent of one's own need not wait for it.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type OpenSession, openSession } from '../../src/browser/session/session';
import { serve } from '../support/serve';
import { leaveSharedBrowser, sharedBrowser } from '../support/shared-browser';
import { playTrial } from '../support/trials';

const SLOW_MS = 500;
const ERROR = '<p class="error">Out of stock</p>';
const PAGES: Record<string, string> = {
  '/link': '<h1>Shop</h1><a href="/slow">Buy</a>',
  '/fetch': `<h1>Shop</h1><button onclick="fetch('/slow').then(() => { document.body.insertAdjacentHTML('beforeend', '${ERROR.replaceAll('"', '&quot;')}') })">Buy</button>`,
  '/slow': `<h1>Shop</h1>${ERROR}`,
};

let site: Awaited<ReturnType<typeof serve>>;
let opened: OpenSession;

beforeAll(async () => {
  site = await serve((request, response) => {
    response.setHeader('content-type', 'text/html');
    setTimeout(() => response.end(PAGES[request.url!] ?? ''), request.url === '/slow' ? SLOW_MS : 0);
  });
});
afterEach(async () => {
  await opened.close();
  await opened.session.context.close();
});
afterAll(async () => {
  await leaveSharedBrowser();
  await site.close();
});

test.each(['/link', '/fetch'])('what comes after a click on %s is graded', async path => {
  const context = await (await sharedBrowser()).newContext();
  opened = await openSession(await context.newPage(), ['localhost']);
  const record = await playTrial(opened, {
    entryUrl: `http://localhost:${site.port}${path}`,
    assertion: { type: 'dom', selector: '.error', state: 'absent' },
    run: task => task.turn('buy', () => task.page.getByText('Buy').click({ noWaitAfter: true })),
    expectTimeoutMs: 2_000,
  });
  expect(record).toMatchObject({ status: 'completed', outcome: 'failed' });
  expect(record.reason).toContain('.error');
});
