// Waiting with limits, and listening until further notice.
import { type EventEmitter, once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type * as playwright from '@playwright/test';

/** Resolves to undefined if `promise` takes longer than `ms` milliseconds, or rejects. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return limited(promise, ms, () => new Error('late')).catch(() => undefined);
}

export class Signal {
  private readonly events = new EventTarget();

  readonly fire = (): void => {
    this.events.dispatchEvent(new Event('fire'));
  };

  async next(ms: number): Promise<void> {
    const listening = new AbortController();
    const fired = once(this.events, 'fire', { signal: listening.signal });
    await within(fired, ms);
    listening.abort();
  }
}

/** Waits `ms` milliseconds. Rejects with the signal's reason once that is aborted. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}

/** Rejects with `late()` if `promise` takes longer than `ms` milliseconds, and with the signal's reason once that is aborted. */
export async function limited<T>(promise: Promise<T>, ms: number, late: () => Error, signal?: AbortSignal) {
  const ended = new AbortController();
  const either = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  const limit = sleep(ms, either).then(() => {
    throw late();
  });
  // Nobody handles a rejection of the one that loses the race.
  for (const each of [promise, limit]) each.catch(() => undefined);
  try {
    return await Promise.race([promise, limit]);
  } finally {
    ended.abort();
  }
}

/** Rejects with the signal's reason as soon as it is aborted, without waiting for `fn`. */
export async function abortable<T>(fn: () => Promise<T> | T, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: over.signal });
  });
  try {
    return await Promise.race([fn(), aborted]);
  } finally {
    over.abort();
  }
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

export function listen(source: Source, listeners: Listeners): () => void {
  // Pages and contexts are EventEmitters, as documented, but their types have only a few of its methods.
  const emitter = source as unknown as EventEmitter;
  for (const [name, listener] of Object.entries(listeners)) emitter.on(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) emitter.off(name, listener);
  };
}
