// Reads a goal as clauses. Knows no page.
import { type Clause, NotUnderstood } from './clause';
import { Q, Quotes, regex } from './quotes';
import { placeIn, read, type Understood } from './verbs';

const FIRST_WORDS =
  'click|press|tap|open|go|check|uncheck|select|choose|pick|enter|type|fill|set|upload|hover|expand|double';

/** A sentence that asks for nothing. */
const REMARK = regex(
  '^(?:find|locate|\\w+ nothing|(?:(?:in|on|at|under|within|for) (?:the|this|your)\\b|(?:navigate|look|scroll) through\\b|switch between\\b|(?:they|it|this|that|there|you|stay|nothing)\\b)[^Q]*)$',
);

/** `Log in with the user name "a" and the password "b"`. The last two groups match what the goal clicks then. */
const LOG_IN =
  '\\b(?:log|sign) ?[io]n (?:with|using|as) ((?:the |your )?[^Q.,;]*Q(?:,? and [^Q.,;]*Q)?)(?=(?:([^Q\\w]*)(?:(?:and|then) )*(?:click|press|tap)(?: on| the)* (Q|\\w+))?)';
/** What sends a form, also where a new sentence clicks it. Any other click is for the next page. */
const SENDS = /^(?:(?:log|sign) ?[io]n|submit|continue|next|go|ok|enter)\b/i;

interface Piece {
  text: string;
  /** The separator behind it. */
  end: string;
  /** Whether a colon follows in its sentence: then it may only announce what comes next. */
  introduces?: boolean;
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
  /** What the clause before it only looks at, for `open it`. */
  private seen: string | undefined;

  constructor(private readonly quotes: Quotes) {}

  take({ text, end, introduces }: Piece): void {
    const piece = this.#resolved(this.#placed(text));
    const isBare = end.includes(':') && !regex('Q').test(piece);
    const heading = introduces && (isBare || !read(piece, this.quotes));
    if (heading) return void this.pending.push(...(piece.match(new RegExp(Q, 'g')) ?? []));
    if (!piece || REMARK.test(piece)) return;
    this.#add(piece, read(piece, this.quotes) ?? this.#continued(piece));
  }

  finish(): Clause[] {
    if (this.pending.length)
      throw new NotUnderstood(
        `${this.pending.map(quote => this.quotes.restore(quote)).join(', ')}: named, but nothing says what to do with it`,
      );
    if (this.place) throw new NotUnderstood(`"${this.place}": named as a place, but nothing is done in it`);
    return this.clauses;
  }

  /** `that size`, `the one` and `the other` stand for what a heading named. */
  #resolved(text: string): string {
    return text.replace(/(?<=^\w+ )(?:that|the one|the other|it)\b/i, word => this.pending.shift() ?? word);
  }

  /** `In the "Users" section click "Edit"`: the words before the verb name a place. Without a verb, it is the place of the next clause. */
  #placed(text: string): string {
    const [before = '', words = ''] =
      regex(`^(?:in|on|at|for|under|within) ([^Q]*?Q?[^Q]*?)(?: (?=(?:${FIRST_WORDS})\\b)|$)`).exec(text) ??
      [];
    const place = placeIn(words, this.quotes);
    this.place = place || this.place;
    return place || before !== text ? text.slice(before.length) : text;
  }

  /** `"b" into "B"` goes on with the verb of the clause before it. */
  #continued(piece: string): Understood | undefined {
    const goesOn =
      regex('^(?:the |on |into )?Q|^(?:the|your) ').test(piece) ||
      /^(?:select|choose|check|enter|tick|uncheck)/.test(this.verb);
    return this.verb && goesOn ? read(`${this.verb} ${piece}`, this.quotes) : undefined;
  }

  #add(piece: string, understood?: Understood): void {
    const { act, verb = '' } = understood ?? {};
    const isWhole = piece.toLowerCase().startsWith(verb.toLowerCase());
    const source = this.quotes.restore(isWhole ? piece : `${verb} ${piece}`);
    if (!act) throw new NotUnderstood(source);
    if ('target' in act && act.target && / it$/i.test(piece) && /^it$/i.test(act.target.label)) {
      if (!this.seen) throw new NotUnderstood(`${source} (nothing says what "it" is)`);
      act.target.label = this.seen;
    }
    this.seen = act.do === 'see' ? act.target.label : undefined;
    const unused = this.quotes.unusedIn(piece, act);
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
    .replace(regex(LOG_IN), (_, fields: string, gap?: string, label = '') => {
      const isSent = SENDS.test(quotes.first(label) || label) || !/[.;!\n]/.test(gap ?? '.');
      return `enter ${fields.replace(regex('^(Q)'), 'user name $1')}${isSent ? '' : ' and log in'}`;
    })
    .replace(
      regex('([^Q.,]*Q) (in|into) both (?:the )?([a-z ]+?)(?:e?s)\\b'),
      '$1 $2 the 1st $3 and $1 $2 the 2nd $3',
    )
    .replace(/\([^()]*\)/g, remark => (regex('Q').test(remark) ? remark : ''))
    .replace(
      new RegExp(`(?:(?:enter|type|set|fill(?: in)?) )?(${Q})\\s*:\\s*(${Q})`, 'gi'),
      'enter $2 into $1',
    )
    .replace(/^\s*(?:\d+[.)]|[-*•])\s+/gm, '')
    .replace(/\s*\n\s*(?=[a-z\uE000-\uF8FF])/g, ' ');
  const reading = new Reading(quotes);
  for (const piece of pieces(masked)) reading.take(piece);
  const clauses = reading.finish();
  if (clauses.length === 0) throw new NotUnderstood(goal.slice(0, 200));
  return clauses;
}
