// What a log makes of the requests that the context and the guard report.
import { EventEmitter } from 'node:events';
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Response } from '@playwright/test';
import { expect, test } from 'vitest';
import { isPlaywrights, recordNetwork } from '../../../../src/browser/session/network';

const URL = 'http://shop/orders';
const FORM = 'application/x-www-form-urlencoded';

function logOf({ workers = 0, resourceType = 'fetch' } = {}) {
  const context = Object.assign(new EventEmitter(), { serviceWorkers: () => Array(workers) });
  const log = recordNetwork(context as unknown as BrowserContext);
  log.keepBodies(() => true);
  const request = (body?: string | Buffer, more: object = {}) => ({
    ...{ url: () => URL, method: () => 'POST', resourceType: () => resourceType },
    ...{ headers: () => ({}), allHeaders: async () => ({}), serviceWorker: () => null },
    postDataBuffer: () => (body === undefined ? null : Buffer.from(body)),
    redirectedFrom: () => null,
    ...more,
  });
  return {
    log,
    send: (body?: string | Buffer, more?: object) => void context.emit('request', request(body, more)),
  };
}
const asked = { url: URL, method: 'POST', resourceType: 'ping' };

test('what the server answered by the guard was not kept by a service worker', () => {
  const { log, send } = logOf({ workers: 1 });
  send();
  expect(log.events).toMatchObject([{ status: null, keptByWorker: true }]);
  log.add(asked)({ status: 201 });
  expect(log.events).toMatchObject([{ status: 201 }]);
  expect(log.events[0]).not.toHaveProperty('keptByWorker');
});

test('a form that is sent, and a beacon to the same address, are two requests', () => {
  const { log, send } = logOf({ resourceType: 'document' });
  send();
  log.add(asked);
  expect(log.events).toHaveLength(2);
});

test('after a redirect that keeps it, the body is of the type that it had', () => {
  const { log, send } = logOf();
  send('qty=5', { redirectedFrom: () => ({ headers: () => ({ 'content-type': FORM }) }) });
  expect(log.bodyOf(log.events[0]!)).toEqual({ text: 'qty=5', type: FORM, whole: true });
});

test.each([
  ['DELETE', true],
  ['POST', false],
])('%s without the length of a body has none for certain: %s', async (method, whole) => {
  const { log, send } = logOf();
  send(undefined, { method: () => method });
  await Promise.resolve();
  expect(log.bodyOf(log.events[0]!)!.whole).toBe(whole);
});

test('what is no text, as a compressed body, is not known in full', () => {
  const { log, send } = logOf();
  send(gzipSync('{"n":5}'));
  send('{"n":5}');
  expect(log.events.map(event => log.bodyOf(event)!.whole)).toEqual([false, true]);
});

test.each<[string, boolean, object]>([
  ["Playwright's, by HTTP/1", true, {}],
  ["Playwright's, by HTTP/2", true, { statusText: '' }],
  ["a server's", false, { headers: { 'content-type': 'text/html', date: 'Mon, 30 Nov 2026 15:11:16 GMT' } }],
  ['of a server that says so', false, { statusText: 'Service Unavailable' }],
  ['of a server without a type', false, { headers: {} }],
  ["a service worker's", false, { statusText: '', fromServiceWorker: true }],
  ['not 503', false, { status: 200 }],
])('an answer that is %s', (_, expected, more) => {
  const given = {
    ...{ status: 503, statusText: 'Internal Server Error', fromServiceWorker: false },
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': '60' },
    ...more,
  };
  const answer = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, () => value]));
  expect(isPlaywrights(answer as unknown as Response)).toBe(expected);
});
