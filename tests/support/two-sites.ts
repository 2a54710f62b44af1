// A site that a guard allows, and one that it does not, both on this machine, with different names.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BrowserContext, chromium } from '@playwright/test';
import { launchOptions } from '../../scripts/browser.mjs';
import { TEST_NAMES } from './shared-browser';

/** What a site answers; undefined for its default answer. */
export type Answer = { status?: number; headers?: Record<string, string>; body?: string; never?: true };

export interface Site {
  /** `http://name:port`, without a slash at the end. */
  readonly origin: string;
  readonly port: number;
  /** `METHOD /path` of each request so far, favicons left out. */
  readonly hits: string[];
  close(): Promise<void>;
}

/** Starts a site. `answer` gets the path with its query. */
export async function startSite(
  host: string,
  answer: (path: string, request: IncomingMessage) => Answer | undefined,
): Promise<Site> {
  const hits: string[] = [];
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    if (path !== '/favicon.ico') hits.push(`${request.method} ${path}`);
    const { status = 200, headers = {}, body = '', never } = answer(path, request) ?? {};
    if (never) return;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    port,
    hits,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A persistent context that resolves every `*.test` name to this machine. */
export function launchPersistent(): Promise<BrowserContext> {
  const options = launchOptions();
  return chromium.launchPersistentContext('', { ...options, args: [...options.args, TEST_NAMES] });
}
