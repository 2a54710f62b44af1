// Tokens of a text, the same way for everyone. No vendor's own tokenizer for its newest models is public: o200k_base
// stands for all of them. Without the bench's packages a token is four characters.

/** @type {((text: string) => number) | undefined} */
let count;
export let tokenizer = '';

/** @returns {Promise<(text: string) => number>} */
export async function tokenCounter() {
  if (count) return count;
  try {
    const { encode } = await import('gpt-tokenizer');
    tokenizer = 'o200k_base (gpt-tokenizer)';
    count = text => encode(text).length;
  } catch {
    tokenizer = 'characters / 4';
    count = text => Math.ceil(text.length / 4);
  }
  return count;
}

/** What a picture counts: its area, once shrunk to what a model looks at. @param {number} width @param {number} height */
export function pictureTokens(width, height) {
  const shrink = Math.min(1, 1568 / Math.max(width, height), Math.sqrt(1_150_000 / (width * height)));
  return Math.ceil((width * shrink * height * shrink) / 750);
}
