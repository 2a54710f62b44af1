// What keeps a trial from opening its site is told with what to do, and says nothing about the site.
import type { BrowserContextOptions } from '@playwright/test';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openSession } from '../../src/browser/session/session';
import { serve } from '../support/serve';
import { leaveSharedBrowser, sharedBrowser } from '../support/shared-browser';
import { playTrial } from '../support/trials';

let proxy: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  proxy = await serve((_, response) => {
    response.writeHead(407, { 'proxy-authenticate': 'Basic realm="office"' }).end('Who are you?');
  });
});
afterAll(async () => {
  await leaveSharedBrowser();
  await proxy.close();
});

test.each<[string, () => BrowserContextOptions, string]>([
  ['a proxy that wants a password', () => ({ proxy: { server: proxy.url } }), 'Look at `proxy` in `use`'],
  ['a context that is offline', () => ({ offline: true }), 'Is `offline` set in `use`'],
])('%s', async (_, options, hint) => {
  const context = await (await sharedBrowser()).newContext(options());
  onTestFinished(() => context.close());
  const opened = await openSession(await context.newPage(), ['localhost']);
  const record = await playTrial(opened, {
    entryUrl: 'http://localhost:4173/',
    assertion: { type: 'dom', selector: 'h1', state: 'visible' },
    expectTimeoutMs: 100,
  });
  expect(record).toMatchObject({ outcome: 'error', errorKind: 'site_unreachable', actions: 0 });
  expect(record.reason).toContain(hint);
});
