// Calls of Playwright without a step in reports, where such steps would bury the agent's actions.
import type { CDPSession, Frame, Page } from '@playwright/test';

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

type Unseen = <T>(page: Page, calls: () => Promise<T>) => Promise<T>;

let hide: Unseen = (_, calls) => calls();

/** Sets how calls of Playwright are made without their steps. Unless it is called, the steps show. */
export function hideStepsBy(way: Unseen): void {
  hide = way;
}

/** Makes calls of Playwright without their steps, if the runner can. */
export const unseen: Unseen = (page, calls) => hide(page, calls);

/**
 * Playwright's `evaluate`, but over the DevTools protocol if the browser has it (Chromium) and it is no inner frame.
 *
 * @param script an expression; a promise is awaited
 */
export async function evaluateUnseen(where: Page | Frame, script: string): Promise<unknown> {
  if ('parentFrame' in where && where.parentFrame()) return where.evaluate(script);
  const page = 'page' in where ? where.page() : where;
  const session = await protocolOf(page);
  if (!session) return unseen(page, () => page.evaluate(script));
  const options = { expression: script, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', options);
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return result.value;
}
