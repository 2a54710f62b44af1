// Adds listeners to a page or a context, and removes them again.
import type { EventEmitter } from 'node:events';
import type * as playwright from '@playwright/test';

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
