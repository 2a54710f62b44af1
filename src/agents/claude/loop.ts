// Runs one task over the Messages API: the conversation as that API takes it, and what follows from an answer.
import { readdir } from 'node:fs/promises';
import type {
  BetaContentBlockParam,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { SessionTask } from '../agent';
import { withBreakpoints } from '../model/conversation';
import { type Answer, Loop } from '../model/loop';
import type { RequestFailed } from '../model/send';
import { isLooking, TOOLS } from '../tools/tools';
import { type ClaudeSettings, vendorMembers } from '.';
import { ClaudeCalls, foldersOf, withText } from './calls';
import { apiError, Client, wordsOf } from './client';
import { bareName, pricesOf, TOOLS_TOKENS, usageOf } from './pricing';

/** Why an answer ended: '' if it did by itself, or with calls. */
const STOPS: Record<string, Answer['stop'] | ''> = {
  end_turn: '',
  stop_sequence: '',
  tool_use: '',
  max_tokens: 'cut off',
  refusal: 'refused',
  model_context_window_exceeded: 'no room',
};
const MAX_FILES_TOLD = 30;
/** Models that think by default, and only include their thoughts if asked for a summary. */
const THINKS = /^claude-(?:(?:opus|sonnet|haiku)-5-5|(?:fable|mythos)-5-[12])\b/;

/** @throws what `Loop.play` throws. */
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
  const calls = new ClaudeCalls(task, kind, members, await task.webmcp.isSupported());
  return new ClaudeLoop(task, settings, calls).play(files.flat().slice(0, MAX_FILES_TOLD));
}

class ClaudeLoop extends Loop {
  private readonly client: Client;

  constructor(
    task: SessionTask,
    private readonly settings: ClaudeSettings,
    protected override readonly calls: ClaudeCalls,
  ) {
    const { model, maxTokens } = settings;
    super(task, calls, {
      factory: 'claude',
      model,
      maxTokens,
      advice: 'Raise claude({ maxTokens }), or lower effort',
      ends: 'Then answer in a sentence or two, without a tool call. That ends the task. If the task asks for information, give it in that answer.',
      end: 'say in a sentence what the site shows of it',
      hasToCall: false,
      prices: pricesOf(settings),
      toolsTokens: TOOLS_TOKENS,
    });
    this.client = new Client({ ...settings, factory: 'claude' });
  }

  private get params(): MessageCreateParamsNonStreaming {
    const { model, maxTokens, effort } = this.settings;
    return {
      model,
      max_tokens: maxTokens,
      // The same for all trials of a run, so that it is cached once.
      system: [{ type: 'text', text: this.system, cache_control: { type: 'ephemeral' } }],
      tools: this.calls.offered,
      ...(effort && { output_config: { effort } }),
      ...(THINKS.test(bareName(model)) && { thinking: { type: 'adaptive', display: 'summarized' } }),
      messages: messagesToSend(this.conversation.messages as Said[]),
    };
  }

  protected async ask(): Promise<Answer> {
    const { task, budget } = this;
    const { content, stop_reason, stop_details } = await this.client.send(this.params, {
      signal: task.signal,
      waiting: task.waiting,
      maxRequests: task.maxRequests,
      spent: usage => budget.report(usageOf(usage, budget.prices)),
      // The whole conversation is in the cache by now.
      check: () => budget.check(0),
    });
    const stop = STOPS[stop_reason ?? ''];
    if (stop === undefined)
      throw this.error(
        `the answer ended with "${stop_reason}", which this version of @taskproof/playwright does not support. Update it.`,
      );
    const calls = content.filter(block => block.type === 'tool_use');
    const texts = content.flatMap(block => (block.type === 'text' ? [block.text] : []));
    const text = texts.join('\n').trim();
    const why = [stop_details?.category, stop_details?.explanation].filter(Boolean).join(': ');
    // A cut-off thought has no signature, so the API would refuse it.
    const said = content.filter(block => stop !== 'cut off' || block.type !== 'thinking' || block.signature);
    return {
      messages: text || calls.length > 0 ? [{ role: 'assistant', content: said }] : [],
      calls,
      text,
      narration: content.map(block =>
        block.type === 'thinking' ? block.thinking : block.type === 'text' ? block.text : '',
      ),
      stop: stop || undefined,
      why: why && ` (${why})`,
    };
  }

  protected problem(failed: RequestFailed): string {
    return this.client.problem(failed);
  }

  protected repair(error: unknown): boolean {
    const failed = apiError(error);
    if (failed?.status !== 400) return false;
    const message = wordsOf(failed);
    const tooLong = /prompt is too long|context window|context limit/i.test(message);
    const thinking = /thinking. block/i.test(message);
    return (tooLong && this.conversation.trim(true)) || (thinking && this.conversation.dropThinking());
  }
}

interface Said {
  role: 'user' | 'assistant';
  content: BetaContentBlockParam[];
}

/** A text of ours after results stands in the last of them. */
function joined(before: BetaContentBlockParam[], [first, ...more]: BetaContentBlockParam[]) {
  const told = first?.type === 'text' && more.length === 0 ? withText(before, first.text) : undefined;
  return told ?? [...before, ...(first ? [first] : []), ...more];
}

/** As the API takes them: in turns, ours and the model's. */
export function messagesToSend(messages: readonly Said[]): Said[] {
  const turns: Said[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last?.role !== role) turns.push({ role, content });
    else last.content = joined(last.content, content);
  }
  return withBreakpoints(turns, ({ role, content }) => {
    const last = { ...content.at(-1)!, cache_control: { type: 'ephemeral' } } as BetaContentBlockParam;
    return { role, content: [...content.slice(0, -1), last] };
  });
}
