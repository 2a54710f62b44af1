// How small a change a number of trials can show.

import { sumOf } from '../data/collections';
import { chanceOfAtLeast } from './confirm';
import { fisherExactOneSided } from './statistics';

const RATE = 0.95;
const POWER = 0.7;
const ALPHA = 0.05;
const STEP = 0.05;

/**
 * The highest pass rate that a spec of 0.95 can fall to so that as many trials before and after show it in 70% of cases: Fisher's
 * exact test, one-sided, at 5%. In steps of 0.05; null if they show no fall.
 */
export function visibleFall(trials: number): number | null {
  const enough = Array.from({ length: trials + 1 }, (_, failed) =>
    Array.from({ length: trials + 1 }, (_, failures) => failures).find(
      failures => fisherExactOneSided(trials - failed, failed, trials - failures, failures) <= ALPHA,
    ),
  );
  const exactly = (failed: number) =>
    chanceOfAtLeast(failed, trials, 1 - RATE) - chanceOfAtLeast(failed + 1, trials, 1 - RATE);
  for (let step = 1; step * STEP < RATE; step++) {
    const rate = RATE - step * STEP;
    const shown = enough.map((least, failed) =>
      least === undefined ? 0 : exactly(failed) * chanceOfAtLeast(least, trials, 1 - rate),
    );
    const power = sumOf(shown, one => one);
    if (power >= POWER) return Math.round(rate * 100) / 100;
  }
  return null;
}

/** One sentence on the smallest k; empty if it is large enough to show small falls. */
export function sensitivityText(ks: readonly number[]): string {
  const k = Math.min(...ks);
  if (!ks.length || k >= 20) return '';
  if (k === 1) return 'With k 1, one trial says nothing about a pass rate, and no fall can be seen.';
  const fall = visibleFall(k);
  const seen =
    fall === null ? `${k} trials can't show a fall` : `${k} trials can only show a fall to about ${fall}`;
  return `${seen} of a spec that passes 0.95 of its trials; 20 show one to ${visibleFall(20)}. A baseline of several runs shows more.`;
}
