// A DevTools endpoint for programs that drive a trial's page from outside. Playwright talks to its browser through a
// pipe, so there is no port to hand on: this relays the protocol over Playwright's own connection, and shows the
// trial's context as if the browser had no other one.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { type WebSocket, WebSocketServer } from 'ws';
import { CdpRelay, type RawSession } from './cdp-relay';

export interface CdpEndpoint {
  /** `ws://127.0.0.1:...`, for `connectOverCDP` and its like. Whoever knows it drives the page. */
  url: string;
  /** The page's id in the protocol. */
  targetId: string;
  /** The page that has this id; undefined where the context has none. */
  pageOf(targetId: string): Promise<Page | undefined>;
  /** Ends all connections. The page stays as it is. */
  close(): Promise<void>;
}

/** @throws Error where the browser does not speak the DevTools protocol. */
export async function openCdpEndpoint(page: Page): Promise<CdpEndpoint> {
  const context = page.context();
  const browser = context.browser();
  const name = browser?.browserType().name() ?? 'a browser of its own';
  if (!browser || name !== 'chromium')
    throw new Error(
      `a program can drive a page only in Chromium (Chrome, Edge): the DevTools protocol is not to be had in ${name}. Set \`use: { browserName: 'chromium' }\` in this project.`,
    );
  const { targetId, browserContextId } = await targetOf(context, page);
  const path = `/${randomBytes(16).toString('hex')}`;
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path, perMessageDeflate: false });
  await once(server, 'listening');
  server.on('connection', socket => void serve(socket, browser, browserContextId));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    targetId,
    async pageOf(wanted) {
      for (const candidate of context.pages()) {
        const target = await targetOf(context, candidate).catch(() => undefined);
        if (target?.targetId === wanted) return candidate;
      }
      return undefined;
    },
    async close() {
      for (const socket of server.clients) socket.terminate();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function serve(socket: WebSocket, browser: Browser, browserContextId: string): Promise<void> {
  // What arrives before the session is there must not be lost, nor overtaken.
  const early: string[] = [];
  let receive = (text: string): void => void early.push(text);
  socket.on('message', data => receive(String(data)));
  socket.on('error', () => socket.terminate());
  const open = async () => (await browser.newBrowserCDPSession()) as unknown as RawSession;
  const session = await open().catch(() => undefined);
  if (!session) return socket.close(1011, 'the browser is gone');
  const relay = new CdpRelay(session, open, browserContextId, {
    send: message => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
    },
    close: () => socket.close(1000),
  });
  if (socket.readyState !== socket.OPEN) return relay.dispose();
  socket.on('close', () => relay.dispose());
  receive = text => relay.receive(text);
  for (const text of early) receive(text);
}

async function targetOf(
  context: BrowserContext,
  page: Page,
): Promise<{ targetId: string; browserContextId: string }> {
  const session = await context.newCDPSession(page);
  try {
    const { targetInfo } = await session.send('Target.getTargetInfo');
    return { targetId: targetInfo.targetId, browserContextId: targetInfo.browserContextId ?? '' };
  } finally {
    await session.detach().catch(() => undefined);
  }
}
