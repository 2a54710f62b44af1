// How many failures of fresh trials confirm that a candidate is worse, and how often a suite would be called worse although nothing
// has changed. `npm run bench -- --only alarms` measures the error rates.
import { sumOf } from '../data/collections';
import { keyOf } from '../data/plan';
import { sumOfCosts } from '../data/usage';
import type { Graded, Policy, VerdictRow } from '../data/verdict';
import { type Diff, type DiffRow, diffVerdicts, luckiestBaseline, outcomeOf, suiteChangeOf } from './change';
import { type Answer, answerOf, type StopRule, verdictName } from './policy';
import { hypergeometric, type Random, seeded, totalOf } from './statistics';

/** The error rate that all candidates share. With that of the whole suite (SUITE_ALPHA), the bench shows fewer than 5% false alarms. */
export const CONFIRM_ALPHA = 0.049;
/** The most fresh trials of a candidate. */
export const DEFAULT_TRIALS = 15;
/** Smaller baselines rarely give a false alarm. So none of their outcomes is left out, and a fall to 0.2 is found in 92%, not 62%. */
const SMALL_BASELINE = 10;

/** A candidate when its fresh trials begin. */
export type CandidateRow = DiffRow & Record<'before' | 'after', VerdictRow>;

/**
 * The candidates of a diff, each with its rule, at its share of alpha (weighted Bonferroni): a share triples with each failure of the later run.
 * The limit of five keeps one hopeless spec from taking all. Equal shares find 1 to 4 points less.
 */
export function ruledCandidates({ rows }: Pick<Diff, 'rows'>, trials: number = DEFAULT_TRIALS) {
  const candidates = rows.filter((row): row is CandidateRow => row.candidate);
  const weightOf = ({ after }: CandidateRow) => 3 ** Math.min(5, after.failures);
  const all = sumOf(candidates, weightOf);
  return candidates.map(row => {
    const { before, after } = row;
    const level = (CONFIRM_ALPHA * weightOf(row)) / all;
    const size = before.passes + before.failures;
    const luckiest = size < SMALL_BASELINE ? size : luckiestBaseline(before, after);
    let enough: number | null = null;
    for (let failures = trials; failures >= 0; failures--) {
      if (chanceOfFailures(failures, trials, before, luckiest) > level) break;
      enough = failures;
    }
    const rule: StopRule = { trials, enough };
    return { row, rule };
  });
}

/**
 * The p of so many failures in the fresh trials compared with the pooled baseline: Fisher's exact test, one-sided, with two changes.
 * A spec is a candidate because its baseline was good, so baselines that would not have made it one are left out (selective
 * inference: Fithian, Sun and Taylor 2014, arXiv 1410.2597). And the observed table counts half (mid-p: Lancaster 1961,
 * "Significance tests in discrete distributions", Journal of the American Statistical Association 56, 223-234).
 * In simulated suites mid-p finds a fall to 0.6 in 50%, not 40%; leaving out lowers false alarms at 0.7 from 12% to 4%.
 *
 * @param luckiest the most failures that the baseline could have for this to be a candidate
 */
export function chanceOfFailures(failures: number, trials: number, before: Graded, luckiest: number): number {
  const size = before.passes + before.failures;
  const failed = before.failures + failures;
  let [more, all] = [0, 0];
  for (let x = Math.max(0, failed - Math.min(size, luckiest)); x <= Math.min(trials, failed); x++) {
    const chance = hypergeometric(x, trials, failed, size + trials);
    all += chance;
    if (x >= failures) more += x === failures ? chance / 2 : chance;
  }
  return all > 0 ? Math.min(1, more / all) : 1;
}

export type Confirmation = ReturnType<typeof conclude>;

/**
 * What fresh trials say of a diff; `suite` and `rest`: without what they answered. Of an answer, `played` is false if the spec was not
 * found, or if no number of fresh trials could give one.
 */
export function conclude(
  diff: Diff,
  candidates: readonly { row: CandidateRow; rule: StopRule }[],
  played: readonly VerdictRow[],
  { allow, maxCost }: { allow: ReadonlySet<string>; maxCost?: number },
) {
  const answers = candidates.map(({ row, rule }) => {
    const found = played.find(one => keyOf(one) === keyOf(row));
    const { passes = 0, failures = 0, errors = 0, costUsd = 0, reason = null } = found ?? {};
    const answer = rule.enough === null ? 'open' : answerOf(rule, { passes, failures });
    // Nothing else leaves trials out while the answer is open.
    const isCut = answer === 'open' && maxCost !== undefined && passes + failures + errors < rule.trials;
    const why = isCut ? 'another trial could cost more than --max-cost: raise it' : reason;
    const fresh = { passes, failures, errors, costUsd, reason: why };
    return { row, rule, played: found !== undefined, answer, fresh };
  });
  const has = (wanted: Answer) => answers.some(({ answer }) => answer === wanted);
  // Specs that are or may be worse don't count for the suite as a whole.
  const apart = answers.filter(({ answer }) => answer !== 'not confirmed').map(({ row }): DiffRow => row);
  const fresh = new Map(answers.map(({ row, fresh }) => [keyOf(row), fresh]));
  const suite = suiteChangeOf(
    diff.rows.filter(row => !apart.includes(row)),
    fresh,
  );
  // The fresh trials have answered for these.
  const answered = diff.rows.map(row => (row.candidate ? { ...row, candidate: false, proven: false } : row));
  const rest = outcomeOf({ ...diff, rows: answered, suite }, allow);
  const unknown = has('open') && !allow.has('candidates') ? ('unknown' as const) : rest.outcome;
  const outcome = has('regressed') || rest.outcome === 'worse' ? ('worse' as const) : unknown;
  return { outcome, answers, suite, diff, rest, costUsd: sumOfCosts(played.map(row => row.costUsd)) };
}

/** The rate is that of all kept trials with half a pass and half a failure more (Jeffreys): a spec that never failed still can. */
export function comparedWith(baseline: readonly VerdictRow[], later: readonly VerdictRow[]) {
  const earlier = new Map(baseline.map(row => [keyOf(row), row]));
  return later.flatMap(row => {
    const before = earlier.get(keyOf(row));
    const size = before ? before.passes + before.failures : 0;
    if (!before || row.replayed || !size) return [];
    const passes = before.passes + row.passes;
    const all = size + row.passes + row.failures;
    const { stoppedEarly, runs = 1 } = before;
    const rate = (passes + 0.5) / (all + 1);
    return { row, rate, /** Graded trials of the baseline. */ before: size, stoppedEarly, runs };
  });
}

type Compared = ReturnType<typeof comparedWith>[number];
export type FalseAlarms = ReturnType<typeof falseAlarms>;

/** Shares of the pairs, 0 to 1. */
export function falseAlarms(compared: readonly Compared[], pairs: number) {
  const random = seeded(1);
  const red = { diff: 0, confirm: 0 };
  const rates = new Map(compared.map(({ row, rate }) => [keyOf(row), rate]));
  for (let pair = 0; pair < pairs; pair++) {
    const diff = drawnDiff(compared, random);
    if (outcomeOf(diff).outcome !== 'worse') continue;
    red.diff++;
    const { worse, fresh } = playedConfirm(diff, row => random() < rates.get(keyOf(row))!);
    const rest = diff.rows.filter(row => !worse.has(keyOf(row)));
    if (worse.size || suiteChangeOf(rest, fresh)?.fell) red.confirm++;
  }
  return { diff: red.diff / pairs, confirm: red.confirm / pairs };
}

/** Whether `diff` is red in at most this share of the pairs. @param k trials of each spec in both runs, with its share of passes needed */
export function isRarelyRed(compared: readonly Compared[], k: number, share: number, pairs: number): boolean {
  const random = seeded(1);
  let red = 0;
  for (let pair = 0; pair < pairs && red <= share * pairs; pair++)
    red += Number(outcomeOf(drawnDiff(compared, random, k)).outcome === 'worse');
  return red <= share * pairs;
}

function drawnDiff(compared: readonly Compared[], random: Random, k?: number): Diff {
  const sides = compared.map(one => drawnSides(one, random, k));
  return diffVerdicts(
    sides.map(({ before }) => before),
    sides.map(({ after }) => after),
  );
}

function drawnSides({ row, rate, before, ...earlier }: Compared, random: Random, k = row.k) {
  const policy = { k, minPasses: Math.ceil((row.minPasses / row.k) * k) };
  const runs = earlier.stoppedEarly ? earlier.runs : Math.max(1, Math.round(before / row.k));
  const sizes = earlier.stoppedEarly ? Array<number>(runs).fill(k) : [k === row.k ? before : runs * k];
  const side = (sizes: readonly number[], stoppedEarly = false): VerdictRow => {
    const drawn = sizes.map(size => drawnTrials(size, rate, random, stoppedEarly ? policy : null));
    const counts = { ...totalOf(drawn), errors: 0 };
    const verdict = verdictName(policy, { ...counts, missing: 0 });
    return { ...row, ...policy, ...counts, stoppedEarly, verdict };
  };
  return { before: { ...side(sizes, earlier.stoppedEarly), runs }, after: side([k], row.stoppedEarly) };
}

/** @param policy if the trials stop once it is settled */
function drawnTrials(trials: number, rate: number, random: Random, policy: Policy | null): Graded {
  const counts = { passes: 0, failures: 0 };
  for (let missing = trials - 1; missing >= 0; missing--) {
    counts[random() < rate ? 'passes' : 'failures']++;
    if (policy && verdictName(policy, { ...counts, missing }) !== 'undecided') break;
  }
  return counts;
}

/** What `confirm` does with a diff's candidates. @param passes plays a fresh trial */
export function playedConfirm(diff: Diff, passes: (row: DiffRow) => boolean) {
  const worse = new Set<string>();
  const fresh = new Map<string, Graded>();
  for (const { row, rule } of ruledCandidates(diff)) {
    const seen = { passes: 0, failures: 0 };
    while (answerOf(rule, seen) === 'open') seen[passes(row) ? 'passes' : 'failures']++;
    if (answerOf(rule, seen) === 'regressed') worse.add(keyOf(row));
    fresh.set(keyOf(row), seen);
  }
  return { worse, fresh };
}
