// What the body of a request holds: a text, or a part of its JSON or of its form's fields.
import { isDeepStrictEqual } from 'node:util';
import type { SentBody } from '../browser/session/network';
import type { NetworkAssertion } from '../spec';
import { flat, shorten } from '../text/line';

export function shownBody(body: unknown): string {
  return shorten(JSON.stringify(body), 200);
}

/** The bodies that were sent: the first three. */
export function bodiesInWords(bodies: readonly (SentBody | undefined)[]): string {
  const shown = bodies.map(body => {
    if (!body?.text) return 'no body that can be read';
    const fields = jsonOf(body.text) ?? formOf(body);
    if (fields === undefined) return `"${shorten(body.text, 200)}"`;
    return shownBody(fields instanceof Map ? Object.fromEntries(fields) : fields);
  });
  return [...new Set(shown)].slice(0, 3).join(', ');
}

/** A text holds what it contains; a mapping or a list what is a part of the JSON, or of the form's fields. */
export function holdsBody(
  sent: SentBody | undefined,
  wanted: NonNullable<NetworkAssertion['body']>,
): boolean {
  if (!sent) return false;
  if (typeof wanted === 'string') {
    const fields = formOf(sent);
    const texts = fields ? [sent.text, ...[...fields.values()].flat()] : [sent.text];
    return texts.some(text => flat(text).includes(flat(wanted)));
  }
  const json = jsonOf(sent.text);
  if (json !== undefined) return isPartOf(wanted, json);
  const fields = formOf(sent);
  return fields !== undefined && !Array.isArray(wanted) && isPartOfForm(wanted, fields);
}

/** As `toMatchObject`: objects may hold more, lists have the same length. */
function isPartOf(wanted: unknown, sent: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return isDeepStrictEqual(wanted, sent);
  if (typeof sent !== 'object' || sent === null || Array.isArray(wanted) !== Array.isArray(sent))
    return false;
  if (Array.isArray(wanted) && wanted.length !== (sent as unknown[]).length) return false;
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(sent, key) && isPartOf(value, (sent as Record<string, unknown>)[key]),
  );
}

/** All values of each field. */
type Fields = Map<string, string[]>;

/** A form only has texts. A list asks for all values of a field, in order. */
function isPartOfForm(wanted: Record<string, unknown>, fields: Fields): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const sent = fields.get(name) ?? [];
    if (Array.isArray(value)) return isDeepStrictEqual(value.map(String), sent);
    return typeof value !== 'object' && sent.includes(String(value));
  });
}

function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of a form, as the browser encodes it; of a file its name. Undefined if it is not a form. */
function formOf({ text, type }: SentBody): Fields | undefined {
  if (/^application\/x-www-form-urlencoded/i.test(type)) return byName([...new URLSearchParams(text)]);
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(type)?.[1];
  if (boundary === undefined) return undefined;
  const parts = text.split(`--${boundary}`).flatMap(part => {
    // Not by one pattern: pages choose what they send.
    const at = part.indexOf('\r\n\r\n');
    const head = part.slice(0, at);
    const name = at < 0 ? undefined : /;\s*name="([^"]*)"/i.exec(head)?.[1];
    if (!name) return [];
    const file = /;\s*filename="([^"]*)"/i.exec(head)?.[1];
    return [[unescaped(name), file === undefined ? part.slice(at + 4, -2) : unescaped(file)] as const];
  });
  return byName(parts);
}

/** Browsers escape these alone. */
const unescaped = (name: string) => name.replace(/%(22|0D|0A)/g, unit => decodeURIComponent(unit));

function byName(entries: readonly (readonly [string, string])[]): Fields {
  const fields: Fields = new Map();
  for (const [name, value] of entries) fields.set(name, [...(fields.get(name) ?? []), value]);
  return fields;
}
