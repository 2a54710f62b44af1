// A model of the billed input of a long trial, depending on when old readings and pictures are removed. A removal takes all
// but the newest three, and everything after the first of them is written to the cache again.
const WRITE = 1.25;
const READ = 0.05;
const KEPT = 3;
/** Tokens of the text that replaces a reading. */
const STUB = 60;

/** Tokens of a turn: what the model says, what may be removed later, and what stays. */
export const LOADS = {
  'short pages': { said: 150, bulk: 450, rest: 150 },
  'a picture in each turn': { said: 150, bulk: 1_400, rest: 150 },
  'long readings': { said: 150, bulk: 3_000, rest: 150 },
  'very long readings': { said: 200, bulk: 6_000, rest: 200 },
};

/**
 * @param {{ said: number, bulk: number, rest: number }} load
 * @param {number} turns
 * @param {{ atTokens: number, ofAll?: boolean }} policy `ofAll`: by the size of the whole prompt, as in the API's own context editing
 * @returns {number} billed input, in tokens at the price of uncached input
 */
export function billedBy(load, turns, { atTokens, ofAll = false }) {
  const items = [{ size: 7_000, bulk: 0 }];
  const sum = (some, what) => some.reduce((total, each) => total + each[what], 0);
  let cached = 0;
  let billed = 0;
  for (let turn = 0; turn < turns; turn++) {
    const old = items.filter(({ bulk }) => bulk > 0).slice(0, -KEPT);
    if (old.length > 0 && (ofAll ? sum(items, 'size') > atTokens : sum(old, 'bulk') >= atTokens)) {
      cached = Math.min(cached, sum(items.slice(0, items.indexOf(old[0])), 'size'));
      for (const item of old) {
        item.size -= item.bulk - STUB;
        item.bulk = 0;
      }
    }
    const size = sum(items, 'size');
    billed += cached * READ + (size - cached) * WRITE;
    cached = size;
    items.push({ size: load.said, bulk: 0 }, { size: load.bulk + load.rest, bulk: load.bulk });
  }
  return billed;
}
