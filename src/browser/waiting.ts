// Waiting with time limits, and listening to Playwright's events.
import type { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type * as playwright from '@playwright/test';

/** Undefined if `promise` rejects or takes longer than `ms` milliseconds. Never rejects. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return limited(promise, ms, () => new Error('late')).catch(() => undefined);
}

export class Signal {
  private fired = new AbortController();

  readonly fire = (): void => {
    this.fired.abort();
    this.fired = new AbortController();
  };

  /** Resolves once it fires, or after `ms` milliseconds. */
  async next(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.fired.signal }).catch(() => undefined);
  }
}

/** Waits `ms` milliseconds. Rejects with the signal's reason once that is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}

/** Rejects with `late()` if `promise` takes longer than `ms` milliseconds. */
export async function limited<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer!);
  }
}

/** Rejects with the signal's reason as soon as it is aborted, without waiting for `fn`. */
export async function abortable<T>(fn: () => Promise<T> | T, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([fn(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort!);
  }
}

type Source = playwright.Page | playwright.BrowserContext;
type Events = Record<'page' | 'pageclose', playwright.Page> &
  Record<'dialog' | 'dialogclosed', playwright.Dialog> &
  Record<'request' | 'requestfailed' | 'requestfinished', playwright.Request> & {
    close: Source;
    download: playwright.Download;
    framenavigated: playwright.Frame;
    response: playwright.Response;
  };
type Listeners = { [Name in keyof Events]?: (event: Events[Name]) => unknown };

/** Pages and contexts are EventEmitters, as documented, but their types have only a few of its methods. */
export const emitterOf = (source: Source) => source as unknown as EventEmitter;

/** @returns a function that removes the listeners */
export function listen(source: Source, listeners: Listeners): () => void {
  const emitter = emitterOf(source);
  for (const [name, listener] of Object.entries(listeners)) emitter.on(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) emitter.off(name, listener);
  };
}
