// The outcome of a comparison, for the exit code.
import type { Diff, DiffRow } from './diff';

/** Reasons why a comparison may have no answer. */
export const DOUBTS = ['removed', 'added', 'unclear'] as const;
export type Doubt = (typeof DOUBTS)[number];

export interface DiffOutcome {
  /** `unknown`: nothing is or looks worse, but something may be. */
  outcome: 'same' | 'worse' | 'unknown';
  /** Worse, with enough trials to tell. */
  proven: DiffRow[];
  /** They look worse, but with too few trials to tell; empty if candidates are allowed. */
  candidates: DiffRow[];
  /** Reasons that are not allowed, with their rows. */
  doubts: { doubt: Doubt; rows: DiffRow[] }[];
}

export const EXIT_CODES = { same: 0, worse: 1, failed: 2, unknown: 3 } as const;

/** @param allowed any of DOUBTS, and `candidates`: then only proven rows are worse. */
export function outcomeOf({ rows, suite }: Diff, allowed: ReadonlySet<string> = new Set()): DiffOutcome {
  const proven = rows.filter(row => row.proven);
  const candidates = allowed.has('candidates') ? [] : rows.filter(row => row.candidate && !row.proven);
  const doubts = DOUBTS.filter(doubt => !allowed.has(doubt))
    .map(doubt => ({ doubt, rows: rows.filter(({ change }) => change === doubt) }))
    .filter(({ rows }) => rows.length);
  const worse = proven.length || candidates.length || suite?.fell;
  const unknown = doubts.length || rows.every(({ change }) => change === 'not run');
  return { outcome: worse ? 'worse' : unknown ? 'unknown' : 'same', proven, candidates, doubts };
}
