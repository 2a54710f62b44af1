// Compares projects over the same specs. The same verdicts give the same comparison, in any order and from any number of shards.
import { compareText, groupBy, sumOf } from '../data/collections';
import { byRowName, specName } from '../data/plan';
import { sumOfCosts } from '../data/usage';
import {
  type ComparedPair,
  type Comparison,
  type ComparisonTotals,
  comparedCellSchema,
  type ResultRow,
  type VerdictRow,
} from '../data/verdict';
import { passHat, rateOf, type Stratum, stratifiedExactOneSided, studentQuantile } from './statistics';
import { fourDigits, gradedRate, isSettled, rateDifference } from './verdict';

type ComparedRow = VerdictRow & Partial<Pick<ResultRow, 'rate' | 'earlyStop'>>;

/** If its trials stop early, the unbiased rate: among the trials that ran, passes are too few or too many. */
const rateIn = (row: ComparedRow) => (row.earlyStop ? row.rate : undefined) ?? rateOf(row);

const isGraded = ({ passes, failures }: VerdictRow) => passes + failures > 0;

/** Undefined if no two projects share a spec. Replays and ordinary tests are left out: they don't measure an agent. */
export function compareProjects(rows: readonly ComparedRow[]): Comparison | undefined {
  const measured = rows.filter(row => !row.replayed && !row.titlePath).sort(byRowName);
  // Packages of a monorepo may have different specs of one id.
  const groups = groupBy(measured, row => JSON.stringify([specName(row), row.specHash]));
  const bySpec = [...groups.values()].filter(found => found.length > 1);
  if (!bySpec.length) return undefined;
  const compared = bySpec.flat();
  const named = (kind: ReturnType<typeof kindOf>) =>
    bySpec.filter(found => kindOf(found) === kind).map(([row]) => specName(row));
  const hasTools = compared.some(({ pageToolCalls }) => pageToolCalls);
  const names = [...new Set(compared.map(({ project }) => project))].sort(compareText);
  return {
    projects: names.map(project => totalsOf(project, compared, hasTools)),
    pairs: comparedPairs(names, bySpec),
    specs: bySpec.map(found => ({ spec: specName(found[0]), cells: found.map(cellOf) })),
    differ: named('differ'),
    ratesDiffer: named('ratesDiffer'),
    unclear: named('unclear'),
  };
}

function kindOf(rows: readonly ComparedRow[]) {
  const settled = rows.filter(row => isSettled(row.verdict));
  if (new Set(settled.map(({ verdict }) => verdict)).size > 1) return 'differ';
  if (settled.length < rows.length) return 'unclear';
  const [first, ...others] = settled as [VerdictRow, ...VerdictRow[]];
  return others.every(row => rateDifference(row, first) === 0) ? 'same' : 'ratesDiffer';
}

const cellOf = (row: ComparedRow) =>
  comparedCellSchema.parse({ ...row, rate: isGraded(row) ? fourDigits(rateIn(row)) : null });

function totalsOf(project: string, compared: readonly ComparedRow[], hasTools: boolean): ComparisonTotals {
  const rows = compared.filter(row => row.project === project);
  const rates = rows.filter(isGraded).map(rateIn);
  const stops = compared.some(({ earlyStop }) => earlyStop);
  const sum = (what: 'passes' | 'failures' | 'errors' | 'actions' | 'pageToolCalls') =>
    sumOf(rows, row => row[what] ?? 0);
  const [passes, failures, errors] = [sum('passes'), sum('failures'), sum('errors')];
  const costUsd = sumOfCosts(rows.map(({ costUsd }) => costUsd));
  return {
    project,
    agent: rows.find(({ agent }) => agent !== null)?.agent ?? null,
    model: rows.find(({ model }) => model !== null)?.model ?? null,
    specs: rows.length,
    specsPassed: rows.filter(({ verdict }) => verdict === 'passed').length,
    passes,
    failures,
    errors,
    // Specs that fail stop first: in a sum over all trials they would weigh less.
    rate: stops ? meanOf(rates) : gradedRate(passes, failures),
    ...(stops && { earlyStop: true }),
    ...(hasTools && { actions: sum('actions'), pageToolCalls: sum('pageToolCalls') }),
    costUsd,
    passAll: stops ? null : passAllOf(rows, compared),
    costPerPassUsd: costUsd === null || passes === 0 ? null : costUsd / passes,
  };
}

const meanOf = (values: readonly number[]) =>
  values.length ? fourDigits(sumOf(values, value => value) / values.length) : null;

/** The highest chance that two equal agents are said to differ. */
const PAIR_ALPHA = 0.05;

/** Every two projects, over the specs that both have graded trials of. */
function comparedPairs(projects: readonly string[], specs: readonly (readonly ComparedRow[])[]) {
  const names = projects.flatMap((one, index) =>
    projects.slice(index + 1).map(other => [one, other] as const),
  );
  return names.flatMap(([one, other]) => {
    const both = specs.flatMap(found => {
      const graded = found.filter(isGraded);
      const before = graded.find(({ project }) => project === one);
      const after = graded.find(({ project }) => project === other);
      return before && after ? [{ before, after }] : [];
    });
    return both.length ? [pairOf([one, other], both, PAIR_ALPHA / names.length)] : [];
  });
}

/**
 * The mean over specs of the paired difference, with its error from the spread between specs: Miller 2024, "Adding error bars to
 * evals", arXiv 2411.00640, sections 2.2 and 4.2 (clustered, paired); with Student's t, since suites are small. p is from the exact
 * permutation of trials within each spec, two-sided.
 */
function pairOf(
  projects: [string, string],
  pairs: readonly Record<keyof Stratum, ComparedRow>[],
  alpha: number,
): ComparedPair {
  const differences = pairs.map(({ before, after }) => rateIn(before) - rateIn(after));
  const n = differences.length;
  const difference = sumOf(differences, one => one) / n;
  const spread = sumOf(differences, one => (one - difference) ** 2);
  const margin = n > 1 ? studentQuantile(n - 1) * Math.sqrt(spread / (n - 1) / n) : 0;
  const swapped = pairs.map(({ before, after }) => ({ before: after, after: before }));
  const p = Math.min(1, 2 * Math.min(stratifiedExactOneSided(pairs), stratifiedExactOneSided(swapped)));
  const within = (value: number) => Math.max(-1, Math.min(1, value));
  const interval: [number, number] | null =
    n > 1 ? [within(difference - margin), within(difference + margin)] : null;
  const holdsZero = interval !== null && interval[0] <= 0 && interval[1] >= 0;
  const differ = p <= alpha && !holdsZero;
  return { projects, specs: n, difference, interval, p, level: alpha, differ };
}

/** pass^k for the largest k, up to 5, that every spec of every project has trials for: the mean over the specs. */
function passAllOf(rows: readonly VerdictRow[], compared: readonly VerdictRow[]) {
  const sizes = compared.filter(isGraded).map(({ passes, failures }) => passes + failures);
  const k = Math.min(5, ...sizes);
  const graded = rows.filter(isGraded);
  const value = meanOf(graded.map(({ passes, failures }) => passHat(passes, passes + failures, k)));
  return value === null ? null : { k, value };
}
