// A site that a guard allows, and one that it does not, both on this machine, with different names.
import type { IncomingMessage } from 'node:http';
import { type BrowserContext, chromium } from '@playwright/test';
import { launchOptions } from '../../scripts/browser.mjs';
import { serve } from './serve';
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
  const { port, close } = await serve((request, response) => {
    const path = request.url ?? '/';
    if (path !== '/favicon.ico') hits.push(`${request.method} ${path}`);
    const { status = 200, headers = {}, body = '', never } = answer(path, request) ?? {};
    if (never) return;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  return { origin: `http://${host}:${port}`, port, hits, close };
}

/** A persistent context that resolves every `*.test` name to this machine. */
export function launchPersistent(): Promise<BrowserContext> {
  const options = launchOptions();
  return chromium.launchPersistentContext('', { ...options, args: [...options.args, TEST_NAMES] });
}
