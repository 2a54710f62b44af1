// The conversation with the model. Earlier messages stay the same, so that providers find them in their prompt caches;
// old pictures and readings are removed rarely, and many at once.
import type { ModelMessage } from 'ai';
import { type Bulky, isReading, PICTURE_GONE, shortenedReading, tokensOf, trim } from '../model/conversation';

/** About as many images as vendors accept. */
const MAX_PICTURES = 40;
/** Other providers cache by themselves and ignore this. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };

export class Conversation {
  readonly messages: ModelMessage[];

  constructor(opening: { type: 'text'; text: string }[]) {
    this.messages = [{ role: 'user', content: opening }];
  }

  /** The messages to send. Our newest two end in cache breakpoints. */
  forRequest(): ModelMessage[] {
    const ours = this.messages.flatMap(({ role }, index) => (role === 'assistant' ? [] : [index])).slice(-2);
    return this.messages.map((message, index) =>
      ours.includes(index) ? { ...message, providerOptions: CACHED } : message,
    );
  }

  /** @returns whether anything was removed, which invalidates the cache after the first change */
  trim(force = false): boolean {
    return trim(this.bulky(), { force, maxPictures: MAX_PICTURES }).length > 0;
  }

  /** @returns whether there was any */
  dropPictures(words: string): boolean {
    const pictures = this.bulky(words).filter(({ isPicture }) => isPicture);
    for (const picture of pictures) picture.remove();
    return pictures.length > 0;
  }

  private bulky(words = PICTURE_GONE): Bulky[] {
    return this.messages.flatMap(({ role, content }): Bulky[] => {
      if (typeof content === 'string') return [];
      if (role === 'user')
        return content.flatMap((part, index) => {
          const remove = () => content.splice(index, 1, { type: 'text', text: words });
          return part.type === 'file' ? [{ tokens: tokensOf(part), isPicture: true, remove }] : [];
        });
      if (role !== 'tool') return [];
      return content.flatMap(part => {
        if (part.type !== 'tool-result') return [];
        const { output } = part;
        if (output.type !== 'text' || !isReading(output.value)) return [];
        const remove = () => {
          output.value = shortenedReading(output.value);
        };
        return [{ tokens: tokensOf(output.value), isPicture: false, remove }];
      });
    });
  }
}
