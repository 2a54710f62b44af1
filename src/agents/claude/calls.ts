// The calls of an answer: those of the vendor's toolset, and of our own tools.
import type {
  BetaTool,
  BetaToolResultBlockParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { SessionTask } from '../agent';
import { Calls } from '../model/calls';
import { giveUp, nextDialog, PAGE_TOOLS } from '../tools/task';
import type { Tool } from '../tools/tool';
import { byName } from '../tools/tools';
import { withText } from './conversation';
import { BrowserToolset, ComputerToolset, type Members } from './toolsets';

type Result = BetaToolResultBlockParam;

/** Calls whose result is only the list of tabs. */
const STATE_ONLY = new Set(['new_tab', 'list_tabs', 'switch_tab', 'close_tab']);

export class ClaudeCalls extends Calls<BetaToolUseBlock, Result, Result> {
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
    this.tools = byName([giveUp, nextDialog, ...(hasPageTools ? PAGE_TOOLS : [])] as Tool[]);
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

  protected override async wordsOf(call: BetaToolUseBlock, index: number): Promise<string> {
    // Only the name for give_up, since the record has its reason.
    const isOfTask = !this.isMember(call) && [giveUp.name, nextDialog.name].includes(call.name);
    return isOfTask ? call.name.replace(/_/g, ' ') : super.wordsOf(call, index);
  }

  /** Undefined for a model that only sees pictures. */
  override async look(): Promise<string | undefined> {
    return this.kind === 'browser' ? super.look() : undefined;
  }

  protected override async result(call: BetaToolUseBlock): Promise<Result> {
    if (!this.isMember(call)) return super.result(call);
    this.toolset.words = this.toldOf(call);
    return this.toolset.toolResult(call);
  }

  protected override async prepared(call: BetaToolUseBlock) {
    return this.isMember(call) ? this.toolset.prepared(call.name, call.input) : super.prepared(call);
  }

  protected resultOf({ id, toolset_name }: BetaToolUseBlock, value: unknown): Result {
    return {
      type: 'tool_result',
      tool_use_id: id,
      ...(toolset_name != null && { toolset_name }),
      content: [{ type: 'text', text: String(value) }],
    };
  }

  protected refusal(call: BetaToolUseBlock, text: string): Result {
    return { ...this.resultOf(call, text), is_error: true };
  }

  protected errorIn({ is_error, content }: Result): string | undefined {
    if (!is_error) return undefined;
    if (!Array.isArray(content)) return content ?? '';
    return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' ');
  }

  /**
   * `words` are in the last result that can hold text. As a text after the results, they would make it more
   * likely that the model stops in the middle of the task.
   */
  protected sent(calls: readonly BetaToolUseBlock[], results: readonly Result[], words: readonly string[]) {
    this.notices.push(...words);
    const index = results.findLastIndex((result, at) => result.is_error || !STATE_ONLY.has(calls[at]!.name));
    const texts = results.map(result => this.masked(result));
    if (this.notices.length > 0 && index >= 0)
      texts[index] = withText(texts[index]!, this.notices.splice(0).join('\n'));
    return texts;
  }

  private isMember({ toolset_name }: BetaToolUseBlock): boolean {
    return toolset_name === this.toolset.toolsetName;
  }

  /** Masks secrets. The tabs' titles and addresses are already masked. */
  private masked(result: Result): Result {
    if (!Array.isArray(result.content)) return { ...result, content: this.task.mask(result.content ?? '') };
    const content = result.content.map(part =>
      part.type === 'text' ? { ...part, text: this.task.mask(part.text) } : part,
    );
    return { ...result, content };
  }
}
