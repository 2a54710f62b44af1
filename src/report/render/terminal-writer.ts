// Writes for a terminal: aligned tables in colour, wrapped texts.
import { specName } from '../../data/plan';
import { oneLine } from '../../text/line';
import { paint } from '../../text/print';
import { type Cell, type Grid, type Item, joined, projectOf, specLabel, type Writer } from './document';

/** The HTML report shows the blocks of lost specs, too, and scrolls longer lines. */
const TEXT_WIDTH = 78;
/** How many names of specs that did not run, shared findings and tolerated failures are shown. */
export const SHOWN = 5;

export function atMost(lines: readonly string[]): string[] {
  const more = lines.length > SHOWN ? [`and ${lines.length - SHOWN} more in the results file`] : [];
  return [...lines.slice(0, SHOWN), ...more];
}

export function terminalWriter(options: TableOptions = {}): Writer {
  const { colour = false, indent = '' } = options;
  const item = ({ sign = '', row, text, more = [], style }: Item) => {
    const name = row ? specLabel(specName(row), projectOf(row)) : '';
    const first = wrapped([sign, name, text].filter(Boolean).join(' '), TEXT_WIDTH, indent);
    return [paint(style, first, colour), ...more.map(line => wrapped(line, TEXT_WIDTH - 4, `${indent}    `))];
  };
  return {
    isMarkdown: false,
    heading: (_, part) => paint('bold', `Taskproof${part && ` (${oneLine(part, 300)})`}`, colour),
    lines: sentences => sentences.map(line => indent + line).join('\n'),
    section: (title, text) => text && `${indent}${title}:\n${text}`,
    items: items => items.flatMap(item).join('\n'),
    table: grid => table(grid, options),
    folded: () => '',
    ranked: parts => joined(parts.toReversed()),
  };
}

type TableOptions = { colour?: boolean; indent?: string };

/** Rows as aligned lines, two spaces between columns, the last column not padded. */
export function table({ head, rows }: Grid, { colour = false, indent = '' }: TableOptions = {}): string {
  const heads = head ? [head.map(text => ({ text, style: 'dim' as const }))] : [];
  const cells = [...heads, ...rows].map(row => row.map(toCell));
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map(row => displayWidth(row[column]!.text))));
  const line = (row: readonly Cell[]) =>
    row
      .map(({ text, style }, column) => {
        const padding = ' '.repeat(widths![column]! - displayWidth(text));
        return paint(style, text, colour) + padding;
      })
      .join('  ')
      .trimEnd();
  return cells.map(row => indent + line(row)).join('\n');
}

function toCell(cell: string | Cell): Cell {
  return typeof cell === 'string' ? { text: cellText(cell) } : { ...cell, text: cellText(cell.text) };
}

/** Removes joiners: terminals disagree about the width of joined characters. */
export function cellText(text: string): string {
  return oneLine(text).replace(/[\u200c\u200d]/g, '');
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const COMBINING = /\p{Mark}/u;

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) if (!COMBINING.test(character)) width += WIDE.test(character) ? 2 : 1;
  return width;
}

export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  for (const word of oneLine(text, 600).split(' ')) {
    const joined = `${lines.at(-1)} ${word}`;
    if (lines.length && displayWidth(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines.map(line => indent + line).join('\n');
}
