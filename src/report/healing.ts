// Healed trials in words: a recording that no longer fits the page wants a person's look.
import type { ResultRow } from './results';
import { plain } from './text';

type TrialRow = Pick<ResultRow['trials'][number], 'outcome' | 'healed'>;

/**
 * `healed at turn 5: step 4: button "Place order" not found on /checkout; new recording beside checkout.json for review`; null
 * where the trial was played from its recording to the end.
 */
export function healedText({ healed, outcome }: TrialRow): string | null {
  if (!healed) return null;
  // Only what passed is worth keeping.
  const recording =
    outcome === 'passed'
      ? `new recording beside ${healed.recording} for review`
      : `the recording is ${healed.recording}`;
  return plain(`healed at turn ${healed.turn}: ${healed.reason}; ${recording}`);
}

/** The healed trials of these rows, each with its verdict's row. */
export function healings(rows: readonly ResultRow[]): { row: ResultRow; text: string }[] {
  return rows.flatMap(row =>
    row.trials.flatMap(trial => {
      const text = healedText(trial);
      return text === null ? [] : [{ row, text }];
    }),
  );
}
