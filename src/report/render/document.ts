// A document is built once, for two writers: the terminal's and Markdown's.
import type { RowName } from '../../data/plan';
import type { VerdictName } from '../../data/verdict';
import { few, oneLine } from '../../text/line';
import { plural, type Style } from '../../text/print';
import type { Change } from '../../verdicts/change';
import type { Answer } from '../../verdicts/policy';

export type Document = (to: Writer) => string;

export interface Writer {
  readonly isMarkdown: boolean;
  /** How a run ended, and which part of a run it was. */
  heading(status: string, part: string): string;
  lines(sentences: readonly string[]): string;
  section(title: string, text: string): string;
  items(items: readonly Item[]): string;
  table(grid: Grid): string;
  /** Shown on demand; left out in a terminal. */
  folded(title: string, document: Document): string;
  /** Parts, the most important first. A terminal shows it last, next to the prompt. */
  ranked(parts: readonly (string | false)[]): string;
}

export interface Item {
  sign?: string;
  row?: RowName;
  text: string;
  more?: readonly string[];
  style?: Style | undefined;
}

export const joined = (parts: readonly (string | false)[]) => parts.filter(Boolean).join('\n\n');

export interface Cell {
  text: string;
  style?: Style | undefined;
  /** Bold in Markdown. Default false. */
  strong?: boolean;
}

export type Grid = { head?: readonly string[]; rows: readonly (readonly (string | Cell)[])[] };

/** Of a verdict, a change, and what fresh trials say of it. */
export const STYLES: Partial<Record<VerdictName | Change | Answer, Style>> = {
  passed: 'green',
  failed: 'red',
  inconclusive: 'yellow',
  undecided: 'yellow',
  regressed: 'red',
  worsened: 'yellow',
  unclear: 'yellow',
  fixed: 'green',
  improved: 'green',
  'not confirmed': 'green',
  open: 'yellow',
};
export const SIGNS = { passed: '✓', failed: '✗', inconclusive: '?', undecided: '…' } as const;

/** `cart [opus]`; the spec alone if the project has no name. */
export function specLabel(spec: string, project: string): string {
  return project ? `${oneLine(spec)} [${oneLine(project)}]` : oneLine(spec);
}

const isTest = (row: object) => 'titlePath' in row && row.titlePath !== undefined;

/** `3 specs`, `1 test`, `3 specs and 1 test`. */
export function specsAndTests(rows: readonly object[]): string {
  const tests = rows.filter(isTest).length;
  const specs = rows.length - tests;
  return [(specs || !tests) && plural(specs, 'spec'), tests && plural(tests, 'test')]
    .filter(Boolean)
    .join(' and ');
}

export type Columns<Row> = Record<string, (row: Row) => string | Cell>;

/** These rows as a table. The column `spec` is called `test` if all are tests. */
export function gridOf<Row extends object>(rows: readonly Row[], columns: Columns<Row>): Grid {
  const names = Object.keys(columns);
  return {
    head: names.map(name => (name === 'spec' && rows.every(isTest) ? 'test' : name)),
    rows: rows.map(row => names.map(name => columns[name]!(row))),
  };
}

export const projectOf = (row: Pick<RowName, 'project' | 'replayed'>) =>
  row.replayed ? `${row.project} (replayed)` : row.project;

/** `cart [opus], docs [opus] and 3 more` */
export const namesOf = (rows: readonly Pick<RowName, 'spec' | 'project'>[]) =>
  few(
    rows.map(({ spec, project }) => specLabel(spec, project)),
    5,
  );
