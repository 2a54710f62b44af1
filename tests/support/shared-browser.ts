// One browser for the files of a worker: a start takes half a second of a processor. It resolves every `*.test` name to this
// machine.
import { type Browser, chromium } from '@playwright/test';
import { afterAll, beforeAll } from 'vitest';
import { launchOptions } from '../../scripts/browser.mjs';

const launched = new Map<string, Promise<Browser>>();

/** For a file's tests. It ends with the worker. @param flags what it is started with besides: one browser for each set */
export function browserOfTests(...flags: string[]): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedBrowser(...flags);
  });
  afterAll(leaveSharedBrowser);
  return () => browser;
}

async function sharedBrowser(...flags: string[]): Promise<Browser> {
  const key = flags.join(' ');
  if (!(await launched.get(key))?.isConnected()) {
    const options = launchOptions();
    launched.set(key, chromium.launch({ ...options, args: [...options.args, TEST_NAMES, ...flags] }));
  }
  return launched.get(key)!;
}

export const TEST_NAMES = '--host-resolver-rules=MAP *.test 127.0.0.1';

/** The next file finds it as it was. */
async function leaveSharedBrowser(): Promise<void> {
  const browsers = await Promise.all(launched.values());
  await Promise.all(browsers.flatMap(browser => browser.contexts().map(context => context.close())));
}
