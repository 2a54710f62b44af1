// What changed between a baseline and a later run, whether there are enough trials to tell, and what follows for the exit code.
import { byRowName, keyOf, type RowName, specName } from '../data/plan';
import type { Results } from '../data/results';
import type { Graded, VerdictName, VerdictRow } from '../data/verdict';
import { chanceOfFall, type Stratum, stratifiedExactOneSided, taroneLevel, totalOf } from './statistics';
import { isSettled, rateDifference } from './verdict';

/** In an unchanged suite, the highest chance that any spec is called proven worse. */
export const ALPHA = 0.05;
/** The same for the test of the whole suite. */
export const SUITE_ALPHA = 0.015;
/** Trials that stop early make small p of the whole suite more frequent: up to twice as frequent in simulated suites. */
const STOPPED_SUITE_ALPHA = SUITE_ALPHA / 2;
/** A spec with a lower rate and a p of at most this is a candidate, whatever its verdict. */
const CANDIDATE_P = 0.1;

/** `taskproof diff --help` says what they mean. In the order of display: changes that need a look first. */
export const CHANGES = [
  'regressed',
  'worsened',
  'unclear',
  'removed',
  'added',
  'fixed',
  'improved',
  'unchanged',
  'not run',
] as const;
export type Change = (typeof CHANGES)[number];

const ALSO = ['spec', 'policy', 'earlyStop', 'agent', 'model'] as const;

/** `spec` is as `specName` returns it. Replays are compared with replays only: they measure the site, not an agent. */
export interface DiffRow extends Omit<RowName, 'describe'> {
  change: Change;
  /** With the verdict by the later run's policy. */
  before: VerdictRow | null;
  after: VerdictRow | null;
  /** Fisher's exact test, one-sided in the direction of the change. Null for replays, which don't change by chance. */
  p: number | null;
  /** Looks worse than its baseline. Fresh trials can prove it. */
  candidate: boolean;
  /** Worse, with enough trials to tell, whatever the number of compared specs. */
  proven: boolean;
  /** What else differs and may be the cause: the spec, its policy, whether its trials stop early, the agent, the model. */
  alsoChanged: (typeof ALSO)[number][];
}

/** Its `rows` are sorted by change as in CHANGES, then by spec and project. */
export type Diff = ReturnType<typeof diffVerdicts>;
export type DiffOutcome = ReturnType<typeof outcomeOf>;

/** Tells why the later run may lack rows. */
export type LaterRun = Pick<Results, 'complete' | 'filtered' | 'projectsSelected'>;

/** Compares a run with a baseline. Rows match by spec, project and whether they were replayed; each list has a row once. */
export function diffVerdicts(
  before: readonly VerdictRow[],
  after: readonly VerdictRow[],
  run: LaterRun = { complete: true },
) {
  const earlier = new Map(before.map(row => [keyOf(row), row]));
  const later = new Map(after.map(row => [keyOf(row), row]));
  const ran = new Set(after.map(({ project }) => project));
  const lacks = ({ project }: VerdictRow): Change => {
    if (!run.complete) return 'unclear';
    return run.filtered || (run.projectsSelected && !ran.has(project)) ? 'not run' : 'removed';
  };
  const rows = [...new Set([...earlier.keys(), ...later.keys()])]
    .map(key => compare(earlier.get(key), later.get(key), lacks))
    .sort((a, b) => CHANGES.indexOf(a.change) - CHANGES.indexOf(b.change) || byRowName(a, b));
  prove(rows);
  const counts = Object.fromEntries(CHANGES.map(change => [change, 0])) as Record<Change, number>;
  for (const row of rows) counts[row.change]++;
  return { rows, counts, suite: suiteChangeOf(rows.filter(({ proven }) => !proven)) };
}

function compare(
  before: VerdictRow | undefined,
  after: VerdictRow | undefined,
  lacks: (before: VerdictRow) => Change,
): DiffRow {
  const { project, replayed, titlePath } = (after ?? before)!;
  const spec = specName((after ?? before)!);
  // A stricter policy is no regression, and a looser one hides none: use the later one for both sides.
  const sides = {
    before: before ? { ...before, ...(after ? { verdict: judgedBy(after, before) } : {}) } : null,
    after: after ?? null,
  };
  const change = after ? changeBetween(sides.before, after) : lacks(before!);
  const p = before && after && !replayed ? chanceOf(change, before, after) : null;
  const candidate =
    p !== null && (change === 'regressed' || (change === 'worsened' && atMost(p, CANDIDATE_P)));
  const alsoChanged = before && after ? differences(before, after) : [];
  return { spec, titlePath, project, replayed, change, ...sides, p, candidate, proven: false, alsoChanged };
}

/** The verdict of `side` by another row's policy. Counts of another k, or of several runs, pass by the share that the policy asks for. */
function judgedBy({ k, minPasses }: VerdictRow, side: VerdictRow): VerdictName {
  const graded = side.passes + side.failures;
  const samePolicy = side.k === k && side.minPasses === minPasses;
  if (!isSettled(side.verdict) || graded === 0 || (samePolicy && (side.runs ?? 1) === 1)) return side.verdict;
  return passesBy({ k, minPasses }, side) ? 'passed' : 'failed';
}

function passesBy(policy: Pick<VerdictRow, 'k' | 'minPasses'>, { passes, failures }: Graded): boolean {
  return passes * policy.k >= policy.minPasses * (passes + failures);
}

function changeBetween(before: VerdictRow | null, after: VerdictRow): Change {
  if (!before) return 'added';
  if (!isSettled(before.verdict) || !isSettled(after.verdict)) return 'unclear';
  if (before.verdict !== after.verdict) return after.verdict === 'passed' ? 'fixed' : 'regressed';
  const difference = rateDifference(after, before);
  if (difference === 0) return 'unchanged';
  return difference > 0 ? 'improved' : 'worsened';
}

const isWorse = (change: Change) => change === 'regressed' || change === 'worsened';

function chanceOf(change: Change, before: Graded, after: Graded): number | null {
  if (isWorse(change)) return chanceOfFall(before, after);
  return change === 'fixed' || change === 'improved' ? chanceOfFall(after, before) : null;
}

/** Tolerates the rounding of summed logarithms. */
const atMost = (p: number, level: number) => p <= level * (1 + 1e-9);

/** A replay needs no statistics: it repeats the same actions, so one failure is proof. */
function prove(rows: readonly DiffRow[]): void {
  const smallest = rows.filter(isTested).map(({ before, after }) => smallestP(before!, after!));
  const level = taroneLevel(smallest, ALPHA);
  for (const row of rows)
    row.proven =
      (row.replayed && row.change === 'regressed') ||
      (isTested(row) && isWorse(row.change) && row.p !== null && atMost(row.p, level));
}

/** The p if as many of the failures as possible were in the later run. */
function smallestP(before: Graded, after: Graded): number {
  const moved = Math.min(before.failures, after.passes);
  return chanceOfFall(
    { passes: before.passes + moved, failures: before.failures - moved },
    { passes: after.passes - moved, failures: after.failures + moved },
  );
}

/** Not if its trials stop early on one side only: where these fail, fewer trials count, so unchanged specs would look worse. */
function isTested({ replayed, before, after, change, alsoChanged }: DiffRow): boolean {
  const isMeasured = !replayed && before !== null && after !== null && change !== 'unclear';
  return isMeasured && !alsoChanged.includes('earlyStop');
}

/** @param fresh further trials since the change, by `keyOf` of their row @returns null if nothing can be compared */
export function suiteChangeOf(rows: readonly DiffRow[], fresh: ReadonlyMap<string, Graded> = new Map()) {
  const tested = rows.filter(isTested);
  const strata = tested.map((row): Stratum => {
    const more = fresh.get(keyOf(row));
    return { before: row.before!, after: more ? totalOf([row.after!, more]) : row.after! };
  });
  if (!strata.length) return null;
  const p = stratifiedExactOneSided(strata);
  const level = tested.some(({ after }) => after!.stoppedEarly) ? STOPPED_SUITE_ALPHA : SUITE_ALPHA;
  return {
    specs: strata.length,
    before: totalOf(strata.map(({ before }) => before)),
    after: totalOf(strata.map(({ after }) => after)),
    /** The chance of a fall this large if each spec's rate were the same; without the specs that are proven worse. */
    p,
    /** The suite as a whole became worse. */
    fell: atMost(p, level),
  };
}

/** The most failures that a baseline of this size could have for the later run to be a candidate. */
export function luckiestBaseline(before: VerdictRow, after: VerdictRow): number {
  const size = before.passes + before.failures;
  for (let failures = size; failures >= 0; failures--) {
    const side = { passes: size - failures, failures };
    const flip = after.verdict === 'failed' && passesBy(after, side);
    const lower = rateDifference(after, side) < 0;
    if (flip || (lower && atMost(chanceOfFall(side, after), CANDIDATE_P))) return failures;
  }
  return 0;
}

function differences(before: VerdictRow, after: VerdictRow): DiffRow['alsoChanged'] {
  const differs = {
    spec: before.specHash && after.specHash && before.specHash !== after.specHash,
    policy: before.k !== after.k || before.minPasses !== after.minPasses,
    earlyStop: !before.stoppedEarly !== !after.stoppedEarly,
    agent: before.agent !== after.agent,
    model: before.model !== after.model,
  };
  return ALSO.filter(what => differs[what]);
}

/** Reasons why a comparison may have no answer. */
export const DOUBTS = ['removed', 'added', 'unclear'] as const;
export type Doubt = (typeof DOUBTS)[number];

/** Of `diff` and `confirm`. `unknown`: nothing looks worse, but something may be. */
export const EXIT_CODES = { same: 0, worse: 1, unknown: 3 } as const;

/** @param allowed any of DOUBTS, and `candidates`: then only proven rows are worse */
export function outcomeOf({ rows, suite }: Diff, allowed: ReadonlySet<string> = new Set()) {
  const proven = rows.filter(row => row.proven);
  const candidates = allowed.has('candidates') ? [] : rows.filter(row => row.candidate && !row.proven);
  const doubts = DOUBTS.filter(doubt => !allowed.has(doubt))
    .map(doubt => ({ doubt, rows: rows.filter(({ change }) => change === doubt) }))
    .filter(({ rows }) => rows.length);
  const worse = proven.length || candidates.length || suite?.fell;
  const unknown = doubts.length || rows.every(({ change }) => change === 'not run');
  const outcome: keyof typeof EXIT_CODES = worse ? 'worse' : unknown ? 'unknown' : 'same';
  return { outcome, proven, candidates, doubts };
}
