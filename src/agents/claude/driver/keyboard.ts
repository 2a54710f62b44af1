import { ToolError } from '@anthropic-ai/sdk/helpers/beta/toolsets';
import type { Page } from '@playwright/test';
import { elementWithFocus } from '../../../browser/durable-locator';
import { within } from '../../../browser/within';
import { focused } from './describe';
import { type Driver, NOTE_LIMIT_MS } from './driver';
import { keySequence } from './keys';
import { sleep } from './time';

/** Longer texts are put in at once: key by key they would take the trial's time. */
const MAX_TYPED = 1_000;
const MAX_HOLD_SECONDS = 30;
const MAX_WAIT_SECONDS = 30;

export async function type(driver: Driver, page: Page, text: string): Promise<string | undefined> {
  const value = driver.fill(text);
  const [target, element] = await Promise.all([focused(page), keysGoTo(page)]);
  if (element) await driver.recorder.record(page, { do: 'type', text: value }, element);
  if (value.length > MAX_TYPED) await page.keyboard.insertText(value);
  else await page.keyboard.type(value);
  return target
    ? undefined
    : 'No field has the focus, so nothing may have been typed: click the field first.';
}

function keysGoTo(page: Page) {
  return within(elementWithFocus(page), NOTE_LIMIT_MS);
}

export async function key(driver: Driver, page: Page, text: string, repeat = 1): Promise<void> {
  const keys = keySequence(text);
  if (keys.length === 1) {
    await driver.recorder.record(page, { do: 'press', key: keys[0]!, times: repeat }, await keysGoTo(page));
    for (let round = 0; round < repeat; round++) await page.keyboard.press(keys[0]!);
    return;
  }
  for (let round = 0; round < repeat; round++)
    for (const each of keys) {
      await driver.recorder.record(page, { do: 'press', key: each }, await keysGoTo(page));
      await page.keyboard.press(each);
    }
}

export async function holdKey(driver: Driver, page: Page, text: string, seconds: number): Promise<void> {
  const keys = keySequence(text);
  if (keys.length > 1) throw new ToolError('hold_key holds one key or chord, not a sequence');
  const parts = keys[0] === '+' ? ['+'] : keys[0]!.split(/\+(?=.)/);
  try {
    for (const part of parts) await page.keyboard.down(part);
    await sleep(Math.min(seconds, MAX_HOLD_SECONDS) * 1000, driver.signal);
  } finally {
    for (const part of parts.reverse()) await page.keyboard.up(part).catch(() => undefined);
  }
}

export async function wait(driver: Driver, seconds: number): Promise<void> {
  await sleep(Math.min(seconds, MAX_WAIT_SECONDS) * 1000, driver.signal);
}
