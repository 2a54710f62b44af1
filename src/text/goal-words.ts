// The words by which a goal tells one thing from others, and those of a text on the page. Pages load this file, too: it imports nothing.
export interface GoalWords {
  /** In lower case: numbers, what stands in quotes or begins with a capital inside a sentence, and pairs of characters of scripts without blanks. */
  names: string[];
  /** Its other words of three letters and more. */
  others: string[];
}

const QUOTED = /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|‘[^’]*’|`[^`]*`|(?<!\p{L})'[^']*'(?!\p{L})/gu;
const TOKEN = /\p{N}+(?:[.,:]\p{N}+)*[\p{L}\p{M}]*|[\p{L}\p{M}][\p{L}\p{M}\p{N}]*/gu;
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;
const OF_EVERY_GOAL = /^(?:i|a|an|in|on|to|of|the|and|for|with|from|into|one)$/;

export function goalWords(goal: string): GoalWords {
  const names = new Set<string>();
  const others = new Set<string>();
  // In a goal of capitals alone they say nothing.
  const hasCases = /\p{Ll}/u.test(goal);
  for (const [quoted] of goal.matchAll(QUOTED)) for (const word of wordsIn(quoted)) names.add(word);
  for (const { 0: token, index } of goal.matchAll(TOKEN)) {
    const isFirst = /(?:^|[.!?:;\n]\s*|\d\)\s*|[-*•]\s*)$/.test(goal.slice(Math.max(0, index - 20), index));
    // Of a list.
    if (isFirst && /^\d+[.)]\s/.test(goal.slice(index))) continue;
    const isCapital = hasCases && !isFirst && /^\p{Lu}/u.test(token);
    const isName = /\p{N}/u.test(token) || WITHOUT_BLANKS.test(token) || isCapital;
    for (const word of wordsOf(token))
      if (isName && !OF_EVERY_GOAL.test(word)) names.add(word);
      else if (/^\p{L}{3,}/u.test(word) && !OF_EVERY_GOAL.test(word)) others.add(word);
  }
  return { names: [...names], others: [...others].filter(word => !names.has(word)) };
}

/** In lower case, and numbers alike however they are written: `1,080.00` is 1080. */
export const wordsIn = (text: string): string[] => (text.match(TOKEN) ?? []).flatMap(wordsOf);

function wordsOf(token: string): string[] {
  const word = token.normalize('NFC').toLowerCase();
  if (/^\p{N}[\p{N}.,]*$/u.test(word)) return [numberIn(word)];
  if (!WITHOUT_BLANKS.test(word) || word.length < 2) return [word];
  return [...word].slice(1).map((character, at) => [...word][at] + character);
}

function numberIn(word: string): string {
  const whole = word.replace(/[.,](?=\p{N}{3}(?!\p{N}))/gu, '').replace(',', '.');
  return whole.includes('.') ? whole.replace(/\.?0+$/, '') : whole;
}

/** The words of a text beside a control that the goal has, too. Further away, in a dialog or on a page, only those that name something. */
export function soughtIn(text: string, isNear: boolean, { names, others }: GoalWords): string[] {
  const words = wordsIn(text);
  const isKnown = (word: string) => names.includes(word) || others.includes(word);
  if (isNear) return words.filter(isKnown);
  // "Only 3 left" is not the 3 of a goal.
  return words.filter(word => names.includes(word) && (!/^\d$/.test(word) || words.every(isKnown)));
}

/** Whether the words that a recorded text and the goal share are in what is there now. */
export function keepsWords(
  recorded: string,
  isNear: boolean,
  there: readonly string[],
  goal: GoalWords,
): boolean {
  const words = there.flatMap(wordsIn);
  return soughtIn(recorded, isNear, goal).every(word => words.includes(word));
}
