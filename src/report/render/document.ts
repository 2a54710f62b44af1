// A document: what is shown, built once for both writers, the terminal's and Markdown's. With it, what all documents name and count in
// the same way.
import type { ResultRow, RowSubject } from '../../data/verdict';
import { few, oneLine } from '../../text/line';
import { formatRate, plural, type Style } from '../../text/print';

/** Gives its text. Where the two differ for a reason, it asks which writer it has: a comment begins with what counts, a terminal ends with it. */
export type Document = (to: Writer) => string;

export interface Writer {
  readonly isMarkdown: boolean;
  heading(text: string): string;
  /** Sentences, a line for each. */
  lines(sentences: readonly string[]): string;
  /** A part with a title. */
  section(title: string, parts: readonly string[]): string;
  /** A list. */
  items(items: readonly Item[]): string;
  /** What is to be said of some rows of a table. */
  notes(notes: readonly Note[]): string;
  table(grid: Grid): string;
  /** Shown on demand; left out in a terminal. */
  folded(title: string, document: Document): string;
}
export interface Item {
  /** Named at the beginning. */
  row?: Note['row'];
  /** At the beginning, too. */
  strong?: string;
  text: string;
  /** A sentence of ours at the end, in which Markdown may stand. */
  hint?: string;
  /** Further lines, for which a terminal has no room. */
  more?: readonly string[];
  style?: Style;
}
export interface Note {
  row: Pick<RowSubject, 'spec' | 'describe' | 'project' | 'replayed'>;
  text: string;
  style?: Style | undefined;
}

/** Parts of a document, with blank lines between them. */
export const joined = (parts: readonly (string | false)[]) => parts.filter(Boolean).join('\n\n');

/** A text, and how `useColour` may colour it. */
export interface Cell {
  text: string;
  /** Laid out and escaped by the caller. Default false. */
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
  /** Columns that a terminal aligns to the right. */
  right?: readonly string[];
  /** Columns that a terminal leaves out, one after the other, until the table fits. */
  dispensable?: readonly string[];
  /** In a terminal in which it does not fit, each cell has a line of its own. Default false. */
  stackable?: boolean;
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

/** The pass rate of a verdict, marked if its trials stop early. */
export function rateText({
  rate,
  interval,
  earlyStop,
}: Pick<ResultRow, 'rate' | 'interval' | 'earlyStop'>): string {
  return `${formatRate(rate, interval)}${earlyStop && rate !== null ? ', stops early' : ''}`;
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
): Grid {
  const agents = haveAgents(rows, agentOf);
  const names = Object.keys(columns).filter(name => agents || !OF_AGENTS.includes(name));
  return {
    head: names.map(name => (name === 'spec' && rows.every(isTest) ? 'test' : name)),
    rows: rows.map(row => names.map(name => columns[name]!(row))),
  };
}

export const projectOf = (row: Pick<RowSubject, 'project' | 'replayed'>) =>
  row.replayed ? `${row.project} (replayed)` : row.project;

/** `cart [opus], docs [opus] and 3 more` */
export const namesOf = (rows: readonly Pick<RowSubject, 'spec' | 'project'>[]) =>
  few(
    rows.map(({ spec, project }) => specLabel(spec, project)),
    5,
  );
