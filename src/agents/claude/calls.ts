// Runs the calls of one answer in order, and answers each once.
import type {
  BetaContentBlock,
  BetaTool,
  BetaToolResultBlockParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { z } from 'zod';
import { Driver } from '../../browser/driver/driver';
import { DriverError } from '../../browser/driver/errors';
import { shorten } from '../../browser/driver/tree';
import type { GaveUp, SessionTask, Turn } from '../agent';
import { PAGE_TOOLS } from '../page-tools';
import { filled } from '../secrets';
import { checkedInput, isToLookAt, NOT_RUN, runTool, TASK_TOOLS, type Tool } from '../tools';
import { BrowserToolset, type Members } from './browser-toolset';
import { ComputerToolset } from './computer-toolset';
import { withText } from './conversation';

/** Calls whose result is only the list of tabs. */
const STATE_ONLY = new Set(['new_tab', 'list_tabs', 'switch_tab', 'close_tab']);

export function callsOf(content: readonly BetaContentBlock[]): BetaToolUseBlock[] {
  return content.filter(block => block.type === 'tool_use');
}

export interface Answered {
  results: BetaToolResultBlockParam[];
  gaveUp: GaveUp | undefined;
}

export class Calls {
  private readonly driver: Driver;
  private readonly toolset: BrowserToolset | ComputerToolset;
  private readonly seesText: boolean;
  /** Tools besides the vendor's toolset. */
  private readonly own: Record<string, Tool>;
  /** What happened besides the calls, kept until a result can hold it. */
  private notices: string[] = [];

  constructor(
    private readonly task: SessionTask,
    tools: 'browser' | 'computer',
    members: Members,
    hasPageTools: boolean,
  ) {
    this.driver = new Driver(task, text => filled(text, task.secrets));
    this.seesText = tools === 'browser';
    this.own = { ...TASK_TOOLS, ...(hasPageTools && PAGE_TOOLS) };
    this.toolset =
      tools === 'browser' ? new BrowserToolset(this.driver, members) : new ComputerToolset(this.driver);
  }

  get tools() {
    const own = Object.entries(this.own).map(([name, { description, input }]): BetaTool => {
      const { $schema: _, ...schema } = z.toJSONSchema(input);
      return { name, description, input_schema: schema as BetaTool['input_schema'] };
    });
    return [this.toolset.toJSON(), ...own];
  }

  async close(): Promise<void> {
    await this.toolset.close();
    this.driver.dispose();
  }

  async titleOf(calls: readonly BetaToolUseBlock[]): Promise<string> {
    const words = await Promise.all(calls.map((call, index) => this.wordsOf(call, index)));
    return this.task.mask(shorten(words.join(', then '), 140));
  }

  private async wordsOf(call: BetaToolUseBlock, index: number): Promise<string> {
    const { name } = call;
    if (this.isMember(call)) return this.toolset.wordsOf(call, index).catch(() => name);
    const words = name.replace(/_/g, ' ');
    // Only the name for give_up, since the record has its reason.
    if (!(name in PAGE_TOOLS)) return words;
    const { success, data } = this.own[name]?.input.safeParse(call.input) ?? {};
    return success ? this.own[name]!.words(data, this.driver, this.driver.session.page) : words;
  }

  async run(calls: readonly BetaToolUseBlock[], turn: Turn): Promise<Answered> {
    const results: BetaToolResultBlockParam[] = [];
    let failed = false;
    for (const call of calls) {
      results.push(failed ? refusal(call, NOT_RUN) : await this.one(call, this.isMember(call), turn));
      failed ||= results.at(-1)!.is_error === true;
      if (this.driver.gaveUp !== undefined) break;
    }
    const reason = this.driver.gaveUp;
    const gaveUp = reason === undefined ? undefined : { status: 'gave_up' as const, reason };
    return { results, gaveUp };
  }

  /** The active tab as text; undefined for a model that only sees pictures. */
  async look(): Promise<string | undefined> {
    if (!this.seesText) return undefined;
    return this.task.mask((await this.driver.look(this.driver.session.page)).toWellFormed());
  }

  /** The state of the active tab at the last look. */
  get state() {
    return this.driver.observations.stateOf(this.driver.session.page);
  }

  /** What calls changed on the page; undefined if they only looked, if the last one read the page, or if it is still loading. */
  async changes(
    calls: readonly BetaToolUseBlock[],
    results: readonly BetaToolResultBlockParam[],
  ): Promise<string | undefined> {
    const isWorthALook = isToLookAt(calls, results.at(-1)?.is_error === true);
    return this.driver.isLoading || !isWorthALook ? undefined : this.look();
  }

  /**
   * The results to send, with notices and `words` in the last one that can hold text. As a text after the results, they
   * would make it more likely that the model stops in the middle of the task.
   */
  sent(calls: readonly BetaToolUseBlock[], results: BetaToolResultBlockParam[], words: readonly string[]) {
    this.notices.push(...this.driver.takeNotes(), ...this.task.takeNotices(), ...words);
    const index = results.findLastIndex((result, at) => result.is_error || !STATE_ONLY.has(calls[at]!.name));
    const texts = results.map(result => this.masked(result));
    if (this.notices.length > 0 && index >= 0)
      texts[index] = withText(texts[index]!, this.notices.splice(0).join('\n'));
    return texts;
  }

  private isMember({ toolset_name }: BetaToolUseBlock): boolean {
    return toolset_name === this.toolset.toolsetName;
  }

  private async one(call: BetaToolUseBlock, member: boolean, turn: Turn): Promise<BetaToolResultBlockParam> {
    this.task.signal.throwIfAborted();
    let noted = false;
    this.driver.onDone = done => {
      noted = true;
      turn.action(done);
    };
    const result = await (member ? this.toolset.toolResult(call) : this.ownResult(call));
    this.task.signal.throwIfAborted();
    // If the SDK or our check refused the call, the driver has not reported an action.
    if (!noted) turn.action({ title: call.name, ...(result.is_error && { error: textOf(result) }) });
    return result;
  }

  private async ownResult(call: BetaToolUseBlock): Promise<BetaToolResultBlockParam> {
    const { driver } = this;
    const tool = this.own[call.name];
    try {
      if (!tool) throw new DriverError(`There is no tool ${JSON.stringify(call.name)} here.`);
      const input = checkedInput(call.name, tool.input, call.input);
      return textResult(call, String(await runTool(tool, input, driver, driver.session.page)));
    } catch (error) {
      if (error instanceof DriverError) return refusal(call, error.message);
      throw error;
    }
  }

  /** Masks secrets. The tabs' titles and addresses are already masked. */
  private masked(result: BetaToolResultBlockParam): BetaToolResultBlockParam {
    if (!Array.isArray(result.content)) return { ...result, content: this.task.mask(result.content ?? '') };
    const content = result.content.map(part =>
      part.type === 'text' ? { ...part, text: this.task.mask(part.text) } : part,
    );
    return { ...result, content };
  }
}

/** Answers to calls that don't run. */
export function refusals(calls: readonly BetaToolUseBlock[], text: string): BetaToolResultBlockParam[] {
  return calls.map(call => refusal(call, text));
}

function textResult({ id, toolset_name }: BetaToolUseBlock, text: string): BetaToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(toolset_name != null && { toolset_name }),
    content: [{ type: 'text', text }],
  };
}

function refusal(call: BetaToolUseBlock, text: string): BetaToolResultBlockParam {
  return { ...textResult(call, text), is_error: true };
}

function textOf({ content }: BetaToolResultBlockParam): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' ');
}
