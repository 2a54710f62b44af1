// A diff: what changed, the outcome, and what to do next.
import type { VerdictRow } from '../../data/verdict';
import { formatCost, formatRate, plural } from '../../text/print';
import {
  ALPHA,
  CHANGES,
  type Change,
  type Diff,
  type DiffOutcome,
  type DiffRow,
  type Doubt,
} from '../../verdicts/change';
import {
  type Cell,
  type Columns,
  type Document,
  gridOf,
  joined,
  type Note,
  namesOf,
  projectOf,
  specsAndTests,
} from './document';
import { DIFF_MARKER } from './markdown-writer';

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
  project: projectOf,
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
function diffNotes(changed: readonly DiffRow[]): Note[] {
  return changed.flatMap(row => {
    const also = row.alsoChanged.map(what => whatChanged(row, what)).join(', ');
    const text = [row.after?.reason, also && `also changed: ${also}`].filter(Boolean).join('; ');
    return text ? [{ row, text, style: STYLES[row.change] }] : [];
  });
}

/** `The suite as a whole became worse: 95% → 88% of the trials passed, over 40 specs (p < 0.001).`; empty if it did not. */
export function suiteText({ suite }: Pick<Diff, 'suite'>): string {
  if (!suite?.fell) return '';
  const rate = ({ passes, failures }: { passes: number; failures: number }) =>
    formatRate(passes / (passes + failures));
  const p = formatP(suite.p);
  return `The suite as a whole became worse: ${rate(suite.before)} → ${rate(suite.after)} of the trials passed, over ${plural(suite.specs, 'spec')} (p ${p.startsWith('<') ? p : `= ${p}`}).`;
}

/**
 * What changed.
 *
 * @param sentences the outcome, and what to do next
 */
export function diffDocument(diff: Diff, sentences: readonly string[] = []): Document {
  const counts = diffCounts(diff);
  const suite = suiteText(diff);
  const compared = specsAndTests(diff.rows.filter(isCompared));
  return to =>
    to.isMarkdown
      ? joined([
          DIFF_MARKER,
          to.heading(counts),
          to.lines(suite ? [...sentences, suite] : sentences),
          diffBody(diff)(to),
        ])
      : joined([diffBody(diff)(to), suite, `${compared} compared: ${counts}`, to.lines(sentences)]);
}

/** The rows that need a look, with notes; the others folded. */
export function diffBody(diff: Diff): Document {
  const shown = diff.rows.filter(isShown);
  const others = diff.rows.filter(row => !isShown(row) && isCompared(row));
  return to =>
    joined([
      shown.length > 0 && to.table(diffGrid(shown)),
      to.notes(diffNotes(shown)),
      others.length > 0 &&
        to.folded(`${specsAndTests(others)} without a notable change`, inner =>
          inner.table(diffGrid(others)),
        ),
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
