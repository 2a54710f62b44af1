// Waits for a page to come to rest, and answers its dialogs, for as long as an agent runs.

import type { BrowserContext, Dialog, Page, Request } from '@playwright/test';
import type { DialogAnswer } from '../../browser/page-action';

const QUIET_MS = 70;
const MAX_UNREST_MS = 900;
const MAX_REQUEST_MS = 3000;
const AWAITED = new Set(['document', 'xhr', 'fetch']);

/** Resolves once the DOM has not changed for `quiet` ms, or after `max` ms. Runs in the page. */
function untilQuiet({ quiet, max }: { quiet: number; max: number }): Promise<void> {
  return new Promise(resolve => {
    let timer = setTimeout(done, quiet);
    const last = setTimeout(done, max);
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(done, quiet);
    });
    function done() {
      clearTimeout(timer);
      clearTimeout(last);
      observer.disconnect();
      resolve();
    }
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}

/** Resolves to true at the first change of the DOM, to false after `max` ms without one. Runs in the page. */
function untilChanged(max: number): Promise<boolean> {
  return new Promise(resolve => {
    const last = setTimeout(() => finish(false), max);
    const observer = new MutationObserver(() => finish(true));
    function finish(changed: boolean) {
      clearTimeout(last);
      observer.disconnect();
      resolve(changed);
    }
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}

const REFUSES =
  /\b(?:dismiss|cancel|decline|reject|refuse|deny)\b[^.]*\b(?:alert|confirm\w*|prompt|dialog(?:ue)?|pop-?up|message)\b/i;

export class Watch {
  readonly #context: BrowserContext;
  readonly #refuses: boolean;
  readonly #pending = new Set<Request>();
  #requests = 0;
  #idle: (() => void)[] = [];

  constructor(context: BrowserContext, goal: string) {
    this.#context = context;
    this.#refuses = REFUSES.test(goal);
    context.on('request', this.#started);
    context.on('requestfinished', this.#ended);
    context.on('requestfailed', this.#ended);
  }

  /** Requests for data or documents so far: an action that raises it had an effect, seen or not. */
  get requests(): number {
    return this.#requests;
  }

  readonly #started = (request: Request) => {
    if (!AWAITED.has(request.resourceType())) return;
    this.#requests++;
    this.#pending.add(request);
  };

  readonly #ended = (request: Request) => {
    this.#pending.delete(request);
    if (this.#pending.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  };

  answer(dialog: Dialog): DialogAnswer {
    const accept = !this.#refuses || dialog.type() === 'alert';
    const text = dialog.defaultValue();
    return { accept, ...(accept && text ? { text } : {}) };
  }

  #requestsDone(): Promise<void> {
    if (this.#pending.size === 0) return Promise.resolve();
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        // What takes longer than this (a long poll, a stream) is not waited for again.
        this.#pending.clear();
        resolve();
      }, MAX_REQUEST_MS);
      this.#idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Resolves once the page has loaded, its requests are answered and its DOM is quiet; each wait is bounded. */
  async settle(page: Page): Promise<void> {
    for (let round = 0; round < 3 && !page.isClosed(); round++) {
      await page.waitForLoadState('domcontentloaded', { timeout: MAX_REQUEST_MS }).catch(() => undefined);
      const calm = await page
        .evaluate(untilQuiet, { quiet: QUIET_MS, max: MAX_UNREST_MS })
        .then(() => true)
        .catch(() => false);
      if (calm && this.#pending.size === 0) return;
      await this.#requestsDone();
    }
  }

  /** Waits up to `max` ms for the page to change, then for it to settle. False where nothing changed. */
  async change(page: Page, max: number): Promise<boolean> {
    const changed = await page.evaluate(untilChanged, max).catch(() => true);
    if (changed) await this.settle(page);
    return changed;
  }

  /** Takes every listener off again. */
  dispose(): void {
    this.#context.off('request', this.#started);
    this.#context.off('requestfinished', this.#ended);
    this.#context.off('requestfailed', this.#ended);
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
