// Reads a text as it stands, and as pages, URLs and protocols that encoded it meant it.

/** A text in one way to read it: as it stands, or decoded. */
export interface View {
  text: string;
  /** Where a character of it begins and ends in the original text. */
  placeOf(index: number): readonly [number, number];
}

/** An encoding of single characters. */
export type Encoding = { unit: RegExp; read(unit: string): string };

const CONTROLS: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' };
const UTF8 = ['%[0-7]#', '%[cd]#%[89ab]#', '%e#(?:%[89ab]#){2}', '%f[0-7](?:%[89ab]#){3}']
  .join('|')
  .replaceAll('#', String.raw`[\da-f]`);
export const percent: Encoding = { unit: new RegExp(UTF8, 'gi'), read: decodedUrl };
export const UNSEEN = unseen();
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
export function viewsOf(text: string): View[] {
  const views: View[] = [{ text, placeOf: index => [index, index + 1] }];
  const known = new Set([text]);
  let newest = views;
  for (let times = 0; times < 2; times++) {
    newest = newest.flatMap(view => ENCODINGS.flatMap(encoding => decoded(view, encoding, known) ?? []));
    views.push(...newest);
  }
  return views;
}

export function decoded(view: View, { unit, read }: Encoding, known: Set<string>): View | undefined {
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
