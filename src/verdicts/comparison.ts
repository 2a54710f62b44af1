// Agents side by side: several projects over the same specs. Pure: the same verdicts give the same comparison,
// in any order and from any number of shards.
import { compareText, type VerdictRow } from './diff';
import { gradedRate, isSettled, sumOfKnown, type VerdictName } from './verdict';

/** What one project came to on one spec. */
export interface ComparisonCell {
  project: string;
  verdict: VerdictName;
  k: number;
  passes: number;
  failures: number;
  errors: number;
  /** passes / (passes + failures), to four digits; null where no trial was graded. */
  rate: number | null;
  /** Median turns of the graded trials. */
  turns: number | null;
  /** US dollars; null where a price is unknown. */
  costUsd: number | null;
}

/** What one project came to on all specs of the comparison that it has. */
export interface ComparisonTotals {
  project: string;
  /** Of the first spec on which one is known. */
  agent: string | null;
  model: string | null;
  specs: number;
  specsPassed: number;
  passes: number;
  failures: number;
  errors: number;
  /** passes / (passes + failures) over all trials, to four digits; null where no trial was graded. */
  rate: number | null;
  /** US dollars; null where a price is unknown. */
  costUsd: number | null;
}

/** The specs that at least two projects have; those that one project alone has say nothing about another. */
export interface Comparison {
  /** By name. */
  projects: ComparisonTotals[];
  /** By id; a cell for each project that has the spec. */
  specs: { spec: string; cells: ComparisonCell[] }[];
  /** Specs that one project passed and another failed. */
  differ: string[];
  /** Specs on which every verdict is settled and the same, but not the pass rate. */
  ratesDiffer: string[];
  /** Specs on which some verdict is open (inconclusive or undecided), and the settled ones agree. */
  unclear: string[];
}

/**
 * Compares the projects that share specs.
 *
 * @param rows each spec once per project. Replayed rows don't measure an agent and are left out.
 * @returns undefined where no two projects share a spec.
 */
export function compareProjects(rows: readonly VerdictRow[]): Comparison | undefined {
  const bySpec = new Map<string, VerdictRow[]>();
  for (const row of rows) if (!row.replayed) bySpec.set(row.spec, [...(bySpec.get(row.spec) ?? []), row]);
  const shared = [...bySpec]
    .filter(([, found]) => found.length > 1)
    .sort(([a], [b]) => compareText(a, b))
    .map(([spec, found]) => ({ spec, found: found.sort((a, b) => compareText(a.project, b.project)) }));
  if (!shared.length) return undefined;
  const compared = shared.flatMap(({ found }) => found);
  const named = (kind: Kind) => shared.filter(({ found }) => kindOf(found) === kind).map(({ spec }) => spec);
  return {
    projects: [...new Set(compared.map(({ project }) => project))].sort(compareText).map(project =>
      totalsOf(
        project,
        compared.filter(row => row.project === project),
      ),
    ),
    specs: shared.map(({ spec, found }) => ({ spec, cells: found.map(cellOf) })),
    differ: named('differ'),
    ratesDiffer: named('ratesDiffer'),
    unclear: named('unclear'),
  };
}

type Kind = 'differ' | 'ratesDiffer' | 'unclear' | 'same';

function kindOf(rows: readonly VerdictRow[]): Kind {
  const settled = rows.filter(row => isSettled(row.verdict));
  if (new Set(settled.map(({ verdict }) => verdict)).size > 1) return 'differ';
  if (settled.length < rows.length) return 'unclear';
  const [first, ...others] = settled as [VerdictRow, ...VerdictRow[]];
  // passes / graded on both sides, multiplied out to stay with whole numbers
  const sameRate = (row: VerdictRow) =>
    row.passes * (first.passes + first.failures) === first.passes * (row.passes + row.failures);
  return others.every(sameRate) ? 'same' : 'ratesDiffer';
}

function cellOf(row: VerdictRow): ComparisonCell {
  const { project, verdict, k, passes, failures, errors, turns, costUsd } = row;
  return {
    project,
    verdict,
    k,
    passes,
    failures,
    errors,
    rate: gradedRate(passes, failures),
    turns,
    costUsd,
  };
}

function totalsOf(project: string, rows: readonly VerdictRow[]): ComparisonTotals {
  const sum = (what: 'passes' | 'failures' | 'errors') => rows.reduce((total, row) => total + row[what], 0);
  const [passes, failures, errors] = [sum('passes'), sum('failures'), sum('errors')];
  return {
    project,
    agent: rows.find(({ agent }) => agent !== null)?.agent ?? null,
    model: rows.find(({ model }) => model !== null)?.model ?? null,
    specs: rows.length,
    specsPassed: rows.filter(({ verdict }) => verdict === 'passed').length,
    passes,
    failures,
    errors,
    rate: gradedRate(passes, failures),
    costUsd: sumOfKnown(rows.map(({ costUsd }) => costUsd)),
  };
}
