// What a comparison comes to: a code that a CI job can act on.
import type { Diff, DiffRow } from './diff';

/** What keeps a comparison from an answer. Each can be allowed. */
export const DOUBTS = ['removed', 'added', 'unclear', 'candidates'] as const;
export type Doubt = (typeof DOUBTS)[number];

export interface DiffOutcome {
  /** `worse`: proven. `unknown`: nothing is proven, and something keeps it from being ruled out. */
  outcome: 'same' | 'worse' | 'unknown';
  /** Proven by themselves. */
  worse: DiffRow[];
  /** Those that are not allowed, with their rows. Without any rows at all there is nothing to compare. */
  doubts: { doubt: Doubt; rows: DiffRow[] }[];
}

export const EXIT_CODES = { same: 0, worse: 1, failed: 2, unknown: 3 } as const;

export function outcomeOf({ rows, suite }: Diff, allowed: ReadonlySet<string> = new Set()): DiffOutcome {
  const worse = rows.filter(({ proven }) => proven);
  const doubts = DOUBTS.filter(doubt => !allowed.has(doubt))
    .map(doubt => ({ doubt, rows: rows.filter(row => isIn(row, doubt)) }))
    .filter(({ rows }) => rows.length);
  const unknown = doubts.length || !rows.length;
  return { outcome: worse.length || suite?.fell ? 'worse' : unknown ? 'unknown' : 'same', worse, doubts };
}

function isIn(row: DiffRow, doubt: Doubt): boolean {
  return doubt === 'candidates' ? row.candidate && !row.proven : row.change === doubt;
}
