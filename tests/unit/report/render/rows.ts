// Rows of results, and whole results, whose trials are given as letters: `row('cart', 'ppf')`.
import type { Results } from '../../../../src/data/results';
import type { ResultRow, TrialResult } from '../../../../src/data/verdict';
import { rowOf } from '../../verdicts/trials';

export const row = (
  spec: string,
  letters: string,
  more: Partial<ResultRow> = {},
  eachTrial: Partial<TrialResult> = {},
) => rowOf(letters, { spec, ...more }, eachTrial);

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
