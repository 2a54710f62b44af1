// The conversation with the model. Earlier messages stay the same, so that providers find them in their prompt caches;
// old pictures and readings are removed rarely, and many at once.
import type { ModelMessage } from 'ai';
import { isReading, PICTURE_GONE, shortenedReading, TRIMMING, tokensOf } from '../model/trimming';

/** About as many images as vendors accept. */
const MAX_PICTURES = 40;
/** Other providers cache by themselves and ignore this. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };

interface Bulky {
  tokens: number;
  isPicture: boolean;
  remove(): void;
}

export class Conversation {
  readonly messages: ModelMessage[];

  constructor(opening: { type: 'text'; text: string }[]) {
    this.messages = [{ role: 'user', content: opening }];
  }

  add(...messages: ModelMessage[]): void {
    this.messages.push(...messages);
  }

  /** The messages to send. Our newest two end in cache breakpoints. */
  forRequest(): ModelMessage[] {
    const ours = this.messages.flatMap(({ role }, index) => (role === 'assistant' ? [] : [index])).slice(-2);
    return this.messages.map((message, index) =>
      ours.includes(index) ? { ...message, providerOptions: CACHED } : message,
    );
  }

  /**
   * Removes old pictures and readings if there are enough of them; all but the newest, if `force` says that room is
   * needed now.
   *
   * @returns whether anything changed, which invalidates the cache after the first change
   */
  trim(force = false): boolean {
    const all = this.bulky();
    const old = all.slice(0, Math.max(0, all.length - (force ? 1 : TRIMMING.keep)));
    const tokens = old.reduce((sum, each) => sum + each.tokens, 0);
    const pictures = all.filter(({ isPicture }) => isPicture).length;
    if (old.length === 0 || !(force || tokens >= TRIMMING.atTokens || pictures > MAX_PICTURES)) return false;
    for (const each of old) each.remove();
    return true;
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
        return content.flatMap((part, index) =>
          part.type === 'file'
            ? [
                {
                  tokens: tokensOf(part),
                  isPicture: true,
                  remove: () => content.splice(index, 1, { type: 'text', text: words }),
                },
              ]
            : [],
        );
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
