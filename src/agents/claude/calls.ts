// The calls of an answer: those of the vendor's toolset, and of our own tools.
import type {
  BetaTool,
  BetaToolResultBlockParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { SessionTask } from '../agent';
import { Calls, type Outcome } from '../model/calls';
import { giveUp, nextDialog, PAGE_TOOLS } from '../tools/task';
import type { Tool } from '../tools/tool';
import { toolsByName } from '../tools/tools';
import { withText } from './conversation';
import { BrowserToolset, ComputerToolset, type Members } from './toolsets';

type Block = BetaToolResultBlockParam;

/** Calls whose result is only the list of tabs. */
const STATE_ONLY = new Set(['new_tab', 'list_tabs', 'switch_tab', 'close_tab']);

export class ClaudeCalls extends Calls<BetaToolUseBlock, Block> {
  protected readonly tools: Record<string, Tool>;
  private readonly toolset: BrowserToolset | ComputerToolset;
  /** What happened besides the calls, kept until a result can hold it. */
  private notices: string[] = [];

  constructor(
    task: SessionTask,
    private readonly kind: 'browser' | 'computer',
    members: Members,
    hasPageTools: boolean,
  ) {
    super(task);
    this.tools = toolsByName([giveUp, nextDialog, ...(hasPageTools ? PAGE_TOOLS : [])] as Tool[]);
    this.toolset =
      kind === 'browser' ? new BrowserToolset(this.driver, members) : new ComputerToolset(this.driver);
  }

  /** With the vendor's toolset. */
  get offered() {
    const own = this.definitions.map(
      ({ schema, ...tool }) => ({ ...tool, input_schema: schema }) as BetaTool,
    );
    return [this.toolset.toJSON(), ...own];
  }

  override async close(): Promise<void> {
    await this.toolset.close();
    await super.close();
  }

  /** Undefined for a model that only sees pictures. */
  override async look(): Promise<string | undefined> {
    return this.kind === 'browser' ? super.look() : undefined;
  }

  /** The value of a member is the vendor's block. */
  protected override async outcomeOf(call: BetaToolUseBlock): Promise<Outcome> {
    if (!this.isMember(call)) return super.outcomeOf(call);
    const value = await this.toolset.toolResult(call);
    return { value, error: value.is_error ? textIn(value) : undefined };
  }

  protected override async prepared(call: BetaToolUseBlock) {
    return this.isMember(call) ? this.toolset.prepared(call.name, call.input) : super.prepared(call);
  }

  /**
   * `words` are in the last result that can hold text. As a text after the results, they would make it more
   * likely that the model stops in the middle of the task.
   */
  protected sent(calls: readonly BetaToolUseBlock[], outcomes: readonly Outcome[], words: readonly string[]) {
    this.notices.push(...words);
    const blocks = calls.map((call, at) => this.masked(blockOf(call, outcomes[at]!)));
    const index = blocks.findLastIndex((block, at) => block.is_error || !STATE_ONLY.has(calls[at]!.name));
    if (this.notices.length > 0 && index >= 0)
      blocks[index] = withText(blocks[index]!, this.notices.splice(0).join('\n'));
    return blocks;
  }

  private isMember({ toolset_name }: BetaToolUseBlock): boolean {
    return toolset_name === this.toolset.toolsetName;
  }

  /** Masks secrets. The tabs' titles and addresses are already masked. */
  private masked(block: Block): Block {
    if (!Array.isArray(block.content)) return { ...block, content: this.task.mask(block.content ?? '') };
    const content = block.content.map(part =>
      part.type === 'text' ? { ...part, text: this.task.mask(part.text) } : part,
    );
    return { ...block, content };
  }
}

function blockOf({ id, toolset_name }: BetaToolUseBlock, { value, error }: Outcome): Block {
  if (typeof value === 'object') return value as Block;
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(toolset_name != null && { toolset_name }),
    content: [{ type: 'text', text: error ?? String(value) }],
    ...(error !== undefined && { is_error: true }),
  };
}

function textIn({ content }: Block): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' ');
}
