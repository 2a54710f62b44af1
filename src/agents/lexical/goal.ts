// Splits a goal into clauses. Each begins with its verb, and has names in quotes. Knows no page.

/**
 * An element as a goal describes it: `the 2nd "Edit" button in the row "Alice"` has the label Edit, the kind button, the
 * place Alice and nth 1; nth of `the last` is -1. The label is empty if the clause names no element.
 */
export interface Target {
  label: string;
  kind?: string | undefined;
  place?: string | undefined;
  nth?: number | undefined;
}

/** One thing to do: its quoted texts, a key or an address (`word`, which needs no quotes), and the clause as written (`source`). */
export type Clause = ReturnType<typeof parseGoal>[number];

export class Stuck extends Error {}

/** Words for elements. One that is an ARIA role is tried first as that role. */
const KIND =
  'button|link|tab|menu ?item|menu|tree ?item|option|check ?box|radio(?: button)?|switch|(?:text )?field|list|icon|image|row|card|section|dialog';
const NTH: Readonly<Record<string, number>> = { first: 0, second: 1, third: 2, last: -1 };
const TARGET = `(?:the |an? )?(?:(?:(?<figure>\\d+)(?:st|nd|rd|th)|(?<nth>${Object.keys(NTH).join('|')})) )?(?:(?<before>${KIND}) )?(?<label>Q)(?: (?<behind>${KIND}))?(?: (?:in|on|of|for|from|under|inside|within|next to|beside) (?:the )?(?:[a-z]+ (?:of )?)?(?<place>Q)(?: (?:${KIND}))?)?`;
const LOG_IN = '(?:log|sign) in (?:with|as) [^Q,.;]*Q,? (?:and|with) [^Q,.;]*Q';
const KEY =
  '(?:(?:ctrl|control|shift|alt|meta|cmd)\\+)*(?:enter|return|esc|escape|tab|space|backspace|delete|home|end|(?:arrow)?(?:up|down|left|right)|page(?:up|down)|f\\d\\d?|[^Q ])';
const DIALOG = "(?:the )?(?:browser's )?(?:dialog|question|prompt)(?: with Q)?";

/** The acts and the patterns of their clauses, with Q for a quoted text. The first that matches is taken. */
const CLAUSES = [
  ['menu', '(?:(?:click|open|select|choose) )?Q(?: ?> ?Q)+'],
  ['press', `press (?:the )?(?<word>${KEY})(?: key)?(?: in TARGET)?`],
  ['goto', '(?:go to|open) (?<word>(?:https?:/)?/[^Q ]*)'],
  ['click', '(?:click|press|open|go to)(?: on)? TARGET'],
  ['double-click', 'double[- ]click(?: on)? TARGET'],
  ['hover', 'hover(?: over)? TARGET'],
  ['enter', '(?:enter|type) Q (?:into|in) TARGET'],
  ['select', '(?:select|choose) Q (?:from|in|as) TARGET'],
  ['check', '(?:check|select|choose) TARGET'],
  ['uncheck', 'uncheck TARGET'],
  ['upload', 'upload Q (?:to|into) TARGET'],
  ['log in', LOG_IN],
  ['back', 'go back'],
  ['accept', `(?:accept|confirm) ${DIALOG}`],
  ['dismiss', `dismiss ${DIALOG}`],
  ['read', '(?:wait for|read|find) TARGET'],
] as const;
const VERBS =
  'click, double-click, hover over, enter ... into, select ... from, check, uncheck, press, upload ... to, go to, go back, log in with, accept or dismiss the dialog, wait for, read';

const QUOTED =
  /<secret>[^<>]*<\/secret>|"([^"\n]*)"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|`([^`\n]*)`|(?<![\p{L}\p{N}])['‘]([^\n]+?)['’](?![\p{L}\p{N}])/gu;
/** While a goal is parsed, one character stands for each quoted text, so that its words are not taken for grammar. */
const FIRST_MARK = 0xe000;
const MARKS = /[\uE000-\uF8FF]/g;
const regex = (pattern: string, flags: string) =>
  new RegExp(pattern.replaceAll('[^Q', '[^\\uE000-\\uF8FF').replaceAll('Q', '[\\uE000-\\uF8FF]'), flags);
const PATTERNS = CLAUSES.map(
  ([act, pattern]) => [act, regex(`^${pattern.replace('TARGET', TARGET)}$`, 'i')] as const,
);
const LIST_MARK = '(?:(?:\\d+[.)]|[-*•])\\s+)?';
const NEXT_LINE = `\\n\\s*(?=[A-Z]|${LIST_MARK}(?:${[...new Set(VERBS.match(/[a-z]+/g))].join('|')})\\b)`;
const END = `(?:\\s*(?:[,;]|[.!](?=\\s|$)|(?<=\\s)(?:and|then)(?=\\s)|${NEXT_LINE}))+|\\s*$`;
const PIECE = regex(`\\s*${LIST_MARK}(${LOG_IN}|[^]+?)(?:${END})`, 'gi');

/** Splits a goal into its clauses. @throws Stuck with the first clause that can't be understood */
export function parseGoal(goal: string) {
  const quoted: string[] = [];
  const textOf = (mark: string) => quoted[mark.charCodeAt(0) - FIRST_MARK] ?? '';
  const unquoted = goal.replace(/\b(press )"((?:\w+\+)*(?:enter|escape|tab|arrow\w+))"/gi, '$1$2');
  const masked = unquoted.replace(MARKS, '').replace(QUOTED, (whole, ...groups) => {
    const inner = groups.slice(0, 6).find(group => group !== undefined) as string | undefined;
    return String.fromCharCode(FIRST_MARK + quoted.push(inner ?? whole) - 1);
  });
  const pieces = [...masked.trim().matchAll(PIECE)].map(([, piece = '']) => piece.replace(/\s+/g, ' '));
  return (pieces.length ? pieces : ['']).map(piece => {
    const source = piece.replace(MARKS, mark => `"${textOf(mark)}"`);
    for (const [act, pattern] of PATTERNS) {
      const found = pattern.exec(piece);
      if (!found) continue;
      const { label = '', before, behind = before, figure, nth = '', place, word = '' } = found.groups ?? {};
      const target = {
        label: textOf(label),
        kind: behind?.toLowerCase().replace(' ', ''),
        place: place && textOf(place),
        nth: figure ? Number(figure) - 1 : NTH[nth.toLowerCase()],
      };
      return { do: act, target, texts: (piece.match(MARKS) ?? []).map(textOf), word, source };
    }
    throw new Stuck(
      `can't be understood: ${source}. Begin a clause with ${VERBS}, and quote what it names (docs/lexical.md)`,
    );
  });
}
