// What keeps a trial from opening its site is told with what to do, and says nothing about the site.
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import type { BrowserContextOptions } from '@playwright/test';
import { expect, onTestFinished, test } from 'vitest';
import { certificate } from '../support/certificate';
import { sessionsOfTests } from '../support/sessions';
import { browserOfTests } from '../support/shared-browser';
import { playTrial } from '../support/trials';
import { serverOfTests } from '../support/two-sites';

const open = sessionsOfTests(browserOfTests());
const proxy = serverOfTests((_, response) => {
  response.writeHead(407, { 'proxy-authenticate': 'Basic realm="office"' }).end('Who are you?');
});
const site = serverOfTests((_, response) => void response.end('<h1>Plants</h1>'));

test.each<[string, () => BrowserContextOptions, string]>([
  ['a proxy that wants a password', () => ({ proxy: { server: proxy.url } }), 'Look at `proxy` in `use`'],
  ['a context that is offline', () => ({ offline: true }), 'Is `offline` set in `use`'],
])('%s', async (_, options, hint) => {
  const record = await playTrial(await open({ own: options() }), {
    entryUrl: 'http://localhost:4173/',
    assertion: { type: 'dom', selector: 'h1', state: 'visible' },
    expectTimeoutMs: 100,
  });
  expect(record).toMatchObject({ outcome: 'error', errorKind: 'site_unreachable', actions: 0 });
  expect(record.reason).toContain(hint);
});

test('a server that hangs up is no browser that was closed', async () => {
  const server = createServer(socket => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const record = await playTrial(await open(), {
    ...{ entryUrl: `https://localhost:${port}/`, expectTimeoutMs: 100 },
    assertion: { type: 'dom', selector: 'h1', state: 'visible' },
  });
  expect(record).toMatchObject({ errorKind: 'site_unreachable' });
  expect(record.reason).toMatch(/can't be opened: net::ERR_CONNECTION_CLOSED .* Is the site running/);
});

test('what Playwright answers itself for `clientCertificates` is no answer of the site', async () => {
  let requests = 0;
  const secure = createHttpsServer(certificate, (_, response) => {
    requests++;
    response.end();
  });
  await once(secure.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void secure.close());
  const origin = `https://localhost:${(secure.address() as AddressInfo).port}`;
  const own = { clientCertificates: [{ origin, ...certificate }] };
  const allowedDomains = ['127.0.0.1', 'localhost'];
  const assertion = { type: 'network', urlPattern: '**/pay' } as const;
  const pay = async () => {
    const opened = await open({ own, allowedDomains });
    const plan = { entryUrl: site.url, allowedDomains, assertion, expectTimeoutMs: 100 };
    const run = () =>
      opened.session.page.evaluate(url => fetch(url, { method: 'POST', mode: 'no-cors' }), `${origin}/pay`);
    return playTrial(opened, { ...plan, run: async () => void (await run()) });
  };
  const opening = await playTrial(await open({ own }), { entryUrl: origin, assertion, expectTimeoutMs: 100 });
  expect(opening).toMatchObject({ outcome: 'error', errorKind: 'site_unreachable' });
  expect(opening.reason).toMatch(
    /can't be opened: self-signed certificate\. .*set `ignoreHTTPSErrors: true`/,
  );
  const paid = await pay();
  expect(paid).toMatchObject({
    outcome: 'failed',
    network: { events: [{}, { url: `${origin}/pay`, status: null }] },
  });
  expect(paid.reason).toContain('Playwright could not connect with `clientCertificates`');
  expect(requests).toBe(0);
});

test('a host that allowedDomains lacks is named as that, not as a redirect', async () => {
  const allowedDomains = ['shop.test'];
  const record = await playTrial(await open({ allowedDomains }), {
    ...{ entryUrl: 'http://localhost:4173/', allowedDomains, expectTimeoutMs: 100 },
    assertion: { type: 'dom', selector: 'h1', state: 'visible' },
  });
  expect(record).toMatchObject({ outcome: 'error', errorKind: 'site_unreachable' });
  expect(record.reason).toBe(
    'http://localhost:4173/ is not in allowedDomains (shop.test). Add its host, or correct entryUrl.',
  );
});

test.each(['div[[', 'h1 >> text=x', ':nth-child(', 'a:has-txt("x")'])(
  'a selector that is no CSS, %s, is found before the agent is paid',
  async selector => {
    let asked = 0;
    const allowedDomains = [new URL(site.url).hostname];
    const record = await playTrial(await open({ allowedDomains }), {
      ...{ entryUrl: site.url, expectTimeoutMs: 100, run: async () => void asked++ },
      assertion: { type: 'dom', selector, state: 'visible' },
    });
    expect(record).toMatchObject({ outcome: 'error', errorKind: 'setup' });
    expect(record.assertions).toMatchObject([{ passed: false }]);
    expect(record.reason).toContain(`"${selector}" is not a valid CSS selector: `);
    expect(asked).toBe(0);
  },
);
