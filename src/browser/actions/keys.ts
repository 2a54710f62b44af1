// Turns names of keys, as people and models write them (xdotool's, the DOM's, those on keyboards), into Playwright's.
import { DriverError } from './act';

/** Playwright's names of keys, each followed by its other names. Case does not matter. */
const KEYS = byAlias([
  'Enter return kp_enter|Escape esc|Backspace|Delete del|Insert ins|Tab|Space spacebar|Home|End',
  'ArrowUp up|ArrowDown down|ArrowLeft left|ArrowRight right',
  'PageUp page_up prior pgup|PageDown page_down next pgdn pgdown|CapsLock caps_lock|ContextMenu menu|PrintScreen print',
  "+ plus|- minus|= equal|, comma|. period|/ slash|\\ backslash|; semicolon|' apostrophe|` grave",
]);

/** Both `ctrl` and `cmd` are the platform's shortcut key: a model does not know which system the browser runs on. */
const MODIFIERS = byAlias<'Alt' | 'ControlOrMeta' | 'Meta' | 'Shift'>([
  'ControlOrMeta ctrl control control_l control_r cmd command|Meta super super_l win windows',
  'Alt alt_l option opt|Shift shift_l shift_r',
]);

function byAlias<Name extends string>(lines: string[]): Map<string, Name> {
  const keys = lines.flatMap(line => line.split('|')).map(names => names.split(' '));
  return new Map(keys.flatMap(names => names.map(each => [each.toLowerCase(), names[0] as Name])));
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
  if (keys.length > 1 && /^[a-z]$/i.test(last))
    keys[keys.length - 1] = keys.includes('Shift') ? last.toUpperCase() : last.toLowerCase();
  return keys.join('+');
}

export function keySequence(text: string): string[] {
  if (text === ' ') return ['Space'];
  const parts = text.split(/\s+/).filter(Boolean);
  if (parts.length === 0) throw new DriverError('key needs the name of a key, such as Enter or ctrl+a');
  return parts.map(chord);
}

export function modifiersOf(text: string | null | undefined) {
  return (text?.match(/[^+\s]+/g) ?? []).map(part => {
    const modifier = MODIFIERS.get(part.toLowerCase());
    if (!modifier) throw new DriverError(`"${part}" is not a modifier key. Use ctrl, shift, alt or meta.`);
    return modifier;
  });
}
