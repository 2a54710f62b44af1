// The outcome of a comparison in sentences: why the exit code is not 0, and what to do next.
import type { DiffRow } from '../verdicts/diff';
import type { DiffOutcome, Doubt } from '../verdicts/outcome';
import { few, specLabel, specsAndTests } from './format';

const DOUBT_TEXTS: Record<Doubt, (count: string) => string> = {
  removed: specs => `${specs} of the baseline no longer in the suite`,
  added: specs => `${specs} not in the baseline`,
  unclear: specs => `${specs} without a verdict on one side`,
};

/** Sentences, the most important first. */
export function outcomeLines({ outcome, proven, candidates, doubts }: DiffOutcome): string[] {
  if (outcome === 'unknown' && !doubts.length) return ["Can't tell: there is nothing to compare."];
  const lines: string[] = [];
  if (proven.length) lines.push(`Worse than the baseline: ${namesOf(proven)}.`);
  if (candidates.length)
    lines.push(
      `Looks worse, but there are too few trials to tell: ${namesOf(candidates)}. To run fresh trials: npx taskproof confirm`,
    );
  const why = doubts.map(
    ({ doubt, rows }) => `${DOUBT_TEXTS[doubt](specsAndTests(rows))} (${namesOf(rows)})`,
  );
  if (why.length) {
    const allow = `If this is intended, add --allow ${doubts.map(({ doubt }) => doubt).join(',')}`;
    lines.push(`${outcome === 'worse' ? 'Not compared' : "Can't tell"}: ${why.join('; ')}. ${allow}`);
  }
  return lines.length || outcome === 'worse' ? lines : ['Nothing is worse than the baseline.'];
}

/** `cart [opus], docs [opus] and 3 more` */
export function namesOf(rows: readonly Pick<DiffRow, 'spec' | 'project'>[]): string {
  return few(
    rows.map(({ spec, project }) => specLabel(spec, project)),
    5,
  );
}
