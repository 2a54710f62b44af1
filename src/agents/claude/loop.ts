// Runs one task over the Messages API: builds its requests and reads its answers.
import { readdir } from 'node:fs/promises';
import type {
  BetaContentBlockParam,
  BetaTool,
  BetaToolResultBlockParam,
  BetaToolUseBlock,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { SessionTask } from '../agent';
import { isLooking, type Outcome, TOOLS } from '../model/calls';
import { withBreakpoints } from '../model/conversation';
import { type Answer, Loop } from '../model/loop';
import type { Failure } from '../model/send';
import { answerTools, taskTools } from '../tools/task';
import type { Tool } from '../tools/tool';
import { type ClaudeSettings, vendorMembers } from '.';
import { claudeSender } from './client';
import { bareName, pricesOf } from './pricing';
import { BrowserToolset, ComputerToolset, foldersOf, type Members } from './toolsets';

/** How an answer ended, by the API's reason; '' if the answer is complete. */
const STOPS = new Map<string | null, Answer['stop'] | ''>([
  ['end_turn', ''],
  ['stop_sequence', ''],
  ['tool_use', ''],
  ['max_tokens', 'cut off'],
  ['refusal', 'refused'],
  ['model_context_window_exceeded', 'no room'],
]);
const MAX_FILES_TOLD = 30;
/** Models that think by default, and show their thoughts only if asked for a summary. */
const THINKS = /^claude-(?:(?:opus|sonnet|haiku)-5-5|(?:fable|mythos)-5-[12])\b/;

export async function playWithClaude(task: SessionTask, settings: ClaudeSettings) {
  const isOnly = task.webmcp.mode === 'only';
  const off = Object.keys(TOOLS).filter(name => isOnly && !isLooking(name));
  const members = {
    ...vendorMembers(settings.members, task.configDir),
    ...Object.fromEntries(off.map(name => [name, false])),
  };
  const folders = settings.tools === 'browser' ? foldersOf(members) : [];
  const files = await Promise.all(folders.map(folder => readdir(folder).catch(() => [])));
  // The computer tool can't be limited to looking.
  const kind = isOnly ? 'browser' : settings.tools;
  const own = taskTools(answerTools(task.wantsAnswer), await task.webmcp.isSupported());
  const loop = new ClaudeLoop(task, settings, kind, members, own);
  return loop.play(files.flat().slice(0, MAX_FILES_TOLD)).finally(() => loop.toolset.close());
}

class ClaudeLoop extends Loop {
  private readonly send: ReturnType<typeof claudeSender>;
  readonly toolset: BrowserToolset | ComputerToolset;
  /** What happened besides the calls, kept until a result can take it. */
  private notices: string[] = [];

  constructor(
    task: SessionTask,
    private readonly settings: ClaudeSettings,
    private readonly kind: 'browser' | 'computer',
    members: Members,
    own: Tool[],
  ) {
    const { model, maxTokens } = settings;
    super(task, own, {
      factory: 'claude',
      model,
      maxTokens,
      advice: 'Raise claude({ maxTokens }), or lower effort',
      ends: 'Then answer in a sentence or two, without a tool call. That ends the task. If the task asks for information, give it in that answer.',
      end: 'say in a sentence what the site shows of it',
      prices: pricesOf(settings),
    });
    this.send = claudeSender({ ...settings, factory: 'claude' });
    this.toolset =
      kind === 'browser' ? new BrowserToolset(this.driver, members) : new ComputerToolset(this.driver);
  }

  private get params(): MessageCreateParamsNonStreaming {
    const { model, maxTokens, effort } = this.settings;
    const own = this.definitions.map(
      ({ schema, ...tool }) => ({ ...tool, input_schema: schema }) as BetaTool,
    );
    return {
      model,
      max_tokens: maxTokens,
      // The same in all trials of a run, so it is cached once.
      system: [{ type: 'text', text: this.system, cache_control: { type: 'ephemeral' } }],
      tools: [this.toolset.toJSON(), ...own],
      ...(effort && { output_config: { effort } }),
      ...(THINKS.test(bareName(model)) && { thinking: { type: 'adaptive', display: 'summarized' } }),
      messages: messagesToSend(this.conversation.messages as Said[]),
    };
  }

  protected async ask(): Promise<Answer> {
    const { content, stop_reason, stop_details } = await this.send(this.params, this.limit);
    const stop = STOPS.get(stop_reason);
    if (stop === undefined)
      throw this.error(
        `the answer ended with "${stop_reason}", which this version of @taskproof/playwright does not support. Update it.`,
      );
    const calls = content.filter(block => block.type === 'tool_use');
    const texts = content.flatMap(block => (block.type === 'text' ? [block.text] : []));
    const text = texts.join('\n').trim();
    const why = [stop_details?.category, stop_details?.explanation].filter(Boolean).join(': ');
    // The API refuses a thought without a signature, as a cut-off one is.
    const said = content.filter(block => stop !== 'cut off' || block.type !== 'thinking' || block.signature);
    return {
      messages: [{ role: 'assistant', content: said }],
      calls,
      text,
      narration: content.map(block =>
        block.type === 'thinking' ? block.thinking : block.type === 'text' ? block.text : '',
      ),
      stop: stop || undefined,
      why: why && ` (${why})`,
    };
  }

  protected repair({ status, words }: Failure): boolean {
    if (status !== 400) return false;
    const tooLong = /prompt is too long|context window|context limit/i.test(words);
    const thinking = /thinking. block/i.test(words);
    return (tooLong && this.conversation.trim(true)) || (thinking && this.conversation.dropThinking());
  }

  protected override async look(): Promise<string | undefined> {
    return this.kind === 'browser' ? super.look() : undefined;
  }

  /** For a member of the toolset, the value is the vendor's block. */
  protected override async outcomeOf(call: BetaToolUseBlock): Promise<Outcome> {
    if (!this.isMember(call)) return super.outcomeOf(call);
    const value = await this.toolset.toolResult(call);
    const texts = partsOf(value).flatMap(part => (part.type === 'text' ? [part.text] : []));
    return { value, error: value.is_error ? texts.join(' ') : undefined };
  }

  protected override async prepared(call: BetaToolUseBlock) {
    return this.isMember(call) ? this.toolset.prepared(call.name, call.input) : super.prepared(call);
  }

  private isMember({ toolset_name }: BetaToolUseBlock): boolean {
    return toolset_name === this.toolset.toolsetName;
  }

  protected sent(calls: readonly BetaToolUseBlock[], outcomes: readonly Outcome[], words: readonly string[]) {
    this.notices.push(...words);
    const results = calls.map((call, at) => this.blockOf(call, outcomes[at]!));
    const told = this.notices.length > 0 ? withText(results, this.notices.join('\n')) : undefined;
    if (told) this.notices = [];
    return [{ role: 'user', content: told ?? results }];
  }

  /** The result of a call, with secrets masked. The state of the tabs is already masked. */
  private blockOf({ id, toolset_name }: BetaToolUseBlock, { value, error }: Outcome): Block {
    const own: Block = {
      type: 'tool_result',
      tool_use_id: id,
      ...(toolset_name != null && { toolset_name }),
      content: error ?? String(value),
      ...(error !== undefined && { is_error: true }),
    };
    const block = typeof value === 'object' ? (value as Block) : own;
    const content = partsOf(block).map(part =>
      part.type === 'text' ? { ...part, text: this.task.mask(part.text) } : part,
    );
    return { ...block, content };
  }
}

type Block = BetaToolResultBlockParam;

const partsOf = ({ content = [] }: Block) =>
  typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;

/** Adds a text to the last result that can take one. A text after the results could make the model stop early. */
function withText(content: readonly BetaContentBlockParam[], text: string) {
  const told = { type: 'text', text } as const;
  const index = content.findLastIndex(
    block => block.type === 'tool_result' && partsOf(block).some(({ type }) => type !== 'browser_state'),
  );
  if (index < 0) return undefined;
  const result = content[index] as Block;
  const parts = partsOf(result);
  const state = parts.findIndex(part => part.type === 'browser_state');
  return content.with(index, {
    ...result,
    content: parts.toSpliced(state < 0 ? parts.length : state, 0, told),
  });
}

interface Said {
  role: 'user' | 'assistant';
  content: BetaContentBlockParam[];
}

/** Joins messages so that ours and the model's alternate, as the API requires. */
export function messagesToSend(messages: readonly Said[]): Said[] {
  const turns: Said[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last?.role !== role) turns.push({ role, content });
    // Our text after results goes into the last result.
    else if (content[0]?.type === 'text')
      last.content = withText(last.content, content[0].text) ?? [...last.content, ...content];
  }
  return withBreakpoints(turns, ({ role, content }) => {
    const last = { ...content.at(-1)!, cache_control: { type: 'ephemeral' } } as BetaContentBlockParam;
    return { role, content: [...content.slice(0, -1), last] };
  });
}
