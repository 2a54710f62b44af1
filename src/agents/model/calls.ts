// The tools that models may call, and reminders for models that lose their way.
import { fingerprintOf } from '../../browser/actions/record';
import { callInPage } from '../../browser/in-page';
import { within } from '../../browser/waiting';
import { pathOf } from '../../spec/url';
import type { SessionTask } from '../agent';
import { FORM_TOOLS, KEYBOARD_TOOLS } from '../tools/form';
import { MOUSE_TOOLS } from '../tools/mouse';
import { javascriptExec, READING_TOOLS } from '../tools/reading';
import { navigate, TAB_TOOLS } from '../tools/tabs';
import type { Tool } from '../tools/tool';

/** Repetitions are counted in so many turns. */
const REMEMBERED_TURNS = 10;
const REPETITIONS = 3;

/** The tools that models of any vendor use in the trial's tabs. */
const all = [navigate, TAB_TOOLS, READING_TOOLS, FORM_TOOLS, MOUSE_TOOLS, KEYBOARD_TOOLS, javascriptExec];
const tools = all.flat() as Tool[];
export const TOOLS: Record<string, Tool> = Object.fromEntries(tools.map(tool => [tool.name, tool]));

/** Whether a tool only looks or scrolls, so that it stays with `pageTools: 'only'`. */
export function isLooking(name: string): boolean {
  return TOOLS[name]?.acts === false || ['switch_tab', 'scroll', 'scroll_to'].includes(name);
}

export interface Call {
  id: string;
  name: string;
  input: unknown;
}

/** The result of a call: a value for the model, or why it failed or was not run. */
export interface Outcome {
  value?: unknown;
  error?: string | undefined;
}

export function remindersOf(task: SessionTask) {
  /** The newest turns as JSON: the calls, their page, and what it showed. */
  const turns: string[] = [];
  let remindedOfTurns = false;

  function ofTurns(): string | undefined {
    const { maxSteps, turnsLeft } = task;
    const used = maxSteps - turnsLeft;
    if (remindedOfTurns || used < maxSteps * 0.75 || turnsLeft === 0) return undefined;
    remindedOfTurns = true;
    return `${used} of ${maxSteps} turns are used, ${turnsLeft} are left. Do what matters most now, and end the task in time. If it can not be done, call give_up.`;
  }

  async function ofRepetition(calls: readonly Call[]): Promise<string | undefined> {
    const { page } = task;
    const [shown, view] = await Promise.all([
      fingerprintOf(page),
      within(callInPage(page, 'viewport'), 1_000),
    ]);
    const made = calls.map(({ name, input }) => ({ name, input }));
    const now = JSON.stringify([made, pathOf(page.url()), view?.scrolled, shown?.content]);
    turns.push(now);
    if (turns.length > REMEMBERED_TURNS) turns.shift();
    const times = turns.filter(each => each === now).length;
    if (times < REPETITIONS || times % REPETITIONS > 0) return undefined;
    return `You have made the same calls ${times} times, and come back to where you were. Try another way, or call give_up if there is none.`;
  }

  return async (calls: readonly Call[]) => [ofTurns(), await ofRepetition(calls)];
}
