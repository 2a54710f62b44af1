// What is kept of a run on disk, and whether another run may go on with it. That it does: tests/e2e/resume.test.ts.
import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Plan } from '../../../../src/data/plan';
import { NO_USAGE } from '../../../../src/data/usage';
import type { Judge } from '../../../../src/grading/judge';
import { closeLedger, openLedger } from '../../../../src/playwright/run/ledger';
import type { TaskproofOptions } from '../../../../src/playwright/run/options';
import { REGRADE, RESUME } from '../../../../src/playwright/run/settings';
import { storedRun, storedRuns, trialFile } from '../../../../src/report/kept/stored-run';
import { TrialStore } from '../../../../src/report/kept/trial-store';
import type { PlannedTest } from '../../../../src/report/planning';
import { SpecRun } from '../../../../src/report/spec-run';
import { fakeConfig, fakeProject, fakeRepeats, fakeResult, fakeTest } from '../../../support/fake-suite';
import { JUDGED_SPEC, keptTrial } from '../../../support/kept-trial';
import { madeRecord } from '../../../support/records';
import { tempFolder } from '../../../support/temp-folder';

let printed: string[];

beforeEach(() => {
  printed = [];
  const note = (text: unknown) => printed.push(String(text)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(note as never);
  vi.spyOn(process.stderr, 'write').mockImplementation(note as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

interface Given extends Partial<Plan> {
  project?: string;
  options?: PlannedTest['options'];
  /** Of the project. */
  baseURL?: string;
  /** Of `test.use`. */
  used?: object;
}

const agent = { name: 'mine', model: 'mine-1', run: async () => undefined };
const withOptions = (more: TaskproofOptions = {}) => ({ known: true, value: { agent, ...more } });

function planned({
  project = 'opus',
  options = withOptions(),
  baseURL = 'http://shop',
  used,
  ...more
}: Given = {}): PlannedTest {
  const plan = {
    ...{ id: 'cart', file: 'cart.yaml', specHash: 'a', policy: { k: 5, minPasses: 4 }, replayed: false },
    ...more,
  };
  const test = fakeTest({ title: plan.id, outside: { _use: used ? [{ fixtures: used }] : [] } });
  return { test, plan, project: fakeProject(project, { use: { baseURL } }), options };
}

function newFolder() {
  const folder = tempFolder();
  return { folder, config: fakeConfig([], { configFile: join(folder, 'playwright.config.ts') }) };
}

const JUDGE = { name: 'web', model: 'judge-1', judge: async () => ({ passed: true, reason: '' }) };

const OTHER_MODEL = { options: withOptions({ agent: { ...agent, model: 'mine-2' } }) };
const PREVIEW = { options: withOptions({ origin: 'http://preview' }) };
const OTHER_BASE = 'cart [opus]: the baseURL has changed (was: http://shop/; is: http://preview/)';

test.each<[string, Given[], string | null]>([
  ['nothing', [{}], null],
  ['an agent that only workers know', [{ options: { known: false } }], null],
  ['the text of a spec', [{ specHash: 'b' }], 'cart [opus]: the spec has changed (cart.yaml)'],
  [
    'the policy',
    [{ policy: { k: 5, minPasses: 3 }, specHash: 'b' }],
    'the policy has changed (was: 4 of 5 must pass; is: 3 of 5 must pass)',
  ],
  ['the model', [OTHER_MODEL], 'the agent has changed (was: mine (mine-1); is: mine (mine-2))'],
  ['the judge', [{ options: withOptions({ judge: JUDGE }) }], 'has changed (was: none; is: web, judge-1)'],
  ['the origin', [PREVIEW], 'the origin has changed (was: none; is: http://preview)'],
  ['a query or a password of the baseURL', [{ baseURL: 'http://ann:pw@shop/?v=2' }], null],
  ['the baseURL of the project', [{ baseURL: 'http://preview' }], OTHER_BASE],
  ['the baseURL of test.use', [{ used: { baseURL: 'http://preview' } }], OTHER_BASE],
  ['one more spec', [{}, { id: 'docs' }], 'docs [opus]: it was not in that run'],
  ['another spec', [{ id: 'docs' }], 'cart [opus]: it is not in this run'],
])('a run is not resumed if this has changed: %s', async (_, now, refusal) => {
  const { folder, config } = newFolder();
  await TrialStore.open(config, [planned()], new Date());
  const [run] = storedRuns(folder);
  vi.stubEnv(RESUME, run);
  const resume = TrialStore.open(config, now.map(planned), new Date());
  if (refusal === null) await resume;
  else await expect(resume).rejects.toThrow(refusal);
  // The command tells by it whether the run was resumed.
  expect(storedRun(run!)?.resumedAt === undefined).toBe(refusal !== null);
});

test('an ordinary test whose file has changed is not resumed, but graded anew: its policy stands there', async () => {
  const { folder, config } = newFolder();
  const file = join(folder, 'chat.spec.ts');
  const ordinary = () => {
    const each = planned({ id: 'chat', file: 'chat.spec.ts', titlePath: ['chat.spec.ts', 'chat'] });
    return [{ ...each, test: fakeTest({ inside: { location: { file, line: 1, column: 1 } } }) }];
  };
  writeFileSync(file, '1');
  await TrialStore.open(config, ordinary(), new Date());
  vi.stubEnv(RESUME, storedRuns(folder)[0]);
  await TrialStore.open(config, ordinary(), new Date());
  writeFileSync(file, '2');
  await expect(TrialStore.open(config, ordinary(), new Date())).rejects.toThrow(
    'chat.spec.ts › chat [opus]: the test file has changed (chat.spec.ts)',
  );
  vi.stubEnv(REGRADE, '1');
  await TrialStore.open(config, ordinary(), new Date());
});

test("a spec's kept trials are not resumed if its test file has changed: its check graded them", async () => {
  const { folder, config } = newFolder();
  const file = join(folder, 'tasks.spec.ts');
  const specs = () => [
    { ...planned(), test: fakeTest({ inside: { location: { file, line: 1, column: 1 } } }) },
  ];
  writeFileSync(file, '1');
  await TrialStore.open(config, specs(), new Date());
  writeFileSync(file, '2');
  vi.stubEnv(RESUME, storedRuns(folder)[0]);
  await expect(TrialStore.open(config, specs(), new Date())).rejects.toThrow(
    'cart [opus]: the test file of the spec has changed (cart.yaml)',
  );
  vi.stubEnv(REGRADE, '1');
  await TrialStore.open(config, specs(), new Date());
});

test('a run begins and is resumed although the file of an ordinary test is not there', async () => {
  const { folder, config } = newFolder();
  const ordinary = () => [planned({ id: 'chat', titlePath: ['chat.spec.ts', 'chat'] })];
  await TrialStore.open(config, ordinary(), new Date());
  vi.stubEnv(RESUME, storedRuns(folder)[0]);
  await TrialStore.open(config, ordinary(), new Date());
  expect(storedRun(storedRuns(folder)[0]!)?.resumedAt).toBeDefined();
});

test.each<[string, Given, string | null]>([
  ['the policy', { policy: { k: 5, minPasses: 3 }, specHash: 'b' }, null],
  ['the judge', { options: withOptions({ judge: JUDGE }) }, null],
  ['an assertion', { specHash: 'b' }, null],
  [
    'the goal',
    { specHash: 'b', taskHash: 'c' },
    'the task (goal, entryUrl or another field that does not grade) has changed',
  ],
  ['the agent', { options: withOptions({ agent: { ...agent, name: 'other' } }) }, 'the agent has changed'],
  ['the site', { baseURL: 'http://preview' }, 'the baseURL has changed'],
])('a run is graded anew unless what was played has changed: %s', async (_, now, refusal) => {
  const { folder, config } = newFolder();
  await TrialStore.open(config, [planned()], new Date());
  const [run] = storedRuns(folder);
  vi.stubEnv(RESUME, run).stubEnv(REGRADE, '1');
  const regraded = TrialStore.open(config, [planned(now)], new Date());
  if (refusal === null) await regraded;
  else await expect(regraded).rejects.toThrow(refusal);
  expect(storedRun(run!)?.regraded === undefined).toBe(refusal !== null);
});

test('a kept trial that can not be read is told when it is graded anew', async () => {
  const { folder, config } = newFolder();
  await TrialStore.open(config, [planned()], new Date());
  const run = storedRuns(folder)[0]!;
  expect(storedRun(run)?.configFile).toBe(config.configFile);
  writeFileSync(trialFile(run, 'opus', planned().plan, 0), '{');
  vi.stubEnv(RESUME, run).stubEnv(REGRADE, '1');
  await TrialStore.open(config, [planned()], new Date());
  expect(storedRun(run)?.regraded?.unknown).toEqual(["cart: a stored trial can't be read"]);
});

test.each<[string, object, string[]]>([
  ['stays one', { outcome: 'error', status: 'error', errorKind: 'internal' }, []],
  [
    'whose result does not show it needs a new trial',
    { outcome: 'passed' },
    ['cart: it played another text of its spec'],
  ],
])('when a run is graded anew, an error %s', async (_, more, unknown) => {
  const { folder, config } = newFolder();
  await TrialStore.open(config, [planned()], new Date());
  const run = storedRuns(folder)[0]!;
  const record = madeRecord({ specId: 'cart', ...more });
  const status = record.outcome === 'passed' ? 'passed' : 'failed';
  writeFileSync(trialFile(run, 'opus', planned().plan, 0), keptTrial(record, { outcome: 'error', status }));
  vi.stubEnv(RESUME, run).stubEnv(REGRADE, '1');
  await TrialStore.open(config, [planned()], new Date());
  expect(storedRun(run)?.regraded?.unknown).toEqual(unknown);
});

test.each([
  ['error', '0 trials kept'],
  ['failed', '1 trial kept'],
])('a trial that ended as %s: %s when the run is resumed', async (outcome, told) => {
  const { folder, config } = newFolder();
  await TrialStore.open(config, [planned()], new Date());
  const run = storedRuns(folder)[0]!;
  writeFileSync(
    trialFile(run, 'opus', planned().plan, 0),
    keptTrial(undefined, { outcome, status: 'failed' }),
  );
  vi.stubEnv(RESUME, run);
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await TrialStore.open(config, [planned()], new Date());
  expect(written.mock.calls.join('')).toContain(told);
  written.mockRestore();
});

test.each<['failed' | 'interrupted', boolean, RegExp[]]>([
  ['failed', true, [/^search/]],
  ['interrupted', true, [/^search/]],
  ['interrupted', false, [/^search/]],
])(
  'what else broke in a run that ended as %s is told when it is regraded (ordinary tests: %s)',
  async (ended, hasOthers, told) => {
    const { folder, config } = newFolder();
    const played = await TrialStore.open(config, [planned()], new Date());
    played.end(
      [{ entries: [{ trial: { outcome: 'passed' } }], tests: new Set(), planned: {} }] as never,
      ended,
      ['search: no results'],
    );
    expect(played.failedBesides(hasOthers)).toEqual([]);
    vi.stubEnv(RESUME, storedRuns(folder)[0]).stubEnv(REGRADE, '1');
    const regraded = await TrialStore.open(config, [planned()], new Date());
    expect(regraded.failedBesides(hasOthers)).toEqual(told.map(each => expect.stringMatching(each)));
  },
);

test('what the judge may spend on the next trial is what it left of the run and of that trial', async () => {
  const { folder, config } = newFolder();
  writeFileSync(join(folder, 'cart.yaml'), JUDGED_SPEC);
  const usage = { ...NO_USAGE, costUsd: 0.25 };
  const judging = vi.fn<Judge['judge']>(async () => ({ passed: true, reason: '', usage }));
  const options = withOptions({ judge: { ...JUDGE, judge: judging }, maxRunCostUsd: 0.6, maxCostUsd: 1.5 });
  const trials = [0, 1, 2].map(repeatEachIndex => {
    const each = planned({ options });
    return { ...each, test: fakeTest({ repeatEachIndex }) };
  });
  await TrialStore.open(config, trials, new Date());
  const [run] = storedRuns(folder);
  const record = madeRecord({
    specId: 'cart',
    finalUrl: 'http://shop/',
    finalText: 'Thank you',
    usage: { ...NO_USAGE, costUsd: 1 },
    costUsd: 1,
  });
  for (const { plan, project, test } of trials) {
    const file = trialFile(run!, project.name, plan, test.repeatEachIndex);
    writeFileSync(file, keptTrial(record, { costUsd: 1 }));
  }
  vi.stubEnv(RESUME, run).stubEnv(REGRADE, '1');
  await TrialStore.open(config, trials, new Date());
  const budgets = judging.mock.calls.map(([{ budgetUsd }]) => budgetUsd);
  expect(budgets).toEqual([0.5, expect.closeTo(0.35), expect.closeTo(0.1)]);
});

test('a variable that was left behind does not make a run that plays nothing', async () => {
  const { config } = newFolder();
  vi.stubEnv(REGRADE, '1');
  await expect(TrialStore.open(config, [planned()], new Date())).rejects.toThrow('TASKPROOF_REGRADE is set');
});

test('the last ten runs are kept, in a folder that git ignores', async () => {
  const { folder, config } = newFolder();
  for (let minute = 10; minute < 22; minute++)
    await TrialStore.open(config, [planned()], new Date(`2026-11-25T08:${minute}:00.000Z`));
  const store = join(folder, '.taskproof');
  expect(readdirSync(store)).toContain('.gitignore');
  expect(storedRuns(folder)).toHaveLength(10);
  expect(storedRun(storedRuns(folder)[0]!)?.startedAt).toBe('2026-11-25T08:12:00.000Z');
});

test('the latest run is the one that began last, also if the clock went back', async () => {
  const { folder, config } = newFolder();
  const minutes = [10, 11, 5, ...Array.from({ length: 9 }, (_, index) => 6 - (index % 2))];
  for (const minute of minutes) await TrialStore.open(config, [planned()], new Date(2026, 10, 25, 8, minute));
  const kept = storedRuns(folder).map(run => new Date(storedRun(run)!.startedAt).getMinutes());
  expect(kept).toEqual(minutes.slice(-10));
});

test('of earlier runs 2 GB are kept, the newest', async () => {
  const { folder, config } = newFolder();
  const open = (minute: number) =>
    TrialStore.open(config, [planned()], new Date(`2026-11-25T08:${minute}:00.000Z`));
  await open(10);
  await open(11);
  const [large] = storedRuns(folder) as [string];
  // Takes no room on the disk.
  writeFileSync(join(large, 'trial.json'), '');
  truncateSync(join(large, 'trial.json'), 2_000_000_001);
  await open(12);
  const kept = storedRuns(folder).map(run => storedRun(run)?.startedAt);
  expect(kept).toEqual(['2026-11-25T08:11:00.000Z', '2026-11-25T08:12:00.000Z']);
});

test('a folder that cannot be written costs a warning, once', async () => {
  const { folder, config } = newFolder();
  writeFileSync(join(folder, '.taskproof'), '');
  await TrialStore.open(config, [planned()], new Date());
  expect(printed.join('')).toMatch(
    /^taskproof: .*\.taskproof.* can't be written, so if the run .*: E[A-Z]+.*\n$/,
  );
});

test('a run in which nothing ran does not stand before the one to resume', async () => {
  const { folder, config } = newFolder();
  await TrialStore.open(config, [planned()], new Date(0));
  // Only its end tells that nothing was left to run, or to rerun.
  const late = await TrialStore.open(config, [planned()], new Date(2));
  const stopped = await TrialStore.open(config, [planned()], new Date(3));
  late.end([], 'failed');
  stopped.end([], 'interrupted');
  expect(storedRuns(folder).map(each => storedRun(each)!.startedAt)).toEqual([
    new Date(0).toISOString(),
    new Date(3).toISOString(),
  ]);
});

test.each([
  [4, [], 'early stop: the verdict is settled (passed, 4 of 4 passed, needs 4 of 5)'],
  [5, ['a.spec.ts › cart: the verdict needs trials that were not graded'], 'regrade runs no trials'],
])(
  'of a run that stopped at 4 of 5, regraded with %d of 5, trials keep their reason or are needed',
  async (minPasses, unknown, reason) => {
    openLedger({ judged: true });
    onTestFinished(closeLedger);
    const { folder, config } = newFolder();
    const skips: string[] = [];
    const inside = {
      _applyPlanAnnotation: ({ description }: { description: string }) => skips.push(description),
    };
    const trials = (least: number) =>
      fakeRepeats(5, { inside }).map(test => {
        const policy = { k: 5, minPasses: least };
        return { ...planned({ titlePath: ['a.spec.ts', 'cart'], policy, earlyStop: true }), test };
      });
    await TrialStore.open(config, trials(4), new Date());
    const [run] = storedRuns(folder);
    for (const { plan, project, test } of trials(4).slice(0, 4)) {
      const file = trialFile(run!, project.name, plan, test.repeatEachIndex);
      writeFileSync(file, keptTrial());
    }
    vi.stubEnv(RESUME, run).stubEnv(REGRADE, '1');
    const now = trials(minPasses);
    const store = await TrialStore.open(config, now, new Date());
    expect(storedRun(run!)?.regraded?.unknown).toEqual(unknown);
    store.skip(now.map(({ test }) => test));
    expect(skips).toEqual([...Array(4).fill('kept from an earlier run'), reason]);
  },
);

test.each([
  [3, 'inconclusive', 1, null],
  [
    2,
    'undecided',
    2,
    'A verdict needs trials that were skipped. Play them: npx taskproof resume -- --config=',
  ],
] as const)(
  'what early stop skipped is done unless the verdict is open: %d of 3 must pass, %s',
  async (minPasses, verdict, ungraded, how) => {
    const { folder, config } = newFolder();
    const store = await TrialStore.open(config, [planned()], new Date());
    const plan = { ...planned().plan, policy: { k: 3, minPasses }, earlyStop: true };
    const run = new SpecRun('opus', plan);
    const statuses = ['passed', 'failed', 'skipped'] as const;
    // After its trial, the second test broke.
    for (const [index, test] of fakeRepeats(3).entries()) {
      const record = index < 2 ? madeRecord({ specId: 'cart', repeatIndex: index }) : undefined;
      run.add(test, fakeResult({ status: statuses[index]!, record }), plan);
    }
    expect(run.verdict).toMatchObject({ verdict, passes: 1, errors: 1 });
    expect(store.end([run], 'failed')).toEqual(how === null ? [] : [expect.stringContaining(how)]);
    expect(storedRun(storedRuns(folder)[0]!)?.ungraded).toBe(ungraded);
  },
);
