// The pass rate of trials that stop once their verdict is settled.
import { sumOf } from '../data/collections';
import type { Graded, Policy, Verdict } from '../data/verdict';
import { logChoose } from './statistics';
import { fourDigits, isGraded } from './verdict';

/** Without bias, whatever the true rate; the interval holds it in at least 95%. */
interface CurtailedRate {
  rate: number;
  interval: [number, number];
}

/**
 * The pass rate of a verdict whose trials stop early, to four digits. Trials start in the order of their index, so those that were
 * started in vain while others ended come last.
 *
 * @returns null if the trials did not get to a stop, or if one of those before is missing: it may be in another shard
 */
export function rateOfStopped(verdict: Pick<Verdict, 'k' | 'minPasses' | 'trials'>): CurtailedRate | null {
  const played = verdict.trials.filter(({ outcome }) => outcome !== 'skipped');
  if (played.some(({ index }, place) => index !== place)) return null;
  const passed = played.filter(isGraded).map(({ outcome }) => outcome === 'passed');
  const found = curtailedRate(verdict, passed);
  if (!found) return null;
  const [low, high] = found.interval;
  return { rate: fourDigits(found.rate), interval: [fourDigits(low), fourDigits(high)] };
}

/**
 * How often a spec passes, from trials that stop at minPasses passes or at k - minPasses + 1 failures: curtailed inverse sampling. The
 * estimate is the share of the ways to this stop that begin with a pass (Girshick, Mosteller and Savage 1946, "Unbiased estimates for
 * certain binomial sampling problems", Annals of Mathematical Statistics 17, 13-23). The interval orders the stops from the worst to
 * the best and holds the rates at which neither this stop or a better one, nor this one or a worse one, is rarer than 2.5% (Jennison
 * and Turnbull 1983, "Confidence intervals for a binomial parameter following a multistage test", Technometrics 25, 49-58).
 *
 * @param outcomes whether each trial passed, in the order in which they were started; those after the first stop don't count
 * @returns null if the trials did not get to a stop
 */
export function curtailedRate({ k, minPasses }: Policy, outcomes: readonly boolean[]): CurtailedRate | null {
  const most = k - minPasses + 1;
  const seen = { passes: 0, failures: 0 };
  for (const passed of outcomes) {
    if (passed) seen.passes++;
    else seen.failures++;
    if (seen.passes === minPasses || seen.failures === most) return rateAt(seen, minPasses, most);
  }
  return null;
}

function rateAt({ passes, failures }: Graded, minPasses: number, most: number): CurtailedRate {
  // From the worst stop to the best.
  const stops = [
    ...Array.from({ length: minPasses }, (_, count) => ({ passes: count, failures: most })),
    ...Array.from({ length: most }, (_, count) => ({ passes: minPasses, failures: most - 1 - count })),
  ];
  const at = stops.findIndex(stop => stop.passes === passes && stop.failures === failures);
  const chance = (rate: number, some: readonly Graded[]) =>
    sumOf(some, stop => chanceOf(stop, rate, minPasses));
  const [better, worse] = [stops.slice(at), stops.slice(0, at + 1)];
  const low = at === 0 ? 0 : rateWhere(rate => chance(rate, better) < 0.025);
  const high = at === stops.length - 1 ? 1 : rateWhere(rate => chance(rate, worse) >= 0.025);
  const passed = passes === minPasses;
  const before = passes + failures - 1;
  const rate = before === 0 ? Number(passed) : (passes - Number(passed)) / before;
  return { rate, interval: [low, high] };
}

/** The last trial is of the kind that stops them. */
function chanceOf({ passes, failures }: Graded, rate: number, minPasses: number): number {
  const others = passes === minPasses ? failures : passes;
  return Math.exp(logChoose(passes + failures - 1, others)) * rate ** passes * (1 - rate) ** failures;
}

/** The rate up to which it holds, by halving. */
function rateWhere(holds: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
