// A site that a guard allows, and one that it does not, both on this machine, with different names.
import type { IncomingMessage, RequestListener } from 'node:http';
import { type BrowserContext, chromium } from '@playwright/test';
import { afterAll, beforeAll } from 'vitest';
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

/** @param answer gets the path with its query */
type Answering = (path: string, request: IncomingMessage) => Answer | undefined;

function listener(hits: string[], answer: Answering): RequestListener {
  return (request, response) => {
    const path = request.url ?? '/';
    if (path !== '/favicon.ico') hits.push(`${request.method} ${path}`);
    const { status = 200, headers = {}, body = '', never } = answer(path, request) ?? {};
    if (never) return;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  };
}

export async function startSite(host: string, answer: Answering): Promise<Site> {
  const hits: string[] = [];
  const { port, close } = await serve(listener(hits, answer));
  return { origin: `http://${host}:${port}`, port, hits, close };
}

/** A server while a file's tests run. */
export function serverOfTests(answer: RequestListener) {
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve(answer);
  });
  afterAll(() => server.close());
  return {
    get url() {
      return server.url;
    },
    get port() {
      return server.port;
    },
  };
}

/** A site while a file's tests run. */
export function siteOfTests(host: string, answer: Answering) {
  const hits: string[] = [];
  const server = serverOfTests(listener(hits, answer));
  return {
    hits,
    get origin() {
      return `http://${host}:${server.port}`;
    },
    get port() {
      return server.port;
    },
  };
}

/** A persistent context that resolves every `*.test` name to this machine. */
export function launchPersistent(): Promise<BrowserContext> {
  const options = launchOptions();
  return chromium.launchPersistentContext('', { ...options, args: [...options.args, TEST_NAMES] });
}
