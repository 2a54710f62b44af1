// Cuts a goal into clauses of one instruction each. Quoted strings, dates, times, URLs and numbers are
// atoms while it cuts: what stands in them is never taken for a verb or for the end of a sentence.

const MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';

const QUOTES: readonly RegExp[] = [
  /"([^"]*)"/g,
  /“([^”]*)”/g,
  /„([^“”]*)[“”]/g,
  /«\s*([^»]*?)\s*»/g,
  /`([^`]+)`/g,
  /‘([^’]*)’(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}])'([^']*(?:'(?=[\p{L}\p{N}])[^']*)*)'(?![\p{L}\p{N}])/gu,
];

const LITERALS: readonly RegExp[] = [
  /<secret>[^<]*<\/secret>/gi,
  /https?:\/\/[^\s,;]*[^\s,;.!?)]/gi,
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  new RegExp(`\\b(?:${MONTHS})\\.?\\s+\\d{1,2}(?:st|nd|rd|th)?,?\\s+\\d{4}\\b`, 'gi'),
  new RegExp(`\\b\\d{1,2}(?:st|nd|rd|th)?\\s+(?:of\\s+)?(?:${MONTHS})\\.?,?\\s+\\d{4}\\b`, 'gi'),
  /\b\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}\b/g,
  /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]\.?m\b\.?)?|\b\d{1,2}\s*[ap]\.?m\b\.?/gi,
  /[$€£]?\d+(?:[.,]\d+)+/g,
  /\b[\w-]+(?:\.[a-z][\w-]*)+(?:\/[\w/-]*)?/gi,
];

const QUOTE_BASE = 0xe000;
const LITERAL_BASE = 0xe800;
const ATOM = /[\ue000-\uefff]/g;
export const QUOTE = /[\ue000-\ue7ff]/;

/** One instruction's words, with atoms in place of what is quoted or literal. */
export interface Clause {
  /** Verb as listed in VERBS; '' where the clause has none. */
  verb: string;
  /** What follows the verb. */
  rest: string;
  /** Words before the verb that say where: "For the user @sam, click Block". */
  where: string;
  /** It ends in a colon: the clauses after it say how. */
  heading?: boolean;
}

const VERBS =
  'click on|click|press on|press|tap on|tap|hit|push|activate|follow|double-click on|double-click|open up|open|go back to|go back|go to|navigate to|navigate through|navigate|' +
  'visit|browse to|browse|head to|head over to|view|switch to|switch between|switch|proceed to|proceed with|proceed|return to|move to|select|choose|pick|tick|mark|' +
  'uncheck|untick|deselect|unselect|toggle|turn on|turn off|enable|disable|enter|type in|type|fill in|fill out|fill|input|write|key in|put|insert|' +
  'set|change|search for|search|look up|look for|look at|look|find|locate|submit|dismiss|close|reject|decline|cancel|deny|skip|ignore|accept|' +
  'agree to|allow|confirm|expand|unfold|reveal|show|collapse|hide|scroll|focus into|focus on|focus in|focus|hover over|hover on|hover|' +
  'log in to|log into|log in|login|sign in to|sign into|sign in|log on|log out|sign out|sign up|use|using|wait for|wait until|wait|check out|checkout|check that|check whether|check if|check|' +
  'make sure|ensure|verify|see|read|identify|discover|add|remove|delete|start|begin|subscribe|register|create|join|buy|purchase|order|book|reserve|' +
  'pay|download|upload|share|like|reply|forward|send|save|edit|update|apply|continue|complete|finish|place|request|contact|post|upgrade|' +
  'sort|filter|compare|leave|clear|get|increase|decrease|drag|copy|paste|give|make|try|star|rate|retweet|mute|block|unsubscribe|report|answer|pause|play|stop';

const ADVERBS =
  '(?:(?:please|then|next|now|finally|first|also|simply|just|once there|afterwards?|after that|lastly|go ahead and|and|you (?:should|must|need to|have to)|your task is to|i want to|try to)\\s+|,\\s*)*';
const verbPattern = `(?:${VERBS})(?![\\p{L}\\p{N}-])`;
const STARTS_WITH_VERB = new RegExp(`^${ADVERBS}(${verbPattern})`, 'iu');
const BOUNDARY = new RegExp(
  `(?:\\s*,)?\\s+(?:and\\s+)?then\\s+|(?:\\s*,)?\\s+(?:and|after that|before(?= \\p{L}+ing))\\s+(?=${ADVERBS}${verbPattern})|,\\s*(?=${ADVERBS}${verbPattern})|\\s+(?=(?:hit|press|click)\\s+(?:the\\s+)?submit\\b)`,
  'giu',
);
const BY_DOING = /\s*,?\s+(?:by|through)\s+(?:first\s+)?(\p{L}+?)([a-z])?\2?ing\b/iu;
/** After these, "to find ..." is the next thing to do; after others it is only why. */
const MEANS =
  /^(?:use|using|expand|unfold|switch|switch to|switch between|navigate|navigate through|navigate to|browse|scroll|go to|open|go back|look|log|sign|visit)/i;
const TO_DO = new RegExp(`,?\\s+(?:in order\\s+)?to\\s+(?=${verbPattern})`, 'iu');

/** A goal whose atoms are out of the way, and the way back. */
class Protected {
  readonly #atoms = new Map<string, string>();

  constructor(readonly goal: string) {}

  hide(): string {
    let text = this.goal;
    let next = 0;
    const swap = (base: number) => (whole: string, inner: unknown) => {
      const atom = String.fromCharCode(base + next++);
      this.#atoms.set(atom, typeof inner === 'string' ? inner : whole);
      return atom;
    };
    for (const pattern of QUOTES) text = text.replace(pattern, swap(QUOTE_BASE));
    for (const pattern of LITERALS) text = text.replace(pattern, swap(LITERAL_BASE));
    return text;
  }

  show(text: string): string {
    let out = text;
    while (out.search(ATOM) >= 0) out = out.replace(ATOM, atom => this.#atoms.get(atom) ?? '');
    return out;
  }
}

/** `words` may hold atoms; `show` puts their text back. */
export interface Clauses {
  clauses: Clause[];
  show(words: string): string;
}

const baseForm = (stem: string, doubled: string | undefined): string => {
  const known = new RegExp(`^${verbPattern}$`, 'iu');
  const whole = stem + (doubled ?? '');
  return [whole, `${whole}e`, stem, `${stem}e`].find(form => known.test(form)) ?? whole;
};

function splitByMeans(part: string): string[] {
  const by = BY_DOING.exec(part);
  if (by) {
    const how = `${baseForm(by[1]!, by[2])}${part.slice(by.index + by[0].length)}`;
    const what = part.slice(0, by.index).replace(STARTS_WITH_VERB, '').trim();
    return STARTS_WITH_VERB.test(how) ? [what === '' ? how : `in ${what}, ${how}`] : [part];
  }
  const verb = STARTS_WITH_VERB.exec(part)?.[1];
  const to = TO_DO.exec(part);
  if (to && verb && MEANS.test(verb))
    return [part.slice(0, to.index), ...splitByMeans(part.slice(to.index + to[0].length))];
  return [part];
}

function toClause(part: string, where: string): Clause {
  const verb = STARTS_WITH_VERB.exec(part);
  if (!verb) return { verb: '', rest: part, where };
  return {
    verb: verb[1]!.toLowerCase(),
    rest: part.slice(verb[0].length).trim(),
    where,
  };
}

const WHERE = /^(?:for|in|on|at|under|within|inside|from|with|next to|using|among)\s+([^,]*?)\s*,\s*(.*)$/isu;

/** "In the account check ...": a place without a comma after it. */
const WHERE_VERB =
  /^(?:in|on|under|from|inside|within)\s+((?:the|your|my|its|this)\s+(?:[\p{L}-]+\s+){1,3}?)(?=(?:click|press|tap|select|choose|check|tick|enter|type|open)\s)/iu;
const HOW = new RegExp(`:\\s+(?=${ADVERBS}${verbPattern})`, 'iu');

function placeOf(part: string): { where: string; body: string } {
  const bare = WHERE_VERB.exec(part);
  if (bare) return { where: bare[1]!.trim(), body: part.slice(bare[0].length) };
  const place = WHERE.exec(part);
  return place ? { where: place[1]!, body: place[2]! } : { where: '', body: part };
}

function partsOf(body: string, where: string): Clause[] {
  const out: Clause[] = [];
  for (const part of body.split(BOUNDARY).flatMap(splitByMeans)) {
    const trimmed = part.replace(/^[\s,]+|[\s,.]+$/g, '');
    if (trimmed === '') continue;
    const inner = placeOf(trimmed);
    if (inner.where !== '' && STARTS_WITH_VERB.test(inner.body)) out.push(toClause(inner.body, inner.where));
    // 'click "A", then "B"': the verb goes on.
    else if (QUOTE.test(trimmed[0]!)) out.push({ verb: out.at(-1)?.verb ?? '', rest: trimmed, where });
    else out.push(toClause(trimmed, where));
  }
  return out;
}

/** Says what to do by itself, whatever follows a colon. */
const DIRECT =
  /^(?:click|press|tap|hit|push|select|choose|pick|enter|type|fill|dismiss|close|reject|accept|log in|search for)/;

function clausesOf(sentence: string): Clause[] {
  const how = HOW.exec(sentence);
  if (!how) return simpleClauses(sentence);
  const before = simpleClauses(sentence.slice(0, how.index).trim());
  const last = before.at(-1);
  if (last && !DIRECT.test(last.verb)) last.heading = true;
  return [...before, ...clausesOf(sentence.slice(how.index + how[0].length))];
}

function simpleClauses(sentence: string): Clause[] {
  const place = STARTS_WITH_VERB.test(sentence) ? { where: '', body: sentence } : placeOf(sentence);
  return partsOf(place.body, place.where);
}

/** Cuts a goal into clauses. */
export function splitGoal(goal: string): Clauses {
  const hidden = new Protected(goal);
  const sentences = hidden
    .hide()
    .replace(/(?:^|\n)\s*(?:\d+[.)]|[-*•])\s+/g, '\n')
    .split(/(?<=[.!?])\s+|[!?]$|\.$|\n+|;\s*/u)
    .filter(sentence => sentence.trim() !== '');
  return { clauses: sentences.flatMap(clausesOf), show: words => hidden.show(words) };
}
