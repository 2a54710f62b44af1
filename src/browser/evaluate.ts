// Runs scripts in a page without a step in reports, since such steps would hide the agent's actions.
import type { CDPSession, Page } from '@playwright/test';

const sessions = new WeakMap<Page, Promise<CDPSession | undefined>>();

/** A DevTools session for the page, kept as long as the page; undefined if the browser has no such protocol. */
export function protocolOf(page: Page): Promise<CDPSession | undefined> {
  const known = sessions.get(page);
  if (known) return known;
  const opening = page
    .context()
    .newCDPSession(page)
    .catch(() => undefined);
  sessions.set(page, opening);
  return opening;
}

/**
 * Playwright's `page.evaluate`, but over the DevTools protocol if the browser has it (Chromium).
 *
 * @param script an expression; a promise is awaited
 */
export async function evaluateUnseen(page: Page, script: string): Promise<unknown> {
  const session = await protocolOf(page);
  if (!session) return page.evaluate(script);
  const options = { expression: script, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', options);
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return result.value;
}
