// The conversation with the model. Earlier messages stay byte for byte the same, so that they are read from the prompt
// cache. Old pictures and page texts are removed rarely and many at once, since the cache has to be written again then.
import type {
  BetaContentBlockParam,
  BetaImageBlockParam,
  BetaMessageParam,
  BetaTextBlockParam,
  BetaToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import {
  type Bulky,
  isReading,
  PICTURE_GONE,
  shortenedReading,
  TRIMMING,
  tokensOf,
  trim,
} from '../model/conversation';

/** The API accepts 100 images, or 600 for models with a context of a million tokens. */
const MAX_PICTURES = 80;

type Part = BetaTextBlockParam | BetaImageBlockParam | { type: string };

interface Said {
  role: 'user' | 'assistant';
  content: BetaContentBlockParam[];
}

function partsOf(result: BetaToolResultBlockParam): Part[] {
  return Array.isArray(result.content) ? result.content : [];
}

function isLong(part: Part): part is BetaTextBlockParam {
  return part.type === 'text' && isReading((part as BetaTextBlockParam).text);
}

export class Conversation {
  readonly messages: Said[];

  /**
   * @param policy when old pictures and readings are removed: once they exceed `atTokens`, since cached ones cost only a
   * twentieth of the price. The newest `keep` always stay.
   */
  constructor(
    opening: BetaContentBlockParam[],
    private readonly policy = TRIMMING,
  ) {
    this.messages = [{ role: 'user', content: opening }];
  }

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
      block => block.type === 'tool_result' && partsOf(block).some(part => part.type === 'text'),
    );
    const result = content[index];
    if (result?.type === 'tool_result') content[index] = withText(result, words);
    else content.push({ type: 'text', text: words });
  }

  /**
   * The messages to send. The newest two user messages end in cache breakpoints: the older one, in case the turn between
   * them has more blocks than the API looks back for a cached prefix.
   */
  forRequest(): BetaMessageParam[] {
    const marked = this.messages
      .flatMap((message, index) => (message.role === 'user' ? [index] : []))
      .slice(-2);
    return this.messages.map((message, index) => {
      if (!marked.includes(index)) return message;
      const { content } = message;
      const last = { ...content.at(-1)!, cache_control: { type: 'ephemeral' } } as BetaContentBlockParam;
      return { ...message, content: [...content.slice(0, -1), last] };
    });
  }

  /** @returns whether anything was removed, which invalidates the cache after the first change */
  trim(force = false): boolean {
    const [first] = trim(this.bulky(), { force, maxPictures: MAX_PICTURES, policy: this.policy });
    if (first) this.dropThinking(first.message);
    return first !== undefined;
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

  private bulky(): (Bulky & { message: number })[] {
    return this.messages.flatMap(({ content }, message) =>
      content.flatMap(block => {
        if (block.type !== 'tool_result') return [];
        const parts = partsOf(block).filter(part => part.type === 'image' || isLong(part));
        const isPicture = parts.some(part => part.type === 'image');
        const remove = () => {
          block.content = partsOf(block).map(shortened) as BetaToolResultBlockParam['content'];
        };
        return parts.length > 0 ? [{ message, tokens: tokensOf(parts), isPicture, remove }] : [];
      }),
    );
  }
}

function shortened(part: Part): Part {
  if (part.type === 'image') return { type: 'text', text: PICTURE_GONE };
  if (!isLong(part)) return part;
  return { type: 'text', text: shortenedReading(part.text) };
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
