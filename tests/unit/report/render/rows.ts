// Rows of results, and whole results, whose trials are given as letters: `row('cart', 'ppf')`.
import type { Results } from '../../../../src/data/results';
import type { ResultRow, TrialResult } from '../../../../src/data/verdict';
import { verdictOf } from '../../../../src/verdicts/verdict';
import { resultRow, trials } from '../../verdicts/trials';

/** One failure is tolerated, unless `minPasses` is given. */
export function row(
  spec: string,
  letters: string,
  { minPasses = Math.max(1, letters.length - 1), ...more }: Partial<ResultRow> = {},
  eachTrial: Partial<TrialResult> = {},
): ResultRow {
  const all = trials(letters).map(trial => ({ ...trial, ...eachTrial }));
  const subject = { spec, project: 'opus', agent: 'claude', model: null, replayed: false };
  return { ...resultRow(subject, verdictOf({ k: letters.length, minPasses }, all)), ...more };
}

export const results = (verdicts: ResultRow[], more: Partial<Results> = {}): Results => ({
  schemaVersion: '1',
  startedAt: '2026-11-05T10:00:00.000Z',
  durationMs: 61_000,
  status: 'failed',
  costUsd: 1.5,
  complete: true,
  verdicts,
  ...more,
});
