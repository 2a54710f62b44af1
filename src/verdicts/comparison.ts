// Compares projects over the same specs. Pure: the same verdicts give the same comparison, in any order and from any number of
// shards.
import { compareText } from './diff';
import { comparedPairs, passAllOf } from './pairs';
import type { Comparison, ComparisonCell, ComparisonTotals, VerdictRow } from './shapes';
import { gradedRate, isSettled, rateDifference, specName, sumOfKnown } from './verdict';

/**
 * Compares the projects that share specs.
 *
 * @param rows each spec once per project. Replays and ordinary tests are left out: they don't measure an agent.
 * @returns undefined if no two projects share a spec.
 */
export function compareProjects(rows: readonly VerdictRow[]): Comparison | undefined {
  const bySpec = new Map<string, VerdictRow[]>();
  for (const row of rows) {
    const name = specName(row);
    if (!row.replayed && !row.titlePath) bySpec.set(name, [...(bySpec.get(name) ?? []), row]);
  }
  const shared = [...bySpec]
    .filter(([, found]) => found.length > 1)
    .sort(([a], [b]) => compareText(a, b))
    .map(([spec, found]) => ({ spec, found: found.sort((a, b) => compareText(a.project, b.project)) }));
  if (!shared.length) return undefined;
  const compared = shared.flatMap(({ found }) => found);
  const named = (kind: Kind) => shared.filter(({ found }) => kindOf(found) === kind).map(({ spec }) => spec);
  const hasTools = compared.some(({ pageToolCalls }) => pageToolCalls);
  const names = [...new Set(compared.map(({ project }) => project))].sort(compareText);
  return {
    projects: names.map(project =>
      totalsOf(
        project,
        compared.filter(row => row.project === project),
        hasTools,
      ),
    ),
    pairs: comparedPairs(names, shared),
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
  return others.every(row => rateDifference(row, first) === 0) ? 'same' : 'ratesDiffer';
}

function cellOf(row: VerdictRow): ComparisonCell {
  const { project, verdict, k, passes, failures, errors, turns, costUsd } = row;
  const rate = gradedRate(passes, failures);
  return { project, verdict, k, passes, failures, errors, rate, turns, costUsd };
}

type Counts = 'passes' | 'failures' | 'errors' | 'actions' | 'pageToolCalls';

function totalsOf(project: string, rows: readonly VerdictRow[], hasTools: boolean): ComparisonTotals {
  const sum = (what: Counts) => rows.reduce((total, row) => total + (row[what] ?? 0), 0);
  const [passes, failures, errors] = [sum('passes'), sum('failures'), sum('errors')];
  const costUsd = sumOfKnown(rows.map(({ costUsd }) => costUsd));
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
    ...(hasTools ? { actions: sum('actions'), pageToolCalls: sum('pageToolCalls') } : {}),
    costUsd,
    passAll: passAllOf(rows),
    costPerPassUsd: costUsd === null || passes === 0 ? null : costUsd / passes,
  };
}
