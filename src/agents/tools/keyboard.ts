// Tools that type texts, press keys, and wait.
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { keySequence } from '../../browser/actions/keys';
import { elementAt } from '../../browser/actions/locate';
import { DriverError } from '../../browser/errors';
import { sleep } from '../../browser/waiting';
import type { Driver } from './driver';
import { defineTool, quote, seconds } from './tool';

const MAX_SECONDS = 30;

/** Runs something while keys are down. */
export async function whileHolding(
  page: Page,
  keys: readonly string[],
  run: () => Promise<void>,
): Promise<void> {
  const held: string[] = [];
  try {
    for (const key of keys) {
      await page.keyboard.down(key);
      held.push(key);
    }
    await run();
  } finally {
    for (const key of held.reverse()) await page.keyboard.up(key).catch(() => undefined);
  }
}

const pause = (driver: Driver, seconds: number) =>
  sleep(Math.min(seconds, MAX_SECONDS) * 1000, driver.task.signal);

const keys = z.string().min(1).describe('A key or a chord: Enter, ctrl+a.');

export const KEYBOARD_TOOLS = [
  defineTool({
    name: 'type',
    description: 'Types a text where the focus is.',
    input: z.object({ text: z.string() }),
    acts: true,
    async words({ text }, _, page) {
      const field = (await elementAt(page, null))?.words;
      return `type ${quote(text)}${field ? ` into ${field}` : ''}`;
    },
    async handle({ text }, driver, page) {
      // Asked before the first key, and answered while typing.
      const field = elementAt(page, null);
      await driver.perform(page, { do: 'type', text: driver.fill(text) });
      return (await field)
        ? undefined
        : 'No field has the focus, so nothing may have been typed: click the field first.';
    },
  }),
  defineTool<{ text: string; repeat?: number | null | undefined }>({
    name: 'key',
    description: 'Presses a key, a chord or a sequence of them.',
    input: z.object({ text: keys, repeat: z.int().min(1).max(100).nullish() }),
    flat: () => z.object({ text: keys }),
    acts: true,
    words: ({ text, repeat }) => `press ${text}${repeat && repeat > 1 ? ` ${repeat} times` : ''}`,
    async handle({ text, repeat }, driver, page) {
      const times = repeat ?? 1;
      const [key, ...more] = keySequence(text);
      if (more.length === 0) return void (await driver.perform(page, { do: 'press', key: key!, times }));
      for (let round = 0; round < times; round++)
        for (const each of [key!, ...more]) await driver.perform(page, { do: 'press', key: each });
    },
  }),
  defineTool({
    name: 'hold_key',
    input: z.object({ text: keys, duration: seconds }),
    acts: true,
    words: ({ text, duration }) => `hold ${text} for ${duration} s`,
    async handle({ text, duration }, driver, page) {
      const [key, ...more] = keySequence(text);
      if (more.length > 0) throw new DriverError('hold_key holds one key or chord, not a sequence');
      const parts = key === '+' ? ['+'] : key!.split(/\+(?=.)/);
      await whileHolding(page, parts, () => pause(driver, duration));
    },
  }),
  defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({ duration: seconds }),
    acts: false,
    words: ({ duration }) => `wait ${duration} s`,
    async handle({ duration }, driver) {
      await pause(driver, duration);
      // What was still loading may be there by now.
      driver.isLoading = false;
    },
  }),
];
