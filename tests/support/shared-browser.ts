// One browser for the files of a worker: a start takes half a second of a processor. Files that give it flags launch their own.
import { type Browser, chromium } from '@playwright/test';
import { launchOptions } from '../../scripts/browser.mjs';

let launched: Promise<Browser> | undefined;

/** For `beforeAll`. It ends with the worker. */
export async function sharedBrowser(): Promise<Browser> {
  if (!(await launched)?.isConnected()) launched = chromium.launch(launchOptions());
  return launched!;
}

/** For `afterAll`: the next file finds it as it was. */
export async function leaveSharedBrowser(): Promise<void> {
  await Promise.all(((await launched)?.contexts() ?? []).map(context => context.close()));
}
