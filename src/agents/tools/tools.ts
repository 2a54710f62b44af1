// The tools that models of any vendor use in the trial's tabs, by name.
import { FORM_TOOLS, KEYBOARD_TOOLS } from './form';
import { MOUSE_TOOLS } from './mouse';
import { javascriptExec, READING_TOOLS } from './reading';
import { navigate, TAB_TOOLS } from './tabs';
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

/** Whether a tool remains with `pageTools: 'only'`, besides those of the page: it looks or scrolls. */
export function isLooking(name: string): boolean {
  return !TOOLS[name]?.acts || ['switch_tab', 'scroll', 'scroll_to'].includes(name);
}

/** Whether a call may change the page, or what is shown of it. */
function isChanging({ name }: { name: string }): boolean {
  return name === 'wait' || name === 'call_page_tool' || TOOLS[name]?.acts === true;
}

/**
 * Whether to look at the page after these calls: one of them may have changed it, and the last one did not read it.
 *
 * @param lastFailed the last call failed, or was not run
 */
export function isToLookAt(calls: readonly { name: string; input: unknown }[], lastFailed: boolean): boolean {
  const last = calls.at(-1);
  const isRead = !lastFailed && last?.name === 'read_page' && !(last.input as { ref?: unknown } | null)?.ref;
  return !isRead && calls.some(isChanging);
}
