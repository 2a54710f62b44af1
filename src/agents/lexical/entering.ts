// Does "enter X into Y" and "search for X".

import { pickDate } from './calendar';
import { giveValue, needsCalendar } from './controls';
import type { Driver, Outcome } from './driver';
import { sender } from './forms';
import { isField, isTextField, labelFit, rank } from './match';
import { clearWay, closer } from './overlays';
import { clueFor, type Memory, matches, seek } from './seek';
import { spread } from './spread';
import type { Target } from './targets';
import { parseDate, parseTime, type Wanted } from './values';
import type { Candidate } from './view';

const takesValue = (candidate: Candidate) =>
  isField(candidate) && candidate.role !== 'checkbox' && candidate.role !== 'radio';

/** Fields in the order in which an unnamed one is meant: the one whose type fits the value, an empty one, the first. */
function unnamed(driver: Driver, wanted: Wanted, target: Target, memory: Memory): Candidate[] {
  const slides = target.kind === 'slider' || target.kind === 'spinner';
  const fields = driver.view.candidates.filter(
    candidate => (slides ? takesValue(candidate) : isTextField(candidate)) && !driver.refused(candidate),
  );
  if (target.ordinal !== undefined)
    return [target.ordinal < 0 ? fields.at(target.ordinal) : fields[target.ordinal - 1]].filter(
      field => field !== undefined,
    );
  const rated = fields.map(field => ({
    field,
    liking: fitsValue(field, wanted, slides) + isNext(field, memory),
  }));
  return rated.sort((a, b) => b.liking - a.liking || a.field.index - b.field.index).map(({ field }) => field);
}

const sum = (...parts: (readonly [boolean, number])[]) =>
  parts.reduce((all, [holds, worth]) => all + (holds ? worth : 0), 0);

function fitsValue({ type, role, readonly, disabled }: Candidate, wanted: Wanted, slides: boolean): number {
  const date = parseDate(wanted.text) !== undefined;
  return sum(
    [date && /^(?:date|datetime-local|month)$/.test(type), 4],
    [type === 'time' && parseTime(wanted.text) !== undefined, 4],
    [slides && /^(?:slider|spinbutton)$/.test(role), 3],
    [role === 'searchbox', -1.2],
    [disabled || (readonly && !date), -3],
  );
}

const isNext = ({ layer, key, value, focused }: Candidate, memory: Memory) =>
  sum([layer !== 0, 1.5], [!memory.filled.has(key), 2], [value === '', 1], [focused, 0.5]);

const saysNothing = (target: Target) => target.readings.every(({ text }) => text === '');

function fieldsFor(driver: Driver, wanted: Wanted, target: Target, memory: Memory): Candidate[] | undefined {
  const fields = driver.view.candidates.filter(takesValue);
  if (saysNothing(target)) {
    const list = unnamed(driver, wanted, target, memory);
    return list.length > 0 ? list : undefined;
  }
  const named = matches(
    driver,
    { ...target, kind: target.kind === 'list' ? 'list' : undefined },
    memory,
    false,
    fields,
  );
  if (!named || target.count === 1) return named;
  // "Both password fields": labels that say it with other words around count as well.
  return rank(fields, target)
    .filter(({ score }) => score >= 0.4)
    .map(({ candidate }) => candidate);
}

/** Types into a field, or picks a day where only a calendar opens. */
async function fillOne(driver: Driver, field: Candidate, wanted: Wanted, memory: Memory): Promise<Outcome> {
  const ready = (await clearWay(driver, field)) ?? field;
  memory.filled.add(ready.key);
  memory.lastField = ready;
  const date = parseDate(wanted.text);
  if (!date || !needsCalendar(ready, wanted.text)) return giveValue(driver, ready, wanted);
  const opened = await driver.click(ready);
  if (opened.error) return opened;
  return (await pickDate(driver, date))
    ? { changed: true }
    : { changed: false, error: `no calendar came up for ${wanted.text}` };
}

/** A field that was disabled or covered by something that came up meanwhile is tried again once that is gone. */
async function fillWith(driver: Driver, field: Candidate, wanted: Wanted, memory: Memory): Promise<Outcome> {
  const outcome = await fillOne(driver, field, wanted, memory);
  if (!outcome.error) return keptValue(driver, field, wanted, memory);
  const control = closer(driver, field);
  if (!control || !(await driver.click(control)).changed) return outcome;
  const again = driver.view.candidates.find(({ key }) => key === field.key);
  return again ? fillOne(driver, again, wanted, memory) : outcome;
}

async function keptValue(driver: Driver, field: Candidate, wanted: Wanted, memory: Memory): Promise<Outcome> {
  const now = driver.view.candidates.find(({ key }) => key === field.key);
  if (!now || now.tag === 'select' || now.value !== '' || wanted.text === '' || !now.disabled)
    return { changed: true };
  const control = closer(driver, field);
  if (!control || !(await driver.click(control)).changed) return { changed: true };
  const again = driver.view.candidates.find(({ key }) => key === field.key);
  return again ? fillOne(driver, again, wanted, memory) : { changed: true };
}

/** Does one "enter". Resolves to undefined when done, else to why not. */
export async function enter(
  driver: Driver,
  wanted: Wanted,
  target: Target,
  memory: Memory,
): Promise<string | undefined> {
  const found = await seek(driver, { ...clueFor(target, memory), inside: false }, memory, () =>
    fieldsFor(driver, wanted, target, memory),
  );
  const fallback = found ?? loneField(driver, wanted, target, memory);
  if (!fallback || fallback.length === 0)
    return `found no field for "${wanted.text}"${target.phrase ? ` called "${target.phrase}"` : ''}`;
  const fields = target.count === 1 ? fallback.slice(0, 1) : fallback.slice(0, target.count);
  let problem: string | undefined;
  for (const field of fields) problem = (await fillWith(driver, field, wanted, memory)).error ?? problem;
  if (problem && target.count === 1 && fallback[1])
    problem = (await fillWith(driver, fallback[1], wanted, memory)).error;
  return problem;
}

/** A form's only free field answers to any name. */
function loneField(driver: Driver, wanted: Wanted, target: Target, memory: Memory): Candidate[] | undefined {
  const free = unnamed(driver, wanted, { ...target, ordinal: undefined }, memory).filter(
    field => !memory.filled.has(field.key) && !field.disabled,
  );
  return free.length === 1 ? free : undefined;
}

function searchFields(driver: Driver): Candidate[] | undefined {
  const rate = (field: Candidate) => (field.role === 'searchbox' ? 1 : 0) + labelFit(field, 'search');
  const fields = driver.view.candidates
    .filter(candidate => isTextField(candidate) && !candidate.disabled && rate(candidate) >= 0.45)
    .sort((a, b) => rate(b) - rate(a) || a.index - b.index);
  return fields.length > 0 ? fields : undefined;
}

const labelOf = ({ name, placeholder, near, title }: Candidate) =>
  [name, placeholder, near, title].find(text => text !== '') ?? '';

/** A search form of several fields, where the phrase says what goes into which. False where it is no such form. */
async function searchForm(driver: Driver, text: string, memory: Memory): Promise<boolean> {
  const fields = driver.view.candidates.filter(
    candidate => isTextField(candidate) && !candidate.disabled && labelOf(candidate) !== '',
  );
  const values = fields.length < 2 ? undefined : spread(text, fields.map(labelOf));
  if (!values) return false;
  for (const [index, field] of fields.entries()) {
    const value = values[index];
    if (value !== undefined) await fillWith(driver, field, { text: value }, memory);
  }
  const send = sender(driver, memory.lastField);
  if (send) await driver.click(send);
  else await driver.press('Enter');
  return true;
}

/** Does one "search for". */
export async function search(driver: Driver, text: string, memory: Memory): Promise<string | undefined> {
  if (!searchFields(driver) && (await searchForm(driver, text, memory))) return undefined;
  const clue = { words: 'search', scope: '', subject: '', inside: false };
  const fields =
    (await seek(driver, clue, memory, () => searchFields(driver))) ??
    driver.view.candidates.filter(isTextField);
  const field = fields[0];
  if (!field) return `found nowhere to search for "${text}"`;
  const outcome = await fillWith(driver, field, { text }, memory);
  if (outcome.error) return outcome.error;
  const sent = await driver.press('Enter');
  if (sent.changed) return undefined;
  const button = sender(driver, field);
  if (button) await driver.click(button);
  return undefined;
}
