// "western films directed by Schneider from year 2008" over fields called Genre, Director and Year.

import { agreement, type Token, tokens } from './tokens';

const PREPOSITION = /^(?:by|from|in|of|on|at|with|for|to|is|the|a|an|and)$/;

interface Claim {
  field: number;
  at: number;
}

function claims(words: readonly Token[], labels: readonly string[]): Claim[] {
  const out: Claim[] = [];
  for (const [field, label] of labels.entries()) {
    const at = words.findIndex(word =>
      tokens(label).some(token => token.weight >= 1 && agreement(token, word) >= 0.9),
    );
    if (at >= 0 && !out.some(claim => claim.at === at)) out.push({ field, at });
  }
  return out;
}

/** What follows a word, prepositions skipped, up to the next preposition or claimed word; the end exclusive. */
function valueAfter(words: readonly Token[], at: number, claimed: ReadonlySet<number>): [number, number] {
  let start = at + 1;
  while (start < words.length && PREPOSITION.test(words[start]!.word)) start++;
  let end = start;
  while (end < words.length && !PREPOSITION.test(words[end]!.word) && !claimed.has(end)) end++;
  return [start, end];
}

/**
 * Shares the words of a phrase out among labelled fields: each field takes what follows the word that is its label;
 * a number left over goes to a field for a year or date, the first words left over to the one field that is left.
 *
 * @returns one value per label, undefined where there is none; undefined as a whole where no label is in the phrase.
 */
export function spread(phrase: string, labels: readonly string[]): (string | undefined)[] | undefined {
  const words = tokens(phrase);
  const raw = phrase.match(/@?[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? [];
  if (raw.length !== words.length) return undefined;
  const found = claims(words, labels);
  if (found.length === 0) return undefined;
  const values: (string | undefined)[] = labels.map(() => undefined);
  const used = new Set(found.map(({ at }) => at));
  for (const { field, at } of found) {
    const [start, end] = valueAfter(words, at, used);
    for (let i = start; i < end; i++) used.add(i);
    values[field] = raw.slice(start, end).join(' ') || undefined;
  }
  const number = words.findIndex(({ word }, i) => !used.has(i) && /^\d+$/.test(word));
  const dated = labels.findIndex(
    (label, i) => values[i] === undefined && /\b(?:year|date|number|no)\b/i.test(label),
  );
  if (number >= 0 && dated >= 0) {
    values[dated] = raw[number];
    used.add(number);
  }
  const open = values.flatMap((value, i) => (value === undefined ? [i] : []));
  const first = words.findIndex(({ word }, i) => !used.has(i) && !PREPOSITION.test(word));
  if (open.length === 1 && first >= 0) values[open[0]!] = raw[first];
  return values;
}
