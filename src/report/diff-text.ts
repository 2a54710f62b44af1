// A diff in words: for the terminal, and as cells for Markdown.
import { ALPHA, CHANGES, type Change, type Diff, type DiffRow, type DiffSide } from '../verdicts/diff';
import {
  type Cell,
  columnsFor,
  formatCost,
  formatRate,
  nameColumn,
  plural,
  specsAndTests,
  table,
} from './format';

/** `2 regressed, 1 fixed, 9 unchanged`; `nothing to compare` for two empty runs. */
export function diffCounts(diff: Pick<Diff, 'counts'>): string {
  const parts = CHANGES.filter(change => diff.counts[change] > 0).map(
    change => `${diff.counts[change]} ${change}`,
  );
  return parts.join(', ') || 'nothing to compare';
}

/** The specs that the later run left out on purpose are only counted. */
export const isCompared = ({ change }: DiffRow) => change !== 'not run';

/** Whether tables show the row. Others are only counted, since rates always differ a little from run to run. */
export function isShown({ change, p, candidate }: DiffRow): boolean {
  if (change === 'worsened') return candidate;
  if (change === 'improved') return p !== null && p <= ALPHA;
  return change !== 'unchanged' && change !== 'not run';
}

/** The columns, in order. */
const DIFF_COLUMNS = ['change', 'spec', 'project', 'verdict', 'passes', 'p', 'turns', 'cost'];

/** The head of a table of these rows, and their cells as plain text. */
export function diffColumns(rows: readonly DiffRow[]): { head: string[]; cells: string[][] } {
  const columns = columnsFor(DIFF_COLUMNS, rows, ({ before, after }) =>
    [before, after].some(side => side !== null && side.agent !== null),
  );
  const cells = rows.map(row => columns.map(name => diffCells(row)[name] ?? ''));
  return { head: columns.map(name => (name === 'spec' ? nameColumn(rows) : name)), cells };
}

/** Leaves out what one side lacks. */
function diffCells(row: DiffRow): Record<string, string> {
  const arrow = (format: (side: DiffSide) => string) => {
    const [before, after] = [row.before && format(row.before), row.after && format(row.after)];
    return before === null || after === null || before === after
      ? (after ?? before ?? '')
      : `${before} → ${after}`;
  };
  return {
    change: changeText(row),
    spec: row.spec,
    project: projectOf(row),
    verdict: arrow(side => side.verdict),
    passes: arrow(passesOf),
    p: row.p === null ? '' : formatP(row.p),
    turns: arrow(side => (side.turns === null ? '-' : String(side.turns))),
    cost: arrow(side => formatCost(side.costUsd)),
  };
}

/** `regressed`, or `regressed, too few trials to tell`. */
export function changeText({ change, candidate, proven }: DiffRow): string {
  return candidate && !proven ? `${change}, too few trials to tell` : change;
}

export const projectOf = (row: Pick<DiffRow, 'project' | 'replayed'>) =>
  row.replayed ? `${row.project} (replayed)` : row.project;

/** `4/5`, or `0/5 (2 graded)` if not all trials were graded. Of several runs: out of all graded trials. */
export function passesOf(
  side: Pick<DiffSide, 'passes' | 'failures' | 'k' | 'runs' | 'stoppedEarly'>,
): string {
  const graded = side.passes + side.failures;
  if ((side.runs ?? 1) > 1 || side.stoppedEarly) return `${side.passes}/${graded}`;
  return `${side.passes}/${side.k}${graded === side.k ? '' : ` (${graded} graded)`}`;
}

export function formatP(p: number): string {
  return p < 0.001 ? '< 0.001' : String(Number(p.toPrecision(2)));
}

function whatChanged({ before, after }: DiffRow, what: DiffRow['alsoChanged'][number]): string {
  if (what === 'spec') return 'the spec';
  const value = (side: DiffSide | null) =>
    what === 'policy' ? `${side?.minPasses} of ${side?.k}` : (side?.[what] ?? 'none');
  return `${what} ${value(before)} → ${value(after)}`;
}

const STYLES: Partial<Record<Change, Cell['style']>> = {
  regressed: 'red',
  worsened: 'yellow',
  unclear: 'yellow',
  fixed: 'green',
  improved: 'green',
};

/** Why changed rows need a look, and what else differs between the two runs besides the site. */
export function diffNotes(changed: readonly DiffRow[]): { row: DiffRow; note: string }[] {
  const notes = changed.map(row => {
    const also = row.alsoChanged.map(what => whatChanged(row, what)).join(', ');
    const note = [row.after?.reason, also && `also changed: ${also}`].filter(Boolean).join('; ');
    return { row, note };
  });
  return notes.filter(({ note }) => note);
}

/** `The suite as a whole fell: 95% → 88% over 40 specs (p < 0.001).`; empty if it did not. */
export function suiteText({ suite }: Pick<Diff, 'suite'>): string {
  if (!suite?.fell) return '';
  const rate = ({ passes, failures }: { passes: number; failures: number }) =>
    formatRate(passes / (passes + failures));
  const p = formatP(suite.p);
  return `The suite as a whole became worse: ${rate(suite.before)} → ${rate(suite.after)} of the trials passed, over ${plural(suite.specs, 'spec')} (p ${p.startsWith('<') ? p : `= ${p}`}).`;
}

/** A diff for the terminal: a table of the rows that need a look, notes, and the counts. */
export function diffTable(diff: Diff, options: { colour?: boolean } = {}): string {
  const shown = diff.rows.filter(isShown);
  const counts = `${specsAndTests(diff.rows.filter(isCompared))} compared: ${diffCounts(diff)}`;
  const coloured = (text: string, { change }: DiffRow) => ({ text, style: STYLES[change] });
  const { head, cells: texts } = diffColumns(shown);
  const cells = texts.map(([change = '', ...rest], index) => [coloured(change, shown[index]!), ...rest]);
  const notes = diffNotes(shown).map(({ row, note }) => [coloured(row.spec, row), projectOf(row), note]);
  const parts = [
    cells.length > 0 && table(cells, { ...options, head }),
    table(notes, options),
    suiteText(diff),
    counts,
  ];
  return parts.filter(Boolean).join('\n\n');
}
