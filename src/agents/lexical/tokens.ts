// Words as they are compared: canonical phrases, stems, synonyms, weights.

/** Spellings of one thing, written as one word before anything else is done. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:log|sign)[\s-]?in(?:to)?\b|\blog[\s-]?on\b/g, 'login'],
  [/\b(?:log|sign)[\s-]?(?:out|off)\b/g, 'logout'],
  [/\bsign[\s-]?up\b|\bcreate (?:an |your )?account\b|\bregist(?:er|ration)\b/g, 'signup'],
  [/\bcheck[\s-]out\b/g, 'checkout'],
  [/\be-mails?\b/g, 'email'],
  [/\buser[\s-](?:name|id)\b/g, 'username'],
  [/\b(?:post|postal|zip)[\s-]?code\b/g, 'zip'],
  [/\b(?:family|sur)[\s-]?name\b/g, 'last name'],
  [/\b(?:given[\s-]?name|forename)\b/g, 'first name'],
  [/\bdrop[\s-]down\b/g, 'dropdown'],
  [/\bpop[\s-]up\b/g, 'popup'],
  [/\bfavour/g, 'favor'],
  [/\bcolour/g, 'color'],
];

const SYNONYMS: readonly (readonly string[])[] = [
  ['cart', 'basket', 'bag', 'trolley'],
  ['buy', 'purchase', 'order'],
  ['delete', 'remove', 'trash', 'bin', 'discard'],
  ['search', 'find', 'lookup', 'magnifier'],
  ['settings', 'preferences', 'configuration'],
  ['picture', 'image', 'photo'],
  ['email', 'mail'],
  ['phone', 'telephone', 'mobile', 'tel'],
  ['username', 'user'],
  ['close', 'dismiss', 'x', '×', '✕', '✖'],
  ['price', 'pricing', 'cost', 'plan'],
  ['star', 'favorite', 'important', 'bookmark'],
  ['help', 'support', 'faq'],
  ['docs', 'documentation', 'guide', 'manual'],
  ['trial', 'try'],
  ['start', 'begin'],
  ['accept', 'agree', 'allow'],
  ['reject', 'decline', 'deny', 'refuse'],
  ['edit', 'modify', 'change', 'update'],
  ['add', 'plus', 'new', 'create'],
  ['like', 'heart'],
  ['reply', 'respond', 'answer'],
  ['account', 'profile'],
  ['quantity', 'qty', 'amount'],
  ['next', 'continue', 'forward'],
  ['previous', 'prev', 'back'],
  ['submit', 'send'],
  ['menu', 'hamburger'],
  ['textbox', 'input'],
];

const STOP_WORDS = new Set(
  (
    'a an the this that these those it its their his her your my our of in on at to from by for with into onto as is are be ' +
    'and or then below above all any each both please i you we me them they then next finally also among here there'
  ).split(' '),
);

/** Lower case, one kind of quote, single spaces. */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** A light stem: enough for "prices", "pricing" and "price", or "directed" and "director", to meet. */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  let out = word
    .replace(/'s$/, '')
    .replace(/ies$/, 'y')
    .replace(/(?:sses)$/, 'ss')
    .replace(/([^s])s$/, '$1');
  out = out.replace(/(.{3,}?)(?:ing|ed|er|or|ment|ly)$/, '$1');
  out = out.replace(/([bdfgmnprt])\1$/, '$1');
  return out.length > 3 ? out.replace(/e$/, '') : out;
}

const GROUP_OF = new Map(SYNONYMS.flatMap((group, index) => group.map(word => [stem(word), index] as const)));

export interface Token {
  /** As written, lower case. */
  word: string;
  stem: string;
  /** What it counts: stop words little, names, numbers and handles much. */
  weight: number;
}

/** Words that labels have or leave out as they like: "phone number" is "Phone". */
const LOOSE_WORDS = new Set('number address name code value option'.split(' '));

function weightOf(raw: string, folded: string, isFirst: boolean): number {
  if (STOP_WORDS.has(folded)) return 0.15;
  if (LOOSE_WORDS.has(folded)) return 0.4;
  if (/^[@#]|\d/.test(raw)) return 2;
  return !isFirst && /^\p{Lu}/u.test(raw) ? 1.6 : 1;
}

const WORD = /@?[\p{L}\p{N}]+(?:['’][\p{L}]+)?|[×✕✖]/gu;

const cache = new Map<string, readonly Token[]>();
const CACHE_SIZE = 20_000;

/** The words of a text, in order. */
export function tokens(text: string): readonly Token[] {
  const known = cache.get(text);
  if (known) return known;
  if (cache.size > CACHE_SIZE) cache.clear();
  const made = readTokens(text);
  cache.set(text, made);
  return made;
}

function readTokens(text: string): Token[] {
  const names = new Map<string, string>();
  for (const [raw] of text.matchAll(WORD))
    if (!names.has(raw.toLowerCase())) names.set(raw.toLowerCase(), raw);
  const first = text.match(WORD)?.[0]?.toLowerCase();
  let canonical = fold(text);
  for (const [pattern, word] of PHRASES) canonical = canonical.replace(pattern, word);
  return Array.from(canonical.matchAll(WORD), ([word]) => ({
    word,
    stem: stem(word),
    weight: weightOf(names.get(word) ?? word, word, word === first),
  }));
}

/** How well two words agree, 0 to 1. */
export function agreement(a: Token, b: Token): number {
  if (a.word === b.word) return 1;
  if (a.stem === b.stem) return 0.95;
  const group = GROUP_OF.get(a.stem);
  if (group !== undefined && group === GROUP_OF.get(b.stem)) return 0.8;
  const [short, long] = a.word.length < b.word.length ? [a.word, b.word] : [b.word, a.word];
  return short.length >= 4 && long.startsWith(short) ? 0.7 : 0;
}

function covered(wanted: readonly Token[], found: readonly Token[]): number {
  let total = 0;
  let hit = 0;
  for (const token of wanted) {
    total += token.weight;
    hit += token.weight * Math.max(0, ...found.map(other => agreement(token, other)));
  }
  return total === 0 ? 0 : hit / total;
}

/** The share of `wanted`'s words that `text` has, 0 to 1, by weight. */
export function coverage(wanted: string, text: string): number {
  return covered(tokens(wanted), tokens(text));
}

const bare = (text: string) => fold(text).replace(/[^\p{L}\p{N}]+/gu, '');

/** How alike a label and the words that ask for it are: 1 where they are the same string, 0 where nothing meets. */
export function similarity(label: string, wanted: string): number {
  const [a, b] = [label.replace(/\s+/g, ' ').trim(), wanted.replace(/\s+/g, ' ').trim()];
  if (a === '' || b === '') return 0;
  if (a === b) return 1;
  const [foldedA, foldedB] = [fold(a), fold(b)];
  if (foldedA === foldedB) return 0.98;
  if (bare(a) !== '' && bare(a) === bare(b)) return 0.95;
  const [have, want] = [tokens(a), tokens(b)];
  const recall = covered(want, have);
  if (recall === 0) return 0;
  return 0.92 * recall * (0.55 + 0.45 * covered(have, want));
}
