import type { Page } from '@playwright/test';
import { elementWithFocus } from '../durable-locator';
import { NOTE_LIMIT_MS } from '../perform';
import { sleep, within } from '../waiting';
import type { Driver } from './driver';
import { DriverError } from './errors';
import { keySequence } from './keys';

const MAX_HOLD_SECONDS = 30;
const MAX_WAIT_SECONDS = 30;

export async function type(driver: Driver, page: Page, text: string): Promise<string | undefined> {
  const focused = await within(elementWithFocus(page), NOTE_LIMIT_MS);
  await driver.perform(page, { do: 'type', text: driver.fill(text) });
  return focused
    ? undefined
    : 'No field has the focus, so nothing may have been typed: click the field first.';
}

export async function key(driver: Driver, page: Page, text: string, repeat = 1): Promise<void> {
  const keys = keySequence(text);
  if (keys.length === 1) {
    await driver.perform(page, { do: 'press', key: keys[0]!, times: repeat });
    return;
  }
  for (let round = 0; round < repeat; round++)
    for (const each of keys) await driver.perform(page, { do: 'press', key: each });
}

export async function holdKey(driver: Driver, page: Page, text: string, seconds: number): Promise<void> {
  const keys = keySequence(text);
  if (keys.length > 1) throw new DriverError('hold_key holds one key or chord, not a sequence');
  const parts = keys[0] === '+' ? ['+'] : keys[0]!.split(/\+(?=.)/);
  try {
    for (const part of parts) await page.keyboard.down(part);
    await sleep(Math.min(seconds, MAX_HOLD_SECONDS) * 1000, driver.task.signal);
  } finally {
    for (const part of parts.reverse()) await page.keyboard.up(part).catch(() => undefined);
  }
}

export async function wait(driver: Driver, seconds: number): Promise<void> {
  await sleep(Math.min(seconds, MAX_WAIT_SECONDS) * 1000, driver.task.signal);
}
