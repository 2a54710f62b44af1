// Writes for a terminal: aligned tables in colour, wrapped texts.
import { stdout } from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { specName } from '../../data/row-names';
import { oneLine } from '../../text/line';
import { paint } from '../../text/print';
import { type Cell, type Grid, type Item, projectOf, specLabel, type Writer } from './document';

/** The HTML report shows the blocks, too, and scrolls longer lines. */
export const TEXT_WIDTH = 78;
/** Names of specs that did not run, findings that several specs met, and tolerated failures. */
export const SHOWN = 5;

export function atMost(lines: readonly string[]): string[] {
  const more = lines.length > SHOWN ? [`and ${lines.length - SHOWN} more in the results file`] : [];
  return [...lines.slice(0, SHOWN), ...more];
}

export function terminalWriter(options: TableOptions = {}): Writer {
  const { colour = false, indent = '' } = options;
  const item = ({ row, text, hint = '', style }: Item) =>
    row
      ? paint(style, `${indent}${specLabel(specName(row), row.project)}${text}`, colour)
      : wrapped(text + hint, TEXT_WIDTH, indent);
  return {
    isMarkdown: false,
    heading: text => paint('bold', `Taskproof${text && ` ${text}`}`, colour),
    lines: sentences => sentences.join('\n'),
    section: (title, parts) => [`${indent}${title}:`, ...parts].filter(Boolean).join('\n'),
    items: items => items.map(item).join('\n'),
    notes: notes =>
      table(
        { rows: notes.map(({ row, text, style }) => [{ text: row.spec, style }, projectOf(row), text]) },
        options,
      ),
    table: grid => fitting(grid, options),
    folded: () => '',
  };
}

/** Without a terminal there is no limit. */
function fitting(grid: Grid, options: TableOptions): string {
  const { columns = Number.POSITIVE_INFINITY } = stdout;
  const names = grid.dispensable ?? [];
  const texts = [...names.keys(), names.length].map(count =>
    table(without(grid, names.slice(0, count)), options),
  );
  const fits = (text: string) =>
    text.split('\n').every(line => displayWidth(stripVTControlCharacters(line)) <= columns);
  return texts.find(fits) ?? (grid.stackable ? table(stacked(grid), options) : texts.at(-1)!);
}

function without(grid: Grid, names: readonly string[]): Grid {
  const { head = [], rows } = grid;
  const rest = <Each>(row: readonly Each[]) => row.filter((_, column) => !names.includes(head[column]!));
  return { ...grid, head: grid.head && rest(head), rows: rows.map(rest) };
}

/** A line for each cell: the name of its row beside the first one, and its column. */
function stacked({ head = [], rows }: Grid): Grid {
  return {
    head: ['', '', head[0]!],
    rows: rows.flatMap(([name, ...cells]) =>
      cells.map((cell, at) => [at ? '' : name!, { text: head[at + 1]!, style: 'dim' as const }, cell]),
    ),
  };
}

export interface TableOptions {
  /** Default false. */
  colour?: boolean;
  /** Put before each line. Default none. */
  indent?: string;
}

/** Rows as aligned lines, two spaces between columns, the last column not padded. */
export function table(
  { head, rows, right }: Grid,
  { colour = false, indent = '' }: TableOptions = {},
): string {
  const heads = head ? [head.map(text => ({ text, style: 'dim' as const }))] : [];
  const cells = [...heads, ...rows].map(row => row.map(toCell));
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map(row => displayWidth(row[column]!.text))));
  const line = (row: readonly Cell[]) =>
    row
      .map(({ text, style }, column) => {
        const padding = ' '.repeat(widths![column]! - displayWidth(text));
        const painted = paint(style, text, colour);
        return right?.includes(head?.[column] ?? '') ? padding + painted : painted + padding;
      })
      .join('  ')
      .trimEnd();
  return cells.map(row => indent + line(row)).join('\n');
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
