// Two agents over the same specs: how they differ, and whether chance explains it.
import type { ComparedPair, Comparison, VerdictRow } from './shapes';
import { passHat, stratifiedExactOneSided, studentQuantile } from './statistics';

/** At most this chance that any pair of equal agents is said to differ. */
const PAIR_ALPHA = 0.05;

/** Every two projects, over the specs that both have graded trials of. */
export function comparedPairs(
  projects: readonly string[],
  specs: readonly { spec: string; found: readonly VerdictRow[] }[],
): ComparedPair[] {
  const names = projects.flatMap((one, index) =>
    projects.slice(index + 1).map(other => [one, other] as const),
  );
  return names.flatMap(([one, other]) => {
    const rows = specs.map(({ found }) => ({
      before: found.find(row => row.project === one && row.passes + row.failures > 0),
      after: found.find(row => row.project === other && row.passes + row.failures > 0),
    }));
    const both = rows.filter((pair): pair is Pair => pair.before !== undefined && pair.after !== undefined);
    return both.length ? [pairOf([one, other], both, PAIR_ALPHA / names.length)] : [];
  });
}

type Pair = { before: VerdictRow; after: VerdictRow };

/**
 * The mean over specs of the paired difference, with its error from the spread between specs: Miller 2024, "Adding error bars to
 * evals", arXiv 2411.00640, sections 2.2 and 4.2 (clustered, paired); with Student's t, since suites are small. p is from the exact
 * permutation of trials within each spec, two-sided.
 */
function pairOf(projects: [string, string], pairs: readonly Pair[], alpha: number): ComparedPair {
  const rate = ({ passes, failures }: VerdictRow) => passes / (passes + failures);
  const differences = pairs.map(({ before, after }) => rate(before) - rate(after));
  const n = differences.length;
  const difference = differences.reduce((sum, one) => sum + one, 0) / n;
  const spread = differences.reduce((sum, one) => sum + (one - difference) ** 2, 0);
  const margin = n > 1 ? studentQuantile(n - 1) * Math.sqrt(spread / (n - 1) / n) : 0;
  const swapped = pairs.map(({ before, after }) => ({ before: after, after: before }));
  const p = Math.min(1, 2 * Math.min(stratifiedExactOneSided(pairs), stratifiedExactOneSided(swapped)));
  const within = (value: number) => Math.max(-1, Math.min(1, value));
  const interval: [number, number] | null =
    n > 1 ? [within(difference - margin), within(difference + margin)] : null;
  return { projects, specs: n, difference, interval, p, differ: p <= alpha && !holds(interval) };
}

/** Whether the interval includes 0. */
const holds = (interval: [number, number] | null) =>
  interval !== null && interval[0] <= 0 && interval[1] >= 0;

/** pass^k for the largest k, up to 5, that every spec has trials for: the mean over the specs. */
export function passAllOf(rows: readonly VerdictRow[]): Comparison['projects'][number]['passAll'] {
  const graded = rows.filter(({ passes, failures }) => passes + failures > 0);
  if (!graded.length) return null;
  const k = Math.min(5, ...graded.map(({ passes, failures }) => passes + failures));
  const sum = graded.reduce(
    (total, { passes, failures }) => total + passHat(passes, passes + failures, k)!,
    0,
  );
  return { k, value: Math.round((sum / graded.length) * 1e4) / 1e4 };
}
