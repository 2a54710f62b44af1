// Runs one task over the Messages API: the conversation as that API takes it, and what follows from an answer.
import { readdir } from 'node:fs/promises';
import type {
  BetaContentBlockParam,
  BetaMessage,
  BetaToolUseBlock,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { GaveUp, SessionTask } from '../agent';
import { Budget } from '../model/budget';
import type { Ending } from '../model/calls';
import { Conversation, systemPrompt } from '../model/conversation';
import { type Answer, Loop } from '../model/loop';
import { isLooking, TOOLS } from '../tools/tools';
import { type ClaudeSettings, vendorMembers } from '.';
import { ClaudeCalls, foldersOf, withText } from './calls';
import { apiError, Client, wordsOf } from './client';
import { bareName, pricesOf, TOOLS_TOKENS, usageOf } from './pricing';

/** The same for all trials of a run, so that it is cached once. */
const SYSTEM = systemPrompt({
  pictures: true,
  end: 'Then answer in a sentence or two, without a tool call. That ends the task. If the task asks for information, give it in that answer.',
});
const MAX_FILES_TOLD = 30;
/** Models that think by default, and only include their thoughts if asked for a summary. */
const THINKS = /^claude-(?:(?:opus|sonnet|haiku)-5-5|(?:fable|mythos)-5-[12])\b/;

interface ClaudeAnswer extends Answer {
  readonly calls: readonly BetaToolUseBlock[];
  readonly message: BetaMessage;
}

/** @throws what `Loop.play` throws. */
export async function playWithClaude(
  task: SessionTask,
  settings: ClaudeSettings,
): Promise<GaveUp | undefined> {
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
  const calls = new ClaudeCalls(task, kind, members, await task.webmcp.isSupported());
  return new ClaudeLoop(task, settings, calls).play(files.flat().slice(0, MAX_FILES_TOLD));
}

class ClaudeLoop extends Loop<ClaudeAnswer, BetaContentBlockParam> {
  protected readonly system = SYSTEM;
  protected readonly conversation = new ClaudeConversation();
  protected readonly budget: Budget;
  private readonly client: Client;
  private readonly fixed: Omit<MessageCreateParamsNonStreaming, 'messages'>;

  constructor(
    task: SessionTask,
    settings: ClaudeSettings,
    protected readonly calls: ClaudeCalls,
  ) {
    const { model, maxTokens, effort } = settings;
    super(task, {
      factory: 'claude',
      model,
      maxTokens,
      advice: 'Raise claude({ maxTokens }), or lower effort',
      end: 'say in a sentence what the site shows of it',
    });
    this.client = new Client({ ...settings, factory: 'claude' });
    this.budget = new Budget(task, pricesOf(settings), TOOLS_TOKENS);
    this.fixed = {
      model,
      max_tokens: maxTokens,
      system: [{ type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } }],
      tools: calls.offered,
      ...(effort && { output_config: { effort } }),
      ...(THINKS.test(bareName(model)) && { thinking: { type: 'adaptive', display: 'summarized' } }),
    };
  }

  protected async ask(): Promise<ClaudeAnswer> {
    const { task, budget } = this;
    const request = { ...this.fixed, messages: this.conversation.forRequest() };
    const message = await this.client.send(request, {
      signal: task.signal,
      // Read before each attempt: waiting for an overloaded API takes time.
      get timeLeftMs() {
        return task.timeLeftMs;
      },
      patienceMs: task.timeLeftMs,
      spent: usage => budget.report(usageOf(usage, budget.prices)),
      // The whole conversation is in the cache by now.
      check: () => budget.check(0),
    });
    const { content, stop_reason } = message;
    const texts = content.flatMap(block => (block.type === 'text' ? [block.text] : []));
    return {
      message,
      calls: content.filter(block => block.type === 'tool_use'),
      text: texts.join('\n').trim(),
      narration: content.map(block =>
        block.type === 'thinking' ? block.thinking : block.type === 'text' ? block.text : '',
      ),
      isCutOff: stop_reason === 'max_tokens',
    };
  }

  protected problem(error: unknown): string {
    return this.client.problem(error);
  }

  protected repair(error: unknown): boolean {
    const failed = apiError(error);
    if (failed?.status !== 400) return false;
    const message = wordsOf(failed);
    const tooLong = /prompt is too long|context window|context limit/i.test(message);
    const thinking = /thinking. block/i.test(message);
    return (tooLong && this.conversation.trim(true)) || (thinking && this.conversation.dropThinking());
  }

  protected async follow(answer: ClaudeAnswer): Promise<Ending> {
    const { stop_reason, stop_details } = answer.message;
    switch (stop_reason) {
      case 'refusal': {
        const why = [stop_details?.category, stop_details?.explanation].filter(Boolean).join(': ');
        return this.refused(answer, why && ` (${why})`);
      }
      case 'model_context_window_exceeded':
        return this.noRoom(answer);
      case 'pause_turn':
        return this.paused(answer);
      case 'end_turn':
      case 'stop_sequence':
      case 'tool_use':
        return answer.calls.length > 0 ? this.act(answer) : this.finish(answer);
      default:
        throw this.error(
          `the answer ended with "${stop_reason}", which this version of @taskproof/playwright does not support. Update it.`,
        );
    }
  }

  protected add({ message, isCutOff }: ClaudeAnswer, next: BetaContentBlockParam[]): void {
    // A cut-off thought has no signature, so the API would refuse it.
    const said = message.content.filter(
      block => !isCutOff || block.type !== 'thinking' || block.signature,
    ) as BetaContentBlockParam[];
    // Thoughts alone are not a message: the answer is requested again.
    if (said.some(({ type }) => !/thinking$/.test(type))) this.conversation.add('assistant', said);
    this.conversation.add('user', next);
  }

  protected tell(answer: ClaudeAnswer, text: string): void {
    if (answer.text) this.add(answer, [{ type: 'text', text }]);
    else this.conversation.amend(text);
  }

  private async noRoom(answer: ClaudeAnswer): Promise<Ending> {
    await this.say('no room is left in the conversation', answer);
    if (!this.conversation.trim(true))
      throw this.error(
        `the task no longer fits into the context of the model "${this.fixed.model}". Lower maxSteps, or split the task.`,
      );
    this.rewritten();
    return undefined;
  }

  private async paused(answer: ClaudeAnswer): Promise<Ending> {
    await this.say('pause', answer);
    const content = answer.message.content as BetaContentBlockParam[];
    if (content.length > 0) this.conversation.add('assistant', content);
    return undefined;
  }
}

interface Said {
  role: 'user' | 'assistant';
  content: BetaContentBlockParam[];
}

export class ClaudeConversation extends Conversation<Said> {
  /** Adds content unchanged, thinking included: to the last message, if that has the same role, as after a pause. */
  add(role: Said['role'], content: BetaContentBlockParam[]): void {
    const last = this.messages.at(-1)!;
    if (last.role === role) last.content = [...last.content, ...content];
    else this.messages.push({ role, content });
  }

  /** Adds a text to our last message; if it has results, to the last of them. */
  amend(words: string): void {
    const { content } = this.messages.at(-1)!;
    const index = content.findLastIndex(
      block =>
        block.type === 'tool_result' &&
        Array.isArray(block.content) &&
        block.content.some(part => part.type === 'text'),
    );
    const result = content[index];
    if (result?.type === 'tool_result') content[index] = withText(result, words);
    else content.push({ type: 'text', text: words });
  }

  protected marked(message: Said): Said {
    const { content } = message;
    const last = { ...content.at(-1)!, cache_control: { type: 'ephemeral' } } as BetaContentBlockParam;
    return { ...message, content: [...content.slice(0, -1), last] };
  }

  protected override changed(at: number): void {
    this.dropThinking(at);
  }

  /**
   * Removes thinking from the messages at `after` and behind it. If an earlier message has changed, the API refuses
   * thinking, but accepts the answer without it.
   *
   * @returns whether there was any.
   */
  dropThinking(after = 0): boolean {
    let dropped = false;
    for (const message of this.messages.slice(after)) {
      if (message.role !== 'assistant') continue;
      const { content } = message;
      const rest = content.filter(block => block.type !== 'thinking' && block.type !== 'redacted_thinking');
      dropped ||= rest.length < content.length;
      message.content = rest;
    }
    return dropped;
  }
}
