import type { Outcome, ResultRow, RowSubject, TrialResult, Verdict } from '../../../src/data/verdict';

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
