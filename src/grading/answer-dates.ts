// Finds the dates in an answer. Node's own data has the names of months.

/** Several readings of one figure: `1.299` is 1299 in Berlin and 1.299 in Boston. */
export interface Value<T> {
  /** As it stands in the answer. */
  text: string;
  readings: readonly T[];
}

const LOCALES = 'en de fr es it pt nl sv da nb fi pl cs sk hu ro hr sl tr id'.split(' ');
let months: Map<string, number[]> | undefined;
/**
 * The numbers of a month by its name, long or short: `listopada` is November in Polish, October in Croatian. The names are collected for
 * the first date, since eighty formats take 70 ms.
 */
function monthsOf(word: string): readonly number[] {
  months ??= monthNames();
  return months.get(plainWord(word)) ?? [];
}

function monthNames(): Map<string, number[]> {
  const found = new Map([['sept', [9]]]);
  // Some languages inflect the name in a date.
  for (const locale of LOCALES)
    for (const month of ['long', 'short'] as const)
      for (const options of [{ month }, { month, day: 'numeric' }] as const) {
        const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
        for (let number = 1; number <= 12; number++) {
          const parts = format.formatToParts(new Date(Date.UTC(2026, number - 1, 14)));
          const name = plainWord(parts.find(({ type }) => type === 'month')!.value);
          const known = found.get(name) ?? [];
          if (/^\p{L}{3,}$/u.test(name) && !known.includes(number)) found.set(name, [...known, number]);
        }
      }
  return found;
}
/** Short names that are words, too: months only beside a year. `4 out of 5`, `12 LED lamps`, `Basic 3, Pro 20`. */
const WORDS = new Set('out set ago led pro gen mag lug dub tra sty lip elo uno sub kas ara'.split(' '));
/** May and March are words, too: `5 may remain`. */
const isWord = (month: string) => /^(?:may|march)$/.test(month) || WORDS.has(plainWord(month));

function plainWord(word: string): string {
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f.]/g, '')
    .toLowerCase();
}

const WORD = '[\\p{L}\\p{M}]{3,}\\.?';
const YEAR = '(\\d{4})';
const DAY = '(\\d{1,2})(?:st|nd|rd|th|er|º|°)?\\.?';
/** `order` says which group is the year, the month and the day; `or` is a second order that is usual. */
const DATES: { form: RegExp; order: string; or?: string }[] = [
  { form: dateForm(`${YEAR}[-/.](\\d{1,2})[-/.](\\d{1,2})`), order: 'ymd' },
  { form: dateForm(`${YEAR}[年년]\\s?(\\d{1,2})[月월]\\s?(\\d{1,2})[日일]`, '\\d'), order: 'ymd' },
  { form: dateForm('(\\d{1,2})[月월]\\s?(\\d{1,2})[日일]', '\\d'), order: 'md' },
  { form: dateForm(`(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?${YEAR}`), order: 'dmy' },
  { form: dateForm(`(\\d{1,2})[-/](\\d{1,2})[-/]${YEAR}`), order: 'dmy', or: 'mdy' },
  { form: dateForm('(\\d{1,2})[-/](\\d{1,2})[-/](\\d\\d)'), order: 'dmy', or: 'mdy' },
  { form: dateForm('(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?(\\d\\d)(?!\\.\\d)'), order: 'dmy' },
  { form: dateForm(`(\\d{1,2})[-/](${WORD})[-/](\\d{4}|\\d\\d)`), order: 'dmy' },
  { form: dateForm(`${DAY}\\s(?:of\\s|de\\s|di\\s)?(${WORD})(?:\\sde)?,?\\s${YEAR}`), order: 'dmy' },
  { form: dateForm(`(${WORD})\\s${DAY},?\\s${YEAR}`), order: 'mdy' },
  { form: dateForm(`${YEAR}[,.]?\\s(${WORD})\\s${DAY}`), order: 'ymd' },
  { form: dateForm(`${DAY}\\s(?:of\\s|de\\s|di\\s)?(${WORD})`), order: 'dm' },
  { form: dateForm(`(${WORD})\\s${DAY}`), order: 'md' },
];
/** Only if a date is asked for: otherwise `14.03.` is a number. */
const SHORT_DATE = { form: dateForm('(\\d\\d)\\.\\s?(\\d\\d)\\.'), order: 'dm' };
/** Only if there is no other date: beside one, `4.5.` and `24/7` are none. */
const SHORTER_DATES = [
  { form: dateForm('(\\d{1,2})\\.\\s?(\\d{1,2})\\.'), order: 'dm' },
  { form: dateForm('(\\d{1,2})/(\\d{1,2})(?!/)', '[\\p{L}\\d/]|\\d[.,]'), order: 'dm', or: 'md' },
];
/** @param notAfter what can't stand before a date. Letters can in Japanese and Korean, which need no space there. */
function dateForm(source: string, notAfter = '[\\p{L}\\d]|\\d[.,]'): RegExp {
  return new RegExp(`(?<!${notAfter})${source}(?!\\d)`, 'giu');
}

type FoundDate = Value<string> & { at: number };

/** The dates, and the text with blanks in place of them. */
function findDates(text: string, forms: typeof DATES): { found: FoundDate[]; rest: string } {
  let rest = text;
  const found: FoundDate[] = [];
  for (const { form, order, or } of forms)
    rest = rest.replace(form, (whole, ...groups) => {
      const orders = [order, ...(or ? [or] : [])];
      const readings = [...new Set(orders.flatMap(each => datesOf(groups, each)))];
      if (!readings.length) return whole;
      found.push({ text: whole, readings, at: groups[order.length] as number });
      // Of the same length, so that positions stay.
      return ' '.repeat(whole.length);
    });
  return { found, rest };
}

/** Whole dates and days without a year, in the order of the text. */
export function datesIn(text: string): FoundDate[] {
  const usual = findDates(text, [...DATES, SHORT_DATE]);
  const { found, rest } = usual.found.length ? usual : findDates(text, SHORTER_DATES);
  const given = found.filter(({ at }) => !isNegated(text.slice(0, at)) && !APART.test(text.slice(0, at)));
  const years = [...new Set(Array.from(rest.matchAll(ONLY_YEAR), ([year]) => year))];
  const whole = given.map(date => withYears(withYearBeside(date, rest), years));
  return whole.flatMap(date => [date, ...otherDays(date, rest)]).sort((one, other) => one.at - other.at);
}

const JOINED =
  '\\s?(?:[-–/&]|(?:or|and|to|through|thru|until|till|oder|und|bis|ou|et|au|o|y|al|e|a|of|en|tot)\\s)\\s?';
const DAY_BEFORE = new RegExp(`(?<![\\d.])${DAY}${JOINED}$`, 'iu');
/** `March 14, 10–12` has a time, `March 14, 15 and 16` has days. */
const DAY_AFTER = new RegExp(
  `^(?!,\\s?\\d{1,2}\\s?(?:[-–]|to\\s))(?:,\\s?\\d{1,2})*${JOINED}${DAY}(?![\\d:])`,
  'iu',
);

/** `March 13-14`, `13. oder 14. März`: with two days, neither is the answer. */
function otherDays(date: FoundDate, rest: string): FoundDate[] {
  const { text, at } = date;
  const before = /^\d{1,2}\D/.test(text) ? DAY_BEFORE.exec(rest.slice(0, at)) : null;
  const endsWithDay = /\p{L}\D*(?<!\d)\d{1,2}\D*$/u.test(text);
  const day = before ?? (endsWithDay ? DAY_AFTER.exec(rest.slice(at + text.length)) : null);
  if (!day) return [];
  const readings = date.readings.map(each => each.slice(0, -2) + day[1]!.padStart(2, '0'));
  return [{ ...date, text: day[1]!, readings }];
}

const YEAR_BEFORE = /(?<!\d)((?:19|20)\d\d)[\s,:]+(?:(?:on|the|am|le|el|den) )*$/u;
/** Two digits only at the end of the line: `March 14, 20 % off`, `14 March (11)` and `14 March, 11–17` have no year. */
const YEAR_AFTER =
  /^[\s,]*(?:(?:\(|(?:in|of|de|del|du|im|en|av) )?(?:((?:19|20)\d\d)(?!\d|[.,]\d)|['’](\d\d)(?!\d))|(\d\d)(?=\.?\s*(?:$|\n)))/u;

/** `the day after March 14`; not `3 nights from March 14` */
const APART =
  /(?<!\p{L})(?:(?:days?|nights?|mornings?|evenings?|weeks?|months?) (?:after|before|following|prior to)|(?:days?|mornings?|evenings?|weeks?|months?) from) (?:the )?$/iu;
/** No amount, no number of an order, and no year of something else, such as one of several. */
const ONLY_YEAR =
  /(?<![\p{L}\d.,#$€£¥-]|(?:19|20)\d\d\s?–|(?<!\p{L})(?:(?:order|invoice|number|no\.?|nr\.?|code|id|room|item|ref\.?|flight|train|bus|office|windows|at|not):?|(?:built|founded|established|since)(?: in)?|between|\d{4} (?:and|to)|from(?= \d{4}\s?(?:[-–]|to\s)\s?[0-2]\d[0-5]\d)) )(?:19|20)\d\d(?!\d|[.,]\d|\s?(?:[-–]|(?:and|to)\s)\s?(?:19|20)\d\d(?!\d)|[-–](?!\d\d?:\d\d)\d|\s?(?:[%$€£¥]|(?:eur|usd|gbp|chf|euros?|dollars?|points?|miles|km|kg|people|guests|seats|units|items|pieces|users|steps|hours|words)(?!\p{L})))/giu;

/** `4 March '25`, `March 4, 25`, `March 4 in 2025`: a wrong year must not pass because it is written in a rare form. */
function withYearBeside(date: FoundDate, rest: string): FoundDate {
  const [, ...after] = YEAR_AFTER.exec(rest.slice(date.at + date.text.length)) ?? [];
  const year = after.find(Boolean) ?? YEAR_BEFORE.exec(rest.slice(0, date.at))?.[1];
  return withYears(date, year ? [year.padStart(4, '20')] : []);
}

/** @param years for readings without one: of several, each may be it */
function withYears(date: FoundDate, years: readonly string[]): FoundDate {
  if (!years.length) return date;
  const readings = date.readings.flatMap(each =>
    each.length === 5 ? years.map(year => `${year}-${each}`) : [each],
  );
  return { ...date, readings };
}

function datesOf(groups: string[], order: string): string[] {
  const [year, month, day] = ['y', 'm', 'd'].map(part => groups[order.indexOf(part)]);
  if (year === undefined && isWord(month!)) return [];
  const named = monthsOf(month!);
  return (named.length ? named : [Number(month)]).flatMap(number => {
    const [short, d] = [year ?? 2000, day].map(Number) as [number, number];
    const y = short < 100 ? 2000 + short : short;
    const date = new Date(Date.UTC(y, number - 1, d));
    const isDate = date.getUTCMonth() === number - 1 && date.getUTCDate() === d;
    return isDate ? date.toISOString().slice(year === undefined ? 5 : 0, 10) : [];
  });
}

const NEGATION =
  "not|cannot|none|nothing|never|neither|nor|no(?!\\.)|\\p{L}+n['’]t|nicht|kein\\p{L}{0,2}|weder|pas|non|não|nie|niet|geen";
/** Here something else begins (not in `between 40 and 42`), or the value is when: `not until`. In Portuguese, `no` is `in the`. */
const TURN =
  '(?:but|until|till|before|later|earlier|miss|forget|includ\\p{L}*|counting|only|just|doubt|sondern|bis|vor|aber|mais|sino|pero|ma|dia|total)(?!\\p{L})|(?:and|so|und|et|y|e|en)(?!\\p{L}|(?<=[\\d%$€£¥]\\s\\p{L}+)\\s+(?!\\p{L}))';
/** Up to four words or figures before the value. */
const NEGATED = new RegExp(
  `(?<!\\p{L})(?:${NEGATION})(?:[^\\S\\n]+(?!${TURN})[\\p{L}\\d$€£¥*_"“'](?:[^\\s.,;:!?()]|[.,](?=\\d))*){0,4}[^\\S\\n]*[*_"“„'$€£¥]*$`,
  'iu',
);
/** `I found no sale on`, `It isn't`. */
export const isNegated = (before: string) => NEGATED.test(before.slice(-100));

/** The text with blanks in place of dates, whose figures are not numbers of the answer. */
export const withoutDates = (text: string) => findDates(text, DATES).rest;
