// Confirmations of a diff, with answers that are given by spec.

import { type Diff, type DiffRow, diffVerdicts, outcomeOf } from '../../../../src/verdicts/change';
import type { CandidateRow, Confirmation } from '../../../../src/verdicts/confirm';
import { row } from './rows';

/** All trials of a spec must pass. */
export function diffOf(before: Record<string, string>, after: Record<string, string>): Diff {
  const [earlier, later] = [before, after].map(side =>
    Object.entries(side).map(([spec, letters]) => row(spec, letters, { minPasses: letters.length })),
  );
  return diffVerdicts(earlier!, later!);
}

type One = Confirmation['answers'][number];

export function confirmation(
  diff: Diff,
  answers: Record<string, Partial<Omit<One, 'row' | 'fresh'>> & { fresh?: Partial<One['fresh']> }>,
  more: Partial<Confirmation> = {},
): Confirmation {
  const rows = diff.rows.map(one => (one.candidate ? { ...one, candidate: false, proven: false } : one));
  return {
    ...{
      outcome: 'unknown',
      suite: null,
      diff,
      rest: outcomeOf({ ...diff, rows, suite: null }),
      costUsd: 1.5,
    },
    ...more,
    answers: Object.entries(answers).map(([spec, { fresh, ...one }]) => ({
      ...{ answer: 'open', played: true, rule: { trials: 15, enough: 6 } },
      ...one,
      row: diff.rows.find(each => each.spec === spec) as DiffRow & CandidateRow,
      fresh: { passes: 0, failures: 0, errors: 0, costUsd: 0, reason: null, ...fresh },
    })),
  };
}
