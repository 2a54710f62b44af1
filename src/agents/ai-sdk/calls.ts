// Runs the calls of one answer in order, and answers each once.
import type { ToolModelMessage, UserModelMessage } from 'ai';
import { z } from 'zod';
import { Driver } from '../../browser/driver/driver';
import { DriverError } from '../../browser/driver/errors';
import { shorten } from '../../browser/driver/tree';
import type { SessionTask, Turn } from '../agent';
import type { Ending } from '../model/play';
import { isLooking, PAGE_TOOLS } from '../page-tools';
import { filled } from '../secrets';
import { checkedInput, isToLookAt, NOT_RUN, runTool, type Tool } from '../tools';
import { membersFor } from './members';

const MAX_TEXT = 50_000;

export interface Call {
  toolCallId: string;
  toolName: string;
  input: unknown;
}

interface Picture {
  data: string;
  mediaType: string;
}

export interface Result {
  text: string;
  isError?: true;
  picture?: Picture;
}

export class Calls {
  members: Record<string, Tool>;
  private readonly driver: Driver;
  /** The tabs as the model last saw them. */
  private tabs = '';
  /** An answer's first call in words: nothing happens before it, so they stay true. */
  private told: { call: Call; words: string } | undefined;

  constructor(
    private readonly task: SessionTask,
    pictures: boolean,
    private readonly hasPageTools: boolean,
  ) {
    this.members = this.membersFor(pictures);
    this.driver = new Driver(task, text => filled(text, task.secrets));
  }

  /** Removes tools that need pictures. */
  dropPictures(): void {
    this.members = this.membersFor(false);
  }

  private membersFor(pictures: boolean): Record<string, Tool> {
    const all = Object.entries({ ...membersFor(pictures), ...(this.hasPageTools && PAGE_TOOLS) });
    const isOnly = this.task.webmcp.mode === 'only';
    return Object.fromEntries(all.filter(([name]) => !isOnly || name in PAGE_TOOLS || isLooking(name)));
  }

  get definitions() {
    return Object.entries(this.members).map(([name, { description, input }]) => {
      const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
      return { name, description, schema };
    });
  }

  dispose(): void {
    this.driver.dispose();
  }

  async titleOf(calls: readonly Call[]): Promise<string> {
    const words = await Promise.all(
      calls.map((call, index) => this.wordsOf(call, index).catch(() => call.toolName)),
    );
    return this.task.mask(shorten(words.join(', then '), 140));
  }

  private async wordsOf(call: Call, index: number): Promise<string> {
    const tool = this.toolOf(call.toolName);
    const words = await tool.words(
      tool.input.parse(given(call.input)),
      this.driver,
      this.driver.session.page,
    );
    if (index === 0) this.told = { call, words };
    return words;
  }

  async run(calls: readonly Call[], turn: Turn): Promise<{ results: Result[]; ending: Ending }> {
    const results: Result[] = [];
    for (const call of calls) {
      const failed = results.some(({ isError }) => isError);
      results.push(failed ? { text: NOT_RUN, isError: true } : await this.one(call, turn));
      if (this.driver.gaveUp !== undefined)
        return { results, ending: { result: { status: 'gave_up', reason: this.driver.gaveUp } } };
      if (call.toolName === 'finish' && !results.at(-1)!.isError) {
        turn.narrate(this.task.mask(String(given(call.input).result)));
        return { results, ending: { result: undefined } };
      }
    }
    return { results, ending: undefined };
  }

  /** The tabs if they have changed, and what the active one shows: all of it, or only changes. */
  async look(): Promise<string> {
    const page = await this.driver.look(this.driver.session.page);
    return this.task.mask([await this.newTabs(), page].filter(Boolean).join('\n').toWellFormed());
  }

  /** The state of the active tab at the last look. */
  get state() {
    return this.driver.observations.stateOf(this.driver.session.page);
  }

  /** What calls changed on the page; undefined if they only looked, if the last one read the page, or if it is still loading. */
  async changes(calls: readonly Call[], results: readonly Result[]): Promise<string | undefined> {
    const called = calls.map(({ toolName, input }) => ({ name: toolName, input }));
    const isWorthALook = isToLookAt(called, results.at(-1)?.isError === true);
    return this.driver.isLoading || !isWorthALook ? undefined : this.look();
  }

  /** The messages to send: the results, with notices and `words` in the last one, then the pictures. */
  sent(calls: readonly Call[], results: readonly Result[], words: readonly string[]) {
    const besides = [...this.driver.takeNotes(), ...this.task.takeNotices(), ...words];
    const content = calls.map(({ toolCallId, toolName }, index) => {
      const { text, isError } = results[index]!;
      const words = [isError ? `Error: ${text}` : text, ...(index === calls.length - 1 ? besides : [])];
      // As text: some providers wrap errors in JSON and add words of their own.
      const output = { type: 'text' as const, value: this.task.mask(words.join('\n')) };
      return { type: 'tool-result' as const, toolCallId, toolName, output };
    });
    const pictures = results.flatMap(({ picture }) => (picture ? [picture] : []));
    // Few APIs accept a picture in a result.
    const shown = pictures.map(({ data, mediaType }) => ({ type: 'file' as const, data, mediaType }));
    const message: ToolModelMessage = { role: 'tool', content };
    return shown.length > 0
      ? [message, { role: 'user', content: shown } satisfies UserModelMessage]
      : [message];
  }

  private async newTabs(): Promise<string | undefined> {
    const { tabs } = await this.driver.tabs.state();
    const lines = tabs.map(
      ({ tab_id, title, url, active }) =>
        `- ${tab_id}: "${title}" ${url}${active && tabs.length > 1 ? ' (active)' : ''}`,
    );
    const told = ['Open tabs:', ...lines].join('\n');
    if (told === this.tabs) return undefined;
    this.tabs = told;
    return told;
  }

  private toolOf(name: string): Tool {
    if (Object.hasOwn(this.members, name)) return this.members[name]!;
    const known = Object.keys(this.members).join(', ');
    throw new DriverError(`There is no tool ${JSON.stringify(name)} here. Tools: ${known}.`);
  }

  private async one(call: Call, turn: Turn): Promise<Result> {
    this.task.signal.throwIfAborted();
    let noted = false;
    this.driver.onDone = done => {
      noted = true;
      turn.action(done);
    };
    const result = await this.tried(call);
    this.task.signal.throwIfAborted();
    // If the input was wrong, the driver has not reported an action.
    if (!noted) turn.action({ title: call.toolName, ...(result.isError && { error: result.text }) });
    return result;
  }

  private async tried(call: Call): Promise<Result> {
    const { toolName, input } = call;
    const told = this.told?.call === call ? this.told.words : undefined;
    try {
      const tool = this.toolOf(toolName);
      const checked = checkedInput(toolName, tool.input, given(input));
      return resultOf(await runTool(tool, checked, this.driver, this.driver.session.page, told));
    } catch (error) {
      if (error instanceof DriverError) return { text: error.message, isError: true };
      throw error;
    }
  }
}

/** Models send null for fields that they leave out. A value that is not an object is refused later, with a reason. */
function given(input: unknown): Record<string, unknown> {
  if (typeof input !== 'object' || input === null) return input as never;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function resultOf(value: unknown): Result {
  if (value === undefined || value === null || value === '') return { text: 'Done.' };
  if (typeof value !== 'object') return { text: bounded(String(value)) };
  const { data, mediaType } = value as Partial<Picture>;
  if (data !== undefined && mediaType !== undefined)
    return { text: 'The picture follows.', picture: { data, mediaType } };
  return { text: bounded(JSON.stringify(value)) };
}

function bounded(text: string): string {
  const whole = text.toWellFormed();
  if (whole.length <= MAX_TEXT) return whole;
  return `${whole.slice(0, MAX_TEXT).toWellFormed()}… (${whole.length - MAX_TEXT} more characters)`;
}
