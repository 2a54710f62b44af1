// Tables, figures and colours for a terminal.
import * as util from 'node:util';
import type { ResultRow } from '../../data/verdict';
import { harmless, oneLine } from '../../text/safe-text';

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
export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

export const STYLES = {
  passed: 'green',
  failed: 'red',
  inconclusive: 'yellow',
  undecided: 'yellow',
} as const;
export const SIGNS = { passed: '✓', failed: '✗', inconclusive: '?', undecided: '…' } as const;

/** `a, b, c and 3 more` */
export function few(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** `cart [opus]`; the spec alone if the project has no name. */
export function specLabel(spec: string, project: string): string {
  return project ? `${oneLine(spec)} [${oneLine(project)}]` : oneLine(spec);
}

/** Whether to colour the output of this stream: as FORCE_COLOR and NO_COLOR say, else as the terminal can. */
export function useColour(
  stream: NodeJS.WritableStream & { isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR || env.TERM === 'dumb') return false;
  return stream.isTTY === true;
}

/** Colours a text. Before Node 20.12 it stays plain. */
export function paint(style: Style | undefined, text: string, colour: boolean): string {
  return style && colour && typeof styleText === 'function'
    ? styleText(style, text, { validateStream: false })
    : text;
}

// Later Node versions check stdout themselves unless told not to. The types of Node 20 don't know the option.
const styleText = util.styleText as (
  style: Style,
  text: string,
  options: { validateStream: boolean },
) => string;

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

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what begins a colour
const COLOUR = /(\u001b\[[\d;]*m)/;

/**
 * Makes a text harmless. All that we print goes through it.
 *
 * @param colour keep colours: `oneLine` has removed those that are not ours
 */
export function printable(text: string, colour = false): string {
  if (!colour) return harmless(text);
  const parts = text.split(COLOUR);
  return parts.map((part, index) => (index % 2 ? part : harmless(part))).join('');
}

/** JSON that is harmless in a log and parses to the same value. */
export function printableJson(value: unknown): string {
  const escaped = (found: string) =>
    found.replace(/./gs, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return JSON.stringify(value, null, 2)
    .replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped)
    .replace(/(?<!\S):(?=:)|#(?=#(?:\[|vso\[))/gi, escaped);
}

/** The pass rate of a verdict, marked if its trials stop early. */
export function rateText(row: Pick<ResultRow, 'rate' | 'interval' | 'earlyStop'>): string {
  return row.earlyStop && row.rate !== null
    ? `${formatRate(row.rate)}, stops early`
    : formatRate(row.rate, row.interval);
}

export function print(stream: NodeJS.WritableStream & { isTTY?: boolean }, text: string): void {
  stream.write(`${printable(text, useColour(stream))}\n`);
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

/** US dollars: `$1.20`, `$0.0042` below a cent, `unknown` for null. */
export function formatCost(usd: number | null): string {
  if (usd === null) return 'unknown';
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${Number(usd.toPrecision(2))}` : `$${usd.toFixed(2)}`;
}

/** Milliseconds: `850ms`, `12.3s`, `2m 05s`, `1h 02m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}h ${two(minutes)}m` : `${minutes}m ${two(seconds % 60)}s`;
}

/** A pass rate with its interval, 0 to 1 each: `80% (38-96%)`; `-` if nothing was graded. */
export function formatRate(rate: number | null, interval: readonly [number, number] | null = null): string {
  if (rate === null) return '-';
  const percent = (share: number) => Math.round(share * 100);
  const around = interval ? ` (${percent(interval[0])}-${percent(interval[1])}%)` : '';
  return `${percent(rate)}%${around}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
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
