// A diff in words, for the terminal and as a pull-request comment: what changed, the outcome, and what to do next.
import type { VerdictRow } from '../../data/verdict';
import { formatCost, formatRate, plural } from '../../text/figures';
import { few } from '../../text/shorten';
import {
  ALPHA,
  CHANGES,
  type Change,
  type Diff,
  type DiffOutcome,
  type DiffRow,
  type Doubt,
} from '../../verdicts/change';
import { type Cell, type Columns, gridOf, specLabel, specsAndTests, table } from './format';
import {
  blocks,
  COMMENT_LIMIT,
  DIFF_MARKER,
  escapeMarkdown,
  folded,
  lines,
  markdownTable,
  nameOf,
} from './markdown';

/** `2 regressed, 1 fixed, 9 unchanged`; `nothing to compare` for two empty runs. */
function diffCounts(diff: Pick<Diff, 'counts'>): string {
  const parts = CHANGES.filter(change => diff.counts[change] > 0).map(
    change => `${diff.counts[change]} ${change}`,
  );
  return parts.join(', ') || 'nothing to compare';
}

/** The specs that the later run left out on purpose are only counted. */
const isCompared = ({ change }: DiffRow) => change !== 'not run';

/** Whether tables show the row. Others are only counted, since rates always differ a little from run to run. */
function isShown({ change, p, candidate }: DiffRow): boolean {
  if (change === 'worsened') return candidate;
  if (change === 'improved') return p !== null && p <= ALPHA;
  return change !== 'unchanged' && change !== 'not run';
}

/** Leaves out what one side lacks. */
const arrow = (format: (side: VerdictRow) => string) => (row: DiffRow) => {
  const [before, after] = [row.before && format(row.before), row.after && format(row.after)];
  return before === null || after === null || before === after
    ? (after ?? before ?? '')
    : `${before} → ${after}`;
};

const COLUMNS: Columns<DiffRow> = {
  change: row => {
    const text = changeText(row);
    return { text, style: STYLES[row.change], strong: text === 'regressed' };
  },
  spec: ({ spec }) => spec,
  project: row => projectOf(row),
  verdict: arrow(({ verdict }) => verdict),
  passes: arrow(side => passesOf(side)),
  p: ({ p }) => (p === null ? '' : formatP(p)),
  turns: arrow(({ turns }) => String(turns ?? '-')),
  cost: arrow(({ costUsd }) => formatCost(costUsd)),
};

const diffGrid = (rows: readonly DiffRow[]) =>
  gridOf(rows, COLUMNS, ({ before, after }) => before?.agent ?? after?.agent ?? null);

function changeText({ change, candidate, proven }: DiffRow): string {
  return candidate && !proven ? `${change}, too few trials to tell` : change;
}

export const projectOf = (row: Pick<DiffRow, 'project' | 'replayed'>) =>
  row.replayed ? `${row.project} (replayed)` : row.project;

/** `4/5`, or `0/5 (2 graded)` if not all trials were graded. Of several runs: out of all graded trials. */
export function passesOf(
  side: Pick<VerdictRow, 'passes' | 'failures' | 'k' | 'runs' | 'stoppedEarly'>,
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
  const value = (side: VerdictRow | null) =>
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
function diffNotes(changed: readonly DiffRow[]): { row: DiffRow; note: string }[] {
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
  const notes = diffNotes(shown).map(({ row, note }) => [
    { text: row.spec, style: STYLES[row.change] },
    projectOf(row),
    note,
  ]);
  const parts = [
    shown.length > 0 && table(diffGrid(shown), options),
    table({ rows: notes }, options),
    suiteText(diff),
    `${specsAndTests(diff.rows.filter(isCompared))} compared: ${diffCounts(diff)}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}

/**
 * A diff as a pull-request comment: rows that need a look first, the others folded.
 *
 * @param sentences the outcome, and what to do next
 */
export function renderDiff(diff: Diff, sentences: readonly string[] = []): string {
  return blocks([
    DIFF_MARKER,
    `### Taskproof: ${diffCounts(diff)}`,
    paragraph([...sentences, suiteText(diff)].filter(Boolean)),
    diffBody(diff).trimEnd(),
  ]);
}

export const paragraph = (sentences: readonly string[]) =>
  sentences.map(line => escapeMarkdown(line, 2_000)).join('  \n');

export function diffBody(diff: Diff): string {
  const changed = diff.rows.filter(isShown);
  const others = diff.rows.filter(row => !isShown(row) && isCompared(row));
  const notes = diffNotes(changed).map(({ row, note }) => `${nameOf(row)}: ${escapeMarkdown(note)}`);
  const title = `${specsAndTests(others)} without a notable change`;
  return blocks([
    changed.length > 0 && markdownTable(diffGrid(changed), COMMENT_LIMIT / 3),
    lines(notes, COMMENT_LIMIT / 3, '- '),
    others.length > 0 && folded(title, markdownTable(diffGrid(others), COMMENT_LIMIT / 4)),
  ]);
}

const DOUBT_TEXTS: Record<Doubt, (count: string) => string> = {
  removed: specs => `${specs} of the baseline no longer in the suite`,
  added: specs => `${specs} not in the baseline`,
  unclear: specs => `${specs} without a verdict on one side`,
};

export function outcomeLines({ outcome, proven, candidates, doubts }: DiffOutcome): string[] {
  if (outcome === 'unknown' && !doubts.length) return ["Can't tell: there is nothing to compare."];
  const lines: string[] = [];
  if (proven.length) lines.push(`Worse than the baseline: ${namesOf(proven)}.`);
  if (candidates.length)
    lines.push(
      `Looks worse, but there are too few trials to tell: ${namesOf(candidates)}. To run fresh trials: npx taskproof confirm`,
    );
  const why = doubts.map(
    ({ doubt, rows }) => `${DOUBT_TEXTS[doubt](specsAndTests(rows))} (${namesOf(rows)})`,
  );
  if (why.length) {
    const allow = `If this is intended, add --allow ${doubts.map(({ doubt }) => doubt).join(',')}`;
    lines.push(`${outcome === 'worse' ? 'Not compared' : "Can't tell"}: ${why.join('; ')}. ${allow}`);
  }
  return lines.length || outcome === 'worse' ? lines : ['Nothing is worse than the baseline.'];
}

/** `cart [opus], docs [opus] and 3 more` */
export function namesOf(rows: readonly Pick<DiffRow, 'spec' | 'project'>[]): string {
  return few(
    rows.map(({ spec, project }) => specLabel(spec, project)),
    5,
  );
}
