// What a comparison comes to: a code that a CI job can act on.
import type { Diff, DiffRow } from './diff';

/** What keeps a comparison from an answer. */
export const DOUBTS = ['removed', 'added', 'unclear'] as const;
export type Doubt = (typeof DOUBTS)[number];

export interface DiffOutcome {
  /** `unknown`: nothing is or looks worse, and something keeps it from being ruled out. */
  outcome: 'same' | 'worse' | 'unknown';
  /** The trials at hand suffice to say so. */
  proven: DiffRow[];
  /** They look worse, and too few trials say so; none where candidates are allowed. */
  candidates: DiffRow[];
  /** Those that are not allowed, with their rows. Without any rows at all there is nothing to compare. */
  doubts: { doubt: Doubt; rows: DiffRow[] }[];
}

export const EXIT_CODES = { same: 0, worse: 1, failed: 2, unknown: 3 } as const;

/** @param allowed any of DOUBTS, and `candidates`: then only what is proven is worse. */
export function outcomeOf({ rows, suite }: Diff, allowed: ReadonlySet<string> = new Set()): DiffOutcome {
  const proven = rows.filter(row => row.proven);
  const candidates = allowed.has('candidates') ? [] : rows.filter(row => row.candidate && !row.proven);
  const doubts = DOUBTS.filter(doubt => !allowed.has(doubt))
    .map(doubt => ({ doubt, rows: rows.filter(({ change }) => change === doubt) }))
    .filter(({ rows }) => rows.length);
  const worse = proven.length || candidates.length || suite?.fell;
  const unknown = doubts.length || !rows.length;
  return { outcome: worse ? 'worse' : unknown ? 'unknown' : 'same', proven, candidates, doubts };
}
