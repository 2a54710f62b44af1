// Places that instructions name: a row, a card, a dialog.

import { coverage, tokens } from './tokens';
import type { Candidate } from './view';

const GENERIC_SCOPE =
  /\b(?:users?|rows?|posts?|items?|cards?|lines?|entry|entries|e?mails?|messages?|products?|pages?|box|list|table|section|person|called|named|window|folder|file|results?|top|bottom|left|right|side)\b/gi;
const ZONES: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:dialog(?:ue)?|pop-?up|modal)\b/i, /dialog/],
  [/\b(?:nav\w*|menu ?bar|menu)\b/i, /nav|menu/],
  [/\bheader\b/i, /header/],
  [/\bfooter\b/i, /footer/],
  [/\b(?:form)\b/i, /form/],
];

const inZone = ({ zones, layer }: Candidate, [said, zone]: readonly [RegExp, RegExp]) =>
  zones.some(name => zone.test(name)) || (said.test('dialog') && layer > 0);

/** The shortest text around a candidate that says most of `words`, and how much of them. */
function surroundings(
  candidate: Candidate,
  words: string,
  memo: Map<string, number>,
): { covers: number; length: number } {
  let best = { covers: 0, length: Number.POSITIVE_INFINITY };
  for (const context of [candidate.name, ...candidate.contexts]) {
    let covers = memo.get(context);
    if (covers === undefined) {
      covers = coverage(words, context);
      memo.set(context, covers);
    }
    if (covers > best.covers + 0.1) best = { covers, length: context.length };
  }
  return best;
}

const LEAST = 0.45;
/** Texts up to this long are one thing's: a row's, a card's title. */
const SHORT = 20;

/**
 * Measures how closely things stand with what `scope` names, 0.45 to 1. Of several in whose surroundings it is
 * said, those are closest where least else is said: the row rather than the table.
 */
export function scopeMeter(
  candidates: readonly Candidate[],
  scope: string,
): (candidate: Candidate) => number {
  if (scope === '') return () => 1;
  const zone = ZONES.find(([said]) => said.test(scope));
  const bare = scope.replace(GENERIC_SCOPE, ' ').replace(zone?.[0] ?? '', ' ');
  const words = tokens(bare)
    .filter(({ weight }) => weight >= 0.3)
    .map(({ word }) => word);
  const says = (candidate: Candidate) => (zone && inZone(candidate, zone) ? 1 : 0);
  if (words.length === 0) return candidate => (zone ? 0.75 + 0.25 * says(candidate) : 0.9);
  const wanted = words.join(' ');
  const memo = new Map<string, number>();
  const around = new Map(candidates.map(candidate => [candidate, surroundings(candidate, wanted, memo)]));
  const most = Math.max(0, ...Array.from(around.values(), ({ covers }) => covers));
  const closest = Math.min(
    ...Array.from(around.values(), one => (one.covers >= most - 0.1 ? one.length : Number.POSITIVE_INFINITY)),
  );
  return candidate => {
    const { covers, length } = around.get(candidate) ?? surroundings(candidate, wanted, memo);
    if (covers === 0) return LEAST + (1 - LEAST) * 0.8 * says(candidate);
    const among = Math.min(1, Math.max(closest, SHORT) / Math.max(length, SHORT));
    const alone = 1 / (1 + Math.max(0, length - 40) / 250);
    return LEAST + (1 - LEAST) * Math.max(covers ** 2 * (0.7 * among + 0.3 * alone), 0.8 * says(candidate));
  };
}
