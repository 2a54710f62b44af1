// One browser for the files of a worker: a start takes half a second of a processor. It resolves every `*.test` name to this
// machine.
import { type Browser, chromium } from '@playwright/test';
import { launchOptions } from '../../scripts/browser.mjs';

const launched = new Map<string, Promise<Browser>>();

/** For `beforeAll`. It ends with the worker. @param flags what it is started with besides: one browser for each set */
export async function sharedBrowser(...flags: string[]): Promise<Browser> {
  const key = flags.join(' ');
  if (!(await launched.get(key))?.isConnected()) {
    const options = launchOptions();
    launched.set(key, chromium.launch({ ...options, args: [...options.args, TEST_NAMES, ...flags] }));
  }
  return launched.get(key)!;
}

export const TEST_NAMES = '--host-resolver-rules=MAP *.test 127.0.0.1';

/** For `afterAll`: the next file finds it as it was. */
export async function leaveSharedBrowser(): Promise<void> {
  const browsers = await Promise.all(launched.values());
  await Promise.all(browsers.flatMap(browser => browser.contexts().map(context => context.close())));
}
