// A DevTools endpoint for programs that drive a trial's page from outside. Playwright talks to its browser through a
// pipe, so there is no port to pass on: this relays the protocol over Playwright's own connection, and shows only the
// trial's context.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { type WebSocket, WebSocketServer } from 'ws';
import { targetOf } from '../guard/targets';
import { type CdpClient, type CdpRelay, type OwnMethods, type RawSession, relayed } from './relay';

const TAB_TIMEOUT_MS = 5_000;
const PAUSE_MS = 50;

export type CdpEndpoint = Awaited<ReturnType<typeof openCdpEndpoint>>;

/** @throws Error if the browser is not Chromium, or the page is closed. */
export async function openCdpEndpoint(
  page: Page,
  { own, onFront = () => undefined }: { own?: OwnMethods; onFront?(page: Page): void } = {},
) {
  const context = page.context();
  const browser = chromiumOf(context);
  const { targetId, browserContextId = '' } = await targetOf(page);
  const path = `/${randomBytes(16).toString('hex')}`;
  const http = createServer((_, response) => void response.writeHead(426).end());
  const server = new WebSocketServer({
    server: http,
    path,
    verifyClient: ({ req }, answer) => answer(isFromHere(req), 403),
  });
  const open = async () => (await browser.newBrowserCDPSession()) as unknown as RawSession;
  const pageOf = async (wanted: string) => {
    for (const end = performance.now() + TAB_TIMEOUT_MS; ; await setTimeout(PAUSE_MS)) {
      for (const each of context.pages())
        if ((await targetOf(each).catch(() => undefined))?.targetId === wanted) return each;
      if (performance.now() > end) return undefined;
    }
  };
  let isHeld = false;
  const relays = new Set<CdpRelay>();
  const clientOf = (socket: WebSocket): CdpClient => ({
    send: message => socket.readyState === socket.OPEN && socket.send(JSON.stringify(message)),
    close: () => socket.close(1000),
    held: () => isHeld,
    async front(wanted) {
      const found = await pageOf(wanted);
      if (found) onFront(found);
    },
  });
  server.on('connection', async socket => {
    socket.on('error', () => socket.terminate());
    // Messages wait until the sessions exist.
    socket.pause();
    const sessions = await Promise.all([open(), open()]).catch(() => undefined);
    // Before `close`, whose answer would not be read otherwise.
    socket.resume();
    if (!sessions) return socket.close(1011, 'the browser is gone');
    const relay = relayed(...sessions, browserContextId, clientOf(socket), own);
    if (socket.readyState !== socket.OPEN) return relay.dispose();
    relays.add(relay);
    socket.on('close', () => {
      relays.delete(relay);
      relay.dispose();
    });
    // A moment later, so that lines that the program printed earlier are read first.
    socket.on('message', data => setImmediate(() => relay.receive(String(data))));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  let closed: Promise<unknown> | undefined;
  return {
    /** For `connectOverCDP` and the like. Anyone who knows it can drive the page. */
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}${path}`,
    targetId,
    /** The page with this id, after waiting up to 5 seconds for a new one; undefined if the context has none. */
    pageOf,
    /** Until `release`, the clients' actions on the page wait. Messages that only prepare or listen go on. */
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const relay of relays) relay.release();
    },
    /** Ends all connections at once, and accepts no more. The page stays as it is. A second call does nothing. */
    close() {
      closed ??= closeServers(server, http);
      return closed;
    },
  };
}

/** Any page in a browser on this machine can open a WebSocket. Its origin, or a host name that is not ours, gives it away. */
function isFromHere({ headers: { host = '', origin }, socket }: IncomingMessage): boolean {
  const names = [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`];
  return names.includes(host) && (origin === undefined || names.some(name => origin === `http://${name}`));
}

function chromiumOf(context: BrowserContext): Browser {
  const browser = context.browser();
  const name = browser?.browserType().name() ?? 'a context without a browser';
  if (browser && name === 'chromium') return browser;
  throw new Error(
    `command() requires Chromium (Chrome, Edge), and this project uses ${name}. Set \`use: { browserName: 'chromium' }\` in this project.`,
  );
}

async function closeServers(server: WebSocketServer, http: Server): Promise<void> {
  // First of all, so that no client connects while the others are cut off.
  server.close();
  for (const socket of server.clients) socket.terminate();
  const closed = once(http, 'close');
  http.close();
  // Otherwise it would wait for idle connections.
  http.closeAllConnections();
  await closed;
}
