// A DevTools endpoint for programs that drive a trial's page from outside. Playwright talks to its browser through a
// pipe, so there is no port to pass on: this relays the protocol over Playwright's own connection, and shows only the
// trial's context.
import { randomBytes } from 'node:crypto';
import { type EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { type WebSocket, WebSocketServer } from 'ws';
import { targetOf } from '../guard/targets';
import { CdpRelay, type OwnMethods, type RawSession } from './relay';

/** Milliseconds for Playwright to report a tab of the browser. */
const TAB_TIMEOUT_MS = 5_000;

export type CdpEndpoint = Awaited<ReturnType<typeof openCdpEndpoint>>;

export interface EndpointOptions {
  /** Methods in addition to the protocol's. */
  own?: OwnMethods;
  /** Called before a client brings a page to the front. */
  onFront?(page: Page): void;
}

/** @throws Error if the browser is not Chromium, or the page is closed. */
export async function openCdpEndpoint(page: Page, { own, onFront = () => undefined }: EndpointOptions = {}) {
  const context = page.context();
  const browser = chromiumOf(context);
  const { targetId, browserContextId = '' } = await targetOf(page);
  const path = `/${randomBytes(16).toString('hex')}`;
  const http = createServer((_, response) => void response.writeHead(426).end());
  const server = new WebSocketServer({
    server: http,
    path,
    perMessageDeflate: false,
    verifyClient: ({ req }, answer) => answer(isFromHere(req), 403),
  });
  const find = (wanted: string) => pageOf(wanted, context, browser, browserContextId);
  const front = async (wanted: string) => {
    const found = await find(wanted);
    if (found) onFront(found);
  };
  const gate: Gate = { held: false, relays: new Set(), front };
  server.on('connection', socket => void serve(socket, browser, browserContextId, gate, own));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  let closed: Promise<void> | undefined;
  return {
    /** For `connectOverCDP` and the like. Anyone who knows it can drive the page. */
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}${path}`,
    /** The page's id in the protocol. */
    targetId,
    /** The page with this id, after waiting for a new one; undefined if the context has none. */
    pageOf: find,
    /**
     * Until `release`, the clients' actions on the page wait, so that it can be looked at as it is. Messages that only
     * prepare or listen go on.
     */
    hold() {
      gate.held = true;
    },
    release() {
      gate.held = false;
      for (const relay of gate.relays) relay.release();
    },
    /** Ends all connections at once, and accepts no more. The page stays as it is. A second call does nothing. */
    close() {
      closed ??= closeServers(server, http);
      return closed;
    },
  };
}

/** Any page in a browser of this machine may open a WebSocket: its origin, or a host name that is not ours, reveals it. */
function isFromHere({ headers: { host = '', origin }, socket }: IncomingMessage): boolean {
  const names = [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`];
  return names.includes(host) && (origin === undefined || names.some(name => origin === `http://${name}`));
}

interface Gate {
  held: boolean;
  readonly relays: Set<CdpRelay>;
  front(targetId: string): Promise<void>;
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
  // First, so that no client connects while the others are cut off.
  server.close();
  for (const socket of server.clients) socket.terminate();
  const closed = once(http, 'close');
  http.close();
  // Otherwise it would wait for idle connections.
  http.closeAllConnections();
  await closed;
}

async function serve(
  socket: WebSocket,
  browser: Browser,
  browserContextId: string,
  gate: Gate,
  own: OwnMethods | undefined,
): Promise<void> {
  socket.on('error', () => socket.terminate());
  // Until the session exists.
  socket.pause();
  const open = async () => (await browser.newBrowserCDPSession()) as unknown as RawSession;
  const session = await open().catch(() => undefined);
  if (!session) {
    // Otherwise its answer to the closing would not be read.
    socket.resume();
    return socket.close(1011, 'the browser is gone');
  }
  const relay = new CdpRelay(
    session,
    open,
    browserContextId,
    {
      send: message => {
        if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
      },
      close: () => socket.close(1000),
      held: () => gate.held,
      front: gate.front,
    },
    own,
  );
  if (socket.readyState !== socket.OPEN) return relay.dispose();
  gate.relays.add(relay);
  socket.on('close', () => {
    gate.relays.delete(relay);
    relay.dispose();
  });
  // A moment later, so that lines which the program wrote before are read before.
  socket.on('message', data => setImmediate(() => relay.receive(String(data))));
  socket.resume();
}

async function pageOf(wanted: string, context: BrowserContext, browser: Browser, browserContextId: string) {
  const signal = AbortSignal.timeout(TAB_TIMEOUT_MS);
  for (;;) {
    const opened = once(context as unknown as EventEmitter, 'page', { signal }).catch(() => undefined);
    for (const page of context.pages())
      if ((await targetOf(page).catch(() => undefined))?.targetId === wanted) return page;
    if (!(await hasTarget(browser, wanted, browserContextId)) || !(await opened)) return undefined;
  }
}

async function hasTarget(browser: Browser, targetId: string, browserContextId: string): Promise<boolean> {
  const session = await browser.newBrowserCDPSession();
  const answer = await session.send('Target.getTargetInfo', { targetId }).catch(() => undefined);
  await session.detach().catch(() => undefined);
  return answer?.targetInfo.browserContextId === browserContextId;
}
