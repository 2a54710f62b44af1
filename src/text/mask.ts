// Keeps the values of secrets out of texts, in every form in which pages, URLs and protocols write a value; and fills them in.
// A text is searched as it stands, and decoded once and twice. Programs beside `dist` load this file: import no library here.
import { decoded, type View, viewsOf } from './decoding';
import { formsOf, SHORT, spaces, upperCase } from './secret-forms';

/** Replaces the values of secrets with `<secret>NAME</secret>`. Masking twice changes nothing. */
export type Mask = (text: string) => string;

/** If a text was cut with "…", this many first characters of a form are matched one by one. */
const MAX_BEGINNING = 24;
/** The most characters of an encoded one before a "…". */
const MAX_ENCODED = 40;
/** Nothing, or the rest of an encoded character, before a "…". */
const CUT = /(?:(?:%[\da-f]{0,2}){1,4}|&#?\w{0,31}|\\+(?:[ux][\da-f]{0,3})?)?…/iy;
const WORD = String.raw`[\w\u00c0-\u1fff\u3040-\ud7ff]`;
const ENDS_WORD = new RegExp(`(?:${WORD}|</SECRET>)$`, 'i');
const BEGINS_WORD = new RegExp(`^(?:${WORD}|<SECRET>)`, 'i');

export function secretMask(secrets: Readonly<Record<string, string>>): Mask {
  const mask = new SecretMask();
  for (const [name, value] of Object.entries(secrets)) mask.add(name, value);
  return mask.mask;
}

/** A way to write a value. */
type Form = { text: string; name: string };

/** Masks the values that it got so far. The time is linear in the length of a text, and does not depend on their number. */
export class SecretMask {
  /** By their first characters; the longest first. Not an expression: it would be too large for many values, or a long one. */
  private readonly forms = new Map<string, Form[]>();
  /** Of how many first characters. */
  private readonly starts = new Set<number>();
  private readonly names = new Set<string>();

  add(name: string, value: string): void {
    this.names.add(upperCase(name));
    for (const text of formsOf(value)) {
      const start = text.slice(0, SHORT);
      const alike = this.forms.get(start) ?? [];
      if (alike.some(form => form.text === text)) continue;
      this.starts.add(start.length);
      // In place: thousands of tokens may begin alike.
      const shorter = alike.findIndex(form => form.text.length < text.length);
      alike.splice(shorter < 0 ? alike.length : shorter, 0, { text, name });
      this.forms.set(start, alike);
    }
  }

  get isEmpty(): boolean {
    return this.forms.size === 0;
  }

  readonly mask: Mask = text => {
    const found = this.forms.size ? viewsOf(text).flatMap(view => this.findIn(view)) : [];
    return found.length ? replaced(text, found) : text;
  };

  private findIn(view: View): Found[] {
    const { text, placeOf } = decoded(view, spaces, new Set([view.text])) ?? view;
    const upper = upperCase(text);
    const found = [...this.marksIn(upper), ...this.valuesIn(upper)];
    return found.map(({ from, to, name }) => ({ from: placeOf(from)[0], to: placeOf(to - 1)[1], name }));
  }

  private marksIn(text: string): Found[] {
    return [...text.matchAll(/<SECRET>([^<>]*)<\/SECRET>/g)]
      .filter(([, name]) => this.names.has(name!.trim()))
      .map(({ 0: { length }, index: from }) => ({ from, to: from + length, name: undefined }));
  }

  private valuesIn(text: string): Found[] {
    return [...this.starts].flatMap(length => this.valuesBy(length, text));
  }

  /** @param length of the first characters */
  private valuesBy(length: number, text: string): Found[] {
    const found: Found[] = [];
    const nextCut = cutsIn(text);
    for (let from = 0; from < text.length; from++) {
      const forms = this.forms.get(text.slice(from, from + length));
      const value = forms && longestOf(forms, text, from, nextCut);
      if (!value) continue;
      const last = found.at(-1);
      if (last && last.name === value.name && from < last.to) last.to = Math.max(value.to, last.to);
      else found.push(value);
    }
    return found;
  }
}

/** A longer form may only look as if it were cut. */
function longestOf(forms: readonly Form[], text: string, from: number, nextCut: NextCut): Found | undefined {
  let longest: Found | undefined;
  for (const { text: form, name } of forms) {
    const to = endOf(form, text, from) ?? cutEndOf(form, text, from, nextCut);
    if (to !== undefined && to > (longest?.to ?? from)) longest = { from, to, name };
  }
  return longest;
}

function endOf(form: string, text: string, from: number): number | undefined {
  const to = from + form.length;
  if (!text.startsWith(form, from)) return undefined;
  if (form.length >= SHORT) return to;
  // Next to the mask of another secret, it is not a whole word.
  const isPart =
    ENDS_WORD.test(text.slice(Math.max(0, from - 9), from)) || BEGINS_WORD.test(text.slice(to, to + 8));
  return isPart ? undefined : to;
}

/** Where a form that was cut ends: at least SHORT characters, then "…". */
function cutEndOf(form: string, text: string, from: number, nextCut: NextCut): number | undefined {
  const last = from + form.length + MAX_ENCODED;
  if (form.length < SHORT || nextCut(from + SHORT) > last) return undefined;
  let length = SHORT;
  while (length < Math.min(MAX_BEGINNING, form.length) && form[length] === text[from + length]) length++;
  if (length === MAX_BEGINNING && nextCut(from + length) <= last) return nextCut(from + length);
  for (; length >= SHORT; length--) {
    CUT.lastIndex = from + length;
    if (CUT.test(text)) return from + length;
  }
  return undefined;
}

type NextCut = (from: number) => number;

/** Finds the first "…" from a place on, in a time that is linear for all places together. */
function cutsIn(text: string): NextCut {
  let [from, cut] = [0, -1];
  return place => {
    if (place < from || place > cut) {
      const next = text.indexOf('…', place);
      [from, cut] = [place, next < 0 ? Number.POSITIVE_INFINITY : next];
    }
    return cut;
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
