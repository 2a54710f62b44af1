// The tools that models of any vendor use in the trial's tabs, by name.
import { FORM_TOOLS } from './form';
import { KEYBOARD_TOOLS } from './keyboard';
import { MOUSE_TOOLS } from './mouse';
import { navigate } from './navigation';
import { javascriptExec, READING_TOOLS } from './reading';
import { TAB_TOOLS } from './tabs';
import { PAGE_TOOLS } from './task';
import type { Tool } from './tool';

export const TOOLS = toolsByName([
  navigate,
  ...TAB_TOOLS,
  ...READING_TOOLS,
  ...FORM_TOOLS,
  ...MOUSE_TOOLS,
  ...KEYBOARD_TOOLS,
  javascriptExec,
] as Tool[]);

export function toolsByName(tools: readonly Tool[]): Record<string, Tool> {
  return Object.fromEntries(tools.map(tool => [tool.name, tool]));
}

/** The tools that remain with `pageTools: 'only'`, besides those of the page: they look or scroll. */
const LOOKING =
  'list_tabs switch_tab read_page find get_page_text screenshot zoom scroll scroll_to wait read_console read_network next_dialog give_up finish'.split(
    ' ',
  );

export const isLooking = (name: string) => LOOKING.includes(name);

const acting = [...Object.values(TOOLS), ...(PAGE_TOOLS as Tool[])].filter(({ acts }) => acts);
/** Tools that may change the page, or what is shown of it. */
const CHANGING = new Set(['wait', 'new_tab', ...acting.map(({ name }) => name)]);

/**
 * Whether to look at the page after these calls: one of them may have changed it, and the last one did not read it.
 *
 * @param lastFailed the last call failed, or was not run
 */
export function isToLookAt(calls: readonly { name: string; input: unknown }[], lastFailed: boolean): boolean {
  const last = calls.at(-1);
  const isRead = !lastFailed && last?.name === 'read_page' && !(last.input as { ref?: unknown } | null)?.ref;
  return !isRead && calls.some(({ name }) => CHANGING.has(name));
}
