// Does one instruction.

import { setTimeout } from 'node:timers/promises';
import { portableUrl } from '../../browser/page-action';
import { choose, choosePath } from './choosing';
import type { Driver, Outcome } from './driver';
import { enter, search } from './entering';
import { ASKS_TO_SEND, sender } from './forms';
import type { Detail, Instruction } from './instruction';
import { ENOUGH, isField, isTextField, rank } from './match';
import { clearWay, closer } from './overlays';
import { nthResult } from './results';
import { clueFor, type Memory, matches, seek } from './seek';
import type { Target } from './targets';
import { coverage } from './tokens';
import type { Candidate } from './view';

/** Undefined when done, else a sentence that says what stood in the way. */
export type Problem = string | undefined;

const textOf = (target: Target) => target.readings[0]?.text ?? '';

/** Clicks the likeliest candidate; the next one where that one refuses or has no effect. */
async function clickFirst(driver: Driver, candidates: readonly Candidate[]): Promise<Problem> {
  let problem: Problem;
  for (const candidate of candidates.slice(0, 3)) {
    const ready = await clearWay(driver, candidate);
    if (!ready) continue;
    const outcome = await clickTwice(driver, ready);
    if (outcome.changed && !outcome.error) return undefined;
    problem = outcome.error;
    if (candidates.length === 1 && !outcome.error) return undefined;
  }
  return problem;
}

/** A click without any effect may have come before the page's script did: once more, unless it was refused by something above. */
async function clickTwice(driver: Driver, candidate: Candidate): Promise<Outcome> {
  const first = await driver.click(candidate);
  if (first.changed && !first.error) return first;
  const toggles = candidate.checked !== null || isField(candidate);
  if (toggles || driver.task.turnsLeft < 2 || /lies over/.test(first.error ?? '')) return first;
  const again = driver.view.candidates.find(({ key }) => key === candidate.key);
  return again && !first.changed ? driver.click(again) : first;
}

async function clickEach(driver: Driver, target: Target, memory: Memory): Promise<Problem> {
  const done = new Set<string>();
  const top = driver.rank(target)[0]?.score ?? 0;
  while (done.size < target.count) {
    const ranked = driver
      .rank(target)
      .filter(({ score, candidate }) => score >= Math.max(ENOUGH, top * 0.88) && !done.has(candidate.key));
    const next = ranked.map(({ candidate }) => candidate).sort((a, b) => a.index - b.index)[0];
    if (!next) return done.size > 0 ? undefined : clickTarget(driver, { ...target, count: 1 }, memory);
    done.add(next.key);
    await clickFirst(driver, [next]);
  }
  return undefined;
}

async function clickTarget(driver: Driver, target: Target, memory: Memory): Promise<Problem> {
  if (target.count > 1) return clickEach(driver, target, memory);
  if (target.kind === 'result' && textOf(target) === '') {
    const result = await nthResult(driver, target.ordinal ?? 1);
    return result ? clickFirst(driver, [result]) : `found no result number ${target.ordinal ?? 1}`;
  }
  const find = (strict: boolean) => matches(driver, target, memory, strict);
  const now = find(memory.looksInside);
  const sends = ASKS_TO_SEND.test(textOf(target)) ? sender(driver, memory.lastField) : undefined;
  const found = now ?? (sends ? [sends] : await seek(driver, clueFor(target, memory), memory, find));
  if (!found) return `found nothing like "${target.phrase}"`;
  return clickFirst(driver, found);
}

async function open(driver: Driver, target: Target, memory: Memory): Promise<Problem> {
  const wanted = textOf(target) || target.phrase;
  const here = `${driver.view.title} ${driver.view.headings[0] ?? ''} ${driver.view.url.replace(/^\w+:\/\/[^/]*/, '')}`;
  const found = matches(driver, { ...target, kind: target.kind ?? 'page' }, memory, memory.looksInside);
  if (!found && target.kind === 'page' && coverage(wanted, here) >= 0.9) return undefined;
  const problem = found ? await clickFirst(driver, found) : await clickTarget(driver, target, memory);
  if (!problem) memory.subject = '';
  return problem;
}

async function goTo(driver: Driver, url: string): Promise<Problem> {
  const outcome = await driver.turn(`open ${url}`, async () => {
    await driver.recorder.record(driver.page, { do: 'goto', url: portableUrl(url, driver.task.entryUrl) });
    await driver.page.goto(url, { timeout: 10_000, waitUntil: 'domcontentloaded' });
  });
  return outcome.error;
}

async function submit(driver: Driver, target: Target, memory: Memory): Promise<Problem> {
  const named =
    textOf(target) === '' ? undefined : matches(driver, { ...target, kind: 'button' }, memory, false);
  const control = named?.[0] ?? sender(driver, memory.lastField);
  if (control) return clickFirst(driver, [control]);
  const outcome = memory.lastField ? await driver.press('Enter') : undefined;
  return outcome?.changed ? undefined : 'found nothing that submits the form';
}

const REFUSES = /^(?:dismiss|close|reject|decline|deny|skip|ignore)$/;

async function answer(
  driver: Driver,
  instruction: Instruction & { do: 'dismiss' | 'accept' },
  memory: Memory,
): Promise<Problem> {
  const asked: Target = { ...instruction.target, kind: 'button' };
  const named = matches(driver, asked, memory, false);
  if (named && (driver.rank(asked)[0]?.score ?? 0) >= 0.6) return clickFirst(driver, named);
  if (instruction.do === 'accept') {
    const agree = matches(
      driver,
      phrase('accept', 'agree', 'ok', 'allow', 'yes', 'confirm', 'got it'),
      memory,
      false,
    );
    return agree ? clickFirst(driver, agree) : undefined;
  }
  const scope = instruction.target.phrase;
  const close = rank(driver.view.candidates, {
    ...phrase('close', 'dismiss', 'hide', 'x', 'reject', 'no thanks'),
    readings: ['close', 'dismiss', 'hide', 'x'].map(text => ({ text, scope })),
  })[0];
  const control = close && close.score >= 0.5 ? close.candidate : closer(driver);
  return control && REFUSES.test(instruction.source.split(' ')[0]!.toLowerCase())
    ? clickFirst(driver, [control])
    : undefined;
}

const phrase = (...texts: string[]): Target => ({
  readings: texts.map(text => ({ text, scope: '' })),
  exact: false,
  kind: 'button',
  count: 1,
  phrase: texts[0]!,
});

async function expand(driver: Driver, target: Target, memory: Memory): Promise<Problem> {
  const closed = driver.view.candidates.filter(
    ({ expanded, selected, role }) => expanded === false || (role === 'tab' && !selected),
  );
  const section =
    closed.length > 0
      ? closed
      : driver.view.candidates.filter(({ role, name }) => role === 'clickable' && name.length < 60);
  if (target.count > 1) {
    for (const one of section) await clickFirst(driver, [one]);
    return undefined;
  }
  const named = matches(
    driver,
    { ...target, kind: 'section' },
    memory,
    false,
    textOf(target) === '' ? section : undefined,
  );
  const found = named ?? (section[0] ? [section[0]] : undefined);
  return found ? clickFirst(driver, found) : `found nothing to expand for "${target.phrase}"`;
}

/** Names, numbers and handles in a phrase: what a page must say to be about it. */
const strongWords = (phrase: string) =>
  (phrase.match(/(?:[@#]\S+|\b(?:\p{Lu}|\d)[\p{L}\p{N}-]*)/gu) ?? []).join(' ');

function mentions(driver: Driver, words: string): Candidate[] | undefined {
  const found = driver.view.candidates.filter(
    ({ name, title }) => coverage(words, `${name} ${title}`) >= 0.9,
  );
  return found.length > 0 ? found : undefined;
}

/** Brings what is named into sight: opens it where it is collapsed, follows nothing where it is there already. */
async function find(
  driver: Driver,
  { target, heading }: Instruction & { do: 'find' },
  memory: Memory,
): Promise<Problem> {
  const last = memory.remaining === 0 && !heading;
  const searches = last && (memory.done === 0 || target.exact);
  const words = strongWords(target.phrase);
  if (!heading && words !== '' && !last)
    await seek(driver, clueFor(target, memory), memory, () => mentions(driver, words));
  const now = (strict: boolean) => matches(driver, target, memory, strict);
  const found = searches ? await seek(driver, clueFor(target, memory), memory, now) : now(false);
  const best = found?.[0];
  const follows = last && best !== undefined && /^(?:link|clickable|menuitem)$/.test(best.role);
  if (best && !heading && (best.expanded === false || (best.role === 'tab' && !best.selected) || follows))
    return clickFirst(driver, [best]);
  memory.subject = target.phrase;
  return undefined;
}

/** CSS pixels: beyond the end of any page. */
const FAR = 1_000_000;

async function scroll(driver: Driver, to: 'top' | 'bottom', target: Target): Promise<Problem> {
  const field =
    target.kind === 'field' ? driver.view.candidates.find(({ tag }) => tag === 'textarea') : undefined;
  const outcome = await driver.turn(`scroll to the ${to}`, async () => {
    const move = (element: Element, down: boolean) =>
      element.scrollTo({ top: down ? element.scrollHeight : 0 });
    const draft = { do: 'scroll', x: 0, y: to === 'bottom' ? FAR : -FAR } as const;
    if (field) await driver.useElement(field, draft, element => element.evaluate(move, to === 'bottom'));
    else {
      await driver.recorder.record(driver.page, draft);
      await driver.page.evaluate(
        down => window.scrollTo({ top: down ? document.documentElement.scrollHeight : 0 }),
        to === 'bottom',
      );
    }
  });
  return outcome.error;
}

async function focus(driver: Driver, target: Target, memory: Memory): Promise<Problem> {
  const fields = driver.view.candidates.filter(isTextField);
  const named = textOf(target) === '' ? undefined : matches(driver, target, memory, false, fields);
  const field =
    named?.[0] ??
    (target.ordinal === undefined
      ? fields[0]
      : target.ordinal < 0
        ? fields.at(target.ordinal)
        : fields[target.ordinal - 1]);
  if (!field) return `found no field called "${target.phrase}"`;
  const ready = (await clearWay(driver, field)) ?? field;
  return (await driver.on(ready, 'focus', { do: 'focus' }, element => element.focus())).error;
}

/** The goal itself says how long to wait: the one wait here that is for a time and not for a state. */
async function pause(driver: Driver, ms: number): Promise<Problem> {
  const { signal } = driver.task;
  const outcome = await driver.turn(`wait ${ms / 1000} s`, () => {
    driver.recorder.readOnly();
    return setTimeout(ms, undefined, { signal });
  });
  return outcome.error;
}

const PRONOUN = /^(?:it|them|him|her|that|this|me|us|there|everyone)$/i;

/** After "reply", "forward", ...: fills what its form asks for and sends it. */
async function details(
  driver: Driver,
  all: readonly Detail[],
  before: ReadonlySet<string>,
  memory: Memory,
): Promise<void> {
  let filled = false;
  for (const { preposition, value, quoted } of all) {
    if (PRONOUN.test(value)) continue;
    const fresh = driver.view.candidates.filter(
      candidate =>
        isTextField(candidate) &&
        !before.has(candidate.key) &&
        !memory.filled.has(candidate.key) &&
        !candidate.disabled,
    );
    const named = rank(fresh, { ...phrase(preposition), kind: undefined })[0];
    const field =
      named && named.score >= 0.45
        ? named.candidate
        : quoted
          ? (fresh.find(({ tag, value: text }) => tag === 'textarea' && text === '') ??
            fresh.find(({ value: text }) => text === ''))
          : undefined;
    if (!field) continue;
    const draft = { do: 'fill', text: value } as const;
    const outcome = await driver.on(field, `enter "${value}" into`, draft, element =>
      element.fill(value, { timeout: driver.timeout }),
    );
    memory.filled.add(field.key);
    memory.lastField = field;
    filled ||= !outcome.error;
  }
  const send = filled ? sender(driver, memory.lastField) : undefined;
  if (send) await clickFirst(driver, [send]);
}

async function act(
  driver: Driver,
  instruction: Instruction & { do: 'act' },
  memory: Memory,
): Promise<Problem> {
  const before = new Set(driver.view.candidates.map(({ key }) => key));
  const problem = await clickTarget(driver, instruction.target, memory);
  if (!problem) await details(driver, instruction.details, before, memory);
  return problem;
}

/** Does one instruction on the page as `driver.view` has it. */
export async function perform(driver: Driver, instruction: Instruction, memory: Memory): Promise<Problem> {
  switch (instruction.do) {
    case 'click':
      return clickTarget(driver, instruction.target, memory);
    case 'open':
      return open(driver, instruction.target, memory);
    case 'goto':
      return goTo(driver, instruction.url);
    case 'back':
      return (
        await driver.turn('go back', async () => {
          await driver.recorder.record(driver.page, { do: 'back' });
          await driver.page.goBack({ timeout: 5000, waitUntil: 'domcontentloaded' });
        })
      ).error;
    case 'find':
      return find(driver, { ...instruction, do: 'find' }, memory);
    case 'focus':
      return focus(driver, instruction.target, memory);
    case 'hover': {
      const found = await seek(driver, clueFor(instruction.target, memory), memory, strict =>
        matches(driver, instruction.target, memory, strict),
      );
      return found?.[0]
        ? (await driver.hover(found[0])).error
        : `found nothing like "${instruction.target.phrase}"`;
    }
    case 'expand':
      return expand(driver, instruction.target, memory);
    case 'submit':
      return submit(driver, instruction.target, memory);
    case 'dismiss':
    case 'accept':
      return answer(driver, { ...instruction, do: instruction.do }, memory);
    case 'choose':
      return choose(driver, instruction, memory);
    case 'path':
      return choosePath(driver, instruction.steps, memory);
    case 'enter':
      return enter(driver, instruction.value, instruction.target, memory);
    case 'search':
      return search(driver, instruction.text, memory);
    case 'press':
      return (await driver.press(instruction.key)).error;
    case 'wait':
      return pause(driver, instruction.ms);
    case 'scroll':
      return scroll(driver, instruction.to, instruction.target);
    case 'act':
      return act(driver, instruction, memory);
  }
}
