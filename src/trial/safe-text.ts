// What a page, a model or a spec wrote, made fit to be shown in a terminal, a CI log and a report.
import { stripVTControlCharacters } from 'node:util';

// Marks that turn the direction of the text around them or have no width, byte order marks, halves of surrogate pairs.
// Joiners stay: scripts and emojis need them.
const UNSEEN = /(?![\u200c\u200d])[\p{Cf}\p{Cs}]/gu;

/** A text of several lines, without control sequences, direction marks and what a CI runner takes for a command. */
export function harmless(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replace(UNSEEN, '')
      .replace(/[^\P{Cc}\n\t]/gu, ' ')
      // GitHub's runner takes `::x::` at the start of a line for a command, and any word may come to stand there where a
      // reporter wraps lines; it and Azure's take `##[x]` and `##vso[x]` anywhere.
      .replace(/(?<!\S):(?=:)/g, ': ')
      .replace(/##(?=\[|vso\[)/gi, '# #')
  );
}

/**
 * For titles, reasons and cells: the same in one line.
 *
 * @param max longest length in characters; beyond it the text is cut and ends with "…". No limit by default.
 */
export function oneLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const flat = harmless(text).replace(/\s+/g, ' ').trim();
  if (flat.length <= max) return flat;
  const characters = [...flat];
  return characters.length <= max ? flat : `${characters.slice(0, max - 1).join('')}…`;
}

/** As records keep it: a page may make its URL megabytes long. */
export function shortUrl(url: string): string {
  return url.length > 2_000 ? `${url.slice(0, 2_000)}…` : url;
}

export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : String(JSON.stringify(error) ?? error);
}
