import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Policy, TrialResult, VerdictName } from '../../../src/data/verdict';
import { policyForRepeats } from '../../../src/verdicts/policy';
import { chanceOfFall, wilsonInterval } from '../../../src/verdicts/statistics';
import { curtailedRate, rateOfStopped, trialReason, verdictOf } from '../../../src/verdicts/verdict';
import { trial, trials } from './trials';

describe('the verdict', () => {
  test.each<[number, number, string, VerdictName]>([
    // k, minPasses, trials by index
    [1, 1, 'p', 'passed'],
    [1, 1, 'f', 'failed'],
    [1, 1, 'e', 'inconclusive'],
    [1, 1, 's', 'undecided'],
    [1, 1, '', 'undecided'],
    [5, 4, 'ppppp', 'passed'],
    [5, 4, 'ppfpp', 'passed'],
    [5, 4, 'pffpp', 'failed'],
    [5, 4, 'fffff', 'failed'],
    [5, 4, 'ppppe', 'passed'],
    [5, 4, 'pppee', 'inconclusive'],
    [5, 4, 'pppfe', 'inconclusive'],
    [5, 4, 'ppffe', 'failed'],
    [5, 4, 'eeeee', 'inconclusive'],
    // settled with trials missing
    [5, 4, 'pppp-', 'passed'],
    [5, 4, '--ff-', 'failed'],
    [5, 4, 'pppps', 'passed'],
    [5, 4, 'ffsss', 'failed'],
    [5, 4, 'ffeee', 'failed'],
    // open with trials missing
    [5, 4, 'ppp--', 'undecided'],
    [5, 4, 'pppf-', 'undecided'],
    [5, 4, 'pppe-', 'undecided'],
    [5, 4, '-----', 'undecided'],
    [5, 4, 'sssss', 'undecided'],
    // errors alone have put a pass out of reach
    [5, 4, 'ee---', 'inconclusive'],
    [5, 4, 'fe---', 'inconclusive'],
    [5, 4, 'ppee-', 'inconclusive'],
    [5, 4, 'eesss', 'inconclusive'],
    [5, 1, 'ffff-', 'undecided'],
    [5, 1, 'ffffe', 'inconclusive'],
    [5, 1, 'ffffp', 'passed'],
    [5, 5, 'f----', 'failed'],
    [5, 5, 'e----', 'inconclusive'],
    // beyond k
    [2, 1, 'fepp', 'inconclusive'],
    [2, 2, 'ppff', 'passed'],
  ])('k %i, minPasses %i, trials %s: %s', (k, minPasses, letters, expected) => {
    expect(verdictOf({ k, minPasses }, trials(letters)).verdict).toBe(expected);
  });

  test('the example of the design', () => {
    const verdict = verdictOf({ k: 5, minPasses: 4 }, trials('ppfpp'));
    expect(verdict).toMatchObject({
      verdict: 'passed',
      passes: 4,
      failures: 1,
      errors: 0,
      missing: 0,
      rate: 0.8,
      interval: [0.3755, 0.9638],
      turns: 4,
      costUsd: 0.5,
      reason: null,
    });
    expect(verdict.trials).toEqual(trials('ppfpp'));
  });

  test('statistics count only trials that were graded', () => {
    const verdict = verdictOf({ k: 6, minPasses: 3 }, [
      trial(0, 'passed', { turns: 3, costUsd: 0.1 }),
      trial(1, 'failed', { turns: 9, costUsd: 0.2 }),
      trial(2, 'error', { turns: 0, costUsd: 0.05 }),
      trial(3, 'skipped', { turns: 0, costUsd: null }),
    ]);
    expect(verdict).toMatchObject({ rate: 0.5, turns: 6, costUsd: 0.35, missing: 3 });
  });

  test('no graded trial: no rate, no interval, no turns', () => {
    const verdict = verdictOf({ k: 2, minPasses: 1 }, trials('ee'));
    expect(verdict).toMatchObject({ rate: null, interval: null, turns: null, costUsd: 0.2 });
  });

  test('one unknown price makes the sum unknown', () => {
    const some = [trial(0, 'passed'), trial(1, 'error', { costUsd: null })];
    expect(verdictOf({ k: 2, minPasses: 1 }, some).costUsd).toBeNull();
  });

  test('of two trials with one index a failure stands before a pass, and any before a skipped one', () => {
    const policy = { k: 2, minPasses: 2 };
    expect(verdictOf(policy, [...trials('pp'), trial(1, 'failed')]).verdict).toBe('failed');
    expect(verdictOf(policy, [trial(1, 'failed'), ...trials('pp')]).verdict).toBe('failed');
    expect(verdictOf(policy, [...trials('ps'), trial(1, 'passed')]).verdict).toBe('passed');
    expect(verdictOf(policy, [...trials('pe'), trial(1, 'passed')]).verdict).toBe('passed');
  });
});

describe('the reason', () => {
  const policy = { k: 5, minPasses: 4 };
  test.each<[string, string | null]>([
    ['ppfpp', null],
    ['pfpfp', 'trial 2/5: because failed (at http://127.0.0.1/cart)'],
    ['pffep', 'trial 2/5: because failed (at http://127.0.0.1/cart)'],
    ['ppfep', 'trial 4/5: agent_api: because error (at http://127.0.0.1/cart)'],
    ['ppp--', '3 of 5 trials present'],
    ['pp-f-', '3 of 5 trials present; trial 4/5: because failed (at http://127.0.0.1/cart)'],
    ['ppps-', '3 of 5 trials present; trial 4/5: because skipped'],
    ['ppse-', '3 of 5 trials present; trial 4/5: agent_api: because error (at http://127.0.0.1/cart)'],
  ])('of %s', (letters, expected) => {
    expect(verdictOf(policy, trials(letters)).reason).toBe(expected);
  });

  test('is one line, names the place once, and falls back on the status', () => {
    const url = 'http://127.0.0.1/cart';
    expect(trialReason(trial(0, 'failed', { reason: `stuck\n  at ${url}` }), 3)).toBe(
      `trial 1/3: stuck at ${url}`,
    );
    expect(trialReason(trial(0, 'failed', { reason: null, status: 'max_steps', finalUrl: null }), 3)).toBe(
      'trial 1/3: max_steps',
    );
  });

  test.each([
    ['failed', { status: 'gave_up', reason: '  ' }, 'gave_up (at http://127.0.0.1/cart)'],
    ['failed', { reason: ' stuck ', errorKind: 'browser' }, 'stuck (at http://127.0.0.1/cart)'],
    ['error', { errorKind: undefined }, 'error (at http://127.0.0.1/cart)'],
    // it was nowhere
    ['skipped', { status: 'skipped' }, 'skipped'],
  ] as const)('without words of its own, %s %j', (outcome, more, expected) => {
    expect(trialReason(trial(0, outcome, { reason: null, ...more }), 2)).toBe(`trial 1/2: ${expected}`);
  });
});

test('--repeat-each=N', () => {
  expect(policyForRepeats({ k: 5, minPasses: 4 }, 2)).toEqual({ k: 2, minPasses: 2 });
  expect(policyForRepeats({ k: 5, minPasses: 4 }, 10)).toEqual({ k: 10, minPasses: 4 });
});

const policies: fc.Arbitrary<Policy> = fc
  .integer({ min: 1, max: 25 })
  .chain(k => fc.record({ k: fc.constant(k), minPasses: fc.integer({ min: 1, max: k }) }));

const cases = policies.chain(policy =>
  fc.record({
    policy: fc.constant(policy),
    trials: fc.array(
      fc.record<TrialResult>({
        index: fc.integer({ min: 0, max: policy.k }),
        outcome: fc.constantFrom('passed', 'failed', 'error', 'skipped'),
        status: fc.constantFrom('completed', 'max_steps'),
        reason: fc.constantFrom(null, 'stuck', 'lost'),
        turns: fc.integer({ min: 0, max: 20 }),
        costUsd: fc.constantFrom(null, 0, 0.1, 0.2, 0.37),
        durationMs: fc.nat(1000),
        finalUrl: fc.constantFrom(null, 'http://127.0.0.1/a', 'http://127.0.0.1/b'),
      }),
      { maxLength: 30 },
    ),
  }),
);

describe('properties', () => {
  test('any order of the trials gives the same verdict', () => {
    fc.assert(
      fc.property(
        cases.chain(({ policy, trials }) =>
          fc.tuple(
            fc.constant(policy),
            fc.constant(trials),
            fc.shuffledSubarray(trials, { minLength: trials.length, maxLength: trials.length }),
          ),
        ),
        ([policy, inOrder, shuffled]) => {
          expect(verdictOf(policy, shuffled)).toEqual(verdictOf(policy, inOrder));
        },
      ),
    );
  });

  test('any split into shards, merged with shards repeated, gives the same verdict', () => {
    fc.assert(
      fc.property(
        cases,
        fc.integer({ min: 1, max: 6 }),
        fc.infiniteStream(fc.nat(5)),
        ({ policy, trials }, shards, places) => {
          const parts: TrialResult[][] = Array.from({ length: shards }, () => []);
          for (const one of trials) parts[places.next().value % shards]!.push(one);
          const merged = [...parts.reverse().flatMap(part => verdictOf(policy, part).trials), ...parts[0]!];
          expect(verdictOf(policy, merged)).toEqual(verdictOf(policy, trials));
        },
      ),
    );
  });

  test('one more failure never makes a pass, and one more pass never makes a failure', () => {
    fc.assert(
      fc.property(cases, fc.nat(24), ({ policy, trials }, index) => {
        const before = verdictOf(policy, trials).verdict;
        const worse = verdictOf(policy, [...trials, trial(index, 'failed')]).verdict;
        if (before !== 'passed') expect(worse).not.toBe('passed');
        if (before === 'failed') expect(worse).toBe('failed');
        const better = verdictOf(policy, [...trials, trial(index, 'passed')]).verdict;
        if (before !== 'failed') expect(better).not.toBe('failed');
      }),
    );
  });

  test('a settled verdict stands whatever the missing trials turn out to be', () => {
    fc.assert(
      fc.property(
        cases,
        fc.array(fc.constantFrom('p', 'f', 'e', 's'), { minLength: 25, maxLength: 25 }),
        ({ policy, trials: some }, letters) => {
          const before = verdictOf(policy, some);
          const present = new Set(before.trials.map(one => one.index));
          const rest = trials(letters.join('')).filter(one => !present.has(one.index));
          const after = verdictOf(policy, [...before.trials, ...rest]).verdict;
          if (before.verdict === 'passed' || before.verdict === 'failed') expect(after).toBe(before.verdict);
          if (before.verdict === 'inconclusive') expect(after).not.toBe('passed');
        },
      ),
    );
  });

  test('counts add up to k', () => {
    fc.assert(
      fc.property(cases, ({ policy, trials }) => {
        const v = verdictOf(policy, trials);
        expect(v.passes + v.failures + v.errors + v.missing).toBe(policy.k);
        expect(v.missing).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test('healed trials are counted, those beyond k are not', () => {
  const healed = { turn: 1, reason: 'gone', recording: 'r.json' };
  const all = [0, 1, 2].map(index => trial(index, 'passed', index === 1 ? {} : { healed }));
  expect(verdictOf({ k: 2, minPasses: 2 }, all)).toMatchObject({ verdict: 'passed', healed: 1 });
  expect(verdictOf({ k: 1, minPasses: 1 }, trials('p')).healed).toBeUndefined();
});

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

const graded = (outcomes: readonly boolean[]) => {
  const passes = outcomes.filter(Boolean).length;
  return { passes, failures: outcomes.length - passes };
};

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
      const found = curtailedRate(policy, graded(outcomes));
      mean += chance * found.rate;
      total += chance;
      if (found.interval[0] <= rate && rate <= found.interval[1]) covered += chance;
    }
    expect(total).toBeCloseTo(1, 9);
    expect.soft(mean, `mean at ${rate}`).toBeCloseTo(rate, 9);
    expect.soft(covered, `coverage at ${rate}`).toBeGreaterThanOrEqual(0.95);
  }
});

test.each(Array.from({ length: 24 }, (_, index) => index + 2))(
  'k %i: outside of its interval the estimate is that of the first trial alone, the share of passes never is',
  k => {
    for (let minPasses = 1; minPasses <= k; minPasses++)
      for (const { outcomes } of sequences({ k, minPasses }, 0.5)) {
        const { rate, interval } = curtailedRate({ k, minPasses }, graded(outcomes));
        const holds = (value: number) => interval[0] <= value && value <= interval[1];
        const { passes } = graded(outcomes);
        expect(holds(passes / outcomes.length), `${minPasses} of ${k}: ${outcomes}`).toBe(true);
        if (!holds(rate)) expect([1, k], `${minPasses} of ${k}: ${outcomes}`).toContain(minPasses);
      }
  },
);

test('it is about as wide as the interval of trials that don’t stop', () => {
  const [low, high] = curtailedRate({ k: 10, minPasses: 8 }, { passes: 8, failures: 0 }).interval;
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
  // Also if another worker left one out.
  ['ffs-p', 0],
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
