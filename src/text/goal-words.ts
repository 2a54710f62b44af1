// The words by which a goal tells one thing from others, and those of a text on the page. Pages load this file: import nothing.
export interface GoalWords {
  /**
   * In lower case: numbers, words in quotes, words with a capital inside a sentence, e-mail addresses, file names, and, in scripts
   * without spaces, pairs of characters.
   */
  names: string[];
  /** Its other words of two letters and more. */
  others: string[];
  /** The whole goal, in the form in which texts are compared. */
  text: string;
}

/** Where a text is: in a heading above the control, in the box with no other control of its name, in its row, dialog or page. */
export const SCOPES = ['heading', 'alone', 'row', 'dialog', 'page'] as const;
export type Scope = (typeof SCOPES)[number];
export const isNear = (scope: Scope) => scope === 'alone' || scope === 'row';

const QUOTED =
  /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|‘[^’]*’|`[^`]*`|(?<!\p{L})'[^']*'(?!\p{L})|[\p{L}\p{N}._+-]+@[\p{L}\p{N}.-]+|[\p{L}\p{N}_-]+\.\p{Ll}{2,5}(?![\p{L}\p{N}])/gu;
const TOKEN = /\p{N}+(?:[.,:]\p{N}+)*[\p{L}\p{M}]*|[\p{L}\p{M}][\p{L}\p{M}\p{N}]*/gu;
/** Where a word may break. */
const MAY_BREAK = /[\u00ad\u200b\u2060]/g;
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;
const OF_EVERY_GOAL =
  /^(?:i|a|an|in|on|to|of|the|and|for|with|from|into|one|is|it|my|me|be|do|at|by|or|as|if|so|up|no|we|us|he|go)$/;
/** Matches up to where a sentence or a list item begins; not in "Dr. Schmidt". */
const BEFORE_FIRST = /(?:^|(?<!(?<!\p{L})\p{Lu}\p{L}{0,3})\.\s*|[!?;\n]\s*|\d\)\s*|[-*•]\s*)$/u;

export function goalWords(goal: string): GoalWords {
  const names = new Set<string>();
  const others = new Set<string>();
  // If the whole goal is in capitals, they say nothing.
  const hasCases = /\p{Ll}/u.test(goal);
  for (const [quoted] of goal.matchAll(QUOTED)) for (const word of wordsIn(quoted)) names.add(word);
  for (const { 0: token, index } of goal.matchAll(TOKEN)) {
    const isFirst = BEFORE_FIRST.test(goal.slice(Math.max(0, index - 20), index));
    // The number of a list item.
    if (isFirst && /^\d+[.)]\s/.test(goal.slice(index))) continue;
    const isCapital = hasCases && !isFirst && /^\p{Lu}/u.test(token);
    const isName = /\p{N}/u.test(token) || WITHOUT_BLANKS.test(token) || isCapital;
    for (const word of wordsOf(token))
      if (isName && !OF_EVERY_GOAL.test(word)) names.add(word);
      else if (/^\p{L}{2,}/u.test(word) && !OF_EVERY_GOAL.test(word)) others.add(word);
  }
  return { names: [...names], others: [...others].filter(word => !names.has(word)), text: asCompared(goal) };
}

/** The words in lower case, and numbers in one form however they are written: `1,080.00` is 1080. */
export const wordsIn = (text: string): string[] =>
  (text.replace(MAY_BREAK, '').match(TOKEN) ?? []).flatMap(wordsOf);

function wordsOf(token: string): string[] {
  const word = token.normalize('NFC').toLowerCase();
  if (/^\p{N}[\p{N}.,]*$/u.test(word)) return [numberIn(word)];
  if (!WITHOUT_BLANKS.test(word) || word.length < 2) return [word];
  const characters = [...word];
  return characters.slice(1).map((character, at) => characters[at] + character);
}

function numberIn(word: string): string {
  const whole = word.replace(/[.,](?=\p{N}{3}(?!\p{N}))/gu, '').replace(',', '.');
  return whole.includes('.') ? whole.replace(/\.?0+$/, '') : whole;
}

export const hasName = (text: string, { names }: GoalWords) =>
  wordsIn(text).some(word => names.includes(word));

const asCompared = (text: string) =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(MAY_BREAK, '');

/**
 * The words of a text by which the control beside it is found again. Further away than in its row, only names count, and on a page
 * only those in texts of hardly any other words: a banner may have any word of a goal.
 *
 * @param loose also words that are no names, even if the text has words that the goal lacks
 */
export function soughtIn(text: string, scope: Scope, { names, others }: GoalWords, loose = false): string[] {
  const words = wordsIn(text);
  const isKnown = (word: string) => names.includes(word) || others.includes(word);
  const strange = words.filter(word => !isKnown(word) && !OF_EVERY_GOAL.test(word)).length;
  if (scope === 'page' && strange > 1) return [];
  const hasOthers = isNear(scope) && (loose || !strange);
  // "Only 3 left" is not the 3 of a goal.
  const isNumber = (word: string) => !/^\d$/.test(word) || !strange;
  return words.filter(
    word => (names.includes(word) && isNumber(word)) || (hasOthers && others.includes(word)),
  );
}

const MAX_TEXT = 100;

/** A line with the word, short enough to be kept. It begins with a whole word: no secret is found by its end. */
export function cutAround({ text, word }: { text: string; word: string }): string {
  if (text.length <= MAX_TEXT) return text;
  const withoutSecrets = text
    .toLowerCase()
    .replace(/<secret>.*?<\/secret>/g, mark => '-'.repeat(mark.length));
  const at = Math.max(0, withoutSecrets.indexOf(word));
  if (at + word.length <= MAX_TEXT) return text.slice(0, MAX_TEXT);
  const blank = text.lastIndexOf(' ', at - 20);
  const from = blank > at - 80 ? blank + 1 : at;
  return text.slice(from, from + MAX_TEXT);
}

/** Whether what is there now has the words that a recorded text and the goal share. A name that is the whole text must be whole. */
export function keepsWords(text: string, scope: Scope, there: readonly string[], goal: GoalWords): boolean {
  const words = there.flatMap(wordsIn);
  const strict = soughtIn(text, scope, goal);
  const sought = strict.length ? strict : soughtIn(text, scope, goal, true);
  if (!sought.every(word => words.includes(word))) return false;
  const name = asCompared(text).trim();
  if (!sought.length || !/\p{L}/u.test(name) || WITHOUT_BLANKS.test(name) || !goal.text.includes(name))
    return true;
  const pattern = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+');
  const whole = new RegExp(`(?<![\\p{L}\\p{N}](?:[ \\t]*|-))${pattern}(?!(?:[ \\t]*|-)[\\p{L}\\p{N}])`, 'u');
  return whole.test(asCompared(there.join('\n')).replace(/\u00a0/g, ' '));
}
