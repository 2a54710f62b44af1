// Makes texts of pages, models and specs harmless in a terminal, a CI log and a report.
import { stripVTControlCharacters } from 'node:util';
import { shorten } from './shorten';

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
 * @param max longest length in characters. Default: no limit.
 */
export const oneLine = (text: string, max = Number.POSITIVE_INFINITY) => shorten(harmless(text), max);
