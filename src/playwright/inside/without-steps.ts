// Calls of Playwright that are no steps of the test, where they would bury the agent's actions. Boxed steps would still show.
import type { CDPSession, Page } from '@playwright/test';

/** Checked on Playwright 1.65.1 (ChannelOwner): calls inside an internal call have no step either. Without `_wrapApiCall` the steps show. */
export function unseen<T>(owner: Page | CDPSession, calls: () => Promise<T>): Promise<T> {
  const { _wrapApiCall: wrap } = owner as { _wrapApiCall?(func: typeof calls, options: object): Promise<T> };
  return wrap ? wrap.call(owner, calls, { internal: true }) : calls();
}
