// Tables, figures and colours for a terminal.
import type { ResultRow } from '../../data/verdict';
import { formatRate, plural } from '../../text/figures';
import { oneLine } from '../../text/line';
import { paint, type Style } from '../../text/print';

/** A text, and how `useColour` may colour it. */
export interface Cell {
  text: string;
  /** Laid out by the caller: its spaces stay. Default false. */
  exact?: boolean;
  style?: Style | undefined;
  /** Bold in Markdown. Default false. */
  strong?: boolean;
}
/** A table, for the terminal or for Markdown. */
export interface Grid {
  /** Dimmed in the terminal. Default none. */
  head?: readonly string[];
  rows: readonly (readonly (string | Cell)[])[];
}
export const STYLES = {
  passed: 'green',
  failed: 'red',
  inconclusive: 'yellow',
  undecided: 'yellow',
} as const;
export const SIGNS = { passed: '✓', failed: '✗', inconclusive: '?', undecided: '…' } as const;

/** `cart [opus]`; the spec alone if the project has no name. */
export function specLabel(spec: string, project: string): string {
  return project ? `${oneLine(spec)} [${oneLine(project)}]` : oneLine(spec);
}

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

/** The pass rate of a verdict, marked if its trials stop early. */
export function rateText(row: Pick<ResultRow, 'rate' | 'interval' | 'earlyStop'>): string {
  return row.earlyStop && row.rate !== null
    ? `${formatRate(row.rate)}, stops early`
    : formatRate(row.rate, row.interval);
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

/** Whether a row is of a test instead of a spec. */
const isTest = (row: object) => 'titlePath' in row && row.titlePath !== undefined;

/** `3 specs`, `1 test`, `3 specs and 1 test`. */
export function specsAndTests(rows: readonly object[]): string {
  const tests = rows.filter(isTest).length;
  const specs = rows.length - tests;
  return [(specs || !tests) && plural(specs, 'spec'), tests && plural(tests, 'test')]
    .filter(Boolean)
    .join(' and ');
}

/** A table's columns: the name of each, and what it shows of a row. */
export type Columns<Row> = Record<string, (row: Row) => string | Cell>;

const OF_AGENTS = ['turns', 'cost'];

/** Whether any of the rows is of a spec, or of a test with an agent. */
export const haveAgents = <Row extends object>(rows: readonly Row[], agentOf: (row: Row) => string | null) =>
  rows.some(row => !isTest(row) || agentOf(row) !== null);

/** These rows as a table: without `turns` and `cost` if no row has an agent, with `test` as a head if none is of a spec. */
export function gridOf<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  agentOf: (row: Row) => string | null = () => null,
): Required<Grid> {
  const agents = haveAgents(rows, agentOf);
  const names = Object.keys(columns).filter(name => agents || !OF_AGENTS.includes(name));
  return {
    head: names.map(name => (name === 'spec' && rows.every(isTest) ? 'test' : name)),
    rows: rows.map(row => names.map(name => columns[name]!(row))),
  };
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
