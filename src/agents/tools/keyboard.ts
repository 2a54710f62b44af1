// Types texts and presses keys, by the names that people and models use (of xdotool, the DOM and keyboards).
import type { Page } from '@playwright/test';
import { elementAt } from '../../browser/actions/locate';
import { DriverError } from '../../browser/errors';
import { sleep } from '../../browser/waiting';
import type { Driver } from './driver';

const MAX_SECONDS = 30;

/** @returns a hint for the model, if nothing has the focus */
export async function type(driver: Driver, page: Page, text: string): Promise<string | undefined> {
  // Asked before the first key, and answered while typing.
  const field = elementAt(page, null);
  await driver.perform(page, { do: 'type', text: driver.fill(text) });
  return (await field)
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
  await holding(page, parts, () => wait(driver, seconds));
}

/** Runs something while keys are down. */
export async function holding(page: Page, keys: readonly string[], run: () => Promise<void>): Promise<void> {
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

export async function wait(driver: Driver, seconds: number): Promise<void> {
  await sleep(Math.min(seconds, MAX_SECONDS) * 1000, driver.task.signal);
}

/** Keys by Playwright's name, with their other names. Upper and lower case are equal. */
const KEYS = byAlias({
  Enter: 'return kp_enter',
  Escape: 'esc',
  Backspace: '',
  Delete: 'del',
  Insert: 'ins',
  Tab: '',
  Space: 'spacebar',
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: '',
  End: '',
  PageUp: 'page_up prior pgup',
  PageDown: 'page_down next pgdn pgdown',
  CapsLock: 'caps_lock',
  ContextMenu: 'menu',
  PrintScreen: 'print',
  '+': 'plus',
  '-': 'minus',
  '=': 'equal',
  ',': 'comma',
  '.': 'period',
  '/': 'slash',
  '\\': 'backslash',
  ';': 'semicolon',
  "'": 'apostrophe',
  '`': 'grave',
});

type Modifier = 'Alt' | 'ControlOrMeta' | 'Meta' | 'Shift';

/** Both `ctrl` and `cmd` are the platform's shortcut key: a model does not know which system the browser runs on. */
const MODIFIERS = byAlias<Modifier>({
  ControlOrMeta: 'ctrl control control_l control_r cmd command',
  Meta: 'super super_l win windows',
  Alt: 'alt_l option opt',
  Shift: 'shift_l shift_r',
});

function byAlias<Name extends string>(names: Record<Name, string>): Map<string, Name> {
  const entries = Object.entries(names) as [Name, string][];
  return new Map(
    entries.flatMap(([name, others]) => [name.toLowerCase(), ...others.split(' ')].map(each => [each, name])),
  );
}

function keyOf(name: string): string {
  const lower = name.toLowerCase();
  const known = KEYS.get(lower) ?? MODIFIERS.get(lower);
  if (known) return known;
  if (/^f([1-9]|1\d|2[0-4])$/.test(lower)) return lower.toUpperCase();
  if ([...name].length === 1) return name;
  throw new DriverError(
    `"${name}" is not a key. Use names like Enter, Tab, Escape, Backspace, Delete, ArrowDown, PageDown, Home, F5 or a single character, joined by "+" for a chord (ctrl+a). To enter text, use type.`,
  );
}

function chord(text: string): string {
  // The last "+" of "ctrl++" is the key itself.
  const parts = text === '+' ? ['+'] : text.replace(/\+\+$/, '+plus').split('+');
  if (parts.some(part => part === ''))
    throw new DriverError(`"${text}" is not a key chord: write it like ctrl+shift+a`);
  const keys = parts.map(keyOf);
  const last = keys.at(-1)!;
  // "ctrl+A" is the key A without shift; with shift, it is the capital letter.
  const letter = keys.length > 1 && /^[a-z]$/i.test(last);
  const key = letter ? (keys.includes('Shift') ? last.toUpperCase() : last.toLowerCase()) : last;
  return [...keys.slice(0, -1), key].join('+');
}

/**
 * A key, a chord or a sequence of them separated by spaces, as Playwright's `keyboard.press` takes them.
 *
 * @throws DriverError that names the unknown key.
 */
export function keySequence(text: string): string[] {
  if (text === ' ') return ['Space'];
  const parts = text.split(/\s+/).filter(Boolean);
  if (parts.length === 0) throw new DriverError('key needs the name of a key, such as Enter or ctrl+a');
  return parts.map(chord);
}

/** The modifiers of a click: `ctrl+shift`. */
export function modifiersOf(text: string | null | undefined): Modifier[] {
  return (text?.match(/[^+\s]+/g) ?? []).map(part => {
    const modifier = MODIFIERS.get(part.toLowerCase());
    if (!modifier) throw new DriverError(`"${part}" is not a modifier key. Use ctrl, shift, alt or meta.`);
    return modifier;
  });
}
