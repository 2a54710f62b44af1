// How often the comparison with a baseline is wrong, and what it finds: simulated suites of 40 specs, judged by the real
// rules. A suite has a pooled baseline of 5 runs of 5 trials, a later run of 5 (4 needed), then `confirm` with up to 15
// fresh trials for each candidate.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const SPECS = 40;
const POLICY = { k: 5, minPasses: 4 };
const RATES = [0.7, 0.8, 0.9, 0.95, 0.99];
const mixed = spec => RATES[spec % RATES.length];
/** The rules' constants were chosen with the first seed, and fixed before the others were run. */
const SEEDS = [15, 101, 102];

export async function alarms({ quick }) {
  const { rules } = library();
  const suites = quick ? 100 : 2_000;
  const cell = (name, before, after, runs = [5]) =>
    mean(SEEDS.map(seed => simulate(rules, { name, before, after, runs, suites, seed })));
  const same = rate =>
    cell(
      `unchanged, ${rate}`,
      () => rate,
      () => rate,
    );
  const one = to =>
    cell(
      `one spec 0.95 -> ${to}`,
      () => 0.95,
      spec => (spec === 0 ? to : 0.95),
    );
  const fell = to => spec => (spec === 0 ? to : mixed(spec));
  const cells = {
    same: [...RATES.map(same), cell('unchanged, mixed 0.7 to 0.99', mixed, mixed)],
    uneven: cell('unchanged, mixed; baselines of 1 to 10 runs', mixed, mixed, [1, 2, 3, 5, 10]),
    far: one(0.2),
    near: one(0.6),
    mixed: cell('one spec 0.95 -> 0.6, the others 0.7 to 0.99', fell(0.95), fell(0.6)),
    whole: cell(
      'all specs 0.95 -> 0.88',
      () => 0.95,
      () => 0.88,
    ),
    few: cell(
      'one spec 0.95 -> 0.2; baseline of 1 run',
      () => 0.95,
      spec => (spec === 0 ? 0.2 : 0.95),
      [1],
    ),
  };
  const percent = { unit: '%', runs: suites * SEEDS.length };
  const share = value => `${(value * 100).toFixed(1)}%`;
  const alone = ({ looks, proven }) => `diff exits 1: ${share(looks)}, proven ${share(proven)}`;
  const seen = found => `any alarm ${share(found.alarm)}; ${alone(found)}`;
  return {
    title: `${SPECS} specs, k ${POLICY.k}, ${POLICY.minPasses} needed; ${SEEDS.length} seeds of ${suites} suites a row`,
    rows: [
      ...[...cells.same, cells.uneven].map(found => ({
        ...percent,
        name: `false alarms of confirm: ${found.name}`,
        value: found.alarm * 100,
        target: { atMost: 5 },
        note: `by seed ${found.seeds.map(({ alarm }) => share(alarm)).join(', ')}; ${alone(found)}; ${found.candidates.toFixed(1)} candidates, ${found.trials.toFixed(0)} fresh trials`,
      })),
      {
        ...percent,
        name: `found by confirm: ${cells.far.name}`,
        value: cells.far.found * 100,
        target: { atLeast: 95 },
        note: seen(cells.far),
      },
      {
        ...percent,
        name: `found by confirm: ${cells.near.name}`,
        value: cells.near.found * 100,
        target: { atLeast: 50 },
        note: seen(cells.near),
      },
      ...[cells.few, cells.mixed].map(cell => ({
        ...percent,
        name: `found by confirm: ${cell.name}`,
        value: cell.found * 100,
        note: seen(cell),
      })),
      {
        ...percent,
        name: `found by the suite's test: ${cells.whole.name}`,
        value: cells.whole.suite * 100,
        target: { atLeast: 80 },
        note: `by seed ${cells.whole.seeds.map(({ suite }) => share(suite)).join(', ')}; ${seen(cells.whole)}`,
      },
      {
        name: 'fresh trials of confirm: unchanged, 0.9',
        value: cells.same[2]?.trials ?? null,
        unit: 'trials',
        runs: suites * SEEDS.length,
        target: { atMost: 50 },
      },
    ],
    details: cells,
  };
}

function library() {
  const from = name => require(`../dist/verdicts/${name}.js`);
  return {
    rules: {
      ...from('change'),
      ...from('statistics'),
      ...from('confirm'),
      keyOf: require('../dist/data/plan.js').keyOf,
    },
  };
}

/** Shares of the suites in which something is reported, and the mean number of fresh trials. */
function simulate(rules, { name, before, after, runs, suites, seed }) {
  const random = rules.seeded(seed);
  const sums = { alarm: 0, proven: 0, looks: 0, suite: 0, found: 0, candidates: 0, trials: 0 };
  for (let suite = 0; suite < suites; suite++) {
    const diff = rules.diffVerdicts(
      Array.from({ length: SPECS }, (_, spec) => {
        const count = runs[spec % runs.length];
        return { ...row(spec, draw(random, count * POLICY.k, before(spec))), runs: count };
      }),
      Array.from({ length: SPECS }, (_, spec) => row(spec, draw(random, POLICY.k, after(spec)))),
    );
    const { worse, fresh } = rules.playedConfirm(diff, ({ spec }) => random() < after(Number(spec)));
    const rest = diff.rows.filter(row => !worse.has(rules.keyOf(row)));
    const fell = rules.suiteChangeOf(rest, fresh)?.fell;
    sums.alarm += Number(fell || worse.size > 0);
    sums.suite += Number(fell);
    sums.proven += Number(diff.suite.fell || diff.rows.some(({ proven }) => proven));
    sums.looks += Number(diff.suite.fell || diff.rows.some(({ candidate }) => candidate));
    sums.found += Number(diff.rows.some(row => row.spec === '0' && worse.has(rules.keyOf(row))));
    sums.candidates += fresh.size;
    for (const { passes, failures } of fresh.values()) sums.trials += passes + failures;
  }
  return { name, ...Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, sum / suites])) };
}

function mean(seeds) {
  const [{ name, ...shares }] = seeds;
  const of = key => seeds.reduce((sum, one) => sum + one[key], 0) / seeds.length;
  return { name, ...Object.fromEntries(Object.keys(shares).map(key => [key, of(key)])), seeds };
}

function draw(random, trials, rate) {
  let passes = 0;
  for (let trial = 0; trial < trials; trial++) passes += Number(random() < rate);
  return { passes, failures: trials - passes };
}

function row(spec, { passes, failures }) {
  const verdict = passes * POLICY.k >= POLICY.minPasses * (passes + failures) ? 'passed' : 'failed';
  const subject = { spec: String(spec), project: 'p', agent: 'a', model: null, replayed: false };
  return {
    ...subject,
    ...POLICY,
    verdict,
    passes,
    failures,
    errors: 0,
    turns: null,
    costUsd: null,
    reason: null,
  };
}
