// Gives a control its value, whatever the kind of control.

import type { ElementHandle } from '@playwright/test';
import type { Driver, Outcome } from './driver';
import { similarity } from './tokens';
import { answers, parseDate, valueForType, type Wanted } from './values';
import { type Candidate, describe } from './view';

const YES = /^(?:on|yes|true|checked|enabled|1)$/i;
const SECRET = /^<secret>([^<]*)<\/secret>$/i;

/** Texts as typed: `<secret>NAME</secret>`, or the bare name of a secret, stands for its value. */
export function typed(driver: Driver, text: string): string {
  const { secrets } = driver.task;
  const name = SECRET.exec(text.trim())?.[1] ?? text;
  return Object.hasOwn(secrets, name) ? secrets[name]! : text;
}

async function setText(element: ElementHandle<HTMLElement>, text: string, timeout: number): Promise<void> {
  await element.fill(text, { timeout });
  const kept = await element.inputValue({ timeout }).catch(() => text);
  if (kept === text || text === '') return;
  // Fields that format or mask what is typed follow keys, not values.
  await element.fill('', { timeout });
  await element.type(text, { timeout });
}

/** The option of a native select that says `text` best. */
export function bestOption(
  candidate: Candidate,
  wanted: Wanted,
): { label: string; score: number } | undefined {
  const scored = candidate.options
    .filter(label => answers(label, wanted))
    .map(label => ({
      label,
      score: wanted.startsWith || wanted.endsWith ? 1 : similarity(label, wanted.text),
    }));
  return scored.sort((a, b) => b.score - a.score)[0];
}

export function selectOptions(driver: Driver, candidate: Candidate, labels: string[]): Promise<Outcome> {
  const said = labels.map(label => `"${label}"`).join(', ');
  return driver.turn(
    `select ${said} in ${describe(candidate)}`,
    async () => {
      await driver.useElement(candidate, { do: 'select', labels }, async element => {
        const indices = await element.evaluate(
          (select, wanted) =>
            [...(select as unknown as HTMLSelectElement).options].flatMap((option, index) =>
              wanted.includes((option.label || option.text).replace(/\s+/g, ' ').trim().slice(0, 160))
                ? [{ index }]
                : [],
            ),
          labels,
        );
        await element.selectOption(indices, { timeout: driver.timeout });
      });
    },
    candidate,
  );
}

export function setChecked(driver: Driver, candidate: Candidate, on: boolean): Promise<Outcome> {
  if (candidate.checked === on) return Promise.resolve({ changed: true });
  return driver.on(candidate, on ? 'check' : 'uncheck', { do: 'click' }, element =>
    element.click({ timeout: driver.timeout }),
  );
}

const NUMBER = /-?\d+(?:\.\d+)?/;

const MAX_ROUNDS = 12;
const MAX_PRESSES = 300;

async function arrowTo(
  driver: Driver,
  element: ElementHandle<HTMLElement>,
  wanted: number,
): Promise<number | undefined> {
  let value = await element.evaluate(readNumber);
  let step = 0;
  for (let round = 0; value !== undefined && value !== wanted && round < MAX_ROUNDS; round++) {
    const presses: number =
      step === 0 ? 1 : Math.max(1, Math.min(MAX_PRESSES, Math.round(Math.abs(wanted - value) / step)));
    const key = wanted > value ? 'ArrowUp' : 'ArrowDown';
    await driver.recorder.record(driver.page, { do: 'press', key, times: presses }, element);
    for (let i = 0; i < presses; i++) await element.press(key, { timeout: driver.timeout });
    const next: number | undefined = await element.evaluate(readNumber);
    if (next === undefined || next === value) return next;
    step = Math.abs(next - value) / presses;
    value = next;
  }
  return value;
}

/** A slider or stepper that takes no text: arrow keys, as many as the first one shows to be needed. */
export async function setByKeys(driver: Driver, candidate: Candidate, wanted: number): Promise<Outcome> {
  return driver.turn(
    `set ${describe(candidate)} to ${wanted}`,
    () =>
      driver.useElement(candidate, { do: 'focus' }, async element => {
        await element.focus();
        const value = await arrowTo(driver, element, wanted);
        if (value !== wanted) throw new Error(`it shows ${value ?? 'no number'} and not ${wanted}`);
      }),
    candidate,
  );
}

/** The number that a slider or stepper shows: its own value, ARIA's, or the only number beside it. Runs in the page. */
function readNumber(element: HTMLElement): number | undefined {
  const own = (element as HTMLInputElement).value ?? element.getAttribute('aria-valuenow') ?? '';
  if (own !== '' && !Number.isNaN(Number(own))) return Number(own);
  for (let node = element.parentElement, level = 0; node && level < 4; node = node.parentElement, level++) {
    const numbers = (node.innerText ?? '').match(/-?\d+(?:\.\d+)?/g);
    if (numbers?.length === 1) return Number(numbers[0]);
    if (numbers) return undefined;
  }
  return undefined;
}

/** Options that came up for what was typed: the one that answers best, exactly or as described. */
function suggestionFor(driver: Driver, before: ReadonlySet<string>, wanted: Wanted): Candidate | undefined {
  const offered = driver.view.candidates.filter(
    ({ role, key, name }) =>
      /^(?:option|menuitem|listitem|treeitem|clickable|text|link)$/.test(role) &&
      !before.has(key) &&
      name.length < 100,
  );
  const described =
    wanted.startsWith !== undefined || wanted.endsWith !== undefined || wanted.contains !== undefined;
  // The shortest: what holds the whole list may begin and end as its first and last items do.
  if (described)
    return offered
      .filter(({ name }) => answers(name, wanted))
      .sort((a, b) => a.name.length - b.name.length)[0];
  return offered
    .map(candidate => ({ candidate, score: similarity(candidate.name, wanted.text) }))
    .filter(({ score }) => score >= 0.6)
    .sort((a, b) => b.score - a.score)[0]?.candidate;
}

const isSuggesting = (field: Candidate) =>
  field.role === 'combobox' || field.popup || /autocomplete|typeahead|combobox/i.test(field.hint);

async function fillText(driver: Driver, field: Candidate, wanted: Wanted): Promise<Outcome> {
  const text = valueForType(field.type, typed(driver, wanted.text));
  const before = new Set(driver.view.candidates.map(({ key }) => key));
  const shown = driver.task.mask(typed(driver, wanted.text) === wanted.text ? wanted.text : '...');
  const outcome = await driver.on(field, `enter "${shown}" into`, { do: 'fill', text }, element =>
    setText(element, text, driver.timeout),
  );
  if (outcome.error) return outcome;
  const described =
    wanted.startsWith !== undefined || wanted.endsWith !== undefined || wanted.contains !== undefined;
  if (!described && !isSuggesting(field)) return { changed: true };
  let suggestion = suggestionFor(driver, before, wanted);
  if (!suggestion && (await driver.wait())) suggestion = suggestionFor(driver, before, wanted);
  return suggestion ? driver.click(suggestion) : { changed: true };
}

/** Gives a field its value. Resolves with an error where the field refused it. */
export async function giveValue(driver: Driver, field: Candidate, wanted: Wanted): Promise<Outcome> {
  if (field.tag === 'select') {
    const option = bestOption(field, wanted);
    if (!option || option.score < 0.5)
      return { changed: false, error: `${describe(field)} has no option "${wanted.text}"` };
    const outcome = await selectOptions(driver, field, [option.label]);
    return outcome.error ? outcome : { changed: true };
  }
  if (field.checked !== null) return setChecked(driver, field, YES.test(wanted.text));
  const number = NUMBER.exec(wanted.text)?.[0];
  const byKeys =
    field.role === 'slider' || (field.role === 'spinbutton' && (field.readonly || field.tag !== 'input'));
  if (byKeys && field.tag !== 'input' && number !== undefined)
    return setByKeys(driver, field, Number(number));
  if (field.type === 'file')
    return { changed: false, error: `${describe(field)} takes a file, which a goal can't name` };
  return fillText(driver, field, wanted);
}

/** Whether a field takes its date from a calendar only. */
export const needsCalendar = (field: Candidate, text: string) =>
  parseDate(text) !== undefined && field.type !== 'date' && (field.readonly || field.tag !== 'input');
