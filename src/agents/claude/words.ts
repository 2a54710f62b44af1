// A call in the words of a person who tells what is being done.
import type { Page } from '@playwright/test';
import { focused, wordsFor } from '../../browser/driver/describe';
import type { Driver, Target } from '../../browser/driver/driver';
import { shorten } from '../../browser/driver/tree';
import type { BrowserInputs, ComputerInputs } from './inputs';

type BrowserMember = keyof BrowserInputs;

const CLICKS: Record<string, string> = {
  left_click: 'click',
  right_click: 'right-click',
  middle_click: 'middle-click',
  double_click: 'double-click',
  triple_click: 'triple-click',
  hover: 'hover over',
  left_mouse_down: 'press the mouse on',
  left_mouse_up: 'release the mouse on',
  mouse_move: 'move the mouse to',
  scroll_to: 'scroll to',
};
const PLAIN: Partial<Record<string, string>> = {
  list_tabs: 'list the tabs',
  new_tab: 'open a new tab',
  get_page_text: "read the page's text",
  read_console: 'read the console',
  read_network: 'read the network log',
  screenshot: 'take a screenshot',
  zoom: 'look closer at the page',
  cursor_position: 'ask where the pointer is',
  left_mouse_down: 'press the mouse button',
  left_mouse_up: 'release the mouse button',
};
const HISTORY: Record<string, string> = { back: 'go back', forward: 'go forward', reload: 'reload the page' };

function quote(text: string): string {
  return `"${shorten(text, 60)}"`;
}

async function typed(page: Page, text: string): Promise<string> {
  const field = wordsFor(await focused(page));
  return `type ${quote(text)}${field ? ` into ${field}` : ''}`;
}

function readWords({ filter, ref }: BrowserInputs['read_page'], driver: Driver): string {
  if (ref) return `read ${driver.refs.wordsOf(ref) ?? ref}`;
  return filter === 'interactive'
    ? 'read what can be acted on'
    : filter === 'all'
      ? 'read the whole page'
      : 'read the page';
}

/** For a valid input of `name`. */
export async function browserWords<K extends BrowserMember>(
  driver: Driver,
  page: Page,
  name: K,
  input: BrowserInputs[K],
): Promise<string> {
  const given = input as BrowserInputs[BrowserMember] & {
    target?: Target;
    text?: string;
    modifiers?: string | null;
  };
  const verb = CLICKS[name];
  if (verb && given.target) {
    const held = given.modifiers ? `${given.modifiers}+` : '';
    return `${held}${verb} ${await driver.wordsOf(page, given.target)}`;
  }
  return PLAIN[name] ?? (await otherWords(driver, page, name, input as never));
}

async function otherWords(driver: Driver, page: Page, name: BrowserMember, input: never): Promise<string> {
  const as = <K extends BrowserMember>(_: K) => input as BrowserInputs[K];
  switch (name) {
    case 'navigate': {
      const { url } = as(name);
      return HISTORY[url] ?? `go to ${shorten(url, 100)}`;
    }
    case 'switch_tab':
      return `switch to ${as(name).tab_id}`;
    case 'close_tab':
      return `close ${as(name).tab_id}`;
    case 'read_page':
      return readWords(as(name), driver);
    case 'find':
      return `look for ${quote(as(name).query)}`;
    case 'form_input': {
      const { target, value } = as(name);
      return `set ${await driver.wordsOf(page, target)} to ${quote(String(value))}`;
    }
    case 'file_upload':
      return `upload ${(as(name).paths ?? []).length} files to ${await driver.wordsOf(page, as(name).target)}`;
    case 'left_click_drag': {
      const { from, target } = as(name);
      return `drag ${await driver.wordsOf(page, from)} to (${target.x}, ${target.y})`;
    }
    case 'scroll':
      return `scroll ${as(name).scroll_direction}`;
    case 'type':
      return typed(page, as(name).text);
    default:
      return keyWords(name, input);
  }
}

function keyWords(name: string, input: { text?: string; duration?: number; repeat?: number | null }): string {
  if (name === 'key')
    return `press ${input.text}${input.repeat && input.repeat > 1 ? ` ${input.repeat} times` : ''}`;
  if (name === 'hold_key') return `hold ${input.text} for ${input.duration} s`;
  if (name === 'wait') return `wait ${input.duration} s`;
  return name === 'javascript_exec' ? `run the script ${quote(input.text ?? '')}` : name.replace(/_/g, ' ');
}

/** For a valid input of the computer toolset's `name`. */
export async function computerWords<K extends keyof ComputerInputs>(
  driver: Driver,
  page: Page,
  name: K,
  input: ComputerInputs[K],
): Promise<string> {
  const { coordinate, start_coordinate, text, scroll_direction } = input as {
    coordinate?: [number, number] | null;
    start_coordinate?: [number, number];
    text?: string;
    scroll_direction?: string;
  };
  const place = (point: [number, number]) =>
    driver.wordsOf(page, { type: 'coordinate', x: point[0], y: point[1] });
  if (name === 'left_click_drag')
    return `drag ${await place(start_coordinate!)} to (${coordinate!.join(', ')})`;
  if (name === 'scroll') return `scroll ${scroll_direction}`;
  if (name === 'type') return typed(page, text ?? '');
  const verb = CLICKS[name];
  if (verb && coordinate) return `${text ? `${text}+` : ''}${verb} ${await place(coordinate)}`;
  return PLAIN[name] ?? (verb ? `${verb} where the pointer is` : keyWords(name, input as { text?: string }));
}
