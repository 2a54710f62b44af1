// How often a comparison would be red although nothing has changed: pairs of runs of one suite are drawn from its own pass rates, and
// compared by the rules of `diff` and `confirm`.
import { keyOf } from '../data/row-names';
import type { Graded, VerdictRow } from '../data/verdict';
import { type Diff, type DiffRow, diffVerdicts, outcomeOf, suiteChangeOf } from './change';
import { type CandidateRow, stopRules } from './confirm';
import { answerOf, verdictName } from './policy';
import { type Random, seeded } from './statistics';

/** One spec in one project. */
export interface Compared {
  row: VerdictRow;
  rate: number;
  /** Graded trials of the baseline. */
  before: number;
}

/** Shares of the pairs, 0 to 1. */
export type FalseAlarms = Record<'diff' | 'confirm', number>;

/** The rate is that of all kept trials with half a pass and half a failure more (Jeffreys): a spec that never failed still can. */
export function comparedWith(baseline: readonly VerdictRow[], later: readonly VerdictRow[]): Compared[] {
  const earlier = new Map(baseline.map(row => [keyOf(row), row]));
  return later.flatMap(row => {
    const before = earlier.get(keyOf(row));
    const size = before ? before.passes + before.failures : 0;
    if (!before || row.replayed || !size) return [];
    const passes = before.passes + row.passes;
    const all = size + row.passes + row.failures;
    return { row, rate: (passes + 0.5) / (all + 1), before: size };
  });
}

/**
 * @param k trials of each spec in both runs, with the same share of passes needed; each spec's own if left out
 * @param pairs how many pairs of runs are drawn
 */
export function falseAlarms(compared: readonly Compared[], pairs: number, k?: number): FalseAlarms {
  const random = seeded(1);
  const red = { diff: 0, confirm: 0 };
  const rates = new Map(compared.map(({ row, rate }) => [keyOf(row), rate]));
  for (let pair = 0; pair < pairs; pair++) {
    const sides = compared.map(one => drawnSides(one, random, k));
    const diff = diffVerdicts(
      sides.map(({ before }) => before),
      sides.map(({ after }) => after),
    );
    if (outcomeOf(diff).outcome !== 'worse') continue;
    red.diff++;
    const { worse, fresh } = playedConfirm(diff, row => random() < rates.get(keyOf(row))!);
    const rest = diff.rows.filter(row => !worse.has(keyOf(row)));
    if (worse.size || suiteChangeOf(rest, fresh)?.fell) red.confirm++;
  }
  return { diff: red.diff / pairs, confirm: red.confirm / pairs };
}

function drawnSides({ row, rate, before }: Compared, random: Random, k = row.k) {
  const minPasses = Math.ceil((row.minPasses / row.k) * k);
  const runs = Math.max(1, Math.round(before / row.k));
  const side = (trials: number): VerdictRow => {
    let passes = 0;
    for (let trial = 0; trial < trials; trial++) passes += Number(random() < rate);
    const counts = { passes, failures: trials - passes };
    return {
      ...row,
      k,
      minPasses,
      ...counts,
      errors: 0,
      verdict: verdictName({ k, minPasses }, { ...counts, missing: 0 }),
    };
  };
  return { before: { ...side(k === row.k ? before : runs * k), runs }, after: side(k) };
}

/** What `confirm` does with a diff's candidates. @param passes plays a fresh trial */
export function playedConfirm(diff: Diff, passes: (row: DiffRow) => boolean) {
  const candidates = diff.rows.filter((row): row is CandidateRow => row.candidate);
  const rules = stopRules(candidates);
  const worse = new Set<string>();
  const fresh = new Map<string, Graded>();
  for (const [index, row] of candidates.entries()) {
    const seen = { passes: 0, failures: 0 };
    while (answerOf(rules[index]!, seen) === 'open') seen[passes(row) ? 'passes' : 'failures']++;
    if (answerOf(rules[index]!, seen) === 'regressed') worse.add(keyOf(row));
    fresh.set(keyOf(row), seen);
  }
  return { worse, fresh };
}
