// Errors of the infrastructure: which, how many, and what to do about them.
import type { ResultRow } from './results';

const HINTS: Record<string, string> = {
  site_unreachable:
    'Is the site up? Start it with `webServer` in the Playwright config, or point `origin` at a deployment.',
  agent_api:
    'The agent could not work: look at its key, its rate limits and its status page, then run again.',
  browser:
    'The browser failed: is it installed (`npx playwright install`)? Else look at memory and at the number of workers, then run again.',
  judge: 'The judge could not be asked: look at its key and its rate limits, then run again.',
  internal:
    'The trial broke off by itself: look at its last step in the HTML report, and at the code of the agent.',
};

/** What to do about an error of this kind. */
export function errorHint(kind: string | undefined): string {
  return HINTS[kind ?? 'internal'] ?? 'The record of the trial in the HTML report says more.';
}

/** Trials of one kind of error over a whole run. */
export interface ErrorGroup {
  kind: string;
  trials: number;
  /** Of the first such trial; null where it gave none. */
  reason: string | null;
  hint: string;
}

/** The errors of a run by kind, the most frequent first. */
export function errorGroups(rows: readonly ResultRow[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  for (const row of rows)
    for (const trial of row.trials) {
      if (trial.outcome !== 'error') continue;
      const kind = trial.errorKind ?? 'internal';
      const group = groups.get(kind) ?? { kind, trials: 0, reason: trial.reason, hint: errorHint(kind) };
      groups.set(kind, { ...group, trials: group.trials + 1 });
    }
  return [...groups.values()].sort((a, b) => b.trials - a.trials);
}
