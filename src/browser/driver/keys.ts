// Key names as people and models write them (xdotool's, the DOM's, the keyboard's own) into Playwright's.
import { DriverError } from './errors';

const NAMES: Record<string, string> = {
  return: 'Enter',
  enter: 'Enter',
  kp_enter: 'Enter',
  esc: 'Escape',
  escape: 'Escape',
  backspace: 'Backspace',
  del: 'Delete',
  delete: 'Delete',
  ins: 'Insert',
  insert: 'Insert',
  tab: 'Tab',
  space: 'Space',
  spacebar: 'Space',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  arrowup: 'ArrowUp',
  arrowdown: 'ArrowDown',
  arrowleft: 'ArrowLeft',
  arrowright: 'ArrowRight',
  home: 'Home',
  end: 'End',
  pageup: 'PageUp',
  page_up: 'PageUp',
  prior: 'PageUp',
  pgup: 'PageUp',
  pagedown: 'PageDown',
  page_down: 'PageDown',
  next: 'PageDown',
  pgdn: 'PageDown',
  pgdown: 'PageDown',
  capslock: 'CapsLock',
  caps_lock: 'CapsLock',
  menu: 'ContextMenu',
  contextmenu: 'ContextMenu',
  print: 'PrintScreen',
  printscreen: 'PrintScreen',
  plus: '+',
  minus: '-',
  equal: '=',
  comma: ',',
  period: '.',
  slash: '/',
  backslash: '\\',
  semicolon: ';',
  apostrophe: "'",
  grave: '`',
};

export type Modifier = 'Alt' | 'ControlOrMeta' | 'Meta' | 'Shift';

/**
 * Both `ctrl` and `cmd` are the platform's own shortcut key: a model does not know which system the browser runs on.
 */
const MODIFIERS: Record<string, Modifier> = {
  ctrl: 'ControlOrMeta',
  control: 'ControlOrMeta',
  control_l: 'ControlOrMeta',
  control_r: 'ControlOrMeta',
  controlormeta: 'ControlOrMeta',
  cmd: 'ControlOrMeta',
  command: 'ControlOrMeta',
  meta: 'Meta',
  super: 'Meta',
  super_l: 'Meta',
  win: 'Meta',
  windows: 'Meta',
  alt: 'Alt',
  alt_l: 'Alt',
  option: 'Alt',
  opt: 'Alt',
  shift: 'Shift',
  shift_l: 'Shift',
  shift_r: 'Shift',
};

function keyOf(name: string): string {
  const lower = name.toLowerCase();
  const known = NAMES[lower] ?? MODIFIERS[lower];
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
  // With a modifier, "ctrl+A" means the key A and not shift+a; with shift the key gives its capital.
  const letter = keys.length > 1 && /^[a-z]$/i.test(last);
  const key = letter ? (keys.includes('Shift') ? last.toUpperCase() : last.toLowerCase()) : last;
  return [...keys.slice(0, -1), key].join('+');
}

/**
 * A key, a chord or a sequence of them separated by spaces, as Playwright's `keyboard.press` takes them.
 *
 * @throws DriverError naming the key that there is not.
 */
export function keySequence(text: string): string[] {
  if (text === ' ') return ['Space'];
  const parts = text.split(/\s+/).filter(Boolean);
  if (parts.length === 0) throw new DriverError('key needs the name of a key, such as Enter or ctrl+a');
  return parts.map(chord);
}

/** The modifiers of a click: `ctrl+shift`. */
export function modifiersOf(text: string | null | undefined): Modifier[] {
  if (!text?.trim()) return [];
  return text
    .trim()
    .split(/[+\s]+/)
    .map(part => {
      const modifier = MODIFIERS[part.toLowerCase()];
      if (!modifier) throw new DriverError(`"${part}" is not a modifier key. Use ctrl, shift, alt or meta.`);
      return modifier;
    });
}
