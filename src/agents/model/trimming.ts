// Estimates the tokens of a conversation, and shortens old readings and pictures in it.

/** Characters. A longer text is a reading of a page. */
const LONG_TEXT = 2_000;
/** Characters of a removed reading that stay, so that the model knows what it was. */
const KEPT_TEXT = 200;
/** The most tokens that a picture counts as. */
const PICTURE_TOKENS = 1_600;
const CHARACTERS_PER_TOKEN = 3.5;

export const PICTURE_GONE = '(An earlier screenshot was here. Take a new one to see the page as it is now.)';

/** The newest `keep` readings and pictures stay; the others are removed once they exceed `atTokens`. */
export const TRIMMING = { atTokens: 60_000, keep: 3 };

/** A picture or a reading in a conversation. */
export interface Bulky {
  tokens: number;
  isPicture: boolean;
  remove(): void;
}

/**
 * Removes all but the newest if there are enough of them; all but one, if `force` says that room is needed now.
 *
 * @returns those that were removed
 */
export function trim<Each extends Bulky>(
  all: readonly Each[],
  {
    force,
    maxPictures,
    policy = TRIMMING,
  }: { force: boolean; maxPictures: number; policy?: typeof TRIMMING },
): Each[] {
  const old = all.slice(0, Math.max(0, all.length - (force ? 1 : policy.keep)));
  const tokens = old.reduce((sum, each) => sum + each.tokens, 0);
  const pictures = all.filter(({ isPicture }) => isPicture).length;
  if (!force && tokens < policy.atTokens && pictures <= maxPictures) return [];
  for (const each of old) each.remove();
  return old;
}

/** An estimate of what a vendor counts, pictures included. */
export function tokensOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + tokensOf(each), 0);
  if (typeof value !== 'object' || value === null)
    return Math.ceil(String(value).length / CHARACTERS_PER_TOKEN);
  const { type, content } = value as { type?: string; content?: unknown };
  if (type === 'image' || type === 'file') return PICTURE_TOKENS;
  if (content !== undefined) return tokensOf(content) + 10;
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
}

export function isReading(text: string): boolean {
  return text.length > LONG_TEXT;
}

export function shortenedReading(text: string): string {
  const start = [...text.slice(0, KEPT_TEXT)].filter(point => !/^[\uD800-\uDFFF]$/.test(point)).join('');
  return `${start}… (${text.length - KEPT_TEXT} more characters of an earlier reading were here. Read the page again for what it says now.)`;
}
