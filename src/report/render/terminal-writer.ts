// Writes for a terminal: aligned tables in colour, wrapped texts.
import { oneLine } from '../../text/line';
import { paint } from '../../text/print';
import { type Cell, type Grid, projectOf, type Writer } from './document';

export const terminalWriter = (colour = false): Writer => ({
  isMarkdown: false,
  heading: text => paint('bold', text, colour),
  lines: sentences => sentences.join('\n'),
  notes: notes =>
    table(
      { rows: notes.map(({ row, text, style }) => [{ text: row.spec, style }, projectOf(row), text]) },
      { colour },
    ),
  table: grid => table(grid, { colour }),
  folded: () => '',
});

export interface TableOptions {
  /** Default false. */
  colour?: boolean;
  /** Columns to align to the right, counted from 0. */
  right?: readonly number[];
  /** Put before each line. Default none. */
  indent?: string;
}

/** Rows as aligned lines, two spaces between columns, the last column not padded. */
export function table({ head, rows }: Grid, options: TableOptions = {}): string {
  const dimmed = head?.map(text => ({ text, style: 'dim' as const }));
  const cells = [...(dimmed ? [dimmed] : []), ...rows].map(row => row.map(toCell));
  const widths: number[] = [];
  for (const row of cells)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell.text));
    });
  const line = (row: readonly Cell[]) =>
    row
      .map((cell, column) => {
        const padding = ' '.repeat(widths[column]! - displayWidth(cell.text));
        const text = paint(cell.style, cell.text, options.colour ?? false);
        return options.right?.includes(column) ? padding + text : text + padding;
      })
      .join('  ')
      .trimEnd();
  return cells.map(row => (options.indent ?? '') + line(row)).join('\n');
}

function toCell(cell: string | Cell): Cell {
  if (typeof cell === 'string') return { text: cellText(cell) };
  return cell.exact ? cell : { ...cell, text: cellText(cell.text) };
}

/** Removes joiners: terminals disagree about the width of joined characters. */
export function cellText(text: string): string {
  return oneLine(text).replace(/[\u200c\u200d]/g, '');
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const COMBINING = /\p{Mark}/u;

/** Columns that a text takes in a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Wraps a text at about `width` characters, each line indented. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  for (const word of oneLine(text).split(' ')) {
    const joined = `${lines.at(-1)} ${word}`;
    if (lines.length && displayWidth(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines.map(line => indent + line).join('\n');
}
