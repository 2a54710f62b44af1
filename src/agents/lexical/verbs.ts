// The verbs of the language, and the readers of what follows them: how a goal describes an element.
import type { Act, Wanted } from './clause';
import { Q, type Quotes, regex } from './quotes';

const KINDS =
  'buttons?|links?|tabs?|menu items?|menus?|options?|check ?box(?:es)?|radio buttons?|radios?|switch(?:es)?|toggles?|fields?|text ?fields?|input|inputs?|text ?box(?:es)?|text ?areas?|search ?box|box|list|drop-?down|combo ?box|select|slider|icon|image|picture|row|card|section|item|entry|page|plan|cell|heading|size|dialog|file|node|tree item|column|folder|section|panel|tile|words?';
const ORDINALS = 'last first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const NTH = new RegExp(`\\b(?:(\\d+)(?:st|nd|rd|th)|(${ORDINALS.join('|')}))\\b`, 'i');
/** Words that name a place without saying which. */
const ANYWHERE =
  /\b(?:the|this|that|its?|of|for|with|named|called|on|in|at|a|an|top|bottom|left|right|middle|side(?:bar)?|corner|header|footer|main|same|page|site|screen|results?|list|dialog|popup|menu|form|window|table|tree|toolbar|navigation|below|above|here|there|view|area|current|search)\b/gi;

/** A phrase without such words and without kinds: '' for `the results list`. */
const bare = (phrase: string): string =>
  phrase
    .replace(ANYWHERE, ' ')
    .replace(new RegExp(`\\b(?:${KINDS})\\b`, 'gi'), ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Reads `the 2nd "Edit" button in the row "Alice"`. Other words beside a quoted label are ignored. */
function target(phrase: string, quotes: Quotes): Wanted | undefined {
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

const named = (rest: string, quotes: Quotes): Wanted | undefined => {
  const found = target(rest.replace(/\s+(?:to|so that|which|that|until)\s+[^\uE000-\uF8FF]*$/i, ''), quotes);
  return found?.label || found?.nth !== undefined || found?.kind ? found : undefined;
};

const KEY =
  /^(?:(?:ctrl|control|alt|shift|cmd|meta|controlormeta)\+)*(?:enter|return|tab|esc(?:ape)?|space|backspace|del(?:ete)?|arrow ?\w+|page ?(?:up|down)|home|end|f\d\d?|[\w\d.,/?\\[\]+-])$/i;
/** Words that accept a dialog. Any other text is entered into its prompt. */
export const OK = /^(?:ok(?:ay)?|yes|accept|confirm|continue|sure|leave)\b/i;
const DIALOG =
  '(?:the |that |this |a )?(?:browser.s |native |confirmation |confirm |javascript )?(?:dialog(?: box)?|question|confirmation|confirm|prompt|alert|message box|warning)';

type Reader = (rest: string, quotes: Quotes, verb: string) => Act | undefined;

/** For a verb that is followed only by a name. */
const does =
  (act: Pick<Act, 'do'> & { count?: 2; on?: boolean | 'toggle' }): Reader =>
  (rest, quotes) => {
    const found = named(rest.replace(/^(?:over|on|into|out)\s+/i, ''), quotes);
    return found && ({ ...act, target: found } as Act);
  };

const press: Reader = (rest, quotes) => {
  const [, words = '', field] =
    regex('^(?:the )?(?:keys? )?(.+?)(?: key)?(?: (?:in|into|on) (.+))?$').exec(rest) ?? [];
  const key = quotes.restoreBare(words);
  const isLabel =
    regex('Q').test(words) && !/\bkey\b/i.test(rest) && !/\+|^(?:enter|escape|tab|arrow)/i.test(key);
  if (isLabel || !KEY.test(key)) return undefined;
  return { do: 'press', key, target: field ? named(field, quotes) : undefined };
};

const click: Reader = (rest, quotes) => {
  const path = rest.split(/\s*(?:>|→|›|»)\s*/).filter(Boolean);
  if (path.length > 1) return { do: 'path', labels: path.map(part => quotes.first(part) || part) };
  const url = quotes.restoreBare(rest);
  if (/^(?:https?:\/)?\/\S/i.test(url)) return { do: 'goto', url };
  const found = named(rest, quotes);
  return found && { do: 'click', target: found };
};

const enter: Reader = (rest, quotes, verb) => {
  const prompt = regex(`^(Q) (?:in|into|to|as) ${DIALOG}$`).exec(rest);
  if (prompt) return { do: 'answer', how: 'accept', native: true, given: quotes.first(rest) };
  const isSet = /^(?:fill|fill in|fill out|set|change|replace)$/i.test(verb);
  const [, into, value] = (isSet && /^(.+?)\s+(?:with|to|as|by)\s+(.+)$/i.exec(rest)) || [];
  if (into && value) return entry(value, into);
  const [, text = rest, field] =
    regex('^(.*Q[^Q]*?|\\S+)\\s+(?:into|in|to|as|for|under|on)\\s+(.+)$').exec(rest) ??
    /^(.+?)\s+(?:into|as)\s+(.+)$/i.exec(rest) ??
    [];
  const given = field ? entry(text, field) : undefined;
  // `the password "p" into the text fields`: the name of the field comes before the text.
  const isNamed = given?.target.label || given?.target.nth !== undefined;
  if (given && (isNamed || !regex('Q').test(text))) return given;
  const [, name, last] =
    regex('^(?:the |your |an? )?([^Q]*?)(?: of| is)? ?(Q)$').exec(text) ??
    /^(?:the )?(user ?name|password|e-?mail) (\S+)$/i.exec(text) ??
    [];
  return last ? entry(last, name!) : undefined;

  function entry(text: string, into: string) {
    const field = target(/\b(?:text|value|number|words?)$/i.test(into) ? 'field' : into, quotes);
    const value = quotes.restoreBare(regex('Q').exec(text)?.[0] ?? text);
    return field && { do: 'enter' as const, value, target: field };
  }
};

const choose: Reader = (rest, quotes, verb) => {
  if (rest.includes('>')) return click(rest, quotes, verb);
  const [, text = rest, field = ''] =
    regex('^(.*?Q[^Q]*?|\\S+)\\s+(?:from|in|as|for|under)\\s+(.+)$').exec(rest) ?? [];
  const from = target(field, quotes);
  const found = named(text, quotes);
  const isNamed = from?.label.replace(ANYWHERE, '').trim();
  return found && { do: 'choose', target: found, from: isNamed ? from : undefined };
};

const see: Reader = (rest, quotes) => {
  const label = quotes.first(rest);
  return label ? { do: 'see', target: { label } } : undefined;
};

const answer: Reader = (rest, quotes, verb) => {
  const label = quotes.first(rest);
  const given = regex('(?:with|by|clicking|choosing|saying)[^Q]*Q').test(rest) ? label : undefined;
  const native = regex(`^(?:it|${DIALOG}\\b.*|)$`).test(rest);
  const closes = /dialog|banner|pop-?up|window|panel|message|noti|announcement|overlay|modal/i.test(rest);
  if (!native && label && (given || !closes)) return { do: 'click', target: { label } };
  return { do: 'answer', how: howTo(verb, given), native, given, what: native ? '' : label };
};

function howTo(verb: string, given = ''): 'accept' | 'reject' | 'close' {
  if (OK.test(given)) return 'accept';
  if (/^(?:cancel|no|dismiss)\b/i.test(given)) return 'reject';
  if (/^(?:close|dismiss|hide)/i.test(verb)) return 'close';
  return /^(?:cancel|decline|reject|refuse)/i.test(verb) ? 'reject' : 'accept';
}

const search: Reader = (rest, quotes) => {
  const [, text, field = ''] = regex('^(.*?Q|\\S.*?)(?:\\s+(?:in|with|using|on)\\s+(.+))?$').exec(rest) ?? [];
  const into = target(field, quotes);
  return text
    ? { do: 'search', text: quotes.restoreBare(text), target: into?.label ? into : undefined }
    : undefined;
};

const upload: Reader = (rest, quotes) => {
  const [, file, field = 'file'] =
    regex('^[^Q]*(Q|\\S+\\.\\w+)(?:\\s+(?:to|into|in|as|for)\\s+(.+))?$').exec(rest) ?? [];
  const into = target(field, quotes);
  return file && into ? { do: 'upload', file: quotes.restoreBare(file), target: into } : undefined;
};

const LOG_IN: Wanted = { label: 'Log in', names: /^\s*(?:log|sign) ?[io]n\s*$/i, kind: 'button' };

/** If a reader can't read what follows its verb, the next one that fits is tried. */
const VERBS: [pattern: string, reader: Reader][] = [
  ['(?:log|sign) ?[io]n$', () => ({ do: 'click', target: { ...LOG_IN } })],
  ['double[- ]click(?: on)?', does({ do: 'click', count: 2 })],
  ['(?:go|navigate|return) back(?: to .*)?', () => ({ do: 'back' })],
  ['go forward', () => ({ do: 'forward' })],
  ['(?:reload|refresh)(?: the page)?', () => ({ do: 'reload' })],
  ['wait(?= [\\d.]+ (?:s|sec|seconds?)$)', rest => ({ do: 'wait', seconds: Number.parseFloat(rest) })],
  ['hover(?: over| on)?|move the mouse (?:over|to)|point at', does({ do: 'hover' })],
  ['expand|unfold', does({ do: 'expand' })],
  ['focus(?: on| into)?', does({ do: 'focus' })],
  ['search(?: (?:the \\w+ )?for)?|look up', search],
  [
    '(?:check|make sure|verify|see|ensure|confirm) that|check (?:whether|if)|make sure|verify|see|ensure|find|look (?:for|at)|locate|wait (?:for|until)|note|read|notice',
    see,
  ],
  ['uncheck|untick|deselect|unselect|disable|turn off|switch off', does({ do: 'check', on: false })],
  ['check|tick|enable|turn on|switch on', does({ do: 'check', on: true })],
  ['toggle', does({ do: 'check', on: 'toggle' })],
  ['upload|attach', upload],
  ['confirm|accept|dismiss|cancel|close|decline|reject|refuse|hide|answer|allow', answer],
  ['fill in|fill out|fill|enter|type|write(?! to\\b)|input|put|set|change|replace', enter],
  ['select|choose|pick|sort(?: (?:the )?\\w+)? by', choose],
  [
    'add (?=Q (?:to|into) (?:the |your |my )?(?:cart|basket|bag))',
    (rest, quotes) => ({ do: 'click', target: { label: 'Add', place: quotes.first(rest) } }),
  ],
  ['press|hit', press],
  ['click(?: on)?|press|tap(?: on)?|hit|push|activate|follow|open|go to|navigate to|visit|switch to', click],
];
const PATTERNS = VERBS.map(
  ([pattern, reader]) => [regex(`^(${pattern})(?![\\w-])\\s*(.*)$`), reader] as const,
);

export interface Understood {
  act: Act;
  verb: string;
}

/** @returns undefined if no verb fits. */
export function read(text: string, quotes: Quotes): Understood | undefined {
  for (const [pattern, reader] of PATTERNS) {
    const [, verb, rest] = pattern.exec(text) ?? [];
    const act = verb && reader(rest!.trim(), quotes, verb);
    if (act) return { act, verb };
  }
  return undefined;
}
