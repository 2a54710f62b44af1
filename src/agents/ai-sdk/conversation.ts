// The conversation with the model, as the AI SDK takes it.
import type { ModelMessage } from 'ai';
import {
  type Bulky,
  Conversation,
  isReading,
  PICTURE_GONE,
  shortenedReading,
  tokensOf,
} from '../model/conversation';

/** Other providers cache by themselves and ignore this. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };

export class AiSdkConversation extends Conversation<ModelMessage> {
  protected marked(message: ModelMessage): ModelMessage {
    return { ...message, providerOptions: CACHED };
  }

  /** @returns whether there was any */
  dropPictures(words: string): boolean {
    const pictures = this.bulky(words).filter(({ isPicture }) => isPicture);
    for (const picture of pictures) picture.remove();
    return pictures.length > 0;
  }

  protected bulky(words = PICTURE_GONE): Bulky[] {
    return this.messages.flatMap(({ role, content }, at): Bulky[] => {
      if (typeof content === 'string') return [];
      if (role === 'user')
        return content.flatMap((part, index) => {
          const remove = () => content.splice(index, 1, { type: 'text', text: words });
          return part.type === 'file' ? [{ at, tokens: tokensOf(part), isPicture: true, remove }] : [];
        });
      if (role !== 'tool') return [];
      return content.flatMap(part => {
        if (part.type !== 'tool-result') return [];
        const { output } = part;
        if (output.type !== 'text' || !isReading(output.value)) return [];
        const remove = () => {
          output.value = shortenedReading(output.value);
        };
        return [{ at, tokens: tokensOf(output.value), isPicture: false, remove }];
      });
    });
  }
}
