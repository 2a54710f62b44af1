// The reporter from the first test to the end of a run, as Playwright calls it: what it judges, writes and throws.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FullConfig, FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TrialRecord } from '../../../src/data/record';
import type { Results } from '../../../src/data/results';
import { closeLedger } from '../../../src/playwright/run/ledger';
import { planAnnotations, policyAnnotation } from '../../../src/playwright/run/plan';
import { CHECK_RUN, RESUME } from '../../../src/playwright/run/settings';
import { storedRuns } from '../../../src/report/kept/stored-run';
import { keepRun } from '../../../src/report/missing';
import TaskproofReporter from '../../../src/report/reporter';
import { writeResults } from '../../../src/report/write';
import { fakeConfig, fakeProject, fakeResult, fakeSuite, fakeTest } from '../../support/fake-suite';
import { madeRecord } from '../../support/records';
import { tempFolder } from '../../support/temp-folder';

const { argv } = process;
let printed: string[];

beforeEach(() => {
  process.argv = ['node', 'playwright', 'test'];
  vi.stubEnv('GITHUB_STEP_SUMMARY', undefined).stubEnv('NO_COLOR', '1').stubEnv('FORCE_COLOR', undefined);
  printed = [];
  const note = (text: unknown) => printed.push(String(text)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(note as never);
  vi.spyOn(process.stderr, 'write').mockImplementation(note as never);
});
afterEach(() => {
  process.argv = argv;
  closeLedger();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** How each trial ends: passed, failed, error, skipped, left out; `-` for one that did not run; `q` passed another text of the spec. */
interface Played {
  letters: string;
  k?: number;
  minPasses?: number;
  project?: string;
  /** An ordinary test with a pass policy. */
  isTest?: boolean;
  /** Its file does not parse. */
  isBroken?: boolean;
  /** Only the workers know that it is replayed. */
  isReplayed?: boolean;
  describe?: string;
  record?: Partial<TrialRecord>;
}

interface Run {
  options?: object;
  status?: FullResult['status'];
  shard?: FullConfig['shard'];
  /** The reports are merged. */
  merge?: boolean;
  /** Changes the config before the run begins. */
  prepare?(config: FullConfig, tests: readonly TestCase[]): void;
  folder?: string;
}

function resultOf(
  letter: string,
  { annotations, location }: TestCase,
  { spec, isTest, record: more }: { spec: string; isTest: boolean; record: Partial<TrialRecord> },
): TestResult {
  // A worker that died reports nothing.
  const outcome = ({ p: 'passed', q: 'passed', f: 'failed' } as const)[letter];
  const reason = outcome === 'failed' ? '"h1" is not visible' : null;
  const specHash = (letter === 'q' ? 'b' : 'a').repeat(64);
  const record = madeRecord({ specId: spec, specHash, outcome: outcome ?? 'passed', reason, ...more });
  return fakeResult({
    status: 'sl'.includes(letter) ? 'skipped' : (outcome ?? 'failed'),
    annotations: letter === 'e' ? [] : annotations,
    ...(letter === 'f' ? { error: { location: { ...location, line: 14 } } } : {}),
    record: outcome && !isTest ? record : undefined,
  });
}

/** Plays a run. `lost`: what the reporter threw at its end. */
async function play(specs: Record<string, string | Played>, run: Run = {}) {
  const folder = run.folder ?? tempFolder();
  const agent = { name: 'mine', run: async () => undefined };
  const entries = Object.entries(specs).map(([id, played]): [string, Played] => [
    id,
    typeof played === 'string' ? { letters: played } : played,
  ]);
  const names = [...new Set(entries.map(([, { project = 'opus' }]) => project))];
  const use = { taskproof: { agent } };
  const projects = names.map(name => fakeProject(name, { use, repeatEach: 9, outputDir: folder }));
  const tests = entries.flatMap(([id, { letters, project = 'opus', isTest = false, ...more }]) => {
    const { isBroken, isReplayed = false, describe, record = {} } = more;
    const policy = { k: more.k ?? letters.length, minPasses: more.minPasses ?? more.k ?? letters.length };
    const file = `${id}.yaml`;
    const planned = isTest
      ? [policyAnnotation(policy)]
      : planAnnotations({ id, file, policy, replayed: false });
    return [...letters].map((letter, repeatEachIndex) => {
      const played = { letter, spec: id, isTest, isReplayed, record };
      const annotations = isBroken ? [{ type: 'broken spec', description: file }] : planned;
      const made = fakeTest({
        ...{ title: id, repeatEachIndex, annotations, ...(describe ? { describe } : {}) },
        project: projects.find(({ name }) => name === project)!,
        inside: {
          ...played,
          id: `${id} ${repeatEachIndex}`,
          location: { file: join(folder, 'tasks.spec.ts'), line: 1, column: 1 },
          ok: () => letter === 'p',
          ...(letter === 's' ? { expectedStatus: 'skipped' } : {}),
        },
      });
      return made as typeof made & typeof played;
    });
  });
  const config = fakeConfig(projects, {
    shard: run.shard ?? null,
    configFile: join(folder, 'playwright.config.ts'),
    reporter: [['list']],
  });
  run.prepare?.(config, tests);
  const excluded = new Set<TestCase>();
  const testRun = { exclude: (each: TestCase) => void excluded.add(each) };
  const suite = fakeSuite(tests);
  suite.allTests = () => tests.filter(each => !excluded.has(each));
  const reporter = new TaskproofReporter({ configDir: folder, ...run.options });
  if (!run.merge) await reporter.preprocess({ config, suite, testRun: testRun as never });
  reporter.onBegin(config, suite);
  for (const each of tests) {
    if (each.letter === '-' || excluded.has(each)) continue;
    if (each.isReplayed && each.letter !== 'e')
      each.annotations.splice(
        0,
        3,
        ...planAnnotations({ id: each.spec, file: 'x', policy: { k: 2, minPasses: 1 }, replayed: true }),
      );
    const result = resultOf(each.letter, each, each);
    each.results.push(result);
    reporter.onTestEnd(each, result);
  }
  const end = { status: run.status ?? 'passed', duration: 1_234, startTime: new Date() } as FullResult;
  const lost = await reporter.onEnd(end).then(
    () => null,
    (error: Error) => error.message,
  );
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const written = (file = 'taskproof-results.json') => JSON.parse(read(file)) as Results;
  const said = printed.join('');
  return { folder, lost, said, tests, reporter, config, read, written };
}

test('a run whose specs pass: no error, the table, the results file', async () => {
  const { lost, said, written, folder } = await play({ cart: 'pp', docs: 'p' });
  expect(lost).toBeNull();
  expect(said).toContain('2 specs: 2 passed (1.2s, $0)');
  expect(written()).toMatchObject({
    ...{ status: 'passed', complete: true, durationMs: 1_234, costUsd: 0 },
    verdicts: [
      { spec: 'cart', project: 'opus', agent: 'mine', file: 'buy.yaml', passes: 2, rate: 1 },
      { spec: 'docs', verdict: 'passed' },
    ],
  });
  expect(written()).not.toHaveProperty('incompleteBecause');
  expect(written()).not.toHaveProperty('filtered');
  expect(existsSync(join(folder, 'recordings'))).toBe(false);
});

test('a lost spec fails the run, and says where its trials are shown', async () => {
  const { lost, written } = await play(
    { cart: 'pf', docs: 'p' },
    { prepare: config => config.reporter.push(['html', { outputFolder: 'shown' }]) },
  );
  expect(written().status).toBe('failed');
  expect(lost).toMatch(/^taskproof: 1 spec did not pass\n {2}✗ cart \[opus\] failed: 1\/2 passed, needs 2\n/);
  expect(lost).toMatch(/npx playwright show-report .*shown$/m);
  expect(lost).toMatch(/All verdicts as JSON: .*taskproof-results\.json$/m);
});

test('a results file that could not be written is not named', async () => {
  const prepare = (config: FullConfig) =>
    void mkdirSync(join(dirname(config.configFile!), 'taskproof-results.json'));
  const { lost } = await play({ cart: 'f' }, { prepare });
  expect(lost).toContain('cart [opus] failed');
  expect(lost).not.toContain('taskproof-results.json');
});

test('the error is printed if no reporter of Playwright does', async () => {
  const alone = { prepare: (config: FullConfig) => void Object.assign(config, { reporter: [['json']] }) };
  expect((await play({ cart: 'f' }, alone)).said).toContain('taskproof: 1 spec did not pass');
  printed = [];
  expect((await play({ cart: 'f' })).said).not.toContain('did not pass');
});

test.each<[string, string, boolean]>([
  ['that is lost', 'ff', true],
  ['with trials in other shards', 'p', false],
  ['with errors', 'ee', false],
])('in a shard, a spec %s', async (_, letters, fails) => {
  const cart = { letters, k: 3, minPasses: 2 };
  const { lost, written } = await play({ cart }, { shard: { current: 1, total: 2 } });
  expect(lost !== null).toBe(fails);
  expect(written()).toMatchObject({ complete: false, status: fails ? 'failed' : 'passed' });
  expect((await play({ cart }, { shard: { current: 1, total: 1 } })).lost).not.toBeNull();
});

test.each<[FullResult['status'], string, string]>([
  ['interrupted', 'interrupted', 'the run was interrupted'],
  ['timedout', 'failed', 'the run reached its globalTimeout of 60 s'],
])('a run that ended as %s says so with what is missing', async (status, shown, why) => {
  const { lost, written } = await play(
    { cart: { letters: 'p-', minPasses: 2 }, docs: '--' },
    { status, prepare: config => void Object.assign(config, { globalTimeout: 60_000 }) },
  );
  expect(written()).toMatchObject({ status: shown, complete: false, incompleteBecause: why });
  expect(lost).toContain(`… cart [opus] undecided: 1/2 passed, needs 2\n      ${why}; 1 of 2 trials present`);
  expect(lost).toContain(`… 1 spec did not run: ${why} (docs [opus])`);
});

test('a run that fails for another reason stays failed', async () => {
  const { lost, written } = await play({ cart: 'p' }, { status: 'failed' });
  expect([lost, written().status]).toEqual([null, 'failed']);
});

test('a spec that the suite skips has no verdict, and a run of ordinary tests no results', async () => {
  const { lost, written } = await play({ cart: 'ss', docs: 'p' });
  expect(lost).toBeNull();
  expect(written().verdicts.map(({ spec }) => spec)).toEqual(['docs']);
  expect(written().complete).toBe(true);
  const { folder } = await play({});
  expect(existsSync(join(folder, 'taskproof-results.json'))).toBe(false);
});

test('a spec that Playwright left out is undecided, with the failure that kept it from running', async () => {
  const { lost, written } = await play({ cart: { letters: 'epp', minPasses: 2 }, docs: 'l', faq: 'll' });
  expect(lost).toMatch(
    /2 specs did not run: Playwright skipped tests of tasks.spec.ts after a\s+failure in "cart/,
  );
  expect(written()).toMatchObject({
    complete: false,
    status: 'failed',
    verdicts: [
      { verdict: 'passed' },
      { verdict: 'undecided', missing: 1 },
      { verdict: 'undecided', missing: 2 },
    ],
  });
});

test('a test with a pass policy that was left out once is no test that the suite skips', async () => {
  const { lost, written } = await play({ answers: { letters: 'ssl', minPasses: 1, isTest: true } });
  expect(lost).toContain('did not pass');
  expect(written().verdicts).toMatchObject([{ spec: 'answers', verdict: 'undecided', missing: 3 }]);
});

test('ordinary tests with a pass policy: no agent, no turns, named by their titles', async () => {
  const { lost, written } = await play({ answers: { letters: 'pfp', minPasses: 2, isTest: true } });
  expect(lost).toBeNull();
  const work = { agent: null, turns: null, costUsd: 0, passes: 2 };
  expect(written().verdicts).toMatchObject([
    { spec: 'answers', titlePath: ['tasks.spec.ts', 'answers'], ...work },
  ]);
});

test('--list, UI mode and editors judge nothing', async () => {
  for (const flag of ['--list', '--ui']) {
    process.argv = ['node', 'playwright', 'test', flag];
    const { lost, folder, tests } = await play({ cart: 'ff' });
    expect(lost).toBeNull();
    expect(existsSync(join(folder, 'taskproof-results.json'))).toBe(false);
    if (flag === '--ui') expect(tests[0]!.tags).toEqual([]);
  }
});

test('a part of the suite says so', async () => {
  process.argv = ['node', 'playwright', 'test', '--grep', 'cart'];
  expect((await play({ cart: 'p' })).written()).toMatchObject({ filtered: true, complete: true });
});

test('a retry is no trial', async () => {
  const { reporter, tests, written, folder } = await play({ cart: 'fp' });
  expect(written().verdicts[0]).toMatchObject({ passes: 1, failures: 1 });
  expect(written().verdicts[0]!.trials).toHaveLength(2);
  const again = { ...tests[0]!.results[0]!, status: 'passed', retry: 1 } as TestResult;
  reporter.onTestEnd(tests[0]!, again);
  await reporter.onEnd({ status: 'passed', duration: 1 } as FullResult).catch(() => undefined);
  const later = JSON.parse(readFileSync(join(folder, 'taskproof-results.json'), 'utf8')) as Results;
  expect(later.verdicts[0]!.trials).toHaveLength(2);
});

test('the summary, for a file and for GitHub; a shard leaves the latter to the merge', async () => {
  const folder = tempFolder();
  const steps = join(folder, 'steps.md');
  vi.stubEnv('GITHUB_STEP_SUMMARY', steps);
  writeFileSync(steps, 'Before\n');
  const options = { summary: 'deep/summary.md', outputFile: 'out/results.json' };
  const { read, written } = await play({ cart: 'p' }, { folder, options });
  expect(read('deep/summary.md')).toMatch(/^## Taskproof: passed\n/);
  expect(read('steps.md')).toBe(`Before\n${read('deep/summary.md')}\n`);
  expect(written('out/results.json').verdicts).toHaveLength(1);
  const before = read('steps.md');
  const { said } = await play({ cart: 'p' }, { folder, options, shard: { current: 1, total: 2 } });
  expect(read('steps.md')).toBe(before);
  expect(said).not.toContain('taskproof: ');
});

test('a baseline is compared with, except in a shard; what can not be read or written is a warning', async () => {
  const folder = tempFolder();
  await play({ cart: 'ppppp', docs: 'p' }, { folder, options: { outputFile: 'before.json' } });
  const options = { baseline: 'before.json' };
  printed = [];
  const { said } = await play({ cart: 'pffff', docs: 'p' }, { folder, options });
  expect(said).toContain('\n\nchange     spec  project');
  expect(said).toContain('2 specs compared: 1 regressed, 1 unchanged\n');
  printed = [];
  await play({ cart: 'p' }, { folder, options, shard: { current: 1, total: 2 } });
  expect(printed.join('')).not.toContain('compared');
  printed = [];
  const broken = await play({ cart: 'p' }, { folder, options: { baseline: 'none.json', outputFile: '.' } });
  expect(broken.lost).toBeNull();
  expect(broken.said).toMatch(/taskproof: .*none\.json: it does not exist\. Save one with/);
  expect(broken.said).toMatch(/taskproof: can't write the results to .*: EISDIR/);
});

test('a reporter that is listed twice is told from another run', async () => {
  const { folder, written } = await play({ cart: 'p' });
  const options = { outputFile: 'taskproof-results.json' };
  printed = [];
  await writeResults({ ...written(), startedAt: 'later' }, options, folder, 2);
  await writeResults({ ...written(), startedAt: 'now' }, options, folder);
  expect(printed).toEqual([
    expect.stringMatching(
      /results\.json: the reporter is listed twice, and each writes this file, too\. Give/,
    ),
    expect.stringMatching(/results\.json: another run, which began at later, writes this file, too\. Give/),
  ]);
});

test('a file that does not parse is missing from the results, which say so', async () => {
  const { written } = await play(
    { cart: 'p', broken: { letters: 'f', isBroken: true } },
    { status: 'failed' },
  );
  expect(written().verdicts.map(({ spec }) => spec)).toEqual(['cart']);
  expect(written()).toMatchObject({ complete: false, incompleteBecause: 'broken.yaml does not parse' });
});

const keptPlan = (id: string, shard: string | null, startedAt = '2026-11-05T10:00:00.000Z') => {
  const spec = { id, file: 'x.yaml', policy: { k: 2, minPasses: 2 }, replayed: false };
  return { startedAt, shard, ciRun: null, plan: [{ project: 'opus', spec }] };
};

test('merged reports are judged as one run: a spec of a shard that is missing is missing', async () => {
  const { lost, written } = await play(
    { cart: 'pp' },
    {
      merge: true,
      prepare(config) {
        const api = [{ model: 'm', served: 2, refused: 0, waitedMs: 3, perMinute: 2, limitPerMinute: null }];
        keepRun(config, { ...keptPlan('cart', '1/2'), filtered: true, api });
        keepRun(config, keptPlan('docs', '2/2'));
      },
    },
  );
  expect(lost).toContain('… 1 spec did not run (docs [opus])');
  expect(written()).toMatchObject({ complete: false, filtered: true, api: [{ model: 'm', served: 2 }] });
  expect(written().verdicts.map(({ spec, verdict }) => `${spec} ${verdict}`)).toEqual([
    'cart passed',
    'docs undecided',
  ]);
});

test.each(['failed', 'timedout', 'interrupted'] as const)(
  'a merged run that %s stays lost, though every verdict passed or it has none',
  async status => {
    process.argv = ['node', 'playwright', 'merge-reports', 'blobs'];
    const text = 'taskproof: a merged run failed outside of the verdicts';
    expect((await play({ cart: 'pp' }, { merge: true, status })).lost).toContain(text);
    expect((await play({}, { merge: true, status })).lost).toContain(text);
    expect((await play({ cart: 'pp' }, { merge: true })).lost).toBeNull();
  },
);

test('reports of two runs are not merged', async () => {
  const { lost, folder } = await play(
    { cart: 'pp' },
    {
      merge: true,
      prepare(config) {
        keepRun(config, keptPlan('cart', null));
        keepRun(config, keptPlan('cart', null, '2026-11-06T10:00:00.000Z'));
      },
    },
  );
  expect(lost).toMatch(
    /^taskproof: these reports don't belong together\. Merge the blobs of one run\.\n {2}the blob/,
  );
  expect(existsSync(join(folder, 'taskproof-results.json'))).toBe(false);
});

describe('a blob with a policy that no run has is not judged, and is named', () => {
  const policies: object[] = [0, -1, null, '3', 1e308, 2.5, 3].map(minPasses => ({ k: 2, minPasses }));
  test.each([...policies, { k: 1e8, minPasses: 1 }, { k: 0, minPasses: 0 }])('%j', async policy => {
    const forged = (description: string) => ({ type: '_taskproof-plan', description });
    const kept = keptPlan('docs', '2/2');
    const spec = { ...kept.plan[0]!.spec, policy };
    const inMetadata = (config: FullConfig) =>
      keepRun(config, { ...kept, plan: [{ project: 'opus', spec }] } as never);
    const inTest = (_: FullConfig, tests: readonly TestCase[]) =>
      tests[0]!.annotations.splice(0, 1, forged(JSON.stringify({ ...spec, id: 'cart' })));
    for (const prepare of [inMetadata, inTest]) {
      const { lost, folder } = await play({ cart: 'pp' }, { merge: true, prepare });
      expect(lost).toMatch(
        /^taskproof: no verdicts, .*\n {2}(the blob of "taskproof 2026.* 2\/2"|test "cart"): .*policy/,
      );
      expect(lost!.split('\n')).toHaveLength(2);
      expect(existsSync(join(folder, 'taskproof-results.json'))).toBe(false);
    }
  });

  test('also if it has no other spec', async () => {
    const prepare = ({ metadata }: FullConfig) => void Object.assign(metadata, { 'taskproof 2026': {} });
    expect((await play({}, { merge: true, prepare })).lost).toContain('no verdicts');
  });
});

test('a spec that the suite skips has no verdict if all of its shards are there', async () => {
  const cart = { letters: 'ss', k: 4 };
  const prepare = (config: FullConfig) => keepRun(config, { ...keptPlan('docs', '1/2'), plan: [] });
  const { lost, written } = await play({ cart, docs: 'p' }, { merge: true, prepare });
  expect(lost).toContain('cart [opus] undecided');
  expect(written().verdicts[0]).toMatchObject({ verdict: 'undecided', missing: 4 });
  const whole = await play({ cart: { ...cart, k: 2 }, docs: 'p' }, { merge: true, prepare });
  expect([whole.lost, whole.written().verdicts.length]).toEqual([null, 1]);
});

test('reports that disagree about a spec are not merged, and each conflict is named once', async () => {
  const { lost } = await play(
    { cart: 'ppp', docs: 'pqq' },
    { merge: true, prepare: config => keepRun(config, keptPlan('cart', '1/2')) },
  );
  expect(lost!.split('\n').slice(1)).toEqual([
    '  the reports disagree about the pass policy of cart [opus]: k 2, 2 needed; k 3, 3 needed',
    '  the reports disagree about the text of docs [opus]: aaaaaaaaaaaa; bbbbbbbbbbbb',
  ]);
});

test('after a run, --last-failed has all trials of a lost spec', async () => {
  const { reporter, folder } = await play({ cart: 'pf', docs: 'pp' });
  const file = join(folder, '.last-run.json');
  const failed = () => (JSON.parse(readFileSync(file, 'utf8')) as { failedTests: string[] }).failedTests;
  writeFileSync(file, JSON.stringify({ status: 'failed', failedTests: ['cart 1'] }));
  await reporter.onExit();
  expect(failed()).toEqual(['cart 1', 'cart 0']);
  // Skipped trials, as after the run's cap, are in no list of failed tests.
  writeFileSync(file, JSON.stringify({ status: 'passed', failedTests: [] }));
  await (await play({ cart: 'ps', docs: 'pp' }, { folder })).reporter.onExit();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    status: 'failed',
    failedTests: ['cart 0', 'cart 1'],
  });
  writeFileSync(file, JSON.stringify({ status: 'failed', failedTests: ['cart 1'] }));
  const merged = await play({ cart: 'pf' }, { folder, merge: true });
  await merged.reporter.onExit();
  expect(failed()).toEqual(['cart 1']);
});

/** As a command of ours begins one; its results are in fresh.json. */
function beginCheck(purpose: string, wanted?: object[]): string {
  const folder = tempFolder();
  const check = { purpose, outputFile: join(folder, 'fresh.json'), wanted };
  writeFileSync(join(folder, 'check.json'), JSON.stringify(check));
  vi.stubEnv(CHECK_RUN, join(folder, 'check.json'));
  return folder;
}

test('a confirmation gets its results, and nothing else is written or printed', async () => {
  const trials = { project: 'opus', enough: 2, trials: 3, trialUsd: 0 };
  const folder = beginCheck(
    'confirm',
    ['cart', 'docs'].map(spec => ({ ...trials, spec })),
  );
  const { lost, written, said } = await play({ cart: 'pf', docs: 'ss', news: 'p' }, { folder });
  expect([lost, said]).toEqual([null, '']);
  const { verdicts } = written('fresh.json');
  // One that it skipped because of its cost is kept.
  expect(verdicts.map(({ spec }) => spec)).toEqual(['cart', 'docs']);
  expect(verdicts[0]).not.toHaveProperty('diagnosis');
  expect(existsSync(join(folder, 'taskproof-results.json'))).toBe(false);
});

test('what a crash left counts with the trials that said that they are replays', async () => {
  process.argv = ['node', 'playwright', 'test', '--repeat-each=2'];
  const { written } = await play({ cart: { letters: 'ep', minPasses: 1, isReplayed: true } });
  expect(written().verdicts).toMatchObject([{ replayed: true, k: 2, passes: 1, errors: 1, interval: null }]);
});

test('rows say who ran what: describe, model, tokens, why nothing was recorded', async () => {
  const usage = { inputTokens: 5, outputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: 0 };
  const { written } = await play({
    zoo: { letters: 'pp', describe: 'phone', record: { model: 'm-1', usage } },
    cart: { letters: 'pp', minPasses: 1 },
  });
  const [cart, zoo] = written().verdicts;
  expect(zoo).toMatchObject({
    ...{ spec: 'zoo', describe: 'phone', model: 'm-1', interval: [expect.any(Number), 1] },
    usage: { inputTokens: 10, outputTokens: 2 },
    notRecorded: 'the trial did nothing to the page',
  });
  expect(written().usage).toMatchObject({ inputTokens: 10 });
  expect(cart).toMatchObject({ spec: 'cart', model: null });
  for (const field of ['describe', 'titlePath', 'earlyStop', 'assertions', 'recording'])
    expect(cart).not.toHaveProperty(field);
});

test('a probe tells which assertions hold before an agent has done anything; its failures are expected', async () => {
  const folder = beginCheck('probe');
  const assertions = [{ title: 'a', type: 'dom' as const, passed: true, reason: null }];
  const specs = { cart: { letters: 'f', record: { assertions } }, docs: 'p', news: 'e' };
  const { written, tests } = await play(specs, { folder });
  expect(written('fresh.json').verdicts[0]).toMatchObject({ spec: 'cart', assertions });
  // Of what passed although nothing was done, too: so Playwright tells that as the failure.
  expect(tests.map(({ expectedStatus }) => expectedStatus)).toEqual(['failed', 'failed', 'passed']);
});

test('where the first failed trial broke, else the first with an error', async () => {
  const { lost } = await play({ cart: 'ef', docs: 'e' });
  const places = lost!.split('\n').filter(line => line.trim().startsWith('at '));
  expect(places.map(line => line.replace(/.*[\\/]/, ''))).toEqual(['tasks.spec.ts:14', 'tasks.spec.ts:1']);
});

test('results of an earlier run that can not be replaced stop the run before it begins', () => {
  const configDir = tempFolder();
  const file = join(configDir, 'taskproof-results.json');
  writeFileSync(file, '{ "schemaVersion": "1" }');
  // What it would write first is in the way.
  mkdirSync(`${file}.${process.pid}.tmp`);
  expect(() => new TaskproofReporter({ configDir })).toThrow(
    `taskproof: ${file} can't be replaced (EISDIR), so the results of an earlier run would be taken for those of this one`,
  );
});

test.each([
  ['the suite has changed', (folder: string) => storedRuns(folder)[0]!, "can't be resumed"],
  ['no run is kept there', () => 'nowhere', 'has no run to resume'],
])('a run that is not resumed keeps the results of the last one: %s', async (_, resumed, refusal) => {
  const { folder, read } = await play({ cart: 'p' });
  const before = read('taskproof-results.json');
  vi.stubEnv(RESUME, resumed(folder));
  await expect(play({ docs: 'p' }, { folder })).rejects.toThrow(refusal);
  expect(read('taskproof-results.json')).toBe(before);
});
