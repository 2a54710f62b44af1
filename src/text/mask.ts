// Keeps the values of secrets out of texts, in every form in which pages, addresses and protocols write a value; and puts them in.

/** Replaces the values of secrets by `<secret>NAME</secret>`. Masking twice changes nothing. */
export type Mask = (text: string) => string;

/** Shorter values are part of too many words and numbers: they are only masked as whole words. */
const SHORT = 4;
/** So many characters of base64 are not a word by chance. */
const LEAST_BASE64 = 6;
/** Characters at the beginning of a form that are searched one by one before a "…". */
const MAX_BEGINNING = 24;

const WORD = String.raw`[\w\u00c0-\u1fff\u3040-\ud7ff]`;

/** Make it once per trial: the expression is large. Its time is linear in the length of the text. */
export function secretMask(secrets: Readonly<Record<string, string>>): Mask {
  const forms = new Map<string, { name: string; pattern: string; beginning?: string }>();
  for (const [name, value] of Object.entries(secrets).sort(([, a], [, b]) => b.length - a.length))
    for (const form of formsOf(value))
      if (!forms.has(folded(form))) forms.set(folded(form), { name, ...patternsOf(form, value) });
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
  return text =>
    text.replace(any, found => {
      const name = nameOf(folded(found));
      return name === undefined ? found : `<secret>${name}</secret>`;
    });
}

/**
 * Replaces the names of secrets by their values: agents know a secret only as `<secret>SHOP_PASSWORD</secret>`.
 *
 * @param unknown makes the error for a name that is not among `secrets`
 */
export function fillSecrets(
  text: string,
  secrets: Readonly<Record<string, string>>,
  unknown = (name: string) =>
    new Error(
      `There is no secret named ${JSON.stringify(name)}. Secrets of this task: ${Object.keys(secrets).join(', ') || 'none'}.`,
    ),
): string {
  return text.replace(/<secret>\s*([^<>]*?)\s*<\/secret>/g, (_, name: string) => {
    if (Object.hasOwn(secrets, name)) return secrets[name]!;
    throw unknown(name);
  });
}

/** A copy through JSON, with `change` applied to every text in it, except keys. */
export function inTexts<T>(value: T, change: (text: string) => string): T {
  const json = JSON.stringify(value, (_, inner) => (typeof inner === 'string' ? change(inner) : inner));
  return json === undefined ? (undefined as T) : (JSON.parse(json) as T);
}

function patternsOf(form: string, value: string): { pattern: string; beginning?: string } {
  if (value.trim().length >= SHORT) return { pattern: escaped(form), beginning: beginningOf(form) };
  // The mask of another secret next to it must not make it a whole word.
  return { pattern: `(?<!${WORD}|</secret>)${escaped(form)}(?!${WORD}|<secret>)` };
}

/** Matches a form that was cut: SHORT characters or more, and then "…". */
function beginningOf(form: string): string {
  const rest = form.length - MAX_BEGINNING;
  const more = rest > 0 ? `[^…]{0,${rest}}` : '';
  const further = form.slice(SHORT, MAX_BEGINNING).split('');
  const optional = further.reduceRight((inner, each) => `(?:${escaped(each)}${inner})?`, more);
  return `${escaped(form.slice(0, SHORT))}${optional}(?=…)`;
}

/** Folds case as the flag `i` does: no letter becomes two, and letters beyond 16 bits stay. */
function folded(text: string): string {
  return text.replace(/[a-z\u0080-\uffff]/g, letter => {
    const upper = letter.toUpperCase();
    return upper.length === 1 ? upper : letter;
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** The expression ignores case where it can. */
function formsOf(given: string): string[] {
  // Half a surrogate pair can't be encoded.
  const whole = given.toWellFormed();
  // Pages trim texts and join their lines.
  const value = whole.trim();
  if (!value) return [];
  const lines = ['\n', '\r\n', ''].map(end => value.replace(/\r?\n|\r/g, end));
  const written = [
    value,
    ...lines,
    value.replace(/\s+/g, ' '),
    value.normalize('NFC'),
    value.normalize('NFD'),
  ];
  const cases = [...new Set(written.flatMap(text => [text, text.toLowerCase(), text.toUpperCase()]))];
  // The expression ignores the case of letters, but not of their codes.
  const spelled = cases.every(text => /^[\0-\x7f]*$/.test(text)) ? written : cases;
  const texts = spelled.flatMap(text => [
    text,
    ...percentForms(text),
    ...jsonForms(text),
    ...htmlForms(text),
  ]);
  const encoded = value.length < SHORT ? [] : [whole, ...cases].flatMap(base64Forms);
  return [...new Set([...texts, ...encoded])];
}

/** The parts of an address encode different characters: user, path, query (two kinds), fragment. */
const URL_SETS = [
  /[^!-~]|["#<>?^`{}/:;=@[\\\]|]/gu,
  /[^!-~]|["#<>?^`{}]/gu,
  /[^!-~]|["#<>']/gu,
  /[^!-~]|["#<>]/gu,
  /[^!-~]|["<>`]/gu,
];

function percentForms(text: string): string[] {
  const component = encodeURIComponent(text);
  const form = new URLSearchParams({ '': text }).toString().slice(1);
  return [
    component,
    component.replace(/[!'()*]/g, percent),
    component.replaceAll('%20', '+'),
    form,
    form.replaceAll('+', '%20'),
    encodeURI(text),
    encodeURIComponent(JSON.stringify(text).slice(1, -1)),
    ...URL_SETS.map(set => text.replace(set, percent)),
  ];
}

function percent(character: string): string {
  return [...Buffer.from(character)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function jsonForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const ascii = json.replace(/[^ -~]/g, unicode);
  const single = json.replaceAll('\\"', '"').replaceAll("'", "\\'");
  return [
    json,
    ascii,
    json.replaceAll('/', '\\/'),
    ascii.replaceAll('/', '\\/'),
    ascii.replace(/[<>&']/g, unicode),
    ascii.replace(/[<>&]/g, unicode),
    JSON.stringify(json).slice(1, -1),
    // In source code, in the other quotes.
    single,
    json.replaceAll("'", "\\'"),
    json.replaceAll('\\"', '"'),
  ];
}

const TEXT = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const ESCAPES: readonly Record<string, string>[] = [
  TEXT,
  { ...TEXT, '\u00a0': '&nbsp;' },
  { '&': '&amp;', '"': '&quot;' },
  { '&': '&amp;', '"': '&quot;', '\u00a0': '&nbsp;' },
  { ...TEXT, '"': '&quot;' },
  { ...TEXT, "'": '&#39;' },
  { ...TEXT, '"': '&#34;', "'": '&#39;' },
  ...['&#39;', '&#x27;', '&#039;', '&apos;'].map(quote => ({ ...TEXT, '"': '&quot;', "'": quote })),
];

function htmlForms(text: string): string[] {
  return ESCAPES.map(escapes => text.replace(/[&<>"'\u00a0]/g, character => escapes[character] ?? character));
}

/** Base64 of the value, and its part in the base64 of a longer text, at each of the three offsets. */
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
      .filter(core => core.length >= LEAST_BASE64),
  ]);
  return forms.flatMap(form => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    form.replaceAll('/', '\\/'),
    encodeURIComponent(form),
  ]);
}
