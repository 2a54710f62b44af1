// Keeps the values of secrets out of texts, in every form in which pages, URLs and protocols write a value; and fills them in.
// A text is searched as it stands, and decoded once and twice. Programs beside `dist` load this file: import nothing of ours.

/** Replaces the values of secrets with `<secret>NAME</secret>`. Masking twice changes nothing. */
export type Mask = (text: string) => string;

/** Shorter values are masked only as whole words: they are part of too many words and numbers. */
const SHORT = 4;
/** A line of a value with at least this many characters is masked by itself, too: diffs show a key line by line. */
const LEAST_LINE = 12;
/** Fewer characters of base64, or of a file's name, may be a word by chance. */
const LEAST_RARE = 6;
/** If a text was cut with "…", this many first characters of a form are matched one by one. */
const MAX_BEGINNING = 24;

/** Characters that the browser replaces in the name of a download. */
const NOT_IN_FILES = /["~*/:<>?\\|]/g;
const WORD = String.raw`[\w\u00c0-\u1fff\u3040-\ud7ff]`;
/** Nothing, or the rest of an encoded character, before a "…". */
const CUT = String.raw`(?=(?:(?:%[\da-f]{0,2}){1,4}|&#?\w{0,31}|\\+(?:[ux][\da-f]{0,3})?)?…)`;

/** Make the mask once for all texts: its expression is large. The time it takes is linear in the length of the text. */
export function secretMask(secrets: Readonly<Record<string, string | readonly string[]>>): Mask {
  const forms = new Map<string, { name: string; pattern: string; beginning?: string }>();
  const named = Object.entries(secrets).flatMap(([name, values]) =>
    [values].flat().map(value => ({ name, value })),
  );
  for (const { name, value } of named.sort((a, b) => b.value.length - a.value.length))
    for (const form of formsOf(value))
      if (!forms.has(folded(form))) forms.set(folded(form), { name, ...patternsOf(form) });
  if (!forms.size) return text => text;
  // Longest first: otherwise a part of a form that begins with another one would remain.
  const sorted = [...forms].sort(([a], [b]) => b.length - a.length);
  const marks = `<secret>\\s*(?:${Object.keys(secrets).map(escaped).join('|')})\\s*</secret>`;
  const patterns = sorted.map(([, { pattern }]) => pattern);
  const beginnings = sorted.flatMap(([, { beginning }]) => beginning ?? []);
  const any = new RegExp([marks, ...patterns, ...beginnings].join('|'), 'gi');
  const nameOf = (found: string) =>
    (forms.get(found) ?? sorted.find(([form, { beginning }]) => beginning && form.startsWith(found))?.[1])
      ?.name;
  const findIn = ({ text, placeOf }: View) =>
    [...text.matchAll(any)].map(({ 0: found, index }) => ({
      from: placeOf(index)[0],
      to: placeOf(index + found.length - 1)[1],
      name: nameOf(folded(found)),
    }));
  return text => {
    const found = viewsOf(text).flatMap(findIn);
    return found.length ? replaced(text, found) : text;
  };
}

/** A value of the secret `name`, or what is masked already. */
type Found = { from: number; to: number; name: string | undefined };

/** If several overlap, the name of the longest replaces all of them. */
function replaced(text: string, found: Found[]): string {
  const apart: (Found & { length: number })[] = [];
  for (const { from, to, name } of found.sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = apart.at(-1);
    const length = to - from;
    if (!last || from >= last.to) apart.push({ from, to, name, length });
    else if (last.name !== undefined) {
      last.to = Math.max(last.to, to);
      if (length > last.length) Object.assign(last, { name: name ?? last.name, length });
    }
  }
  let at = 0;
  const parts = apart.map(({ from, to, name }) => {
    const before = text.slice(at, from);
    at = to;
    return before + (name === undefined ? text.slice(from, to) : `<secret>${name}</secret>`);
  });
  return parts.join('') + text.slice(at);
}

/** A text in one way to read it: as it stands, or decoded. */
interface View {
  text: string;
  /** Where a character of it begins and ends in the original text. */
  placeOf(index: number): readonly [number, number];
}

/** An encoding of single characters. */
type Encoding = { unit: RegExp; read(unit: string): string };

const CONTROLS: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' };
const UTF8 = ['%[0-7]#', '%[cd]#%[89ab]#', '%e#(?:%[89ab]#){2}', '%f[0-7](?:%[89ab]#){3}']
  .join('|')
  .replaceAll('#', String.raw`[\da-f]`);
const percent: Encoding = { unit: new RegExp(UTF8, 'gi'), read: decodedUrl };
const UNSEEN = unseen();
const ENCODINGS: Encoding[] = [
  percent,
  // Forms.
  { unit: new RegExp(`${UTF8}|\\+`, 'gi'), read: unit => (unit === '+' ? ' ' : decodedUrl(unit)) },
  // HTML.
  {
    // Browsers read numbers without the semicolon, too.
    unit: /&(?:#\d{1,7};?|#x[\da-f]{1,6};?|[a-z][a-z\d]{1,31};)/gi,
    // If the text was changed to upper case, only the lower-case name is known.
    read(unit) {
      const { decodeHTMLStrict } = entities();
      const character = decodeHTMLStrict(unit.replace(/;?$/, ';'));
      return character === unit ? decodeHTMLStrict(unit.toLowerCase()) : character;
    },
  },
  // JSON, source code, YAML in double quotes.
  {
    unit: /\\(?:u\{[\da-fA-F]{1,6}\}|U[\da-fA-F]{8}|[uU][\da-fA-F]{4}|x[\da-fA-F]{2}|[\s\S])/g,
    read(unit) {
      if (unit.length === 2) return CONTROLS[unit[1]!] ?? unit[1]!;
      const code = Number(`0x${unit.slice(2).replace(/[{}]/g, '')}`);
      return code > 0x10ffff ? unit : String.fromCodePoint(code);
    },
  },
  // YAML in single quotes, and shells.
  { unit: /'(?:\\')?'/g, read: () => "'" },
  // URLs of pages that are not UTF-8.
  { unit: /%[\da-f]{2}/gi, read: unit => String.fromCharCode(Number(`0x${unit.slice(1)}`)) },
  // Characters that nobody sees, and that `harmless` takes out.
  { unit: UNSEEN, read: () => '' },
];

/** Loaded when a text first needs it, which is rare. */
const entities = () => require('entities/decode') as typeof import('entities/decode');

/**
 * Control sequences, as Node's `stripVTControlCharacters` finds them, and characters without width. No character fits two loops that
 * follow each other: a long run of it would take time by its square.
 */
function unseen(): RegExp {
  const [begin, end] = ['[\u001b\u009b][[\\]()#;?]*', '(?:\u0007|\u001b\\\\|\u009c)'];
  const long = `${begin}(?:[-\\w/&.:=%@~][-\\w/#&.:=?%@~;]*)?${end}`;
  const short = String.raw`${begin}(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]`;
  return new RegExp(String.raw`${long}|${short}|[\p{Cf}\p{Cs}\ufffe\uffff]`, 'gu');
}

function decodedUrl(unit: string): string {
  try {
    return decodeURIComponent(unit);
  } catch {
    return unit;
  }
}

/** The text itself, and all that it reads as once decoded, and twice. */
function viewsOf(text: string): View[] {
  const views: View[] = [{ text, placeOf: index => [index, index + 1] }];
  const known = new Set([text]);
  let newest = views;
  for (let times = 0; times < 2; times++) {
    newest = newest.flatMap(view => ENCODINGS.flatMap(encoding => decoded(view, encoding, known) ?? []));
    views.push(...newest);
  }
  return views;
}

function decoded(view: View, { unit, read }: Encoding, known: Set<string>): View | undefined {
  // For each unit: the place of its characters in the decoded text, and its own in the encoded one.
  const units: { at: number; length: number; from: number; to: number }[] = [];
  let shorter = 0;
  const text = view.text.replace(unit, (found: string, from: number) => {
    const character = read(found);
    units.push({ at: from - shorter, length: character.length, from, to: from + found.length });
    shorter += found.length - character.length;
    return character;
  });
  if (known.has(text)) return undefined;
  known.add(text);
  const placeHere = (index: number): readonly [number, number] => {
    let [low, high] = [0, units.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (units[middle]!.at <= index) low = middle + 1;
      else high = middle;
    }
    const last = units[low - 1];
    if (!last) return [index, index + 1];
    const beyond = index - last.at - last.length;
    return beyond < 0 ? [last.from, last.to] : [last.to + beyond, last.to + beyond + 1];
  };
  return {
    text,
    placeOf(index) {
      const [from, to] = placeHere(index);
      return [view.placeOf(from)[0], view.placeOf(to - 1)[1]];
    },
  };
}

/** Replaces `<secret>NAME</secret>` with the value. @param unknown makes the error for a name that is not among `secrets` */
export function fillSecrets(
  text: string,
  secrets: Readonly<Record<string, string>>,
  unknown = (name: string) =>
    new Error(
      `There is no secret named ${JSON.stringify(name)}. Secrets of this task: ${Object.keys(secrets).join(', ') || 'none'}.`,
    ),
): string {
  return text.replace(/<secret>([^<>]*)<\/secret>/g, (_, given: string) => {
    const name = given.trim();
    if (Object.hasOwn(secrets, name)) return secrets[name]!;
    throw unknown(name);
  });
}

export function secretsNamed(text: string): string[] {
  return [...text.matchAll(/<secret>([^<>]*)<\/secret>/g)].map(([, name]) => name!.trim());
}

/** A copy through JSON, with `change` applied to every text in it. @param keys `changed`: to keys, too, if they are not ours */
export function inTexts<T>(value: T, change: (text: string) => string, keys: 'kept' | 'changed' = 'kept'): T {
  const json = JSON.stringify(value, (_, inner) => {
    if (typeof inner === 'string') return change(inner);
    if (keys === 'kept' || Object(inner) !== inner || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, each]) => [change(key), each]));
  });
  return json === undefined ? (undefined as T) : (JSON.parse(json) as T);
}

function patternsOf(form: string): { pattern: string; beginning?: string } {
  if (form.length >= SHORT) return { pattern: escaped(form), beginning: beginningOf(form) };
  // Next to the mask of another secret, it is not a whole word.
  return { pattern: `(?<!${WORD}|</secret>)${escaped(form)}(?!${WORD}|<secret>)` };
}

/** Matches a form that was cut: at least SHORT characters, then "…". */
function beginningOf(form: string): string {
  const rest = form.length - MAX_BEGINNING;
  const more = rest > 0 ? `[^…]{0,${rest}}` : '';
  const further = form.slice(SHORT, MAX_BEGINNING).split('');
  const optional = further.reduceRight((inner, each) => `(?:${escaped(each)}${inner})?`, more);
  return `${escaped(form.slice(0, SHORT))}${optional}${CUT}`;
}

/**
 * Folds case as the flag `i` does (ECMAScript's Canonicalize): no letter becomes two, "ı" does not become ASCII, and letters
 * beyond 16 bits stay. Every run of white space becomes one space.
 */
function folded(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[a-z\u0080-\uffff]/g, letter => {
    const upper = letter.toUpperCase();
    const isFolded = upper.length === 1 && (letter < '\u0080' || upper >= '\u0080');
    return isFolded ? upper : letter;
  });
}

/** Any white space matches any other: pages join lines and change spaces. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`).replace(/\s+/g, String.raw`\s+`);
}

/** The ways to write a value. The expression adds those that differ in white space, and most that differ in case. */
function formsOf(given: string): string[] {
  // Half a surrogate pair can't be encoded.
  const whole = given.toWellFormed();
  // Pages trim texts.
  const value = whole.trim();
  if (!value) return [];
  const written = [
    value,
    value.replace(/\r?\n|\r/g, ''),
    value.normalize('NFC'),
    value.normalize('NFD'),
    // In a URL, a "%" of the value may stay unencoded.
    value.replace(percent.unit, percent.read),
    value.replace(UNSEEN, ''),
    value.replace(NOT_IN_FILES, '').length < LEAST_RARE ? '' : value.replace(NOT_IN_FILES, '_'),
    ...value.split(/\r?\n|\r/).filter(line => line.trim().length >= LEAST_LINE),
  ].filter(Boolean);
  const cases = [...new Set(written.flatMap(text => [text, text.toLowerCase(), text.toUpperCase()]))];
  const lines = ['\n', '\r\n', ' '].map(end => value.replace(/\r?\n|\r/g, end));
  const encoded = value.length < SHORT ? [] : [whole, ...lines, ...cases].flatMap(base64Forms);
  return [...new Set([...cases, ...encoded])];
}

/** Base64 of the value itself, and of the value inside a longer text: there it has one of three offsets. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const latin = Buffer.from(text, 'latin1');
  const all = latin.toString('latin1') === text && !latin.equals(bytes) ? [bytes, latin] : [bytes];
  const forms = all.flatMap(value => [
    value.toString('base64').replace(/=+$/, ''),
    ...[0, 1, 2]
      .map(before => {
        const encoded = Buffer.concat([Buffer.alloc(before), value]).toString('base64');
        const start = Math.ceil((before * 8) / 6);
        return encoded.slice(start, Math.floor(((before + value.length) * 8) / 6));
      })
      .filter(core => core.length >= LEAST_RARE),
  ]);
  return forms.flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
