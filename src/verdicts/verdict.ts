// The verdict on the trials of one spec in one project: the same in any order, from any number of shards, also if one came twice; and the
// pass rate of trials that stop once it is settled.
import { compareText, groupBy, sumOf } from '../data/collections';
import { sumOfCosts } from '../data/usage';
import type { Graded, Outcome, Policy, TrialResult, Verdict, VerdictName } from '../data/verdict';
import { flat } from '../text/line';
import { verdictName } from './policy';
import { logChoose, median, wilsonInterval } from './statistics';

/** `inconclusive`: because of errors, the missing trials can't bring a pass any more. `undecided`: they still can. */
export function verdictOf(policy: Policy, trials: readonly TrialResult[]): Verdict {
  const { k, minPasses } = policy;
  const kept = onePerIndex(trials.filter(trial => trial.index >= 0 && trial.index < k));
  const count = (outcome: Outcome) => kept.filter(trial => trial.outcome === outcome).length;
  const [passes, failures, errors] = [count('passed'), count('failed'), count('error')];
  const missing = k - passes - failures - errors;
  const verdict = verdictName(policy, { passes, failures, missing });
  const graded = kept.filter(isGraded);
  const interval = wilsonInterval(passes, graded.length);
  const costs = kept.filter(trial => trial.outcome !== 'skipped').map(trial => trial.costUsd);
  return {
    verdict,
    k,
    minPasses,
    passes,
    failures,
    errors,
    missing,
    rate: gradedRate(passes, failures),
    interval: interval && rounded(interval),
    turns: median(graded.map(trial => trial.turns)),
    actions: sumOf(kept, trial => trial.actions ?? 0) || undefined,
    pageToolCalls: sumOf(kept, trial => trial.pageToolCalls ?? 0) || undefined,
    costUsd: sumOfCosts(costs),
    healed: kept.filter(trial => trial.healed !== undefined).length || undefined,
    reason: reasonOf({ verdict, k, missing, trials: kept }),
    trials: kept,
  };
}

/** Not for errors, which say nothing about the site. */
export const isGraded = (trial: TrialResult) => trial.outcome === 'passed' || trial.outcome === 'failed';

// A shard that was merged twice brings its trials twice. If they differ, a failure must win, whatever the order of arrival.
const PRECEDENCE: Record<Outcome, number> = { failed: 0, passed: 1, error: 2, skipped: 3 };

const byPrecedence = (a: TrialResult, b: TrialResult) =>
  PRECEDENCE[a.outcome] - PRECEDENCE[b.outcome] || compareText(JSON.stringify(a), JSON.stringify(b));

function onePerIndex(trials: readonly TrialResult[]): TrialResult[] {
  const kept = [...groupBy(trials, ({ index }) => index).values()].map(same => same.sort(byPrecedence)[0]!);
  return kept.sort((a, b) => a.index - b.index);
}

function reasonOf({ verdict, k, missing, trials }: Pick<Verdict, 'verdict' | 'k' | 'missing' | 'trials'>) {
  if (verdict === 'passed') return null;
  const first = (outcome: Outcome) => trials.find(trial => trial.outcome === outcome);
  const culprit =
    verdict === 'inconclusive' ? first('error') : (first('failed') ?? first('error') ?? first('skipped'));
  const why = culprit && trialReason(culprit, k);
  if (verdict !== 'undecided') return why ?? null;
  const present = trialsPresent({ k, missing });
  return why ? `${present}; ${why}` : present;
}

export const trialsPresent = ({ k, missing = 0 }: { k: number; missing?: number | undefined }) =>
  `${k - missing} of ${k} trials present`;

/** One line on a trial that did not pass: `trial 2/5: the cart stayed empty (at https://shop.example/cart)`. */
export function trialReason(trial: TrialResult, k: number): string {
  const kind = trial.outcome === 'error' && trial.errorKind ? `${trial.errorKind}: ` : '';
  const why = flat(trial.reason ?? '') || trial.status;
  const known = trial.finalUrl === null || trial.outcome === 'skipped' || why.includes(trial.finalUrl);
  const place = known ? '' : ` (at ${trial.finalUrl})`;
  return `trial ${trial.index + 1}/${k}: ${kind}${why}${place}`;
}

/** The pass rate, 0 to 1, to four digits; null if no trial was graded. */
export function gradedRate(passes: number, failures: number): number | null {
  return passes + failures === 0 ? null : fourDigits(passes / (passes + failures));
}

/** Above 0 if the first has the higher pass rate, below 0 if the second has. */
export function rateDifference(a: Graded, b: Graded): number {
  return a.passes * (b.passes + b.failures) - b.passes * (a.passes + a.failures);
}

/** Whether the trials decided the verdict. The other verdicts say nothing about the site. */
export function isSettled(verdict: VerdictName): boolean {
  return verdict === 'passed' || verdict === 'failed';
}

export const fourDigits = (value: number) => Math.round(value * 1e4) / 1e4;
const rounded = ([low, high]: [number, number]): [number, number] => [fourDigits(low), fourDigits(high)];

/** The rate is an unbiased estimate; the interval contains the true rate in at least 95% of cases. */
type CurtailedRate = { rate: number; interval: [number, number] };

type Stopped = Pick<Verdict, 'k' | 'minPasses' | 'trials'>;

/** The pass rate of a verdict whose trials stop early, to four digits; null if they did not get to a stop. */
export function rateOfStopped(verdict: Stopped): CurtailedRate | null {
  const stop = countsAtStop(verdict);
  if (!stop) return null;
  const found = curtailedRate(verdict, stop);
  return { rate: fourDigits(found.rate), interval: rounded(found.interval) };
}

/**
 * What the first trials came to that settle the verdict; those that still ran then come last. Null if the trials did not get to a stop,
 * or if one before it is missing, which may be in another shard.
 */
export function countsAtStop({ k, minPasses, trials }: Stopped): Graded | null {
  const seen = { passes: 0, failures: 0 };
  for (const [place, { index, outcome }] of trials.entries()) {
    if (index !== place || outcome === 'skipped') return null;
    if (outcome === 'passed') seen.passes++;
    if (outcome === 'failed') seen.failures++;
    if (seen.passes === minPasses || seen.failures > k - minPasses) return seen;
  }
  return null;
}

/**
 * How often a spec passes, from trials that stop at minPasses passes or at k - minPasses + 1 failures: the share of the ways to this stop
 * that begin with a pass (Girshick, Mosteller and Savage 1946, "Unbiased estimates for certain binomial sampling problems", Annals of
 * Mathematical Statistics 17, 13-23); it can lie outside of the interval, which orders the stops from the worst to the best and holds the
 * rates at which neither this stop or a better one, nor this one or a worse one, is rarer than 2.5% (Jennison and Turnbull 1983,
 * "Confidence intervals for a binomial parameter following a multistage test", Technometrics 25, 49-58).
 */
export function curtailedRate({ k, minPasses }: Policy, { passes, failures }: Graded): CurtailedRate {
  const most = k - minPasses + 1;
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

/** The chance to stop here. The last trial is always one that completes the stop. */
function chanceOf({ passes, failures }: Graded, rate: number, minPasses: number): number {
  const others = passes === minPasses ? failures : passes;
  return Math.exp(logChoose(passes + failures - 1, others)) * rate ** passes * (1 - rate) ** failures;
}

/** The rate up to which it holds, by bisection. */
function rateWhere(holds: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
