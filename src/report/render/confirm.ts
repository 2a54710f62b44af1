// A confirmation: which specs run again, and what came of it.

import { sumOf } from '../../data/collections';
import type { VerdictRow } from '../../data/verdict';
import { formatCost, plural } from '../../text/print';
import type { Diff, DiffOutcome, DiffRow, SuiteChange } from '../../verdicts/change';
import type { CandidateRow } from '../../verdicts/confirm';
import type { Answer, StopRule } from '../../verdicts/policy';
import { diffBody, outcomeLines, passesOf, suiteText } from './diff';
import { type Cell, type Columns, type Document, gridOf, joined, namesOf } from './document';
import { DIFF_MARKER } from './markdown-writer';

export interface Confirmation {
  outcome: DiffOutcome['outcome'];
  answers: {
    row: DiffRow & CandidateRow;
    rule: StopRule;
    answer: Answer;
    /** False if the spec was not found, or if no number of fresh trials could give an answer. */
    played: boolean;
    /** `reason`: why there is no verdict; null if there is one. */
    fresh: Pick<VerdictRow, 'passes' | 'failures' | 'errors' | 'costUsd' | 'reason'>;
  }[];
  /** Without the specs that ran again. */
  suite: SuiteChange | null;
  diff: Diff;
  /** The outcome of the diff without its candidates. */
  rest: DiffOutcome;
  /** US dollars of the fresh trials; null if a price is unknown. */
  costUsd: number | null;
}

/** Which specs run again, and what that may cost. */
export function planText(
  wanted: readonly { spec: string; project: string }[],
  trials: number,
  costs: readonly (number | null)[],
  maxCost: number | undefined,
): string {
  const most = costs.includes(null) ? null : sumOf(costs, cost => cost! * trials);
  const price = most === null ? 'cost unknown' : `at most ${formatCost(most)} judging by the last run`;
  const cap = maxCost === undefined ? '' : `, capped at ${formatCost(maxCost)}`;
  const each = wanted.length > 1 ? ' each' : '';
  return `Running ${plural(wanted.length, 'candidate')} again: ${namesOf(wanted)}. Up to ${plural(trials, 'fresh trial')}${each}, ${price}${cap}.\nPlaywright's list may show a failed trial as passed; the result at the end counts it.`;
}

const STYLES: Record<Answer, Cell['style']> = { regressed: 'red', 'not confirmed': 'green', open: 'yellow' };
const COLUMNS: Columns<Confirmation['answers'][number]> = {
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

/** The outcome in sentences: the result, what is open and why, and what to do. */
export function confirmLines({ outcome, answers, suite, rest, costUsd }: Confirmation): string[] {
  const of = (wanted: Answer) => answers.filter(({ answer }) => answer === wanted);
  const fresh = sumOf(answers, ({ fresh: { passes, failures, errors } }) => passes + failures + errors);
  const confirmed = of('regressed').map(({ row }) => row);
  const open = of('open');
  const others = rest.doubts.length || rest.proven.length || rest.outcome === 'unknown';
  return [
    confirmed.length && `Worse than the baseline, on fresh trials too: ${namesOf(confirmed)}.`,
    suiteText({ suite }),
    open.length && `Can't tell: ${open.map(openReason).join('; ')}.`,
    ...(others ? outcomeLines(rest) : []),
    outcome === 'same' && !answers.length && 'Nothing looks worse than the baseline.',
    outcome === 'same' &&
      answers.length &&
      'Nothing is worse than the baseline: fresh trials did not confirm it.',
    answers.length && `${plural(fresh, 'fresh trial')}, ${formatCost(costUsd)}.`,
  ].filter(line => typeof line === 'string' && line !== '') as string[];
}

function openReason({ row, rule, played, fresh }: Confirmation['answers'][number]): string {
  const name = namesOf([row]);
  if (rule.enough === null)
    return `${plural(rule.trials, 'fresh trial')} of ${name} can't prove anything against a baseline of ${passesOf(row.before)} (save more runs to it, or raise --trials)`;
  if (!played) return `${name} was not found (is it still in the suite, and in that project?)`;
  const graded = fresh.passes + fresh.failures;
  const why = fresh.reason === null ? '' : ` (${fresh.reason})`;
  return `${name} had ${graded} of up to ${rule.trials} fresh trials graded${fresh.errors ? `, ${plural(fresh.errors, 'error')}` : ''}${why}`;
}

const TITLES = { same: 'nothing is worse', worse: 'worse than the baseline', unknown: "can't tell" };

/** As a comment it begins with the marker of a diff, so that a workflow replaces the diff's comment by it. */
export function confirmDocument(confirmation: Confirmation): Document {
  const { answers, outcome, diff } = confirmation;
  return to => {
    const lines = to.lines(confirmLines(confirmation));
    const table = answers.length > 0 && to.table(gridOf(answers, COLUMNS));
    return to.isMarkdown
      ? joined([
          DIFF_MARKER,
          to.heading(TITLES[outcome]),
          lines,
          table,
          to.folded('The run compared with the baseline', diffBody(diff)),
        ])
      : joined([table, lines]);
  };
}
