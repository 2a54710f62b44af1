// The conversation with the model, as the Messages API takes it.
import type {
  BetaContentBlockParam,
  BetaToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { Conversation } from '../model/conversation';

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

/** Adds a text to a result, after its own texts. */
export function withText(result: BetaToolResultBlockParam, words: string): BetaToolResultBlockParam {
  const { content = [] } = result;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const state = parts.findIndex(part => part.type === 'browser_state');
  return {
    ...result,
    content: parts.toSpliced(state < 0 ? parts.length : state, 0, { type: 'text', text: words }),
  };
}
