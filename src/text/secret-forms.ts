// The ways in which pages, URLs and protocols write the value of a secret.
import { type Encoding, percent, UNSEEN } from './decoding';

/** Shorter values are masked only as whole words: they are part of too many words and numbers. */
export const SHORT = 4;
/** A line of a value with at least this many characters is masked by itself, too: diffs show a key line by line. */
const LEAST_LINE = 12;
/** Fewer characters of base64, or of a file's name, may be a word by chance. */
const LEAST_RARE = 6;
/** Characters that the browser replaces in the name of a download. */
const NOT_IN_FILES = /["~*/:<>?\\|]/g;

/**
 * In upper case as far as the flag `i` of expressions goes (ECMAScript's Canonicalize): no letter becomes two, "ı" does not become
 * ASCII, and letters beyond 16 bits stay.
 */
export const upperCase = (text: string) =>
  text
    .replace(/[\0-\x7f]+/g, ascii => ascii.toUpperCase())
    .replace(/[\u0080-\uffff]/g, letter => {
      const upper = letter.toUpperCase();
      return upper.length === 1 && upper >= '\u0080' ? upper : letter;
    });

/** Any white space stands for any other: pages join lines and change spaces. */
export const spaces: Encoding = { unit: /\s+/g, read: () => ' ' };

/** The ways to write a value, in upper case and with single spaces. */
export function formsOf(given: string): string[] {
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
  const forms = [...cases, ...encoded].map(form => upperCase(form.replace(spaces.unit, ' ')));
  return [...new Set(forms)];
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
