// What changed between two runs, per spec and project.
import type { RowSubject, VerdictRow } from './shapes';
import { fisherExactOneSided } from './statistics';
import { isSettled, rateDifference, specName } from './verdict';

export type { VerdictRow };

/** A change whose p is above this is one that chance explains. */
export const ALPHA = 0.05;

/**
 * - `regressed`, `fixed`: the verdict went from passed to failed, or back.
 * - `worsened`, `improved`: the verdict is the same, the pass rate is not.
 * - `unclear`: one of the two verdicts is inconclusive or undecided, so there is nothing to compare.
 * - `added`, `removed`: only one side has it.
 *
 * In the order in which they are shown: what needs a look first.
 */
export const CHANGES = [
  'regressed',
  'worsened',
  'unclear',
  'removed',
  'added',
  'fixed',
  'improved',
  'unchanged',
] as const;
export type Change = (typeof CHANGES)[number];

/** One side of a comparison. */
export type DiffSide = Omit<VerdictRow, 'spec' | 'describe' | 'project' | 'replayed' | 'specHash'>;

export interface DiffRow {
  /** As `specName` has it. */
  spec: string;
  project: string;
  /** Replayed verdicts are compared with replayed ones only: they measure the site, not an agent. */
  replayed: boolean;
  change: Change;
  before: DiffSide | null;
  after: DiffSide | null;
  /**
   * Fisher's exact test, one-sided in the direction of the change: the chance of a change this large, were the
   * pass rate the same. Null if there is no change of that kind, and for replays, which chance does not move.
   */
  p: number | null;
  /** p is above ALPHA: the change may well be chance. */
  byChance: boolean;
  /** What else differs, and may be the cause: the spec, its policy, the agent, the model. */
  alsoChanged: ('spec' | 'policy' | 'agent' | 'model')[];
}

export interface Diff {
  /** Sorted by change as in CHANGES, then by spec and project. */
  rows: DiffRow[];
  counts: Record<Change, number>;
}

/**
 * Compares the verdicts of two runs. Rows meet by spec, project and whether they were replayed; the lists hold
 * each of these once.
 */
export function diffVerdicts(before: readonly VerdictRow[], after: readonly VerdictRow[]): Diff {
  const earlier = new Map(before.map(row => [keyOf(row), row]));
  const later = new Map(after.map(row => [keyOf(row), row]));
  const rows = [...new Set([...earlier.keys(), ...later.keys()])]
    .map(key => compare(earlier.get(key), later.get(key)))
    .sort((a, b) => CHANGES.indexOf(a.change) - CHANGES.indexOf(b.change) || byName(a, b));
  const counts = Object.fromEntries(CHANGES.map(change => [change, 0])) as Record<Change, number>;
  for (const row of rows) counts[row.change]++;
  return { rows, counts };
}

function compare(before: VerdictRow | undefined, after: VerdictRow | undefined): DiffRow {
  const { project, replayed } = (after ?? before)!;
  const spec = specName((after ?? before)!);
  const change = changeBetween(before, after);
  const p = before && after && !replayed ? chanceOf(change, before, after) : null;
  return {
    spec,
    project,
    replayed,
    change,
    before: before ? sideOf(before) : null,
    after: after ? sideOf(after) : null,
    p,
    byChance: p !== null && p > ALPHA,
    alsoChanged: before && after ? differences(before, after) : [],
  };
}

function changeBetween(before: VerdictRow | undefined, after: VerdictRow | undefined): Change {
  if (!before) return 'added';
  if (!after) return 'removed';
  if (!isSettled(before.verdict) || !isSettled(after.verdict)) return 'unclear';
  if (before.verdict !== after.verdict) return after.verdict === 'passed' ? 'fixed' : 'regressed';
  const difference = rateDifference(after, before);
  if (difference === 0) return 'unchanged';
  return difference > 0 ? 'improved' : 'worsened';
}

function chanceOf(change: Change, before: VerdictRow, after: VerdictRow): number | null {
  if (change === 'regressed' || change === 'worsened')
    return fisherExactOneSided(before.passes, before.failures, after.passes, after.failures);
  if (change === 'fixed' || change === 'improved')
    return fisherExactOneSided(after.passes, after.failures, before.passes, before.failures);
  return null;
}

function differences(before: VerdictRow, after: VerdictRow): DiffRow['alsoChanged'] {
  const found: DiffRow['alsoChanged'] = [];
  if (before.specHash && after.specHash && before.specHash !== after.specHash) found.push('spec');
  if (before.k !== after.k || before.minPasses !== after.minPasses) found.push('policy');
  if (before.agent !== after.agent) found.push('agent');
  if (before.model !== after.model) found.push('model');
  return found;
}

function sideOf(row: VerdictRow): DiffSide {
  const { verdict, k, minPasses, passes, failures, errors, turns, costUsd, reason, agent, model } = row;
  return { verdict, k, minPasses, passes, failures, errors, turns, costUsd, reason, agent, model };
}

type Named = Pick<RowSubject, 'spec' | 'describe' | 'project' | 'replayed'>;

/** By spec, then project, agents before replays. */
export function byName(a: Named, b: Named): number {
  return (
    compareText(specName(a), specName(b)) ||
    compareText(a.project, b.project) ||
    Number(a.replayed) - Number(b.replayed)
  );
}

/** What a file holds each row of once. */
export const keyOf = (row: Named) => JSON.stringify([specName(row), row.project, row.replayed]);

/** By code unit. Not localeCompare: the order must be the same on every machine. */
export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
