// Tools that fill in forms: fields, lists, checkboxes, files.
import type { Locator, Page } from '@playwright/test';
import { z } from 'zod';
import { DriverError } from '../../browser/errors';
import { injected } from '../../browser/in-page';
import type { settable } from '../../browser/injected/fields';
import { flat, shorten } from '../../text/line';
import { ACTION_LIMIT_MS, type Driver } from './driver';
import { byRef, defineTool, elementTarget, quote, ref } from './tool';

const MAX_OPTIONS = 50;
/** Types of inputs, and roles of other elements. */
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
  acts: true,
  words: async ({ target, value }, driver, page) =>
    `set ${await driver.wordsOf(page, target)} to ${quote(String(value))}`,
  // The answer is the chosen option, of a list.
  async handle({ target, value: given }, driver, page) {
    const { locator, ref } = await driver.locate(page, target);
    const [field] = await Promise.all([
      locator.evaluate(injected('settable'), undefined, { timeout: ACTION_LIMIT_MS }),
      driver.show(locator).catch(() => undefined),
    ]);
    const { tag, type } = field;
    const value = typeof given === 'string' ? driver.fill(given) : given;
    if (tag === 'select') return choose(driver, page, locator, field, String(value));
    if (TOGGLES.includes(tag === 'input' ? type : (field.role ?? ''))) {
      const off = typeof value === 'string' && /^(false|off|no|0|unchecked|)$/i.test(value.trim());
      await driver.perform(page, { do: 'check', locator, checked: Boolean(value) && !off });
      return undefined;
    }
    refuseUnsettable(field, ref);
    await driver.perform(page, { do: 'fill', locator, text: String(value) });
    const format = FORMATS[type];
    // If the browser can't read a value, it empties the field.
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
    const labels = options.slice(0, MAX_OPTIONS).map(({ label }) => quote(label));
    const more = options.length > MAX_OPTIONS ? ` and ${options.length - MAX_OPTIONS} more` : '';
    throw new DriverError(
      `There is no option ${JSON.stringify(wanted)}. Options: ${labels.join(', ')}${more}.`,
    );
  }
  if (option.disabled) throw new DriverError(`The option "${option.label}" is disabled.`);
  await driver.perform(page, { do: 'select', locator, labels: [option.label] });
  return `Chosen: "${shorten(option.label, 80)}".`;
}

const strings = z.array(z.string()).nullish();

const fileUpload = defineTool({
  name: 'file_upload',
  input: z.object({ target: byRef, paths: strings, document_ids: strings }),
  acts: true,
  words: async ({ target, paths }, driver, page) =>
    `upload ${(paths ?? []).length} files to ${await driver.wordsOf(page, target)}`,
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
