import type { Outcome, ResultRow, RowSubject, TrialResult, Verdict } from '../../../src/data/verdict';
import { verdictOf } from '../../../src/verdicts/verdict';

const OUTCOMES: Record<string, Outcome> = { p: 'passed', f: 'failed', e: 'error', s: 'skipped' };

export function trial(index: number, outcome: Outcome, more: Partial<TrialResult> = {}): TrialResult {
  return {
    index,
    outcome,
    status: outcome === 'error' ? 'error' : 'completed',
    ...(outcome === 'error' ? { errorKind: 'agent_api' } : {}),
    reason: outcome === 'passed' ? null : `because ${outcome}`,
    turns: 4,
    costUsd: 0.1,
    durationMs: 1000,
    finalUrl: 'http://127.0.0.1/cart',
    ...more,
  };
}

/** `pfe-s`: a letter for each index (passed, failed, error, skipped), a dash for a trial that is not there. */
export function trials(letters: string): TrialResult[] {
  return [...letters].flatMap((letter, index) => (letter === '-' ? [] : [trial(index, OUTCOMES[letter]!)]));
}

/** A row of the results file. */
export const resultRow = (subject: RowSubject, verdict: Verdict): ResultRow => ({ ...subject, ...verdict });

const SUBJECT = { spec: 'cart', project: 'opus', agent: 'claude', model: null, replayed: false };

/** One whose trials end as the letters say. One failure is tolerated, unless `minPasses` is given. */
export function rowOf(
  letters: string,
  { minPasses = Math.max(1, letters.length - 1), ...more }: Partial<ResultRow> = {},
  eachTrial: Partial<TrialResult> = {},
): ResultRow {
  const all = trials(letters).map(one => ({ ...one, ...eachTrial }));
  return { ...resultRow(SUBJECT, verdictOf({ k: letters.length, minPasses }, all)), ...more };
}
