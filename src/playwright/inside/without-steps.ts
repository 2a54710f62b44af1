// Calls of Playwright that are no steps of the test, where they would bury the agent's actions. Boxed steps would still show.
import type { Page } from '@playwright/test';

/** Checked on Playwright 1.65.1 (ChannelOwner): whatever an internal call calls has no step either. Without `_wrapApiCall` the steps show. */
export function unseen<T>(page: Page, calls: () => Promise<T>): Promise<T> {
  const { _wrapApiCall: wrap } = page as { _wrapApiCall?(func: typeof calls, options: object): Promise<T> };
  return wrap ? wrap.call(page, calls, { internal: true }) : calls();
}
