// What an assertion asks of the body of a request, and whether a body holds it.
import type { SentBody } from '../browser/session/network';
import type { NetworkAssertion } from '../spec';
import { flat, parsedJson, shorten, textOfWindows, unlessBroken } from '../text/line';
import { type Mask, secretsNamed } from '../text/mask';
import type { Secrets } from '../text/secrets';

type Wanted = NonNullable<NetworkAssertion['body']>;
export type KnownSecrets = Pick<Secrets, 'valuesOf' | 'mask'>;

/** The most values of a computed secret that are looked for in a text. */
const MAX_VALUES = 50;
const MARK = /<secret>([^<>]*)<\/secret>/g;
/** How a secret may stand in a text: as it is, in an address, in a form, in JSON. */
const WRITTEN: ((value: string) => string)[] = [
  value => value,
  value => encodeURIComponent(value.toWellFormed()),
  value => new URLSearchParams({ v: value }).toString().slice(2),
  value => JSON.stringify(value).slice(1, -1),
];

/** Whether bodies hold what is wanted. Secrets are compared by their values, as they are: a page that changes one is broken. */
export class WantedBody {
  constructor(
    private readonly wanted: Wanted,
    private readonly secrets?: KnownSecrets,
  ) {}

  /** The body must contain a wanted text; a wanted mapping or list must be part of its JSON, or of its form's fields. */
  isIn(sent: SentBody | undefined): boolean {
    const { wanted } = this;
    if (!sent) return false;
    const { json, fields, texts } = read(sent);
    if (typeof wanted === 'string') {
      const forms = new Set(WRITTEN.flatMap(write => this.filled(wanted, write).map(flat)));
      return texts.some(text => [...forms].some(form => text.includes(form)));
    }
    if (json !== undefined) return this.isPartOf(wanted, json);
    return fields !== undefined && !Array.isArray(wanted) && this.isPartOfForm(wanted, fields);
  }

  /** Why it may be there, though `isIn` does not see it: for what must not be sent. */
  whyUnsure(sent: SentBody | undefined): string | undefined {
    const { wanted } = this;
    if (!sent?.whole) return 'was not read in full';
    if (this.isIn(sent)) return undefined;
    if (this.isChangedIn(sent)) return 'has it in other letters, spaces or another encoding';
    if (typeof wanted === 'string') return undefined;
    if (this.isAmongItems(sent)) return 'has it among other items';
    const { items, fields } = read(sent);
    return items().includes(undefined) && !fields ? 'is neither JSON nor a form' : undefined;
  }

  private isAmongItems(sent: SentBody): boolean {
    const isIt = (item: unknown) => item !== undefined && this.isPartOf(this.wanted, item);
    return typeof this.wanted !== 'string' && read(sent).items().some(isIt);
  }

  /** Whether a secret stands there in another form than it has. */
  isChangedIn(sent: SentBody | undefined): boolean {
    if (!sent || !this.secrets || !JSON.stringify(this.wanted).includes('<secret>')) return false;
    const { mask } = this.secrets;
    // As the body is masked: a plain text in it may be a secret's value, too, and two secrets may have one value.
    const asMasked = maskedJson(this.wanted, text => mask(this.filled(text, each => each)[0] ?? text));
    const marked = new WantedBody(JSON.parse(asMasked));
    return maskedBodies(sent, this.secrets).some(each => marked.isIn(each) || marked.isAmongItems(each));
  }

  /** With the newest values, those before them, and so on. Without a value, as before a code is computed, nothing is it. */
  private filled(text: string, write: (value: string) => string): string[] {
    const names = secretsNamed(text);
    if (!this.secrets || !names.length) return [text];
    const values = new Map(names.map(name => [name, this.valuesOf(name)]));
    const counts = [...values.values()].map(({ length }) => length);
    if (counts.includes(0)) return [];
    return Array.from({ length: Math.min(Math.max(...counts), MAX_VALUES) }, (_, age) =>
      text.replace(MARK, (_, name: string) => {
        const all = values.get(name.trim())!;
        return write(all.at(-1 - age) ?? all.at(-1)!);
      }),
    );
  }

  private valuesOf(name: string): readonly string[] {
    return this.secrets?.valuesOf(name).filter(Boolean) ?? [];
  }

  /** As `toMatchObject`: objects may hold more, lists have the same length. */
  private isPartOf(wanted: unknown, sent: unknown): boolean {
    if (typeof wanted !== 'object' || wanted === null) return this.isSame(wanted, sent);
    if (typeof sent !== 'object' || sent === null || Array.isArray(wanted) !== Array.isArray(sent))
      return false;
    if (Array.isArray(wanted) && wanted.length !== (sent as unknown[]).length) return false;
    return Object.entries(wanted).every(
      ([key, value]) =>
        Object.hasOwn(sent, key) && this.isPartOf(value, (sent as Record<string, unknown>)[key]),
    );
  }

  /** A form only has texts. A list asks for all values of a field, in order. */
  private isPartOfForm(wanted: Record<string, unknown>, fields: Fields): boolean {
    return Object.entries(wanted).every(([name, value]) => {
      const sent = fields.get(name) ?? [];
      const isSame = (each: unknown, at: number) => this.isSame(asInForm(each), sent[at]);
      if (Array.isArray(value)) return value.length === sent.length && value.every(isSame);
      return typeof value !== 'object' && sent.some(each => this.isSame(asInForm(value), each));
    });
  }

  /** A secret may be sent as a number. A computed one has had several values. */
  private isSame(wanted: unknown, sent: unknown): boolean {
    if (typeof wanted !== 'string') return wanted === sent;
    const [, name = ''] = /^<secret>([^<>]*)<\/secret>$/.exec(wanted) ?? [];
    const values = this.valuesOf(name.trim());
    if (!values.length) return this.filled(wanted, value => value).some(each => each === sent);
    const plain = (value: unknown) => asInForm(value).trim();
    const isText = typeof sent === 'string' || typeof sent === 'number';
    return isText && values.some(value => plain(value) === plain(sent));
  }
}

const parsed = new WeakMap<SentBody, ReturnType<typeof parse>>();
const masked = new WeakMap<SentBody, SentBody[]>();

/** What of a body is compared. Kept, since bodies are long, and looked at again and again. */
function read(sent: SentBody) {
  const known = parsed.get(sent) ?? parse(sent);
  parsed.set(sent, known);
  return known;
}

function parse(sent: SentBody) {
  const { text } = sent;
  // `\s` and `trim()` skip a byte order mark, too.
  const value = parsedJson(text.trim());
  const json = typeof value === 'object' && value !== null ? value : undefined;
  const fields = formOf(sent);
  const ofForm = [...(fields?.values() ?? [])].flat();
  const texts = [text, ...textsIn(value), ...ofForm].map(flat);
  let items: unknown[] | undefined;
  return {
    ...{ texts, fields, value, json },
    items: () => {
      items ??= withInner(value ?? linesOf(text), ofForm);
      return items;
    },
  };
}

/** The items in JSON, and those in its texts and a form's, which forms and logs write as JSON again. */
function withInner(json: unknown, ofForm: readonly string[]): unknown[] {
  const inner = [...textsIn(json), ...ofForm]
    .filter(text => /^\s*[[{]/.test(text))
    .map(text => parsedJson(text.trim()));
  return [...itemsIn(json), ...itemsIn(inner.filter(each => each !== undefined))];
}

/** The body with its secrets masked: as it stands, and as JSON. */
function maskedBodies(sent: SentBody, { mask }: KnownSecrets): SentBody[] {
  const known = masked.get(sent);
  if (known) return known;
  // Undefined for what is not JSON, or nested too deeply.
  const asJson = unlessBroken(() => maskedJson(read(sent).value, mask));
  const texts = [mask(sent.text), ...(asJson === undefined ? [] : [asJson])];
  const found = texts.map(text => ({ ...sent, text }));
  masked.set(sent, found);
  return found;
}

/** JSON stays JSON if a secret is in a number: it becomes a text. */
function maskedJson(json: unknown, mask: Mask): string {
  const ofNumber = (value: number) => (mask(String(value)) === String(value) ? value : mask(String(value)));
  return JSON.stringify(json, (_, value) =>
    typeof value === 'string' ? mask(value) : typeof value === 'number' ? ofNumber(value) : value,
  );
}

export const shownBody = (body: unknown, mask = (text: string) => text) =>
  shorten(mask(JSON.stringify(body)), 200);

/** The first three, masked. */
export function bodiesInWords(bodies: readonly (SentBody | undefined)[], secrets?: KnownSecrets): string {
  const texts = new Map(bodies.map(body => [body?.text ?? '', body]));
  const shown = [...texts.values()].slice(0, 3).map(body => {
    if (!body?.text) return 'no body that can be read';
    const { json, fields } = read(body);
    if (json === undefined && !fields) return `"${shorten(secrets?.mask(body.text) ?? body.text, 200)}"`;
    return shownBody(json ?? Object.fromEntries(fields!), secrets?.mask);
  });
  return [...new Set(shown)].join(', ');
}

/** The values in lists of lists: several calls may share a request. A page may nest lists deeply. */
function itemsIn(json: unknown): unknown[] {
  const queue = [json];
  const items: unknown[] = [];
  for (const value of queue)
    if (Array.isArray(value)) for (const item of value) queue.push(item);
    else items.push(value);
  return items;
}

/** The values in lines of JSON; undefined where one is not JSON. */
function linesOf(text: string): unknown[] {
  const lines = text.split('\n').filter(line => line.trim());
  // It takes long to find out that thousands of lines are not JSON.
  return lines.map(line => (/^\s*["[{\d\-tfn]/.test(line) ? parsedJson(line) : undefined));
}

/** The texts in JSON as they were before quotes and line breaks were escaped. */
function textsIn(json: unknown): string[] {
  const queue = [json];
  for (const value of queue)
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) queue.push(inner);
  return queue.filter(value => typeof value === 'string');
}

/** All values of each field. */
type Fields = Map<string, string[]>;

/** Browsers send the line breaks of a form as CR and LF, scripts as they like. */
const asInForm = (value: unknown) => String(value).replace(/\r\n/g, '\n');

/** The fields of a form in a browser's encoding; a file counts by its name. Undefined if it is not a form. */
function formOf({ text, type }: SentBody): Fields | undefined {
  if (/^application\/x-www-form-urlencoded/i.test(type)) return byName(decodedFields(text));
  // `enctype="text/plain"`; a script may send such text, too.
  const lines = /^text\/plain/i.test(type) ? [...text.matchAll(/^([^=\r\n\u2028\u2029]+)=(.*)$/gm)] : [];
  if (lines.length) return byName(lines.map(([, name, value]) => [name!, value!.replace(/\r$/, '')]));
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(type)?.[1];
  if (boundary === undefined) return undefined;
  const parts = text.split(`--${boundary}`).flatMap(part => {
    // Not with one regular expression, which a page could make slow.
    const at = part.indexOf('\r\n\r\n');
    const head = part.slice(0, at);
    const name = at < 0 ? undefined : /;\s*name="([^"]*)"/i.exec(head)?.[1];
    if (!name) return [];
    const file = /;\s*filename="([^"]*)"/i.exec(head)?.[1];
    return [[unescaped(name), file === undefined ? part.slice(at + 4, -2) : unescaped(file)] as const];
  });
  return byName(parts);
}

function decodedFields(text: string): [string, string][] {
  const fields = [...new URLSearchParams(text)];
  if (!fields.flat().some(each => each.includes('\ufffd'))) return fields;
  // A page that is not UTF-8 most often has Windows' single-byte encoding.
  const asUtf8 = (byte: string) => encodeURIComponent(textOfWindows(Buffer.from(byte.slice(1), 'hex')));
  return [...new URLSearchParams(text.replace(/%[89a-f][\da-f]/gi, asUtf8))];
}

/** Browsers escape only these. */
const unescaped = (name: string) => name.replace(/%(22|0D|0A)/g, unit => decodeURIComponent(unit));

function byName(entries: readonly (readonly [string, string])[]): Fields {
  const fields: Fields = new Map();
  for (const [name, value] of entries) {
    const values = fields.get(name);
    // A page may send one name thousands of times.
    if (values) values.push(asInForm(value));
    else fields.set(name, [asInForm(value)]);
  }
  return fields;
}
