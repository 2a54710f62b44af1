// The number or the date that an answer gives. People and models write them in many ways, beside words and other figures. Of several
// values, the one counts that the answer marks: in bold, alone in its last line, or after the last colon or equals sign. If it marks
// none, it gives none: a value that is only mentioned must not pass.
import { datesIn, isNegated, type Value, withoutDates } from './answer-dates';

/** The value that the answer gives, if any, and all that it mentions. */
export type Given<T> = { value?: Value<T> | undefined; mentioned: readonly Value<T>[] };

export const numberIn = (answer: string): Given<number> => given(inAsciiDigits(answer), numbersIn);
/** A date is `2026-03-14`, or `03-14` if the answer names no year. */
export const dateIn = (answer: string): Given<string> => given(inAsciiDigits(answer), datesIn);

/** `١٬٢٩٩٫٥٠` is 1,299.50. In Unicode, the ten digits of a script follow each other. */
function inAsciiDigits(text: string): string {
  const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code));
  const ascii = text.replace(/\p{Nd}/gu, digit => {
    const code = digit.codePointAt(0)!;
    let zero = code;
    while (isDigit(zero - 1)) zero--;
    return String((code - zero) % 10);
  });
  return ascii.replace(/(?<=\d)٫(?=\d)/g, '.').replace(/(?<=\d)٬(?=\d)/g, ',');
}

const ADDRESS = /\]\([^()\s]*\)|\b(?:https?:\/\/|www\.)[^\s)>]+/gi;

function given<T>(answer: string, find: (text: string) => Value<T>[]): Given<T> {
  const valuesIn = (text: string) => distinct(find(text.replaceAll('__', ' ')));
  // Figures in addresses count only if there are no others.
  const bare = answer.replace(ADDRESS, ' ');
  const said = valuesIn(bare).length ? bare : answer;
  const [all, bold] = [valuesIn(said), valuesIn(boldParts(said))];
  // If several values are bold, none is marked.
  const last = bold.length > 1 ? [] : [lastLine(said, valuesIn), afterLastColon(said)].map(valuesIn);
  // The part after a `not` is no value of the whole.
  const isGiven = (value: Value<T>) => all.some(each => keyOf(each) === keyOf(value));
  const only = [all, bold, ...last].find(values => values.length === 1 && isGiven(values[0]!));
  return { value: only?.[0], mentioned: all };
}

const keyOf = (value: Value<unknown>) => JSON.stringify(value.readings);
function distinct<T>(values: Value<T>[]): Value<T>[] {
  return [...new Map(values.map(value => [keyOf(value), value])).values()];
}

const boldParts = (text: string) =>
  [...text.matchAll(/\*\*([^*]+)\*\*|__([^_]+)__/g)].map(part => part[0]).join('\n');
/** Empty if the line has more than a value with one word before it or a unit or currency, or is an item of a list. */
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
const afterLastColon = (text: string) => /(?::(?!\d)|(?<![<>])=)([^:=]*)$/.exec(text)?.[1] ?? '';

/** Between groups of three digits: white space, also narrow and non-breaking, an apostrophe, or `_` as in code. */
const GAP = "[_ \\u00a0\\u2009\\u202f'’]";
const DIGITS = `\\d{1,3}(?:${GAP}\\d{3})+(?:[.,]\\d+)?|\\d+(?:[.,]\\d+)*|\\.\\d+`;
/** Not those of scripts without blanks between words. */
const LETTER = '(?![\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}])\\p{L}';
const valued = (words: string, value: number) => words.split(' ').map(word => [word, value] as const);
const MULTIPLES = new Map([
  ...valued('dozen dozens dutzend douzaine docena dozzina dúzia dozijn tuzin', 12),
  ...valued('hundred hundreds hundert honderd', 1e2),
  ...valued('k thousand thousands tsd teur tys 千 tausend mille mil mila duizend tysiące tysięcy', 1e3),
  ...valued('万 萬 만', 1e4),
  ...valued('lakh lakhs lac', 1e5),
  ...valued(
    'million millions millionen millón millones milione milioni milhão milhões miljoen milion miliony mio mln mn',
    1e6,
  ),
  ...valued('crore crores', 1e7),
  ...valued('億 亿 억', 1e8),
  ...valued('bn billion billions mrd milliard milliards milliarde milliarden miliardo miliardi miljard', 1e9),
  ...valued('trillion trillions billionen billones', 1e12),
]);
/** In capitals, or after an amount of money: `5M`, `$5m`. */
const SHORT_MULTIPLES: Record<string, number> = { M: 1e6, B: 1e9, T: 1e12 };
const MINUS = 'minus|negative|moins|menos|meno';
/** Before a number that is only a limit. */
const LIMIT = [
  // A quotation in Markdown begins with `> `.
  '[<≤≥]|[<>]=|>(?=[\\d$€£¥])|(?<=\\S )>',
  '(?:less|fewer|more|greater) than(?: or equal to)?|at (?:least|most)|exceed(?:s|ing)?|beyond|upwards? of|up to|half of|twice|instead of|rather than|~~(?=\\S)|over|under|above|below|mindestens|höchstens|über|unter',
  "(?:max|min)(?:\\.|imal|imum)(?: of)?|bis zu|jusqu[’']à|hasta|fino a|até",
  '(?:weniger|mehr) als|(?:minder|meer) dan|(?:plus|moins|más|menos|mais) de|(?:più|meno) di|au (?:moins|plus)|(?:al|como) (?:menos|máximo)',
].join('|');
/** After a number that is only a limit. */
const BEYOND =
  "\\+(?!\\s?[\\d$€£¥])|\\s(?:or|oder|ou|o|of) (?:more|less|fewer|above|below|higher|lower|over|under|up|mehr|weniger|plus|moins|más|menos|più|meno|meer|minder)(?!\\p{L}|\\sto\\s?[\\d$€£¥]|\\s?[\\d$€£¥])|\\sand (?:up|above|over|more)(?!,|\\s\\p{L}|\\s?[\\d$€£¥])|\\sat (?:least|most|(?:the )?(?:minimum|maximum))\\b|\\s(?:(?:does|did)(?: not|n[’']t) (?:appear|exist|occur|match)|(?:is|was)(?: not|n[’']t) (?:there|shown|listed|found|visible|available|what|(?:on|in) the|the (?:\\p{L}+ )?(?:price|answer|number|total)))\\b";
const HALF = '(?:and a|und ein|et|y|e) (?:half|halb\\p{L}*|demie?|medi[oa]|mezz[oa]|mei[oa])';
const NUMBER = new RegExp(
  // No part of a name (`A4`, `v2.1`, `WD-40`), and no figure of two scripts. A `-` between two figures is no sign, nor is one between
  // blanks (`Team - $40`, items of lists) unless the value begins with it.
  `(?<!${LETTER}-?|[\\p{N}_.,])(?<limit>(?:${LIMIT})\\s?(?:about\\s)?)?(?<before>(?:${MINUS})\\s|(?:[-−–]|(?<=^|[:=(] ?)[-−]\\s)(?=[\\d$€£¥]))?(?<money>(?:[$€£¥]|EUR|USD|GBP|CHF|JPY|CNY|INR)\\s?)?(?<after>[-−])?` +
    `(?<digits>${DIGITS})(?<power>e[-+]?\\d+)?(?!_?\\p{N}|[-_]?\\p{L}{2,}\\d|[x×]\\d|\\s?${HALF})` +
    `(?:\\s?(?<multiple>${[...MULTIPLES.keys()].join('|')})(?!${LETTER})|(?:\\s(?<=[$€£¥]\\s?[\\d.,]+\\s))?(?<short>[MBT])(?!\\p{L}))?(?<beyond>${BEYOND})?`,
  'giu',
);
/** Counted from zero. `one` is left out where it is an article, too. */
const WORDS = [
  'zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  'null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
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
const TENS = [
  'twenty thirty forty fifty sixty seventy eighty ninety',
  'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
].map(words => words.split(' '));
for (const [at, ten] of TENS.flatMap(words => [...words.entries()])) {
  valueOfWord.set(ten, 20 + 10 * at);
  for (const [more, unit] of 'ein zwei drei vier fünf sechs sieben acht neun'.split(' ').entries())
    valueOfWord.set(`${unit}und${ten}`, 21 + 10 * at + more);
}
// These are common words in other languages.
for (const word of ['due', 'once', 'sei']) valueOfWord.delete(word);
const NO_NUMBERS = new Map([
  ...valued('none nothing no keine keiner keines aucun aucune ninguno ninguna', 0),
  ...valued('one', 1),
]);

function numbersIn(text: string): Value<number>[] {
  const bare = withoutDates(text)
    .replace(/^\s*\d+[.)]\s(?=.*\S)/gm, '')
    // `4.6 out of 5`, `4.6/5`, `3 of the 12`
    .replace(
      /\b(?:out of|von|sur) \d+|(?<=\d )of (?:the )?\d+(?![.,]?\d)|(?<=\d)\/(?:5|10|100)(?![\d/])/gi,
      ' ',
    )
    // A time, in hours.
    .replace(/\b(\d{1,2}):(\d\d)(?::\d\d)?\b/g, (_, hours, minutes) => String(Number(hours) + minutes / 60))
    // `1½` is 1.5000, of four digits, since three would be thousands, too.
    .replace(/(?:(\d+) ?)?([¼-¾⅐-⅞])/gu, (_, whole = 0, part) => {
      const [over, under] = part.normalize('NFKD').split('⁄');
      return (Number(whole) + over / under).toFixed(4);
    });
  const found = [...bare.matchAll(NUMBER)].flatMap(({ 0: whole, index, groups: parts = {} }) => {
    if (parts.limit || parts.beyond || isNegated(bare.slice(0, index))) return [];
    const sign = parts.before || parts.after ? -1 : 1;
    const read = readingsOf(parts.digits!);
    // In `1.234 million` the point is a decimal point.
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
  if (marks.length === 1) return isGrouped && plain === digits ? [asGroups(), asDecimal()] : [asDecimal()];
  const isOneMark = new Set(marks).size === 1;
  if (isOneMark) return isGrouped ? [asGroups()] : [];
  return marks.lastIndexOf(last) === marks.indexOf(last) ? [asDecimal()] : [];
}

/** Words that make another number of the number word beside them, or a limit. */
const PARTS = new Set(
  [
    `${MINUS.replaceAll('|', ' ')} half demi demie medio media mezzo mezza meia meio`,
    'vingt vingts trente quarante cinquante soixante cent cents cien ciento cientos cento cem centos cem sto set',
    'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa trenta quaranta cinquanta sessanta settanta ottanta novanta',
    'vinte trinta quarenta cinquenta sessenta oitenta dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt',
    'siedemdziesiąt osiemdziesiąt dziewięćdziesiąt tysiąc point comma coma virgule komma',
    'than least most over under above below exceeds exceeding beyond als dan mindestens höchstens über unter',
    'third thirds quarter quarters fourths fifths sixths eighths tenths drittel viertel fünftel quarts tercios cuartos terzi quarti',
  ].flatMap(words => words.split(' ')),
);
const JOINING = new Set(['and', 'a', 'y', 'e', 'et', 'und', 'i']);

/** Words of numbers that follow each other: `twenty-five`, `five and a half`. */
function numberRuns(text: string): string[][] {
  const isPart = (word: string) =>
    word === 'one' || valueOfWord.has(word) || MULTIPLES.has(word) || PARTS.has(word);
  const runs: string[][] = [[]];
  for (const { 0: word, index } of text.matchAll(/\p{L}+|[^\p{L}\s-]/gu))
    if (isPart(word) && !isNegated(text.slice(0, index))) runs.at(-1)!.push(word);
    else if (!JOINING.has(word)) runs.push([]);
  return runs.filter(run => run.some(word => valueOfWord.has(word) || (word === 'one' && run.length > 1)));
}

/** `one hundred and twenty-five`, `two million`; nothing for what is no number in English, such as `five six`. */
function valueOfRun(run: string[]): number | undefined {
  let [sum, part] = [0, 0];
  for (const word of run) {
    const [value, times] = [word === 'one' ? 1 : valueOfWord.get(word), MULTIPLES.get(word)];
    const rest = part % 100;
    if (value !== undefined && (!rest || (value < 10 && rest >= 20 && rest % 10 === 0))) part += value;
    else if (times === 100 && part) part *= 100;
    else if (times && part) [sum, part] = [sum + part * times, 0];
    else return;
  }
  return sum + part;
}

const LIMITED = new RegExp(`(?<=\\p{L})(?:${BEYOND})`, 'giu');
/** Not of `half a dozen`, `a quarter of a million`. */
const A_MULTIPLE = /(?<!(?:of|in|half) )\ba (?=(?:dozen|hundred|thousand|million|billion)\b)/g;
/** What a failure lacks or has: `no way to see it`, `one problem: the cart does not load`. */
const OF_A_FAILURE =
  '(?! (?:access|answer|chance|data|doubt|idea|indication|information|means|permissions?|possibilit(?:y|ies)|reason|way|(?:need|option|point|right|sign)s? (?:to|in|of)|(?:error|issue|problem)s?\\s?[:–-])(?!\\p{L}))';
/**
 * `because the search failed`, `without logging in`; not `because it is empty`, `since Monday`, `due to be paid`. In doubt a failure: a
 * right 0 that is refused is seen, a wrong one that passes is not.
 */
const AFTER_A_FAILURE = (() => {
  const empty =
    ' (?:it|they|(?:the|your) (?:bag|basket|cart|folder|inbox|list|queue|table|wishlist)) (?:is|are) empty\\b';
  const time = [
    ' (?:of|yet|you last|the (?:beginning|end|start) of)\\b',
    ' (?:(?:the |your |my |our )?last |this )?\\p{L}+(?: \\d+)?(?:[.!?]|$)',
    ' \\d[\\d:.]* ?\\p{L}*\\W*$',
    // In place of a date there are blanks.
    '\\s*(?:[.,;!?]|$)|\\s{6}',
  ].join('|');
  // `tagged as new in the list`, `registered as an admin`; not `shown as login failed`
  const role = 'as (?:an? |the (?:most |best )?)?\\p{L}+(?:\\W*$| (?:in|on|by|for|from|at|with)\\b)';
  return [
    '\\bunless\\b',
    `\\bbecause\\b(?!${empty})`,
    '\\bdue to\\b(?! be\\b| (?:you|me|us)\\W*$)',
    `\\b(?:since|(?<!(?:ed|n|you|such|same|well) (?=${role}))as)\\b(?!${empty}|${time})`,
    '\\bwithout (?!(?:heating|housing|packaging|parking|pricing|rating|seating|shipping|warning)s?\\b)\\p{L}+ing\\b',
    ', (?:so|but)\\b',
  ].join('|');
})();
/** `There is no product page` counts nothing, nor does `There are no results because the search failed`. */
const ALONE = new RegExp(
  [
    `\\bthere (?:is|are) (none)\\b(?!.*(?:${AFTER_A_FAILURE}))`,
    `\\bthere (?:is|are) (?:only |just )?(one)\\b(?! \\S*\\d)${OF_A_FAILURE}`,
    `\\bthere are (no)\\b(?! \\S*\\d)${OF_A_FAILURE}(?!.*(?:${AFTER_A_FAILURE}))`,
    '\\bthere is (no) \\p{L}+ (?:left|remaining|in stock)\\W*$',
    `^(no)${OF_A_FAILURE} \\p{L}+(?<![su])s\\W*$`,
  ].join('|'),
  'u',
);
function numberWordsIn(text: string): Value<number>[] {
  // A limit makes no number of the words before it.
  const lower = text
    .toLowerCase()
    .replace(A_MULTIPLE, 'one ')
    .replace(LIMITED, ' least')
    .replace(/\bdeux tiers\b/g, 'demi')
    // `third-party`, `quarter-finals`
    .replace(/\b(?:third|quarter)s?-(?=\p{L})/gu, '');
  const runs = numberRuns(lower);
  const counted = runs.flatMap(run => {
    const value = valueOfRun(run);
    return value === undefined ? [] : { text: run.join(' '), readings: [value] };
  });
  if (runs.length) return counted;
  // `None.`, `One`, `No plants.`, `There are no plants`: alone, or after a verb in English. `No idea` is no 0, and so `No` is none alone.
  const words = lower.match(/\p{L}+/gu) ?? [];
  const isAlone = words.length === 1 && words[0] !== 'no';
  const alone = isAlone ? words : (ALONE.exec(lower)?.slice(1).filter(Boolean) ?? []);
  return alone.flatMap(word =>
    NO_NUMBERS.has(word) ? { text: word, readings: [NO_NUMBERS.get(word)!] } : [],
  );
}
