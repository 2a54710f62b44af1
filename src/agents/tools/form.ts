// Tools that fill in forms (fields, lists, checkboxes, files), and tools that type, press keys and wait.
import { basename } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { z } from 'zod';
import { DriverError } from '../../browser/actions/act';
import { keySequence } from '../../browser/actions/keys';
import { elementAt } from '../../browser/actions/locate';
import { computeSecrets, heldForSecret, namesSecret, refusePasting } from '../../browser/actions/secrets';
import type { settable } from '../../browser/injected/elements';
import { callOn } from '../../browser/on-elements';
import { sleep } from '../../browser/waiting';
import { few, flat } from '../../text/line';
import { ACTION_LIMIT_MS, type Driver } from './driver';
import { byRef, defineTool, elementTarget, quote, ref, seconds } from './tool';

const MAX_OPTIONS = 50;
/** Types of inputs and roles of other elements that are on or off. */
const TOGGLES = ['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'];
const FORMATS: Record<string, string> = {
  date: '2026-01-31',
  time: '13:45',
  'datetime-local': '2026-01-31T13:45',
  month: '2026-01',
  week: '2026-W05',
  color: '#3366ff',
};

type Field = ReturnType<typeof settable>;

const value = z.union([z.string(), z.number(), z.boolean()]);

const formInput = defineTool({
  name: 'form_input',
  description: 'Sets the value of a field, a list or a checkbox.',
  input: z.object({ target: byRef, value }),
  flat: () => z.object({ ref, value }).transform(({ ref, value }) => ({ target: elementTarget(ref), value })),
  words: async ({ target, value }, driver, page) =>
    `set ${await driver.wordsOf(page, target)} to ${quote(String(value))}`,
  // Returns the chosen option of a list.
  async handle({ target, value: given }, driver, page) {
    const { locator, ref } = await driver.locate(page, target);
    const [field] = await Promise.all([
      callOn(locator, 'settable', undefined, ACTION_LIMIT_MS),
      driver.show(locator).catch(() => undefined),
    ]);
    const { tag, type } = field;
    if (typeof given === 'string' && namesSecret(given, driver.task)) {
      await heldForSecret(locator, driver.task, ACTION_LIMIT_MS);
      // Only an option of a list needs the value here: `perform` computes what is typed.
      if (tag === 'select') await computeSecrets(given, driver.task);
    }
    const value = typeof given === 'string' ? driver.fill(given) : given;
    if (tag === 'select') return choose(driver, page, locator, field, String(value));
    if (TOGGLES.includes(tag === 'input' ? type : (field.role ?? ''))) {
      const off = typeof value === 'string' && /^(false|off|no|0|unchecked|)$/i.test(value.trim());
      await driver.perform(page, { do: 'check', locator, checked: Boolean(value) && !off });
      return undefined;
    }
    refuseUnsettable(field, ref);
    await driver.perform(page, { do: 'fill', locator, text: String(given) });
    const format = FORMATS[type];
    // The browser empties a field if it can't read the value.
    if (format && value !== '' && (await locator.inputValue({ timeout: ACTION_LIMIT_MS })) === '')
      throw new DriverError(
        `A ${type} field takes values like ${format}, not ${JSON.stringify(given)}. It is empty now.`,
      );
    return undefined;
  },
});

function refuseUnsettable({ tag, type, editable, readonly }: Field, ref: string): void {
  if (type === 'file') throw new DriverError(`${ref} takes files: use file_upload.`);
  const holdsText = tag === 'input' || tag === 'textarea' || editable;
  if (!holdsText || ['button', 'submit', 'reset', 'image'].includes(type))
    throw new DriverError(
      `${ref} is a <${tag}>, which has no value to set. Click it, and use what it opens.`,
    );
  if (readonly)
    throw new DriverError(
      `${ref} can not be set, it is read-only: click it, and choose in what it opens, if it opens anything.`,
    );
}

async function choose(driver: Driver, page: Page, locator: Locator, { options }: Field, wanted: string) {
  const fold = (text: string) => flat(text).toLowerCase();
  const option =
    options.find(({ value, label }) => value === wanted || label === wanted) ??
    options.find(({ value, label }) => fold(value) === fold(wanted) || fold(label) === fold(wanted));
  if (!option) {
    const labels = options.map(({ label }) => quote(label));
    throw new DriverError(`There is no option ${quote(wanted)}. Options: ${few(labels, MAX_OPTIONS)}.`);
  }
  if (option.disabled) throw new DriverError(`The option "${option.label}" is disabled.`);
  // Options are chosen by label, in replays too, so the label must be unique.
  if (options.find(({ label }) => label === option.label) !== option)
    throw new DriverError(`Several options are called "${option.label}". Choose by keys: ArrowDown.`);
  const labels = options.filter(each => each.stays || each === option).map(({ label }) => label);
  await driver.perform(page, { do: 'select', locator, labels });
  return `Chosen: ${few(labels.map(quote), MAX_OPTIONS)}.`;
}

const strings = z.array(z.string()).nullish();

const fileUpload = defineTool({
  name: 'file_upload',
  input: z.object({ target: byRef, paths: strings, document_ids: strings }),
  async words({ target, paths }, driver, page) {
    const files = (paths ?? []).map(path => quote(basename(path)));
    return `upload ${few(files, 3)} to ${await driver.wordsOf(page, target)}`;
  },
  async handle({ target, paths }, driver, page) {
    const { locator } = await driver.locate(page, target);
    if (!paths?.length) throw new DriverError('file_upload needs paths of files to upload.');
    await driver.markElement(locator);
    await driver.perform(page, { do: 'upload', locator, files: paths }).catch(error => {
      if (!/filechooser/.test(error.message)) throw error;
      throw new DriverError(`${target.ref} opens no file dialog. Give the reference of the file input.`);
    });
  },
});

export const FORM_TOOLS = [formInput, fileUpload];

const MAX_SECONDS = 30;

export async function whileHolding(page: Page, keys: readonly string[], run: () => Promise<void>) {
  try {
    for (const key of keys) await page.keyboard.down(key);
    await run();
  } finally {
    for (const key of [...keys].reverse()) await page.keyboard.up(key).catch(() => undefined);
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
    async words({ text }, _, page) {
      const field = (await elementAt(page, null))?.words;
      return `type ${quote(text)}${field ? ` into ${field}` : ''}`;
    },
    async handle({ text }, driver, page) {
      // Asked before the first key is pressed, but not awaited until the text is typed.
      const field = elementAt(page, null);
      await driver.perform(page, { do: 'type', text });
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
    words: ({ text, duration }) => `hold ${text} for ${duration} s`,
    async handle({ text, duration }, driver, page) {
      const [key, ...more] = keySequence(text);
      if (more.length > 0) throw new DriverError('hold_key holds one key or chord, not a sequence');
      await refusePasting(page, { key: key! }, driver.task, ACTION_LIMIT_MS);
      await whileHolding(page, key!.split(/\+(?=.)/), () => pause(driver, duration));
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
      // What was loading may be there by now.
      driver.isLoading = false;
      driver.isStale = true;
    },
  }),
];
