// Dates, times and numbers as goals write them, and as fields take them.

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);

export interface DateParts {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

export interface TimeParts {
  /** 0 to 23. */
  hours: number;
  minutes: number;
}

const two = (value: number) => String(value).padStart(2, '0');

/** 1 to 12 for a month's name or its beginning of three letters; 0 for any other word. */
export function monthNumber(word: string): number {
  const low = word.toLowerCase().replace(/\.$/, '');
  return low.length < 3 ? 0 : MONTHS.findIndex(month => month.startsWith(low)) + 1;
}

function checked(year: number, month: number, day: number): DateParts | undefined {
  const full = year < 100 ? 2000 + year : year;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? { year: full, month, day } : undefined;
}

/** Reads `12/30/2016` (month first unless that can't be), `30.12.2016` (day first), `2016-12-30`, `30 December 2016`, `Dec 30, 2016`. */
export function parseDate(text: string): DateParts | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text.trim());
  if (iso) return checked(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const numeric = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text.trim());
  if (numeric) {
    const [first, second, year] = [Number(numeric[1]), Number(numeric[3]), Number(numeric[4])];
    const dayFirst = numeric[2] === '.' || first > 12;
    return dayFirst ? checked(year, second, first) : checked(year, first, second);
  }
  const words = text.trim().match(/[\p{L}]+|\d+/gu) ?? [];
  const month = words.map(monthNumber).find(number => number > 0);
  const numbers = words.filter(word => /^\d+$/.test(word)).map(Number);
  if (!month || numbers.length !== 2) return undefined;
  return checked(Math.max(...numbers), month, Math.min(...numbers));
}

/** Reads `4:08 PM`, `16:08`, `4 pm`. */
export function parseTime(text: string): TimeParts | undefined {
  const match = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])?\.?m?\.?$/i.exec(text.trim());
  if (!match || (match[2] === undefined && match[3] === undefined)) return undefined;
  const half = match[3]?.toLowerCase();
  let hours = Number(match[1]);
  if (half === 'p' && hours < 12) hours += 12;
  if (half === 'a' && hours === 12) hours = 0;
  const minutes = Number(match[2] ?? 0);
  return hours < 24 && minutes < 60 ? { hours, minutes } : undefined;
}

const isoDate = ({ year, month, day }: DateParts) => `${year}-${two(month)}-${two(day)}`;

/** The value as a native field of this `type` takes it; unchanged for other types and for what can't be read. */
export function valueForType(type: string, text: string): string {
  const date = parseDate(text);
  const time = parseTime(text);
  if (type === 'date' && date) return isoDate(date);
  if (type === 'month' && date) return isoDate(date).slice(0, 7);
  if (type === 'time' && time) return `${two(time.hours)}:${two(time.minutes)}`;
  if (type === 'datetime-local') {
    const [day, hour] = [text.match(/\S+/)?.[0] ?? '', text.replace(/^\S+\s*/, '')];
    const [dateOnly, timeOnly] = [parseDate(day), parseTime(hour)];
    if (dateOnly && timeOnly) return `${isoDate(dateOnly)}T${two(timeOnly.hours)}:${two(timeOnly.minutes)}`;
  }
  if (type === 'number' || type === 'range')
    return /-?\d+(?:[.,]\d+)?/.exec(text)?.[0].replace(',', '.') ?? text;
  return text;
}

/** A text to give, or a description of one of those on offer. */
export interface Wanted {
  text: string;
  startsWith?: string;
  endsWith?: string;
  contains?: string;
}

/** Reads "an item that starts with X and ends with Y"; `show` puts quoted text back. */
export function describedValue(phrase: string, show: (words: string) => string): Wanted | undefined {
  const part = (verbs: string) => {
    const match = new RegExp(`\\b(?:${verbs})\\s+(?:with\\s+)?(\\S+)`, 'i').exec(phrase);
    return match ? show(match[1]!.replace(/[,.]$/, '')) : undefined;
  };
  const startsWith = part('start(?:s|ing)?|begin(?:s|ning)?');
  const endsWith = part('end(?:s|ing)?');
  const contains = part('contain(?:s|ing)?');
  if (!startsWith && !endsWith && !contains) return undefined;
  return {
    text: startsWith ?? contains ?? endsWith ?? '',
    ...(startsWith ? { startsWith } : {}),
    ...(endsWith ? { endsWith } : {}),
    ...(contains ? { contains } : {}),
  };
}

/** Whether an offered text answers a description (any text does where there is none). */
export function answers(text: string, { startsWith, endsWith, contains }: Wanted): boolean {
  const low = text.trim().toLowerCase();
  return (
    (!startsWith || low.startsWith(startsWith.toLowerCase())) &&
    (!endsWith || low.endsWith(endsWith.toLowerCase())) &&
    (!contains || low.includes(contains.toLowerCase()))
  );
}
