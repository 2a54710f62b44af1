// What an answer gives: its number, its date. People and models write them in many ways, beside words and other figures. Of several different values the one counts that the answer marks: in bold, alone in its last line, or after the last colon or equals
// sign. If none is marked, the answer gives none: a value that is only mentioned must not pass.

/** Several readings of one figure: `1.299` is 1299 in Berlin and 1.299 in Boston. */
export interface Value<T> {
  /** As it stands in the answer. */
  text: string;
  readings: readonly T[];
}

/** The value that the answer gives, or all that it mentions, if it gives none of them. */
export type Given<T> = { value: Value<T> } | { mentioned: readonly Value<T>[] };

export const numberIn = (answer: string): Given<number> => given(answer, numbersIn);
/** @param answer its date as `2026-03-14`; `03-14` where it names no year */
export const dateIn = (answer: string): Given<string> => given(answer, text => datesIn(text));

type Find<T> = (text: string) => Value<T>[];

function given<T>(answer: string, find: Find<T>): Given<T> {
  const valuesIn = (text: string) => distinct(find(text.replaceAll('__', ' ')));
  const [all, bold] = [valuesIn(answer), valuesIn(boldParts(answer))];
  // Of several in bold none is marked.
  const last = bold.length > 1 ? [] : [lastLine(answer, valuesIn), afterLastColon(answer)].map(valuesIn);
  const only = [all, bold, ...last].find(values => values.length === 1);
  return only ? { value: only[0]! } : { mentioned: all };
}

function distinct<T>(values: Value<T>[]): Value<T>[] {
  return [...new Map(values.map(value => [JSON.stringify(value.readings), value])).values()];
}

const boldParts = (text: string) =>
  [...text.matchAll(/\*\*([^*]+)\*\*|__([^_]+)__/g)].map(part => part[0]).join('\n');
/** If nothing else stands in it but a word before the value, a unit or a currency, and it is no item of a list. */
function lastLine(text: string, valuesIn: (text: string) => readonly unknown[]): string {
  const [line = '', before = ''] = text
    .trim()
    .split(/\s*\n\s*/)
    .reverse();
  const isShort = (each: string) => each.split(/\s+/).length <= 3;
  const [words = ''] = /^\D*/.exec(line)!;
  const isAlone = isShort(line) && (words.match(/\p{L}+/gu) ?? []).length <= 1;
  return isAlone && before && !(isShort(before) && valuesIn(before).length) ? line : '';
}
const afterLastColon = (text: string) => /(?::(?!\d)|=)([^:=]*)$/.exec(text)?.[1] ?? '';

/** Between groups of three digits: white space, also narrow and non-breaking, an apostrophe, or `_` as in code. */
const GAP = "[_ \\u00a0\\u2009\\u202f'’]";
const DIGITS = `\\d{1,3}(?:${GAP}\\d{3})+(?:[.,]\\d+)?|\\d+(?:[.,]\\d+)*|\\.\\d+`;
/** Not of a script without blanks between words. */
const LETTER = '(?![\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}])\\p{L}';
const valued = (words: string, value: number) => words.split(' ').map(word => [word, value] as const);
const MULTIPLES = new Map([
  ...valued('dozen dutzend douzaine docena dozzina dúzia dozijn tuzin', 12),
  ...valued('hundred hundert honderd', 1e2),
  ...valued('k thousand tausend mille mil mila duizend tysiące tysięcy', 1e3),
  ...valued('lakh lakhs', 1e5),
  ...valued(
    'million millions millionen millón millones milione milioni milhão milhões miljoen milion miliony mio mln mn',
    1e6,
  ),
  ...valued('crore crores', 1e7),
  ...valued('bn billion billions mrd milliard milliards milliarde milliarden miliardo miliardi miljard', 1e9),
  ...valued('trillion trillions billionen billones', 1e12),
]);
/** In capitals, or behind an amount of money: `5M`, `$5m`. */
const SHORT_MULTIPLES: Record<string, number> = { M: 1e6, B: 1e9, T: 1e12 };
const MINUS = 'minus|negative|moins|menos|meno';
/** Before what is only a limit of the number. */
const LIMIT = [
  '[<≤≥~]|(?:less|fewer|more|greater) than(?: or equal to)?|at (?:least|most)|up to|over|under|above|below|mindestens|höchstens|über|unter',
  '(?:weniger|mehr) als|(?:minder|meer) dan|(?:plus|moins|más|menos|mais) de|(?:più|meno) di|au (?:moins|plus)|(?:al|como) (?:menos|máximo)',
].join('|');
/** Behind it. */
const BEYOND =
  '\\s?\\+(?!\\d)|\\s(?:or|oder|ou|o|of) (?:more|less|fewer|mehr|weniger|plus|moins|más|menos|più|meno|meer|minder)(?!\\p{L})';
const HALF = '(?:½|(?:and a|und ein|et|y|e) (?:half|halb\\p{L}*|demie?|medi[oa]|mezz[oa]|mei[oa]))';
const NUMBER = new RegExp(
  // No part of a name (`A4`, `v2.1`, `WD-40`), and no figure of two scripts. A `-` between two figures is no sign, nor is one between
  // blanks (`Team - $40`, items of lists) unless the value begins with it.
  `(?<!${LETTER}-?|[\\p{N}_.,])(?<limit>(?:${LIMIT})\\s?)?(?<before>(?:${MINUS})\\s|(?:[-−–]|(?<=^|[:=(] ?)[-−]\\s)(?=[\\d$€£¥]))?(?<money>[$€£¥]\\s?)?(?<after>[-−])?` +
    `(?<digits>${DIGITS})(?<power>e[-+]?\\d+)?(?!_?\\p{N}|[-_]?\\p{L}{2,}\\d|\\s?${HALF})` +
    `(?:\\s?(?<multiple>${[...MULTIPLES.keys()].join('|')})(?!\\p{L})|(?<short>[MBT])(?!\\p{L}))?(?<beyond>${BEYOND})?`,
  'giu',
);
/** Counted from zero. `one` is left out where it is an article, too. */
const WORDS = [
  'zero two three four five six seven eight nine ten eleven twelve',
  'null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
  'zéro deux trois quatre cinq six sept huit neuf dix onze douze',
  'cero dos tres cuatro cinco seis siete ocho nueve diez once doce',
  'zero due tre quattro cinque sei sette otto nove dieci undici dodici',
  'zero dois três quatro cinco seis sete oito nove dez onze doze',
  'nul twee drie vier vijf zes zeven acht negen tien elf twaalf',
  'zero dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście',
].map(words => words.split(' '));
const valueOfWord = new Map(
  WORDS.flatMap(words => words.map((word, at) => [word, at ? at + 1 : 0] as const)),
);
// Common words in another language.
for (const word of ['due', 'once', 'sei']) valueOfWord.delete(word);
const NO_NUMBERS = new Map([
  ...valued('none nothing no keine keiner keines aucun aucune ninguno ninguna', 0),
  ...valued('one', 1),
]);

function numbersIn(text: string): Value<number>[] {
  const bare = withoutDates(text)
    .replace(/^\s*\d+[.)]\s(?=.*\S)/gm, '')
    // `4.6 out of 5`
    .replace(/\bout of \d+/gi, ' ')
    // A time, in hours.
    .replace(/\b(\d{1,2}):(\d\d)(?::\d\d)?\b/g, (_, hours, minutes) => String(Number(hours) + minutes / 60));
  const found = [...bare.matchAll(NUMBER)].flatMap(({ 0: whole, groups: parts = {} }) => {
    if (parts.limit || parts.beyond) return [];
    const sign = parts.before || parts.after ? -1 : 1;
    const read = readingsOf(parts.digits!);
    // `1.234 million` is no thousands.
    const isDecimal = parts.multiple && read.length > 1 && parts.digits!.includes('.');
    const readings = (isDecimal ? read.slice(1) : read).map(
      value => sign * Number(`${value}${parts.power ?? ''}`),
    );
    const times = multipleOf(parts);
    return readings.length ? { text: whole.trim(), readings: readings.map(value => value * times) } : [];
  });
  const counted = [...bare.matchAll(/(\p{L}+) of (?:the )?\d/giu)];
  // `eight of 12`
  const hasTotal = counted.some(([, word]) => valueOfWord.has(word!.toLowerCase()));
  return found.length && !hasTotal ? found : [...found, ...numberWordsIn(bare)];
}

function multipleOf({ multiple, short, money }: Record<string, string | undefined>): number {
  if (multiple) return MULTIPLES.get(multiple.toLowerCase())!;
  return (short && SHORT_MULTIPLES[money ? short.toUpperCase() : short]) || 1;
}

/** @returns nothing for what is not a number, such as `2.1.3` */
function readingsOf(digits: string): number[] {
  const plain = digits.replace(new RegExp(GAP, 'gu'), '');
  const marks = plain.replace(/\d/g, '');
  const last = marks.at(-1);
  const asDecimal = () => {
    const at = plain.lastIndexOf(last!);
    return Number(`${plain.slice(0, at).replace(/[.,]/g, '')}.${plain.slice(at + 1)}`);
  };
  const asGroups = () => Number(plain.replace(/[.,]/g, ''));
  if (!last) return [Number(plain)];
  const isGrouped = /^[1-9]\d{0,2}(?:[.,]\d{2,3})*[.,]\d{3}$/.test(plain);
  if (marks.length === 1)
    return isGrouped && !digits.match(new RegExp(GAP, 'u')) ? [asGroups(), asDecimal()] : [asDecimal()];
  const isOneMark = new Set(marks).size === 1;
  if (isOneMark) return isGrouped ? [asGroups()] : [];
  return marks.lastIndexOf(last) === marks.indexOf(last) ? [asDecimal()] : [];
}

/** What stands beside a number word and makes another number of it, or a limit. */
const PARTS = new Set(
  [
    `${MINUS.replaceAll('|', ' ')} half demi demie medio media mezzo mezza meia meio`,
    'thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety',
    'vingt vingts trente quarante cinquante soixante cent cents cien ciento cientos cento cem centos cem sto set',
    'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa trenta quaranta cinquanta sessanta settanta ottanta novanta',
    'vinte trinta quarenta cinquenta sessenta oitenta dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt',
    'siedemdziesiąt osiemdziesiąt dziewięćdziesiąt tysiąc point comma coma virgule komma',
    'than least most over under above below als dan mindestens höchstens über unter',
  ].flatMap(words => words.split(' ')),
);
const JOINING = new Set(['and', 'a', 'y', 'e', 'et', 'und', 'i']);

/** Words of numbers that follow each other: `twenty-five`, `five and a half`. */
function numberRuns(text: string): string[][] {
  const isPart = (word: string) =>
    word === 'one' || valueOfWord.has(word) || MULTIPLES.has(word) || PARTS.has(word);
  const runs: string[][] = [[]];
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+|[^\p{L}\s-]/gu))
    if (isPart(word)) runs.at(-1)!.push(word);
    else if (!JOINING.has(word)) runs.push([]);
  return runs.filter(run => run.some(word => valueOfWord.has(word) || (word === 'one' && run.length > 1)));
}

function numberWordsIn(text: string): Value<number>[] {
  const runs = numberRuns(text);
  // A number of several words is only read as a multiple.
  const counted = runs.flatMap(([word = '', multiple, ...more]) => {
    const times = multiple === undefined ? 1 : MULTIPLES.get(multiple);
    const value = word === 'one' ? 1 : valueOfWord.get(word);
    if (value === undefined || times === undefined || more.length) return [];
    return { text: multiple ? `${word} ${multiple}` : word, readings: [value * times] };
  });
  if (runs.length) return counted;
  // `None.`, `One`, `There are no plants`: alone, or after a verb in English. `No idea` is no 0, and so `No` is none alone.
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const isAlone = words.length === 1 && words[0] !== 'no';
  const alone = isAlone ? words : (/\bthere (?:is|are) (no|none|one)\b/i.exec(text)?.slice(1) ?? []);
  return alone.flatMap(word =>
    NO_NUMBERS.has(word) ? { text: word, readings: [NO_NUMBERS.get(word)!] } : [],
  );
}

const LOCALES = 'en de fr es it pt nl sv da nb fi pl cs sk hu ro hr sl tr id'.split(' ');
let months: Map<string, number> | undefined;
/** By the long and short names in Node's own data. They are made for the first date, since eighty formats take 70 ms. */
function monthOf(word: string): number | undefined {
  months ??= new Map(
    LOCALES.flatMap(locale =>
      (['long', 'short'] as const).flatMap(month => {
        // In a date, some languages inflect the name.
        const options = [{ month }, { month, day: 'numeric' }] as const;
        return options.flatMap(each => {
          const format = new Intl.DateTimeFormat(locale, { ...each, timeZone: 'UTC' });
          return Array.from({ length: 12 }, (_, index) => {
            const parts = format.formatToParts(new Date(Date.UTC(2026, index, 14)));
            return [plainWord(parts.find(({ type }) => type === 'month')!.value), index + 1] as const;
          });
        });
      }),
    ).filter(([name]) => /^\p{L}{3,}$/u.test(name) && !NO_MONTHS.has(name)),
  ).set('sept', 9);
  return months.get(plainWord(word));
}
/** Short months of Portuguese, Italian and Spanish that are English words: `4 out of 5`. */
const NO_MONTHS = new Set(['out', 'set', 'ago']);

function plainWord(word: string): string {
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f.]/g, '')
    .toLowerCase();
}

const WORD = '[\\p{L}\\p{M}]{3,}\\.?';
const YEAR = '(\\d{4})';
const DAY = '(\\d{1,2})(?:st|nd|rd|th|er|º|°)?\\.?';
/** Each with the places of year, month and day; `or` where a second order is usual. */
const DATES: { form: RegExp; order: string; or?: string }[] = [
  { form: dateForm(`${YEAR}[-/.](\\d{1,2})[-/.](\\d{1,2})`), order: 'ymd' },
  { form: dateForm(`${YEAR}年\\s?(\\d{1,2})月\\s?(\\d{1,2})日`, '\\d'), order: 'ymd' },
  { form: dateForm(`${YEAR}년\\s?(\\d{1,2})월\\s?(\\d{1,2})일`, '\\d'), order: 'ymd' },
  { form: dateForm(`(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?${YEAR}`), order: 'dmy' },
  { form: dateForm(`(\\d{1,2})[-/](\\d{1,2})[-/]${YEAR}`), order: 'dmy', or: 'mdy' },
  { form: dateForm('(\\d{1,2})[-/](\\d{1,2})[-/](\\d\\d)'), order: 'dmy', or: 'mdy' },
  { form: dateForm('(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?(\\d\\d)(?!\\.\\d)'), order: 'dmy' },
  { form: dateForm(`(\\d{1,2})[-/](${WORD})[-/]${YEAR}`), order: 'dmy' },
  { form: dateForm(`${DAY}\\s(?:of\\s|de\\s|di\\s)?(${WORD})(?:\\sde)?,?\\s${YEAR}`), order: 'dmy' },
  { form: dateForm(`(${WORD})\\s${DAY},?\\s${YEAR}`), order: 'mdy' },
  { form: dateForm(`${YEAR}[,.]?\\s(${WORD})\\s${DAY}`), order: 'ymd' },
  { form: dateForm(`${DAY}\\s(?:of\\s|de\\s|di\\s)?(${WORD})`), order: 'dm' },
  { form: dateForm(`(${WORD})\\s${DAY}`), order: 'md' },
];
/** Only where a date is asked for: it is a number, too. */
const SHORT_DATE = { form: dateForm('(\\d\\d)\\.\\s?(\\d\\d)\\.'), order: 'dm' };
/** @param notAfter of what a date is only a part; Japanese and Korean put no space before one */
function dateForm(source: string, notAfter = '[\\p{L}\\d]|\\d[.,]'): RegExp {
  return new RegExp(`(?<!${notAfter})${source}(?!\\d)`, 'giu');
}

type FoundDate = Value<string> & { at: number };

function datesIn(text: string, forms: typeof DATES = [...DATES, SHORT_DATE]): FoundDate[] {
  let rest = text;
  const found: FoundDate[] = [];
  for (const { form, order, or } of forms)
    rest = rest.replace(form, (whole, ...groups) => {
      const orders = [order, ...(or ? [or] : [])];
      const readings = [...new Set(orders.flatMap(each => dateOf(groups, each) ?? []))];
      if (!readings.length) return whole;
      found.push({ text: whole, readings, at: groups[order.length] as number });
      // As long as before, so that places stay.
      return ' '.repeat(whole.length);
    });
  const whole = found.map(date => withYearBeside(date, rest));
  return whole.flatMap(date => [date, ...otherDays(date, rest)]).sort((one, other) => one.at - other.at);
}

const JOINED = '\\s?(?:[-–/]|(?:or|and|to|oder|und|bis|ou|et|o|y|e|of|en|tot)\\s)\\s?';
const DAY_BEFORE = new RegExp(`(?<![\\d.])${DAY}${JOINED}$`, 'iu');
const DAY_AFTER = new RegExp(`^${JOINED}${DAY}(?![\\d:])`, 'iu');

/** `March 13-14`, `13. oder 14. März`: two days, of which none is the answer. */
function otherDays(date: FoundDate, rest: string): FoundDate[] {
  const { text, at } = date;
  const before = /^\d{1,2}\D/.test(text) ? DAY_BEFORE.exec(rest.slice(0, at)) : null;
  const endsWithDay = /\p{L}\D*(?<!\d)\d{1,2}\D*$/u.test(text);
  const day = before ?? (endsWithDay ? DAY_AFTER.exec(rest.slice(at + text.length)) : null);
  if (!day) return [];
  return [{ ...date, readings: date.readings.map(each => each.slice(0, -2) + day[1]!.padStart(2, '0')) }];
}

const YEAR_BEFORE = /(?<!\d)((?:19|20)\d\d)[\s,:]+(?:(?:on|the|am|le|el|den) )*$/u;
const YEAR_AFTER =
  /^[\s,]*(?:\(|(?:in|of|de|del|du|im|en|av) )?(?:((?:19|20)\d\d)(?!\d|[.,]\d)|['’](\d\d)(?!\d)|(\d\d)(?![\d:/%]|[.,]\d|\s?[\p{L}$€£¥]))/u;

/** `4 March '25`, `March 4, 25`, `March 4 in 2025`: another year must not pass because its form is rare. */
function withYearBeside(date: FoundDate, rest: string): FoundDate {
  const [, ...after] = YEAR_AFTER.exec(rest.slice(date.at + date.text.length)) ?? [];
  const year = after.find(Boolean) ?? YEAR_BEFORE.exec(rest.slice(0, date.at))?.[1];
  if (!year) return date;
  const readings = date.readings.map(each =>
    each.length === 5 ? `${year.padStart(4, '20')}-${each}` : each,
  );
  return { ...date, readings };
}

function dateOf(groups: string[], order: string): string | undefined {
  const [year, month, day] = ['y', 'm', 'd'].map(part => groups[order.indexOf(part)]);
  const numbers = [year ?? 2000, monthOf(month!) ?? month, day].map(Number);
  const [short, m, d] = numbers as [number, number, number];
  const y = short < 100 ? 2000 + short : short;
  const date = new Date(Date.UTC(y, m - 1, d));
  if (date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d) return undefined;
  return date.toISOString().slice(year === undefined ? 5 : 0, 10);
}

function withoutDates(text: string): string {
  return datesIn(text, DATES).reduce(
    (rest, { text: { length }, at }) => rest.slice(0, at) + ' '.repeat(length) + rest.slice(at + length),
    text,
  );
}
