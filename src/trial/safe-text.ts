// Makes texts of pages, models and specs harmless in a terminal, a CI log and a report.
import { stripVTControlCharacters } from 'node:util';

// Direction marks, characters without width, byte order marks, halves of surrogate pairs. Joiners stay: scripts and emojis need
// them.
const UNSEEN = /(?![\u200c\u200d])[\p{Cf}\p{Cs}]/gu;

/** A text of several lines, without control sequences, direction marks and commands to a CI runner. */
export function harmless(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replace(UNSEEN, '')
      .replace(/[^\P{Cc}\n\t]/gu, ' ')
      // GitHub's runner takes `::x::` at the start of a line as a command, and reporters may wrap a line before any word. GitHub's and
      // Azure's take `##[x]` and `##vso[x]` anywhere.
      .replace(/(?<!\S):(?=:)/g, ': ')
      .replace(/##(?=\[|vso\[)/gi, '# #')
  );
}

/**
 * The same in one line, for titles, reasons and cells.
 *
 * @param max longest length in characters; a longer text is cut and ends with "…". Default: no limit.
 */
export function oneLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const flat = harmless(text).replace(/\s+/g, ' ').trim();
  if (flat.length <= max) return flat;
  const characters = [...flat];
  return characters.length <= max ? flat : `${characters.slice(0, max - 1).join('')}…`;
}

/** For records: a page can make its URL megabytes long. */
export function shortUrl(url: string): string {
  return url.length > 2_000 ? `${url.slice(0, 2_000)}…` : url;
}

export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : String(JSON.stringify(error) ?? error);
}
