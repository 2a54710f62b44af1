// What an instruction points at: "the 2nd Edit button in the row of Bob".

import { QUOTE } from './clauses';

/** The kinds of thing that a goal names. Several words and several ARIA roles fall under one kind. */
export type Kind =
  | 'button'
  | 'link'
  | 'field'
  | 'checkbox'
  | 'radio'
  | 'list'
  | 'tab'
  | 'item'
  | 'icon'
  | 'slider'
  | 'spinner'
  | 'dialog'
  | 'section'
  | 'result'
  | 'date'
  | 'page';

/** One way to read a noun phrase: what the label says and, where it is said, what it stands in or beside. */
export interface Reading {
  text: string;
  scope: string;
  /** How far it is believed, 0 to 1. Default 1. */
  weight?: number;
}

export interface Target {
  /** From the likeliest to the least. A target that names only a kind or a position has one with `text: ''`. */
  readings: Reading[];
  /** The text stood in quotes. */
  exact: boolean;
  kind?: Kind;
  /** 1 for the first, -1 for the last. */
  ordinal?: number;
  /** How many of those that match: Infinity for all of them. */
  count: number;
  /** The words as the goal has them. */
  phrase: string;
}

const KINDS: readonly (readonly [Kind, string])[] = [
  ['radio', 'radio buttons?|radios?'],
  ['checkbox', 'check ?box(?:es)?|tick ?box(?:es)?|switch(?:es)?'],
  ['date', 'date ?pickers?|calendars?'],
  [
    'field',
    'search (?:box|bar|field|input)|text ?(?:areas?|box(?:es)?|fields?|inputs?)|input (?:text ?box(?:es)?|fields?|box(?:es)?)|inputs?|fields?',
  ],
  [
    'list',
    'scroll list|drop ?-?downs?(?: (?:list|menu|box))?|combo ?box|list ?box|select(?: box| list)?|list',
  ],
  ['item', 'menu ?items?|list ?items?|options?|items?|entry|entries'],
  ['dialog', 'dialog(?:ue)? ?(?:box|window)?|pop-?ups?(?: window)?|modal(?: dialog)?|banner|overlay'],
  ['tab', 'tabs?'],
  ['button', 'buttons?|btn'],
  ['link', 'hyperlinks?|links?'],
  ['icon', 'icons?|images?|pictures?'],
  ['slider', 'sliders?'],
  ['spinner', 'spinners?|steppers?'],
  ['section', 'collapsed sections?|sections?|panels?|accordions?|areas?'],
  ['result', '(?:search )?results?|hits?'],
  ['page', 'web ?pages?|pages?|screen|site|website'],
];
const KIND_PATTERNS = KINDS.map(([kind, words]) => [kind, new RegExp(`\\b(?:${words})\\b`, 'i')] as const);

const ORDINALS = 'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth'.split('|');
const ORDINAL = new RegExp(
  `\\b(?:(\\d+)(?:st|nd|rd|th)|(${ORDINALS.join('|')}|last|final))\\b(?!\\s+name)`,
  'i',
);
const LABELLED =
  /\b(?:labell?ed|named|called|titled|marked|entitled|that (?:says|reads)|saying|reading|with (?:the )?(?:text|label|name|title|caption)|whose (?:text|label|name|title) is)\s+(?:as\s+)?/i;
const SCOPE =
  /\s+(?:in the (?:row|line|card|section) (?:of|for|with)|next to|in front of|belonging to|that belongs to|in|on|of|by|for|from|under|underneath|beside|near|inside|within|at|with|about|above|below|using|to)\s+/i;
const ARTICLE =
  /^(?:(?:the|a|an|any|some|your|my|this|that|their|its|his|her|on|into|onto|to|in|for|of)\s+)+/i;
const TAIL =
  /\s+(?:below|above|here|please|again|instead|when (?:you are |you're )?(?:done|finished|ready))$/i;

const clean = (text: string) =>
  text
    .replace(ARTICLE, '')
    .replace(/[\s,.:]+$/, '')
    .trim();

function kindIn(text: string): { kind: Kind; words: string; index: number } | undefined {
  let found: { kind: Kind; words: string; index: number } | undefined;
  for (const [kind, pattern] of KIND_PATTERNS) {
    const match = pattern.exec(text);
    if (match && (!found || match.index + match[0].length > found.index + found.words.length))
      found = { kind, words: match[0], index: match.index };
  }
  return found;
}

function ordinalIn(text: string): { value: number; rest: string } | undefined {
  const match = ORDINAL.exec(text);
  if (!match) return undefined;
  const word = match[2]?.toLowerCase();
  const value = match[1]
    ? Number(match[1])
    : word === 'last' || word === 'final'
      ? -1
      : ORDINALS.indexOf(word!) + 1;
  return {
    value,
    rest: `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`
      .replace(/\s+/g, ' ')
      .trim(),
  };
}

function countIn(text: string): { count: number; rest: string } {
  const all = /\b(?:all(?: of)?(?: the)?|every|each|both)\b/i.exec(text);
  if (all)
    return { count: Number.POSITIVE_INFINITY, rest: text.replace(all[0], '').replace(/\s+/g, ' ').trim() };
  const some = /\bon (\d+) (?=\p{L})/iu.exec(text);
  if (some) return { count: Number(some[1]), rest: text.replace(some[0], 'on ') };
  return { count: 1, rest: text };
}

interface Parts {
  head: string;
  label: string | undefined;
  scope: string;
}

/** Tells the label from what the thing stands in. */
function partsOf(phrase: string): Parts {
  const labelled = LABELLED.exec(phrase);
  if (labelled) {
    const before = phrase.slice(0, labelled.index).trim();
    const after = phrase.slice(labelled.index + labelled[0].length).trim();
    const [head = '', scope = ''] = splitAtScope(before);
    const quote = QUOTE.exec(after);
    const label = quote ? quote[0] : after;
    const beyond = quote
      ? after
          .slice(quote.index + 1)
          .replace(SCOPE_START, '')
          .trim()
      : '';
    return { head, label, scope: [scope, beyond].filter(Boolean).join(' ') };
  }
  const [head = '', scope = ''] = splitAtScope(phrase);
  const quote = QUOTE.exec(head);
  if (quote) return { head: head.replace(quote[0], ' ').replace(/\s+/g, ' ').trim(), label: quote[0], scope };
  return { head, label: undefined, scope };
}

const SCOPE_START = new RegExp(`^${SCOPE.source.replace(/^\\s\+/, '\\s*')}`, 'i');

function splitAtScope(text: string): [string, string] {
  const match = SCOPE.exec(text);
  if (!match) return [text, ''];
  const [head, scope] = [text.slice(0, match.index).trim(), text.slice(match.index + match[0].length)];
  // 'Click "Next" to go on': why, not where.
  if (/^\s+to\s/i.test(match[0]) && QUOTE.test(head)) return [head, ''];
  // "The Sign in button", "the Add to cart link": the preposition is the label's own.
  const kind = ARTICLE.test(scope) || kindIn(head) ? undefined : kindIn(scope);
  const ends = kind !== undefined && kind.index + kind.words.length === scope.trimEnd().length;
  return ends && !QUOTE.test(text) ? [text, ''] : [head, clean(scope)];
}

const without = (text: string, words: string) => clean(text.replace(words, ' ').replace(/\s+/g, ' ').trim());

function unquotedReadings(
  phrase: string,
  head: string,
  scope: string,
  kindWords: string | undefined,
): Reading[] {
  const whole = clean(phrase);
  const wholeBare = kindWords ? without(whole, kindWords) : whole;
  const headBare = clean(kindWords ? without(clean(head), kindWords) : clean(head)).replace(TAIL, '');
  const readings: Reading[] = [];
  const add = (text: string, where: string) => {
    if (!readings.some(reading => reading.text === text && reading.scope === where))
      readings.push({ text, scope: where });
  };
  if (scope === '') add(headBare, '');
  else {
    add(wholeBare.replace(TAIL, ''), '');
    add(headBare, scope);
  }
  if (kindWords && headBare !== '') add(clean(head), scope);
  const quote = QUOTE.exec(scope)?.[0];
  if (quote) add(quote, clean(head));
  return readings;
}

/** Reads a noun phrase whose quoted strings are still atoms. `where` is a place that the clause names before its verb. */
export function parseTarget(phrase: string, show: (words: string) => string, where = ''): Target {
  const spoken = clean(show(phrase));
  const counted = countIn(phrase);
  const ordinal = ordinalIn(counted.rest);
  const trimmed = clean(ordinal?.rest ?? counted.rest);
  const { head, label, scope } = partsOf(trimmed);
  const found = kindIn(head) ?? (label === undefined && head === '' ? kindIn(trimmed) : undefined);
  const place = [show(scope), show(where)].filter(Boolean).join(' ');
  const shared = {
    ...(found ? { kind: found.kind } : {}),
    ...(ordinal ? { ordinal: ordinal.value } : {}),
    count: counted.count,
    phrase: spoken,
  };
  if (label !== undefined) {
    const extra = found ? without(clean(head), found.words) : clean(head);
    const text = show(label).trim();
    const context = [show(extra), place].filter(Boolean).join(' ');
    const readings: Reading[] = [{ text, scope: context }];
    // 'The word "gamma"': a noun before the label says what it is rather than where.
    if (extra !== '' && !TELLS_APART.test(show(extra)))
      readings.push({ text, scope: place, weight: BARE_LABEL });
    return { readings: softened(readings), exact: QUOTE.test(label), ...shared };
  }
  const readings = unquotedReadings(trimmed, head, scope, found?.words).map(reading => ({
    text: show(reading.text),
    scope: [show(reading.scope), show(where)].filter(Boolean).join(' '),
  }));
  return { readings: where === '' ? readings : softened(readings), exact: false, ...shared };
}

/** Names, handles and numbers tell one row from another; other words of a place only make it likelier. */
const TELLS_APART = /[@#\d]|(?:^|\s)\p{Lu}/u;
const WITHOUT_PLACE = 0.62;
const BARE_LABEL = 0.92;

function softened(readings: Reading[]): Reading[] {
  const loose = readings
    .filter(({ scope }) => scope !== '' && !TELLS_APART.test(scope))
    .map(({ text }) => ({ text, scope: '', weight: WITHOUT_PLACE }));
  return [...readings, ...loose];
}
