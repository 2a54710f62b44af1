// Reads a goal as clauses. Pure: knows no page.
import { type Act, type Clause, NotUnderstood, type Target } from './clause';
import { Quotes } from './quotes';

/** A quoted text, while a goal is read. */
const Q = '[\\uE000-\\uF8FF]';
const regex = (pattern: string) => new RegExp(pattern.replaceAll('[^Q', '[^\\uE000-\\uF8FF').replaceAll('Q', Q), 'i');

const KINDS =
  'buttons?|links?|tabs?|menu items?|menus?|options?|check ?box(?:es)?|radio buttons?|radios?|switch(?:es)?|toggles?|fields?|text ?fields?|input|inputs?|text ?box(?:es)?|text ?areas?|search ?box|box|list|drop-?down|combo ?box|select|slider|icon|image|picture|row|card|section|item|entry|page|plan|cell|heading|size|dialog|file|node|tree item|column|folder|section|panel|tile|words?';
const ORDINALS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];
/** Words that name a place without saying which. */
const ANYWHERE =
  /\b(?:the|this|that|its?|of|on|in|at|a|an|top|bottom|left|right|middle|side(?:bar)?|corner|header|footer|main|same|page|site|screen|results?|list|dialog|popup|menu|form|window|table|tree|toolbar|navigation|below|above|here|there|view|area|current|search)\b/gi;
const KEY =
  /^(?:(?:ctrl|control|alt|shift|cmd|meta|controlormeta)\+)*(?:enter|return|tab|esc(?:ape)?|space|backspace|del(?:ete)?|arrow ?\w+|page ?(?:up|down)|home|end|f\d\d?|[\w\d.,/?\\[\]+-])$/i;
const OK = /^(?:ok(?:ay)?|yes|accept|confirm|continue|sure|leave)\b/i;
const FIRST_WORDS = 'click|press|tap|open|go|check|uncheck|select|choose|pick|enter|type|fill|set|upload|hover|expand|double';
const LOG_IN = /^(?:log|sign) ?[io]n$/i;
const DIALOG =
  '(?:the |that |this |a )?(?:browser.s |native |confirmation |confirm |javascript )?(?:dialog(?: box)?|question|confirmation|confirm|prompt|alert|message box|warning)';

interface Piece {
  text: string;
  /** What it was cut off at. */
  end: string;
  /** A colon follows in its sentence: it may only say what is to come. */
  introduces?: boolean;
}

type Reader = (rest: string, quotes: Quotes, verb: string) => Act | undefined;

/** `the 2nd "Edit" button in the row "Alice"`. Words beside a quoted label are remarks. */
function target(phrase: string, quotes: Quotes): Target | undefined {
  const text = phrase.trim();
  const placed = regex(
    `^(.*?)\\s+(?:in|on|at|for|of|from|under|within|inside|among|next to|beside)\\s+([^Q]*?)(Q)?(\\s+(?:${KINDS}))?$`,
  ).exec(text);
  if (placed?.[1] && (placed[3] || regex('Q').test(placed[1]))) {
    const inner = target(placed[1], quotes);
    const words = placed[2]!.replace(
      /^.*\b(?:row|card|section|item|line|entry) (?:of|for|with|named|called) /i,
      '',
    );
    const unquoted = words.replace(ANYWHERE, ' ').replace(new RegExp(`\\b(?:${KINDS})\\b`, 'gi'), ' ');
    const place = placed[3] ? quotes.text(placed[3]) : quotes.restore(unquoted.replace(/\s+/g, ' ').trim());
    return inner && place ? { ...inner, place } : inner;
  }
  const nth = ordinal(text);
  const kind = new RegExp(`\\b(${KINDS})\\b(?!.*\\b(?:${KINDS})\\b)`, 'i').exec(text)?.[1]?.toLowerCase();
  const quoted = text.match(regex('Q'));
  if (quoted && text.match(new RegExp(Q, 'g'))!.length > 1) return undefined;
  const label = quoted
    ? quotes.text(quoted[0])
    : text
        .replace(/^(?:on |into |in |the |a |an |its |your )+/i, '')
        .replace(new RegExp(`^(?:\\d+(?:st|nd|rd|th)|${ORDINALS.join('|')}|last)\\b`, 'i'), '')
        .replace(new RegExp(`^(?:${KINDS})\\b(?= \\S)|\\b(?:${KINDS})$`, 'i'), '')
        .trim();
  return { label, ...(kind ? { kind } : {}), ...(nth === undefined ? {} : { nth }) };
}

function ordinal(text: string): number | undefined {
  if (/\blast\b/i.test(text)) return -1;
  const figure = /\b(\d+)(?:st|nd|rd|th)\b/i.exec(text);
  if (figure) return Number(figure[1]) - 1;
  const at = ORDINALS.findIndex(word => new RegExp(`\\b${word}\\b`, 'i').test(text));
  return at < 0 ? undefined : at;
}

const named = (rest: string, quotes: Quotes): Target | undefined => {
  const found = target(rest.replace(/\s+(?:to|so that|which|that|until)\s+[^\uE000-\uF8FF]*$/i, ''), quotes);
  return found?.label || found?.nth !== undefined || found?.kind ? found : undefined;
};

const click: Reader = (rest, quotes, verb) => {
  const key = regex('^(?:the )?(?:keys? )?(.+?)(?: key)?(?: (?:in|into|on) (.+))?$').exec(rest);
  if (key && /^(?:press|hit)$/i.test(verb)) {
    const name = quotes.restoreBare(key[1]!);
    const plain =
      !regex('Q').test(key[1]!) || /\bkey\b/i.test(rest) || /\+|^(?:enter|escape|tab|arrow)/i.test(name);
    const field = key[2] ? named(key[2], quotes) : undefined;
    if (plain && KEY.test(name)) return { do: 'press', key: name, ...(field ? { target: field } : {}) };
  }
  const path = rest.split(/\s*(?:>|→|›|»)\s*/).filter(Boolean);
  if (path.length > 1) return { do: 'path', labels: path.map(part => named(part, quotes)?.label ?? '') };
  if (/^(?:go|navigate|browse)? ?(?:to )?(?:https?:\/\/|\/)\S/i.test(quotes.restoreBare(rest)))
    return { do: 'goto', url: quotes.restoreBare(rest).replace(/^to /, '') };
  const found = named(rest.replace(/^(?:on|to|the)\s+/i, ''), quotes);
  return found && { do: 'click', target: found };
};

const enter: Reader = (rest, quotes, verb) => {
  const value = (phrase: string) =>
    quotes.restoreBare(phrase.replace(/^(?:the )?(?:text|value|words?|number) (?=Q)/i, ''));
  const prompt = regex(`^(Q) (?:in|into|to|as) ${DIALOG}$`).exec(rest);
  if (prompt) return { do: 'answer', how: 'accept', native: true, text: quotes.text(prompt[1]!) };
  const pair = regex('^(Q)\\s*=\\s*(Q)$').exec(rest);
  if (pair) return entry(pair[2]!, pair[1]!);
  if (/^(?:fill|fill in|fill out|set|change|replace)$/i.test(verb)) {
    const [, field, text] = /^(.+?)\s+(?:with|to|as|by)\s+(.+)$/i.exec(rest) ?? [];
    if (field && text) return entry(text, field);
  }
  const [, text, field] =
    regex('^(.*Q[^Q]*?|\\S+)\\s+(?:into|in|to|as|for|under|on)\\s+(.+)$').exec(rest) ??
    /^(.+?)\s+(?:into|as)\s+(.+)$/i.exec(rest) ??
    [];
  if (text && field) {
    const only = regex('Q').exec(text)?.[0];
    const given = entry(only ?? text, field);
    const isNamed = given?.do === 'enter' && (given.target.label || !only);
    if (isNamed) return given;
  }
  const whole = text ?? rest;
  const labelled =
    regex('^(?:the |your |an? )?([^Q]*?)(?: of| is)? ?(Q)$').exec(whole) ??
    /^(?:the )?(user ?name|password|e-?mail) (\S+)$/i.exec(whole);
  return labelled ? entry(labelled[2]!, labelled[1]!) : undefined;

  function entry(given: string, into: string): Act | undefined {
    const field = target(/\b(?:text|value|number|words?)$/i.test(into) ? 'field' : into, quotes);
    return field && { do: 'enter', value: value(given), target: field };
  }
};

const choose: Reader = (rest, quotes, verb) => {
  if (rest.includes('>')) return click(rest, quotes, verb);
  const [, text, field] = regex('^(.*?Q[^Q]*?|\\S+)\\s+(?:from|in|as|for|under)\\s+(.+)$').exec(rest) ?? [];
  const from = field ? target(field, quotes) : undefined;
  const value = named(text ?? rest, quotes) ?? undefined;
  const listed =
    from && (from.label || from.place) && from.label.replace(ANYWHERE, '').trim() ? from : undefined;
  return value && { do: 'choose', value, ...(listed ? { from: listed } : {}) };
};

const check =
  (on: boolean | 'toggle'): Reader =>
  (rest, quotes) => {
    const found = named(rest, quotes);
    return found && { do: 'check', target: found, on };
  };

const see: Reader = (rest, quotes) => {
  const quoted = rest.match(new RegExp(Q, 'g'));
  if (!quoted) return undefined;
  return { do: 'see', target: { label: quotes.text(quoted[0]!) } };
};

const on =
  (act: 'hover' | 'expand' | 'focus'): Reader =>
  (rest, quotes) => {
    const found = named(rest.replace(/^(?:over|on|into|out)\s+/i, ''), quotes);
    return found && { do: act, target: found };
  };

const answer: Reader = (rest, quotes, verb) => {
  const quoted = regex('(?:with|by|clicking|choosing|saying)[^Q]*(Q)').exec(rest)?.[1];
  const text = quoted && quotes.text(quoted);
  const dialog = regex(`^${DIALOG}\\b`).test(rest) || rest === '' || /^it$/i.test(rest);
  const no = /^(?:dismiss|cancel|close|decline|reject|refuse|hide)/i.test(verb);
  const says = text !== undefined && !OK.test(text) && !/^(?:cancel|no|dismiss)\b/i.test(text);
  const how =
    text && !says
      ? OK.test(text)
        ? 'accept'
        : 'reject'
      : no
        ? /^(?:close|dismiss|hide)/i.test(verb)
          ? 'close'
          : 'reject'
        : 'accept';
  const label = quotes.text(regex('Q').exec(rest)?.[0] ?? '');
  if (dialog && says && /prompt|question|dialog/i.test(rest) && !no)
    return { do: 'answer', how, native: true, text, button: text };
  if (dialog) return { do: 'answer', how, native: true, ...(text ? { button: text } : {}) };
  if (text) return { do: 'click', target: { label: text } };
  return { do: 'answer', how, native: false, ...(label ? { what: label } : {}) };
};

const VERBS: [pattern: string, reader: Reader][] = [
  ['double[- ]click(?: on)?', (rest, quotes) => counted(named(rest, quotes))],
  ['(?:go|navigate|return) back(?: to .*)?', () => ({ do: 'back' })],
  ['go forward', () => ({ do: 'forward' })],
  ['reload(?: the page)?|refresh(?: the page)?', () => ({ do: 'reload' })],
  ['scroll(?: down| up)?', (rest, quotes, verb) => scroll(rest, quotes, verb)],
  ['hover(?: over| on)?|move the mouse (?:over|to)|point at', on('hover')],
  ['expand|unfold', on('expand')],
  ['focus(?: on| into)?', on('focus')],
  ['search(?: (?:the \\w+ )?for)?|look up', (rest, quotes) => search(rest, quotes)],
  [
    'check (?:that|whether|if)|make sure(?: that)?|verify(?: that)?|see(?: that)?|ensure(?: that)?|confirm that|find(?: out)?|look (?:for|at)|locate|wait (?:for|until)|note|read|notice',
    see,
  ],
  ['uncheck|untick|deselect|unselect|disable|turn off|switch off', check(false)],
  ['check|tick|enable|turn on|switch on', check(true)],
  ['toggle', check('toggle')],
  ['upload|attach', (rest, quotes) => upload(rest, quotes)],
  [`(?:confirm|accept|dismiss|cancel|close|decline|reject|refuse|hide|answer|allow)`, answer],
  ['fill in|fill out|fill|enter|type|write(?! to\\b)|input|put|set|change|replace', enter],
  ['select|choose|pick|sort(?: (?:the )?\\w+)? by', choose],
  ['add (?=Q (?:to|into) (?:the |your |my )?(?:cart|basket|bag))', (rest, quotes) => add(rest, quotes)],
  [
    'click(?: on)?|press|tap(?: on)?|hit|push|activate|follow|open|go to|navigate to|visit|switch to|start|collapse|save|submit|delete|remove|add|go',
    click,
  ],
];

function counted(found: Target | undefined): Act | undefined {
  return found && { do: 'click', target: found, count: 2 };
}

function search(rest: string, quotes: Quotes): Act | undefined {
  const [, text, field] = regex('^(.*?Q|\\S.*?)(?:\\s+(?:in|with|using|on)\\s+(.+))?$').exec(rest) ?? [];
  const into = field ? target(field, quotes) : undefined;
  return text
    ? { do: 'search', text: quotes.restoreBare(text), ...(into?.label ? { target: into } : {}) }
    : undefined;
}

function scroll(rest: string, quotes: Quotes, verb: string): Act | undefined {
  const found = regex('Q').test(rest) ? named(rest.replace(/^to /i, ''), quotes) : undefined;
  const to = /\b(top|bottom|up|down)\b/i.exec(`${rest} ${verb}`)?.[1]?.toLowerCase() as 'top' | undefined;
  return found || to ? { do: 'scroll', to: found ?? to! } : undefined;
}

function upload(rest: string, quotes: Quotes): Act | undefined {
  const [, file, field] =
    regex('^[^Q]*(Q|\\S+\\.\\w+)(?:\\s+(?:to|into|in|as|for)\\s+(.+))?$').exec(rest) ?? [];
  return file
    ? { do: 'upload', file: quotes.restoreBare(file), target: target(field ?? 'file', quotes)! }
    : undefined;
}

function add(rest: string, quotes: Quotes): Act {
  return {
    do: 'click',
    target: {
      label: 'Add',
      names: /^\s*\+?\s*add(?: (?:it )?to (?:the |your )?(?:cart|basket|bag))?\s*$/i,
      place: quotes.text(regex('Q').exec(rest)![0]),
    },
  };
}

const PATTERNS = VERBS.map(
  ([pattern, reader]) => [regex(`^(${pattern})(?![\\w-])\\s*(.*)$`), reader] as const,
);

/** @returns undefined where no verb fits. */
function read(text: string, quotes: Quotes): Act | undefined {
  if (LOG_IN.test(text)) return logIn();
  for (const [pattern, reader] of PATTERNS) {
    const match = pattern.exec(text);
    const act = match && reader(match.at(-1)!.trim(), quotes, match[1]!);
    if (act) return act;
  }
  return undefined;
}

function logIn(): Act {
  return { do: 'click', target: { label: 'Log in', names: /^\s*(?:log|sign) ?[io]n\s*$/i, kind: 'button' } };
}

function pieces(sentence: string): Piece[] {
  const cut = /(?:\s*,)?\s*\b(?:and then|then|and)\b\s*|\s*,\s*|\s*[.;!?]+(?=\s|$)|\s*\n\s*|:(?=\s)/gi;
  const found: Piece[] = [];
  let from = 0;
  for (const match of [...sentence.matchAll(cut), undefined]) {
    const text = sentence
      .slice(from, match?.index)
      .trim()
      .replace(/^(?:(?:please|now|first|finally|next|also|afterwards?|to)\b\s*)+(?=\S)/i, '');
    if (text) found.push({ text, end: match?.[0].trim() ?? '' });
    else if (match && found.length) found.at(-1)!.end += match[0].trim();
    if (match) from = match.index + match[0].length;
  }
  for (let at = found.length - 1, colon = false; at >= 0; at--) {
    colon = found[at]!.end.includes(':') || (colon && !/[.;!?\n]/.test(found[at]!.end));
    found[at]!.introduces = colon;
  }
  return found;
}

class Reading {
  readonly clauses: Clause[] = [];
  /** Labels that a heading named, for `that`, `the one` and `the other`. */
  private readonly pending: string[] = [];
  private verb = '';
  private place: string | undefined;
  /** `Log in with ...` is sent once its fields are filled. */
  private owed: Act | undefined;

  constructor(private readonly quotes: Quotes) {}

  take({ text, end, introduces }: Piece): void {
    const piece = this.#resolved(this.#placed(text));
    const login = /^(?:log|sign) ?[io]n (?:with|using|as) (.+)$/i.exec(piece);
    if (login) {
      this.owed = logIn();
      this.#add(
        read(`enter ${login[1]!.replace(regex('^(Q)$'), 'user name $1')}`, this.quotes),
        piece,
        'enter',
      );
      return;
    }
    const bare = end.includes(':') && !regex('Q').test(piece);
    const heading = introduces && (bare || !read(piece, this.quotes));
    if (heading) return void this.pending.push(...(piece.match(new RegExp(Q, 'g')) ?? []));
    if (this.#isRemark(piece)) return;
    const own = read(regex('^Q=Q$').test(piece) ? `enter ${piece}` : piece, this.quotes);
    const continued = !own ? this.#continued(piece) : undefined;
    if (own) {
      this.#settle(own);
      const verb = PATTERNS.map(([pattern]) => pattern.exec(piece)?.[1]).find(Boolean) ?? '';
      this.#add(own, piece, verb);
    } else this.#add(continued, piece, this.verb);
  }

  finish(): Clause[] {
    this.#settle(undefined);
    if (this.pending.length)
      throw new NotUnderstood(
        `${this.pending.map(quote => this.quotes.restore(quote)).join(', ')}: named, but nothing says what to do with it`,
      );
    if (this.place) throw new NotUnderstood(`"${this.place}": named as a place, but nothing is done in it`);
    return this.clauses;
  }

  #settle(next: Act | undefined): void {
    const { owed } = this;
    this.owed = undefined;
    if (owed && next?.do !== 'click' && next?.do !== 'press')
      this.clauses.push({ ...owed, source: 'log in' });
    else if (owed && next?.do === 'enter') this.owed = owed;
  }

  /** `that size`, `the one` and `the other` stand for what a heading named. */
  #resolved(text: string): string {
    return text.replace(/(?<=^\w+ )(?:that|the one|the other|it)\b/i, word => this.pending.shift() ?? word);
  }

  /** `In the "Users" section click "Edit"`: what stands before the verb is where. */
  #placed(text: string): string {
    const [before, mark] = regex(`^(?:in|on|at|for|under|within) [^Q]*?(Q)?[^Q]*? (?=(?:${FIRST_WORDS})\\b)`).exec(text) ?? [''];
    if (mark) this.place = this.quotes.text(mark);
    return text.slice(before.length);
  }

  #isRemark(piece: string): boolean {
    const place = regex('^(?:in|on|under|within|for) [^Q]*(Q)[^Q]*$').exec(piece);
    if (place) this.place = this.quotes.text(place[1]!);
    if (regex('Q').test(piece)) return place !== null;
    return /^(?:in|on|at|under|within|for) (?:the|this|your)\b|^(?:they|it|this|that|there|you|stay|nothing)\b/i.test(
      piece,
    );
  }

  /** `"b" into "B"` goes on with the verb of the clause before it. */
  #continued(piece: string): Act | undefined {
    const goesOn =
      regex('^(?:the |on |into )?Q|^(?:the|your) ').test(piece) ||
      /^(?:select|choose|check|enter|tick|uncheck)/.test(this.verb);
    return this.verb && goesOn ? read(`${this.verb} ${piece}`, this.quotes) : undefined;
  }

  #add(act: Act | undefined, piece: string, verb: string): void {
    const source = this.quotes.restore(
      act && verb && !piece.toLowerCase().startsWith(verb.toLowerCase()) && !LOG_IN.test(piece.slice(0, 6))
        ? `${verb} ${piece}`
        : piece,
    );
    const unused = act && this.quotes.unusedIn(piece, act);
    if (!act) throw new NotUnderstood(source);
    if (unused) throw new NotUnderstood(`${source} (nothing says what to do with "${unused}")`);
    if (this.place && 'target' in act && act.target) {
      act.target.place ??= this.place;
      this.place = undefined;
    }
    this.verb = verb.toLowerCase();
    this.clauses.push({ ...act, source });
  }
}

/**
 * A goal as clauses, in order.
 *
 * @throws NotUnderstood with the first clause that can't be read.
 */
export function parseGoal(goal: string): Clause[] {
  const quotes = new Quotes();
  const masked = quotes
    .mask(goal)
    .replace(/\([^()]*\)/g, remark => (regex('Q').test(remark) ? remark : ''))
    .replace(new RegExp(`(${Q})\\s*:\\s*(?=${Q})`, 'g'), '$1=')
    .replace(/^\s*(?:\d+[.)]|[-*•])\s+/gm, '')
    .replace(/\s*\n\s*(?=[a-z\uE000-\uF8FF])/g, ' ');
  const reading = new Reading(quotes);
  const all = pieces(masked);
  for (const piece of all) reading.take(piece);
  const clauses = reading.finish();
  if (clauses.length === 0) throw new NotUnderstood(goal.slice(0, 200));
  return clauses;
}
