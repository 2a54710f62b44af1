// A diff in words, for the terminal and as the cells that the Markdown shares.
import { CHANGES, type Change, type Diff, type DiffRow, type DiffSide } from '../verdicts/diff';
import { type Cell, formatCost, plural, table } from './format';

/** `2 regressed, 1 fixed, 9 unchanged`; `nothing to compare` for two empty runs. */
export function diffCounts(diff: Diff): string {
  const parts = CHANGES.filter(change => diff.counts[change] > 0).map(
    change => `${diff.counts[change]} ${change}`,
  );
  return parts.join(', ') || 'nothing to compare';
}

/** What `diffCells` gives, in its order. */
export const DIFF_COLUMNS = ['change', 'spec', 'project', 'verdict', 'passes', 'chance', 'turns', 'cost'];

/** The cells of one row as plain text; what one side lacks is left out. */
export function diffCells(row: DiffRow) {
  const arrow = (format: (side: DiffSide) => string) => {
    const [before, after] = [row.before && format(row.before), row.after && format(row.after)];
    return before === null || after === null || before === after
      ? (after ?? before ?? '')
      : `${before} → ${after}`;
  };
  return {
    change: row.change,
    spec: row.spec,
    project: projectOf(row),
    verdict: arrow(side => side.verdict),
    passes: arrow(passesOf),
    chance: chanceOf(row),
    turns: arrow(side => (side.turns === null ? '-' : String(side.turns))),
    cost: arrow(side => formatCost(side.costUsd)),
  };
}

const projectOf = (row: DiffRow) => (row.replayed ? `${row.project} (replayed)` : row.project);

/** `4/5`, and how many were graded if that is not all: `0/5 (2 graded)`. */
export function passesOf(side: Pick<DiffSide, 'passes' | 'failures' | 'k'>): string {
  const graded = side.passes + side.failures;
  return `${side.passes}/${side.k}${graded === side.k ? '' : ` (${graded} graded)`}`;
}

/** `p = 0.004`, `p = 0.22, chance explains it`; empty if there is no p. */
function chanceOf({ p, byChance }: DiffRow): string {
  if (p === null) return '';
  const shown = p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`;
  return byChance ? `${shown}, chance explains it` : shown;
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

/** Why changed rows need a look, and what besides the site differs between the two runs. */
export function diffNotes(changed: readonly DiffRow[]): { row: DiffRow; note: string }[] {
  const notes = changed.map(row => {
    const also = row.alsoChanged.map(what => whatChanged(row, what)).join(', ');
    const note = [row.after?.reason, also && `also changed: ${also}`].filter(Boolean).join('; ');
    return { row, note };
  });
  return notes.filter(({ note }) => note);
}

/** A diff for the terminal: a table of what changed, notes below, and the counts. What is unchanged is only counted. */
export function diffTable(diff: Diff, options: { colour?: boolean } = {}): string {
  const changed = diff.rows.filter(row => row.change !== 'unchanged');
  const counts = `${plural(diff.rows.length, 'spec')} compared: ${diffCounts(diff)}`;
  if (changed.length === 0) return counts;
  const coloured = (text: string, { change }: DiffRow) => ({ text, style: STYLES[change] });
  const cells = changed.map(row => {
    const { change, ...rest } = diffCells(row);
    return [coloured(change, row), ...Object.values(rest)];
  });
  const notes = diffNotes(changed).map(({ row, note }) => [coloured(row.spec, row), projectOf(row), note]);
  const parts = [table(cells, { ...options, head: DIFF_COLUMNS }), table(notes, options), counts];
  return parts.filter(Boolean).join('\n\n');
}
