// Shortens texts of pages, models and specs, and makes them harmless in a terminal, a CI log and a report.
import { stripVTControlCharacters } from 'node:util';

// Direction marks, characters without width, halves of surrogate pairs, and characters that XML forbids. Joiners stay: scripts and
// emojis need them. The mask finds secrets in spite of all these.
const UNSEEN = /(?![\u200c\u200d])[\p{Cf}\p{Cs}\ufffe\uffff]/gu;

/** A text of several lines, without control sequences, direction marks and commands to a CI runner. */
export function harmless(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replace(UNSEEN, '')
      .replace(/[^\P{Cc}\n\t]/gu, ' ')
      // GitHub's runner takes `::x::` at the start of a line as a command, and reporters may wrap a line before any word. GitHub's,
      // Azure's and TeamCity's take `##[x]`, `##vso[x]` and `##teamcity[x]` anywhere.
      .replace(/(?<!\S):(?=:)/g, ': ')
      .replace(/##(?=(?:vso|teamcity)?\[)/gi, '# #')
  );
}

/** The same in one line, for titles, reasons and table cells. */
export const oneLine = (text: string, max = Number.POSITIVE_INFINITY) => shorten(harmless(text), max);

/** In one line, with single spaces. */
export const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

export const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Soft hyphens and direction marks, as a pattern. */
export const UNREAD = '[\\u00ad\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]';

/** As people read it: without soft hyphens and direction marks, and with composed accents. */
export const readable = (text: string) => text.replace(new RegExp(UNREAD, 'g'), '').normalize('NFC');

/** Decodes the Western code page of Windows. Without `stream`, Node 20.20 reads the bytes of "€" and of quotes as Latin-1. */
export const textOfWindows = (bytes: Uint8Array) =>
  new TextDecoder('windows-1252').decode(bytes, { stream: true });

/** A text in one line of at most `max` characters: a longer one is cut and ends with "…". */
export function shorten(text: string, max: number): string {
  const line = flat(text);
  if (line.length <= max) return line;
  // A character is one or two units. A line may have megabytes: don't make an array of all of it.
  const characters = [...line.slice(0, 2 * max + 2)];
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`;
}

/** Cuts a page's text as soon as it arrives: it can have megabytes. The mask finds a secret that is cut before the ellipsis, too. */
export function beginning(text: string, most = 2_000): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Cuts the end of a long text, and says how much was cut. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  return `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
}

/** Cuts the middle of a long text, and says how much was cut. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor((most * 2) / 3);
  const left = text.length - most;
  return `${text.slice(0, head)}\n… (${left} characters left out) …\n${text.slice(head + left)}`;
}

/** How many of the lines fit into `room` characters. */
export function countIn(room: number, lines: readonly string[]): number {
  let left = room;
  const end = lines.findIndex(line => {
    left -= line.length + 1;
    return left < 0;
  });
  return end < 0 ? lines.length : end;
}

/** `a, b, c and 3 more` */
export function few(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** What `read` returns; undefined if it throws. */
export function unlessBroken<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Undefined for what is not JSON. */
export const parsedJson = (text: string): unknown => unlessBroken(() => JSON.parse(text));

export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : String(JSON.stringify(error) ?? error);
}

/** ` (agent.ts:6)`, where a user's code threw; empty if a package or Node did, or this library. */
export function thrownAt(error: unknown): string {
  // A page may be quoted in the error: the pattern takes time by the square of a line's length.
  const [stack = ''] = String(Object(error).stack).slice(0, 5_000).split('@taskproof');
  const [, place] = /^ +at (?!.*(?:node_modules|node:)).*?([^\\/(]+:\d+):\d+\)?$/m.exec(stack) ?? [];
  return place ? ` (${place})` : '';
}
