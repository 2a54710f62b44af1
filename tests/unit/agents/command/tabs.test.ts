// Which tab a program's client makes the active one, with a stand-in for the browser.
import { EventEmitter } from 'node:events';
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from 'vitest';
import type { SessionTask } from '../../../../src/agents/agent';
import { runProgram } from '../../../../src/agents/command/run';

const PAGES = ['judged', 'admitted'];
const infoOf = (targetId: string) => ({ targetId, type: 'page', url: 'x:', browserContextId: 'ours' });

/** As much of a browser's session as a client needs to bring a page to the front: each page has a session of its name. */
function browserSession() {
  const events = new EventEmitter();
  const emit = (method: string, params: object) => void events.emit('event', { method, params });
  return Object.assign(events, {
    async detach() {},
    async send(method: string, params: Record<string, string>) {
      const { targetId = '', sessionId, message = '{}' } = params;
      if (method === 'Target.getTargetInfo') return { targetInfo: infoOf(targetId) };
      if (method === 'Target.attachToTarget')
        emit('Target.attachedToTarget', { sessionId: targetId, targetInfo: infoOf(targetId) });
      if (method === 'Target.sendMessageToTarget')
        emit('Target.receivedMessageFromTarget', {
          sessionId,
          message: JSON.stringify({ id: JSON.parse(message).id, result: {} }),
        });
      return { sessionId: targetId };
    },
  });
}

function tabs(): Page[] {
  const browser = {
    browserType: () => ({ name: () => 'chromium' }),
    newBrowserCDPSession: async () => browserSession(),
  };
  const pages: Page[] = [];
  const context = Object.assign(new EventEmitter(), {
    browser: () => browser,
    pages: () => pages,
    newCDPSession: async (page: Page) => ({
      send: async () => ({ targetInfo: infoOf(PAGES[pages.indexOf(page)]!) }),
      detach: async () => undefined,
    }),
  });
  pages.push(...PAGES.map(() => ({ context: () => context }) as unknown as Page));
  return pages;
}

/** Brings each page to the front, and ends. */
const PROGRAM = `
const { WebSocket } = require('ws');
process.stdin.once('data', task => {
  const socket = new WebSocket(JSON.parse(task).cdp.url);
  const asked = ${JSON.stringify(PAGES)}.flatMap(page => [
    { method: 'Target.attachToTarget', params: { targetId: page, flatten: true } },
    { method: 'Page.bringToFront', sessionId: page },
  ]);
  const next = () => {
    if (asked.length) socket.send(JSON.stringify({ id: 9 - asked.length, params: {}, ...asked.shift() }));
    else console.log('{"type":"end","status":"completed"}', socket.terminate() ?? '');
  };
  socket.on('open', next);
  socket.on('message', message => 'id' in JSON.parse(message) && next());
});`;

test('a page that a client brings to the front becomes the active tab, except one that the guard has not admitted', async () => {
  const pages = tabs();
  const [judged, admitted] = pages;
  const activated: Page[] = [];
  const task = {
    page: admitted,
    session: { has: (page: Page) => page !== judged, dialogs: {} },
    activate: (page: Page) => void activated.push(page),
    signal: new AbortController().signal,
    ...{ timeLeftMs: 60_000, configDir: resolve('.'), allowedDomains: [], secrets: {} },
    mask: (text: string) => text,
  } as unknown as SessionTask;
  const program = { command: process.execPath, args: ['-e', PROGRAM], env: {}, cwd: '.' };
  expect(await runProgram(task, program)).toBeUndefined();
  expect(activated).toHaveLength(1);
  expect(activated[0]).toBe(admitted);
});
