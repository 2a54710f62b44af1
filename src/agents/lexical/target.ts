// Reads how a goal describes an element.
import type { Target } from './clause';
import { Q, type Quotes, regex } from './quotes';

export const KINDS =
  'buttons?|links?|tabs?|menu items?|menus?|options?|check ?box(?:es)?|radio buttons?|radios?|switch(?:es)?|toggles?|fields?|text ?fields?|input|inputs?|text ?box(?:es)?|text ?areas?|search ?box|box|list|drop-?down|combo ?box|select|slider|icon|image|picture|row|card|section|item|entry|page|plan|cell|heading|size|dialog|file|node|tree item|column|folder|section|panel|tile|words?';
const ORDINALS = 'last first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const NTH = new RegExp(`\\b(?:(\\d+)(?:st|nd|rd|th)|(${ORDINALS.join('|')}))\\b`, 'i');
/** Words that name a place without saying which. */
export const ANYWHERE =
  /\b(?:the|this|that|its?|of|for|with|named|called|on|in|at|a|an|top|bottom|left|right|middle|side(?:bar)?|corner|header|footer|main|same|page|site|screen|results?|list|dialog|popup|menu|form|window|table|tree|toolbar|navigation|below|above|here|there|view|area|current|search)\b/gi;

/** A phrase without such words and without kinds: '' for `the results list`. */
const bare = (phrase: string): string =>
  phrase
    .replace(ANYWHERE, ' ')
    .replace(new RegExp(`\\b(?:${KINDS})\\b`, 'gi'), ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Reads `the 2nd "Edit" button in the row "Alice"`. Other words beside a quoted label are ignored. */
export function target(phrase: string, quotes: Quotes): Target | undefined {
  const called = regex('^(.*?)\\s*\\b(?:labell?ed|called|named|titled|saying) (Q)$').exec(phrase.trim());
  const text = called ? `${called[2]} ${called[1]}` : phrase.trim();
  const placed = regex(
    `^(.*?)\\s+(?:in|on|at|for|of|from|under|within|inside|among|next to|beside)\\s+([^Q]*?)(Q)?(\\s+(?:${KINDS}))?$`,
  ).exec(text);
  if (placed?.[1] && (placed[3] || regex('Q').test(placed[1]))) {
    const inner = target(placed[1], quotes);
    const place = quotes.first(placed[3] ?? '') || bare(placed[2]!);
    return inner && place ? { ...inner, place } : inner;
  }
  const [, figure, word = ''] = NTH.exec(text) ?? [];
  const at = Number(figure ?? ORDINALS.indexOf(word.toLowerCase())) - 1;
  const kind = new RegExp(`\\b(${KINDS})\\b(?!.*\\b(?:${KINDS})\\b)`, 'i').exec(text)?.[1]?.toLowerCase();
  const marks = text.match(new RegExp(Q, 'g')) ?? [];
  if (marks.length > 1) return undefined;
  const label = marks[0]
    ? quotes.first(text)
    : text
        .replace(/^(?:on |into |in |the |a |an |its |your )+/i, '')
        .replace(new RegExp(`^${NTH.source}`, 'i'), '')
        .replace(new RegExp(`^(?:${KINDS})\\b(?= \\S)|(?:\\b(?:${KINDS})\\s*)+$`, 'i'), '')
        .trim();
  return { label, kind, nth: at < -1 ? undefined : at };
}

/** The label of a place, quoted or not: `Bob` for `the row of Bob`; '' if it is not a place in the page. */
export function placeIn(phrase: string, quotes: Quotes): string {
  const isPart = /\b(?:row|card|section|item|entry|user|group|panel)\b/i.test(phrase);
  return quotes.first(phrase) || (isPart ? bare(phrase.replace(/\buser\b/i, '')) : '');
}

export const named = (rest: string, quotes: Quotes): Target | undefined => {
  const found = target(rest.replace(/\s+(?:to|so that|which|that|until)\s+[^\uE000-\uF8FF]*$/i, ''), quotes);
  return found?.label || found?.nth !== undefined || found?.kind ? found : undefined;
};
