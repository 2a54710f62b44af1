// A diff and its confirmation: what changed, what fresh trials say of it, the outcome, and what to do next.
import { sumOf } from '../../data/collections';
import type { VerdictRow } from '../../data/verdict';
import { formatCost, formatRate, plural } from '../../text/print';
import { ALPHA, CHANGES, type Diff, type DiffOutcome, type DiffRow, type Doubt } from '../../verdicts/change';
import type { Confirmation } from '../../verdicts/confirm';
import type { Answer } from '../../verdicts/policy';
import { rateOf } from '../../verdicts/statistics';
import {
  type Columns,
  type Document,
  gridOf,
  type Item,
  joined,
  namesOf,
  projectOf,
  STYLES,
  specsAndTests,
} from './document';
import { commentHeading } from './markdown-writer';

/** Specs that the later run left out on purpose are only counted. */
const isCompared = ({ change }: DiffRow) => change !== 'not run';

/** Whether the row stands out. Rates always differ a little from run to run. */
function isShown({ change, p, candidate }: DiffRow): boolean {
  if (change === 'worsened') return candidate;
  if (change === 'improved') return p !== null && p <= ALPHA;
  return change !== 'unchanged' && change !== 'not run';
}

/** `4/5 → 2/5`; one value if both sides have the same, or one side has none. */
const arrow = (format: (side: VerdictRow) => string) => (row: DiffRow) => {
  const [before, after] = [row.before && format(row.before), row.after && format(row.after)];
  return before === null || after === null || before === after
    ? (after ?? before ?? '')
    : `${before} → ${after}`;
};

const COLUMNS: Columns<DiffRow> = {
  change: ({ change, candidate, proven }) => {
    const text = candidate && !proven ? `${change}, too few trials to tell` : change;
    return { text, style: STYLES[change], strong: text === 'regressed' };
  },
  spec: ({ spec }) => spec,
  project: projectOf,
  verdict: arrow(({ verdict }) => verdict),
  passes: arrow(passesOf),
  p: ({ p }) => (p === null ? '' : formatP(p)),
  turns: arrow(({ turns }) => String(turns ?? '-')),
  cost: arrow(({ costUsd }) => formatCost(costUsd)),
};

/** `4/5`, or `0/5 (2 graded)` if not all trials were graded. Of several runs: out of all graded trials. */
export function passesOf(side: VerdictRow): string {
  const graded = side.passes + side.failures;
  if ((side.runs ?? 1) > 1 || side.stoppedEarly) return `${side.passes}/${graded}`;
  return `${side.passes}/${side.k}${graded === side.k ? '' : ` (${graded} graded)`}`;
}

export const formatP = (p: number) => (p < 0.001 ? '< 0.001' : String(Number(p.toPrecision(2))));
export const chanceText = (p: number) => `p ${p < 0.001 ? '' : '= '}${formatP(p)}`;

function whatChanged({ before, after }: DiffRow, what: DiffRow['alsoChanged'][number]): string {
  if (what === 'spec') return 'the spec';
  const value = (side: VerdictRow | null) => {
    if (what === 'policy') return `${side?.minPasses} of ${side?.k}`;
    if (what === 'earlyStop') return side?.stoppedEarly ? 'on' : 'off';
    return side?.[what] ?? 'none';
  };
  return `${what} ${value(before)} → ${value(after)}`;
}

/** Why changed rows need a look, and what else differs between the two runs besides the site. */
function diffNotes(changed: readonly DiffRow[]): Item[] {
  return changed.flatMap(row => {
    const also = row.alsoChanged.map(what => whatChanged(row, what)).join(', ');
    const text = [row.after?.reason, also && `also changed: ${also}`].filter(Boolean).join('; ');
    return text ? [{ row, text, style: STYLES[row.change] }] : [];
  });
}

/** `The suite as a whole became worse: 95% → 88% of the trials passed, over 40 specs (p < 0.001).`; empty if it did not. */
function suiteText({ suite }: Pick<Diff, 'suite'>): string {
  if (!suite?.fell) return '';
  const [before, after] = [suite.before, suite.after].map(side => formatRate(rateOf(side)));
  return `The suite as a whole became worse: ${before} → ${after} of the trials passed, over ${plural(suite.specs, 'spec')} (${chanceText(suite.p)}).`;
}

function mixedText({ rows }: Diff): string {
  const mixed = rows.filter(({ alsoChanged }) => alsoChanged.includes('earlyStop'));
  return mixed.length
    ? `earlyStop has changed for ${specsAndTests(mixed)}, so the test of the suite as a whole leaves them out.`
    : '';
}

/** @param sentences the outcome, and what to do next */
export function diffDocument(diff: Diff, sentences: readonly string[] = []): Document {
  const parts = CHANGES.flatMap(change => (diff.counts[change] ? `${diff.counts[change]} ${change}` : []));
  const counts = parts.join(', ') || 'nothing to compare';
  const compared = `${specsAndTests(diff.rows.filter(isCompared))} compared: ${counts}`;
  const lines = [compared, suiteText(diff), mixedText(diff), ...sentences].filter(Boolean);
  return to => to.ranked([to.isMarkdown && commentHeading(counts), to.lines(lines), diffBody(diff)(to)]);
}

function diffBody(diff: Diff): Document {
  const shown = diff.rows.filter(isShown);
  const others = diff.rows.filter(row => !isShown(row) && isCompared(row));
  return to =>
    joined([
      shown.length > 0 && to.table(gridOf(shown, COLUMNS)),
      to.items(diffNotes(shown)),
      others.length > 0 &&
        to.folded(`${specsAndTests(others)} without a notable change`, inner =>
          inner.table(gridOf(others, COLUMNS)),
        ),
    ]);
}

const DOUBT_TEXTS: Record<Doubt, (count: string) => string> = {
  removed: specs => `the suite no longer has ${specs} of the baseline`,
  added: specs => `the baseline does not have ${specs}`,
  unclear: specs => `one side is inconclusive or undecided on ${specs}`,
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

export function planText(
  wanted: readonly { spec: string; project: string }[],
  trials: number,
  costs: readonly (number | null)[],
  maxCost: number | undefined,
): string {
  const most = costs.includes(null) ? null : sumOf(costs, cost => cost! * trials);
  const price = most === null ? 'cost unknown' : `at most ${formatCost(most)} judging by the trials so far`;
  const cap = maxCost === undefined ? '' : `, capped at ${formatCost(maxCost)}`;
  const each = wanted.length > 1 ? ' each' : '';
  return `Running ${plural(wanted.length, 'candidate')} again: ${namesOf(wanted)}. Up to ${plural(trials, 'fresh trial')}${each}, ${price}${cap}.\nPlaywright's list may show a failed trial as passed; the result at the end counts it.`;
}

const ANSWER_COLUMNS: Columns<Confirmation['answers'][number]> = {
  answer: ({ answer }) => ({
    text: answer === 'open' ? "can't tell" : answer,
    style: STYLES[answer],
    strong: answer === 'regressed',
  }),
  spec: ({ row }) => row.spec,
  project: ({ row }) => row.project,
  baseline: ({ row }) => passesOf(row.before),
  'last run': ({ row }) => passesOf(row.after),
  'fresh trials': ({ fresh: { passes, failures, errors } }) => {
    const more = errors ? ` (${plural(errors, 'error')})` : '';
    return passes + failures + errors ? `${passes}/${passes + failures}${more}` : '-';
  },
  cost: ({ fresh }) => formatCost(fresh.costUsd),
};

export function confirmLines({ outcome, answers, suite, diff, rest, costUsd }: Confirmation): string[] {
  const of = (wanted: Answer) => answers.filter(({ answer }) => answer === wanted);
  const fresh = sumOf(answers, ({ fresh: { passes, failures, errors } }) => passes + failures + errors);
  const confirmed = of('regressed').map(({ row }) => row);
  const open = of('open');
  const others = rest.doubts.length || rest.proven.length || rest.outcome === 'unknown';
  return [
    confirmed.length && `Worse than the baseline, on fresh trials too: ${namesOf(confirmed)}.`,
    suiteText({ suite }),
    mixedText(diff),
    open.length && `Can't tell: ${open.map(openReason).join('; ')}.`,
    ...(others ? outcomeLines(rest) : []),
    outcome === 'same' && !answers.length && 'Nothing looks worse than the baseline.',
    outcome === 'same' &&
      answers.length &&
      `Fresh trials do not prove that anything is worse: ${answers.map(passedOf).join('; ')}.`,
    answers.length &&
      `${plural(fresh, 'fresh trial')}, ${costUsd === null ? 'cost unknown' : formatCost(costUsd)}.`,
  ].filter(line => typeof line === 'string' && line !== '') as string[];
}

const passedOf = ({ row, fresh: { passes, failures } }: Confirmation['answers'][number]) =>
  `${namesOf([row])} passed ${passes} of ${passes + failures}`;

function openReason({ row, rule, played, fresh }: Confirmation['answers'][number]): string {
  const name = namesOf([row]);
  if (rule.enough === null)
    return `${plural(rule.trials, 'fresh trial')} of ${name} can't prove anything against a baseline of ${passesOf(row.before)} (save more runs to it, or raise --trials)`;
  if (!played) return `${name} was not found (is it still in the suite, and in that project?)`;
  const graded = fresh.passes + fresh.failures;
  const why = fresh.reason === null ? '' : ` (${fresh.reason})`;
  return `only ${graded} of up to ${rule.trials} fresh trials of ${name} were graded${fresh.errors ? `, ${plural(fresh.errors, 'error')}` : ''}${why}`;
}

const TITLES = { same: 'nothing is worse', worse: 'worse than the baseline', unknown: "can't tell" };

/** As a comment it begins with the marker of a diff, so that a workflow replaces the diff's comment by it. */
export function confirmDocument(confirmation: Confirmation): Document {
  const { answers, outcome, diff } = confirmation;
  return to =>
    to.ranked([
      to.isMarkdown && commentHeading(TITLES[outcome]),
      to.lines(confirmLines(confirmation)),
      answers.length > 0 && to.table(gridOf(answers, ANSWER_COLUMNS)),
      to.folded('The run compared with the baseline', diffBody(diff)),
    ]);
}
