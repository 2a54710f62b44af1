// How small a change a number of trials can show.
import { formatRate, plural } from '../text/print';

/**
 * By number of trials: the highest pass rate that a spec of 0.95 can fall to so that as many trials before and after show it in 70% of
 * cases, by Fisher's exact test, one-sided, at 5%. Null if they show no fall. tests/unit/verdicts/sensitivity.test.ts computes it.
 */
export const VISIBLE_FALLS: readonly (number | null)[] = [
  ...[null, null, null, 0.05, null, 0.15, 0.25, 0.25, 0.35, 0.4],
  ...[0.45, 0.45, 0.5, 0.55, 0.55, 0.55, 0.55, 0.6, 0.6, 0.6, 0.6],
];

/** One sentence on the smallest k; empty if it is large enough to show small falls. */
export function sensitivityText(ks: readonly number[]): string {
  const k = Math.min(...ks);
  if (!ks.length || k >= 20) return '';
  const fall = VISIBLE_FALLS[k] ?? null;
  const falls =
    fall === null
      ? `can't show that a pass rate fell; 20 trials can show a fall from 95%`
      : `can only show a fall of the pass rate from 95% to about ${formatRate(fall)}, 20 trials one`;
  return `Compared with an earlier run, ${plural(k, 'trial')} ${falls} to ${formatRate(VISIBLE_FALLS[20]!)}. A baseline of several runs shows more.`;
}
