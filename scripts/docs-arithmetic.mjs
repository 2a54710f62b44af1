// How often a pass policy passes if the agent passes each trial with chance p, and what a baseline can show.
import { table } from './docs-table.mjs';

/** @type {[k: number, minPasses: number][]} */
const POLICIES = [
  [1, 1],
  [3, 2],
  [5, 4],
  [5, 5],
  [10, 7],
  [10, 8],
  [20, 16],
];
const RATES = [0.5, 0.7, 0.9, 0.95];

/** @param {number} value */
const percent = value => `${(value * 100).toFixed(1)}%`;
/** @param {[k: number, minPasses: number]} policy */
const policy = ([k, minPasses]) => `${minPasses} of ${k}`;

/**
 * @param {number} n
 * @param {number} r
 */
function choose(n, r) {
  let result = 1;
  for (let i = 1; i <= r; i++) result = (result * (n - r + i)) / i;
  return result;
}

/**
 * The chance of at least `minPasses` passes in k independent trials, each of which passes with chance p.
 *
 * @param {number} k
 * @param {number} minPasses
 * @param {number} p
 */
export function chanceToPass(k, minPasses, p) {
  let chance = 0;
  for (let passes = minPasses; passes <= k; passes++)
    chance += choose(k, passes) * p ** passes * (1 - p) ** (k - passes);
  return Math.min(1, chance);
}

export function policyTable() {
  return table(
    ['needs', ...RATES.map(rate => `p = ${rate}`)],
    POLICIES.map(([k, minPasses]) => [
      policy([k, minPasses]),
      ...RATES.map(rate => percent(chanceToPass(k, minPasses, rate))),
    ]),
  );
}

/**
 * The mean number of trials until the verdict is settled, if they run one after another.
 *
 * @param {number} k
 * @param {number} minPasses
 * @param {number} p
 */
export function trialsToSettle(k, minPasses, p) {
  /** @type {(passes: number, failures: number) => number} */
  const from = (passes, failures) => {
    if (passes >= minPasses || failures > k - minPasses) return 0;
    return 1 + p * from(passes + 1, failures) + (1 - p) * from(passes, failures + 1);
  };
  return from(0, 0);
}

/**
 * If all trials passed before: the most passes afterwards that chance no longer explains.
 *
 * @param {typeof import('../src/verdicts/statistics').chanceOfFall} chanceOfFall
 * @param {number} alpha
 */
export function fisherLine(chanceOfFall, alpha) {
  const most = [3, 5, 10, 20].map(k => {
    /** @param {number} passes */
    const p = passes => chanceOfFall({ passes: k, failures: 0 }, { passes, failures: k - passes });
    return `${[...Array(k + 1).keys()].findLast(passes => p(passes) <= alpha)} of ${k}`;
  });
  return `${most.slice(0, -1).join(', ')} or ${most.at(-1)} passes.`;
}
