// Does "select X from Y", "check X", "choose A > B".

import { pickDate } from './calendar';
import { bestOption, selectOptions, setByKeys, setChecked } from './controls';
import type { Driver } from './driver';
import { enter } from './entering';
import { ENOUGH, isField, isTextField, labelFit, rank } from './match';
import { clearWay } from './overlays';
import { clueFor, type Memory, matches, pick, seek } from './seek';
import type { Target } from './targets';
import { parseDate, parseTime } from './values';
import { type Candidate, describe } from './view';

export interface Choice {
  values: Target[];
  whole: Target;
  from: Target;
  on: boolean;
}

interface Found {
  candidate: Candidate;
  /** The label of a native select's option. */
  option?: string;
  score: number;
}

const textOf = (target: Target) => target.readings[0]?.text ?? '';

function inSelects(driver: Driver, value: Target, from: Target): Found | undefined {
  const found: Found[] = [];
  for (const candidate of driver.view.candidates) {
    if (candidate.tag !== 'select' || candidate.disabled || driver.refused(candidate)) continue;
    const named = textOf(from) === '' ? 1 : 0.6 + 0.4 * labelFit(candidate, textOf(from));
    for (const { text } of value.readings) {
      const option = bestOption(candidate, { text });
      if (option) found.push({ candidate, option: option.label, score: option.score * named });
    }
  }
  return found.sort((a, b) => b.score - a.score)[0];
}

function onPage(driver: Driver, value: Target, from: Target, memory: Memory): Found | undefined {
  const scope = [from.kind === undefined ? textOf(from) : '', ...from.readings.map(reading => reading.scope)]
    .filter(Boolean)
    .join(' ');
  const target = {
    ...value,
    readings: value.readings.map(reading => ({ text: reading.text, scope: reading.scope || scope })),
  };
  const ranked = driver.rank(
    target,
    driver.view.candidates.filter(candidate => !isTextField(candidate) && candidate.tag !== 'select'),
  );
  const first = pick(driver, ranked, target, memory)[0];
  const score = ranked.find(({ candidate }) => candidate === first)?.score;
  if (!first || score === undefined) return undefined;
  return { candidate: first, score: first.checked === null ? score * 0.98 : Math.min(1, score * 1.08) };
}

/** "Choose the Team plan" where the control only says "Choose" and stands beside the plan's name. */
function besideName(driver: Driver, value: Target): Found | undefined {
  const scope = `${textOf(value)} ${value.readings[0]?.scope ?? ''}`.trim();
  const target: Target = {
    ...value,
    ordinal: undefined,
    kind: undefined,
    readings: ['choose', 'select', 'pick'].map(text => ({ text, scope })),
  };
  const best = rank(
    driver.view.candidates.filter(candidate => candidate.role !== 'text' && candidate.role !== 'heading'),
    target,
  )[0];
  return best && best.score >= 0.6 ? { candidate: best.candidate, score: best.score } : undefined;
}

const isPlain = (found: Found) => /^(?:text|heading)$/.test(found.candidate.role) && !found.candidate.pointer;

function findChoice(
  driver: Driver,
  value: Target,
  from: Target,
  memory: Memory,
  strict: boolean,
): Found | undefined {
  const found = [inSelects(driver, value, from), onPage(driver, value, from, memory)].filter(
    one => one !== undefined && one.score >= ENOUGH,
  ) as Found[];
  const best = found.sort((a, b) => b.score - a.score)[0];
  if (best && !(isPlain(best) && strict)) return best;
  return besideName(driver, value) ?? (strict ? undefined : best);
}

/** Opens the list that the goal names, or the only custom one there is. */
async function openList(driver: Driver, from: Target): Promise<boolean> {
  const lists = driver.view.candidates.filter(
    candidate =>
      candidate.tag !== 'select' &&
      !candidate.disabled &&
      (candidate.role === 'combobox' ||
        candidate.role === 'listbox' ||
        candidate.popup ||
        candidate.expanded === false),
  );
  const named = textOf(from) === '' ? undefined : rank(lists, { ...from, kind: undefined })[0];
  const list =
    named && named.score >= ENOUGH
      ? named.candidate
      : lists.length === 1 || from.kind === 'list'
        ? lists[0]
        : undefined;
  return list !== undefined && (await driver.click(list)).changed;
}

async function use(driver: Driver, found: Found, on: boolean, memory: Memory): Promise<string | undefined> {
  const ready = await clearWay(driver, found.candidate);
  if (!ready) return `${describe(found.candidate)} went away`;
  if (isField(ready)) {
    memory.lastField = ready;
    memory.filled.add(ready.key);
  }
  if (found.option !== undefined) return (await selectOptions(driver, ready, [found.option])).error;
  if (ready.checked !== null) return (await setChecked(driver, ready, on)).error;
  return (await driver.click(ready)).error;
}

async function chooseOne(
  driver: Driver,
  value: Target,
  { from, on }: Choice,
  memory: Memory,
): Promise<string | undefined> {
  const look = (strict: boolean) => findChoice(driver, value, from, memory, strict);
  let found = look(true);
  if (!found && (await openList(driver, from)))
    found = look(true) ?? ((await driver.wait()) ? look(true) : undefined);
  found ??= await seek(driver, clueFor(value, memory), memory, () => look(true));
  found ??= look(false);
  return found ? use(driver, found, on, memory) : `found nothing to choose for "${value.phrase}"`;
}

/** Values that one list of many takes together. */
function together(
  driver: Driver,
  values: readonly Target[],
  from: Target,
): { candidate: Candidate; labels: string[] } | undefined {
  const lists = driver.view.candidates.filter(
    ({ tag, role, disabled }) => tag === 'select' && role === 'listbox' && !disabled,
  );
  for (const candidate of lists) {
    const best = values.map(value => bestOption(candidate, { text: textOf(value) }));
    if (
      best.every(option => option !== undefined && option.score >= 0.7) &&
      (textOf(from) === '' || lists.length === 1 || labelFit(candidate, textOf(from)) >= 0.4)
    )
      return { candidate, labels: best.map(option => option!.label) };
  }
  return undefined;
}

async function chooseNumber(driver: Driver, choice: Choice): Promise<string | undefined | false> {
  const number = /^-?\d+(?:\.\d+)?$/.exec(textOf(choice.values[0]!))?.[0];
  if (number === undefined || !/^(?:slider|spinner)$/.test(choice.from.kind ?? '')) return false;
  const fields = driver.view.candidates.filter(
    candidate =>
      /^(?:slider|spinbutton)$/.test(candidate.role) ||
      /\b(?:slider handle|spinner input)\b/.test(candidate.hint),
  );
  const field =
    fields.find(({ role }) => role === (choice.from.kind === 'slider' ? 'slider' : 'spinbutton')) ??
    fields[0];
  return field ? (await setByKeys(driver, field, Number(number))).error : false;
}

async function chooseMoment(
  driver: Driver,
  choice: Choice,
  memory: Memory,
): Promise<string | undefined | false> {
  const text = textOf(choice.values[0]!);
  const date = parseDate(text);
  if (!date && !parseTime(text)) return false;
  if (findChoice(driver, choice.values[0]!, choice.from, memory, true)) return false;
  if (date && (await pickDate(driver, date))) return undefined;
  return enter(driver, { text }, { ...choice.from, kind: 'field' }, memory);
}

/** Does one "choose". Resolves to undefined when done, else to why not. */
export async function choose(driver: Driver, choice: Choice, memory: Memory): Promise<string | undefined> {
  if (choice.values.length === 1) {
    const special = await chooseMoment(driver, choice, memory);
    if (special !== false) return special;
    const number = await chooseNumber(driver, choice);
    if (number !== false) return number;
  }
  const one =
    choice.values.length > 1 ? findChoice(driver, choice.whole, choice.from, memory, true) : undefined;
  if (one && one.score >= 0.9) return use(driver, one, choice.on, memory);
  const many = choice.values.length > 1 ? together(driver, choice.values, choice.from) : undefined;
  if (many) return (await selectOptions(driver, many.candidate, many.labels)).error;
  let problem: string | undefined;
  for (const value of choice.values) problem = (await everyOf(driver, value, choice, memory)) ?? problem;
  if (problem && textOf(choice.from) !== '' && choice.values.length === 1 && fieldNamed(driver, choice.from))
    return enter(driver, { text: textOf(choice.values[0]!) }, { ...choice.from, kind: 'field' }, memory);
  return problem;
}

const fieldNamed = (driver: Driver, from: Target) =>
  driver.view.candidates.some(
    candidate => isTextField(candidate) && labelFit(candidate, textOf(from)) >= 0.6,
  );

/** "Check all ...": one after the other, as far as there are any. */
async function everyOf(
  driver: Driver,
  value: Target,
  choice: Choice,
  memory: Memory,
): Promise<string | undefined> {
  if (value.count === 1) return chooseOne(driver, value, choice, memory);
  const boxes = driver.view.candidates.filter(({ checked, disabled }) => checked !== null && !disabled);
  const named =
    textOf(value) === ''
      ? boxes
      : rank(boxes, value)
          .filter(({ score }) => score >= ENOUGH)
          .map(({ candidate }) => candidate);
  for (const box of named.slice(0, value.count))
    await use(driver, { candidate: box, score: 1 }, choice.on, memory);
  return named.length > 0 ? undefined : `found nothing to choose for "${value.phrase}"`;
}

/** Does "A > B > C": each step in what the one before it opened. Menus that open under the mouse are opened so. */
export async function choosePath(
  driver: Driver,
  steps: readonly Target[],
  memory: Memory,
): Promise<string | undefined> {
  for (const [index, step] of steps.entries()) {
    const item: Target = { ...step, kind: 'item' };
    const found = await seek(driver, clueFor(step, memory), memory, () =>
      matches(driver, item, memory, false),
    );
    if (!found?.[0])
      return `found no "${step.phrase}" on the way of ${steps.map(({ phrase }) => phrase).join(' > ')}`;
    const next = steps[index + 1];
    const opened = next !== undefined && (await opensUnderMouse(driver, found[0], next, memory));
    if (!opened) {
      const outcome = await driver.click(found[0]);
      if (outcome.error) return outcome.error;
    }
  }
  return undefined;
}

async function opensUnderMouse(
  driver: Driver,
  item: Candidate,
  next: Target,
  memory: Memory,
): Promise<boolean> {
  const shows = () => matches(driver, { ...next, kind: 'item' }, memory, false) !== undefined;
  await driver.hover(item);
  return shows() || ((await driver.wait()) && shows());
}
