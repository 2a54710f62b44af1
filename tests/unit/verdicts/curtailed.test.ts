import { expect, test } from 'vitest';
import { curtailedRate, rateOfStopped } from '../../../src/verdicts/curtailed';
import { chanceOfFall, wilsonInterval } from '../../../src/verdicts/statistics';
import { trials } from './trials';

const POLICIES = [
  [1, 1],
  [3, 1],
  [3, 3],
  [5, 3],
  [5, 4],
  [10, 8],
  [25, 13],
].map(([k, minPasses]) => ({ k: k!, minPasses: minPasses! }));
const RATES = Array.from({ length: 19 }, (_, index) => (index + 1) / 20);

/** All ways in which trials can go, up to the stop, each with its chance. */
function* sequences(policy: { k: number; minPasses: number }, rate: number) {
  const most = policy.k - policy.minPasses + 1;
  // By counts: the chance of a stop is the number of ways to it, counted step by step.
  let reached = new Map<string, { outcomes: boolean[]; chance: number }>([['', { outcomes: [], chance: 1 }]]);
  while (reached.size) {
    const next = new Map<string, { outcomes: boolean[]; chance: number }>();
    for (const { outcomes, chance } of reached.values())
      for (const passed of [true, false]) {
        const longer = [...outcomes, passed];
        const passes = longer.filter(Boolean).length;
        const failures = longer.length - passes;
        const share = chance * (passed ? rate : 1 - rate);
        if (passes === policy.minPasses || failures === most) yield { outcomes: longer, chance: share };
        else {
          const key = `${passes} ${failures}`;
          next.set(key, { outcomes: longer, chance: (next.get(key)?.chance ?? 0) + share });
        }
      }
    reached = next;
  }
}

test.each(POLICIES)('$minPasses of $k: the estimate has no bias, and the interval covers 95%', policy => {
  for (const rate of RATES) {
    let [mean, covered, total] = [0, 0, 0];
    for (const { outcomes, chance } of sequences(policy, rate)) {
      const found = curtailedRate(policy, outcomes)!;
      mean += chance * found.rate;
      total += chance;
      if (found.interval[0] <= rate && rate <= found.interval[1]) covered += chance;
    }
    expect(total).toBeCloseTo(1, 9);
    expect.soft(mean, `mean at ${rate}`).toBeCloseTo(rate, 9);
    expect.soft(covered, `coverage at ${rate}`).toBeGreaterThanOrEqual(0.95);
  }
});

test('trials after the stop don’t count, and before it there is no rate', () => {
  const policy = { k: 5, minPasses: 4 };
  const [pass, fail] = [true, false];
  expect(curtailedRate(policy, [pass, pass, pass])).toBeNull();
  const found = curtailedRate(policy, [pass, fail, pass, pass, pass]);
  expect(found!.rate).toBe(3 / 4);
  expect(curtailedRate(policy, [pass, fail, pass, pass, pass, fail])).toEqual(found);
  expect(curtailedRate(policy, [fail, fail])).toMatchObject({ rate: 0, interval: [0, expect.any(Number)] });
  expect(curtailedRate(policy, [pass, pass, pass, pass])).toMatchObject({
    rate: 1,
    interval: [expect.any(Number), 1],
  });
});

test('it is about as wide as the interval of trials that don’t stop', () => {
  const [low, high] = curtailedRate({ k: 10, minPasses: 8 }, Array(8).fill(true))!.interval;
  const [fixedLow] = wilsonInterval(8, 8)!;
  expect(high).toBe(1);
  expect(Math.abs(low - fixedLow)).toBeLessThan(0.08);
});

/** The counts of trials that stop early, each with its chance. */
function countsOf(policy: { k: number; minPasses: number }, rate: number): [number, number, number][] {
  return [...sequences(policy, rate)].map(({ outcomes, chance }) => {
    const passes = outcomes.filter(Boolean).length;
    return [passes, outcomes.length - passes, chance];
  });
}

function sumOfRuns(counts: [number, number, number][], runs: number): [number, number, number][] {
  let sums = new Map<string, [number, number, number]>([['', [0, 0, 1]]]);
  for (let run = 0; run < runs; run++) {
    const next = new Map<string, [number, number, number]>();
    for (const [passes, failures, chance] of sums.values())
      for (const [morePasses, moreFailures, share] of counts) {
        const [p, f] = [passes + morePasses, failures + moreFailures];
        next.set(`${p} ${f}`, [p, f, (next.get(`${p} ${f}`)?.[2] ?? 0) + chance * share]);
      }
    sums = next;
  }
  return [...sums.values()];
}

const LEVELS = [0.05, 0.01];

/** The chance of a false alarm of Fisher's test at each level, if the rate stays the same. */
function falseAlarms(before: [number, number, number][], after: [number, number, number][]): number[] {
  const alarms = LEVELS.map(() => 0);
  for (const [passes, failures, chance] of before)
    for (const [p, f, share] of after) {
      const found = chanceOfFall({ passes, failures }, { passes: p, failures: f });
      for (const [at, level] of LEVELS.entries()) if (found <= level) alarms[at]! += chance * share;
    }
  return alarms;
}

test.each([
  [3, 2],
  [5, 4],
  [5, 3],
])('all counts of stopped trials may be pooled: k %i, %i needed', (k, minPasses) => {
  for (const rate of [0.05, 0.25, 0.45, 0.65, 0.85, 0.95]) {
    const later = countsOf({ k, minPasses }, rate);
    for (const runs of [1, 10])
      for (const [at, alarms] of falseAlarms(sumOfRuns(later, runs), later).entries())
        expect.soft(alarms, `rate ${rate}, ${runs} runs`).toBeLessThanOrEqual(LEVELS[at]!);
  }
});

test.each([
  ['ppfpp', 0.75],
  ['pppps', 1],
  // Two ran in vain, as others ended.
  ['ffpps', 0],
  // An error says nothing about the site.
  ['pepfp', null],
  ['pepppp', 1],
  // One is missing, perhaps in another shard.
  ['pspppp', null],
  ['pps', null],
])('%s, 4 of 5 needed', (letters, rate) => {
  const found = rateOfStopped({ k: 5, minPasses: 4, trials: trials(letters) });
  expect(found?.rate ?? null).toBe(rate);
});
