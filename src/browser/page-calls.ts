// How the library uses pages without leaving traces: calls without a step in reports, where such steps would bury the agent's actions,
// and listeners that are removed again.
import type { EventEmitter } from 'node:events';
import type * as playwright from '@playwright/test';
import type { CDPSession, Page } from '@playwright/test';

export { unseen } from '../playwright/inside/without-steps';

const sessions = new WeakMap<Page, Promise<CDPSession | undefined>>();

/** A DevTools session for the page, kept as long as the page; undefined if the browser has no such protocol. */
export function protocolOf(page: Page): Promise<CDPSession | undefined> {
  const known = sessions.get(page);
  if (known) return known;
  const context = page.context();
  const opening = context.newCDPSession(page).catch(() => undefined);
  sessions.set(page, opening);
  return opening;
}

type Source = playwright.Page | playwright.BrowserContext;
type Events = Record<'page' | 'crash', playwright.Page> &
  Record<'dialog' | 'dialogclosed', playwright.Dialog> &
  Record<'request' | 'requestfailed' | 'requestfinished', playwright.Request> & {
    close: Source;
    console: playwright.ConsoleMessage;
    download: playwright.Download;
    framenavigated: playwright.Frame;
    response: playwright.Response;
    weberror: playwright.WebError;
  };
type Listeners = { [Name in keyof Events]?: (event: Events[Name]) => unknown };

/** @returns a function that removes the listeners */
export function listen(source: Source, listeners: Listeners): () => void {
  // Pages and contexts are EventEmitters, as documented, but their types have only a few of its methods.
  const emitter = source as unknown as EventEmitter;
  for (const [name, listener] of Object.entries(listeners)) emitter.on(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) emitter.off(name, listener);
  };
}
