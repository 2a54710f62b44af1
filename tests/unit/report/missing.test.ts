// Why trials that were planned did not run, as far as the run itself can tell; and which reports may be merged.
import type { FullResult } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import {
  type KeptRun,
  keepOfRun,
  keepRun,
  keptRuns,
  lostShards,
  mergeConflicts,
  sumOfTraffic,
  whyMissing,
} from '../../../src/report/missing';
import { fakeConfig, fakeProject, fakeSuite, fakeTest } from '../../support/fake-suite';

const PROJECTS = [
  fakeProject('data'),
  fakeProject('login', { dependencies: ['data'] }),
  fakeProject('agents', { dependencies: ['login'] }),
];

/** `data- login+ agents?`: a test of each project that failed, passed, or did not run; `agents#1-` in its second repeat. */
function why(ran: string, { status = 'failed', maxFailures = 0 } = {}): string | null {
  const tests = ran.split(' ').map((each, position) => {
    const [, project = '', repeat, end] = /^(\w+?)#?(\d*)(.)$/.exec(each)!;
    const repeatEachIndex = Number(repeat);
    const results = end === '?' ? [] : [{ status: end === '+' ? 'passed' : 'failed', errors: [] }];
    const inside = { results, ok: () => end === '+' };
    return fakeTest({
      title: `test ${position + 1}`,
      repeatEachIndex,
      project: fakeProject(project),
      inside,
    });
  });
  const config = fakeConfig(PROJECTS, { maxFailures });
  const waiting = new Set(tests.filter(({ results }) => !results.length));
  const result = { status } as FullResult;
  return whyMissing({ project: 'agents', tests: waiting }, fakeSuite(tests), config, result);
}

test.each<[string, string, Parameters<typeof why>[1], string | null]>([
  ['interrupted, although a set-up failed', 'login-', { status: 'interrupted' }, 'the run was interrupted'],
  ['a set-up failed', 'login- agents?', {}, 'project "login" failed, which "agents" depends on'],
  ['the set-up of a set-up', 'data- agents?', {}, 'project "data" failed, which "agents" depends on'],
  ['another project failed', 'e2e- login+ agents?', {}, null],
  ['-x', 'e2e- agents?', { maxFailures: 1 }, 'the run stopped at 1 failure (maxFailures)'],
  ['fewer than allowed', 'e2e- agents?', { maxFailures: 2 }, null],
  ['so many failures', 'e2e- x-', { maxFailures: 2 }, 'the run stopped at 2 failures (maxFailures)'],
  [
    'a hook of the file failed, and Playwright tolerates it',
    'agents- agents?',
    {},
    'Playwright skipped tests of tasks.spec.ts after a failure in "test 1": the test ended as "failed"',
  ],
  [
    'a test and then a hook of the file failed, in the second repeat',
    'agents- agents#1- agents#1- agents#1? agents- agents#1-',
    {},
    'Playwright skipped tests of tasks.spec.ts after a failure in "test 3": the test ended as "failed"',
  ],
  ['only tests of other repeats and later ones failed', 'agents- agents#1? agents#1-', {}, null],
  ['a set-up that did not run', 'login? agents?', {}, null],
])('%s', (_, ran, run, reason) => {
  expect(why(ran, run)).toBe(reason);
});

const kept = (shard: string | null, more: Partial<KeptRun> = {}, spec = 'cart'): KeptRun => ({
  startedAt: '2026-11-05T10:00:00.000Z',
  shard,
  ciRun: null,
  plan: [
    { project: 'opus', spec: { id: spec, file: 'x.yaml', policy: { k: 5, minPasses: 4 }, replayed: false } },
  ],
  ...more,
});
const traffic = (model: string, perMinute: number) => ({
  ...{ model, served: 10, refused: 1, waitedMs: 500, perMinute, limitPerMinute: perMinute + 1 },
});

test('the traffic of each shard is in its blob; merged, requests and waits add up, the rates are of the busiest', () => {
  const config = fakeConfig();
  keepRun(config, kept('1/2'));
  keepOfRun(config, { api: [traffic('a', 20), traffic('b', 5)] });
  const one = keptRuns(config, new Set());
  const other = { ...kept('2/2', later), api: [traffic('a', 30)] };
  expect(sumOfTraffic([...one, other, kept(null)])).toEqual([
    { model: 'a', served: 20, refused: 2, waitedMs: 1_000, perMinute: 30, limitPerMinute: 31 },
    traffic('b', 5),
  ]);
});

const later = { startedAt: '2026-11-06T10:00:00.000Z' };

test.each<[string, KeptRun[], boolean]>([
  ['two shards of one run', [kept('1/2'), kept('2/2', later)], true],
  ['a shard that CI ran again', [kept('1/2', { ciRun: '7' }), kept('2/2', { ...later, ciRun: '7' })], true],
  ['one shard twice, of two runs', [kept('1/2'), kept('1/2', later)], false],
  ['shards of other numbers', [kept('1/2'), kept('2/3', later)], false],
  ['shards of two CI runs', [kept('1/2', { ciRun: '7' }), kept('2/2', { ciRun: '8' })], false],
  ['two whole runs', [kept(null), kept(null, later)], false],
  ['two whole runs of other specs', [kept(null), kept(null, later, 'docs')], true],
])('%s', (_name, runs, fit) => {
  const conflicts = mergeConflicts(runs, []);
  expect(conflicts).toHaveLength(fit ? 0 : 1);
  if (!fit)
    expect(conflicts[0]).toMatch(/started 2026.*started 2026.*different runs.*spec "cart" of project "opus"/);
});

test.each<[string, KeptRun[], string[]]>([
  ['no shard', [kept(null)], []],
  ['all shards', [kept('2/2'), kept('1/2')], []],
  ['a shard twice', [kept('1/3'), kept('1/3'), kept('2/3')], ['shard 3 of 3']],
  ['one alone', [kept('2/3')], ['shard 1 of 3', 'shard 3 of 3']],
  [
    'all shards of one run, and one of another',
    [kept('1/2'), kept('2/2'), kept('2/2', {}, 'docs')],
    ['shard 1 of 2'],
  ],
  ['one that found no tests', [kept('1/2'), { ...kept('2/2'), plan: [] }], []],
  ['one that found no tests, and a lost one', [kept('1/3'), { ...kept('3/3'), plan: [] }], ['shard 2 of 3']],
  ['one alone that found no tests', [{ ...kept('2/2'), plan: [] }], ['shard 1 of 2']],
  ['a shard that is none', [kept('2/9999999999')], []],
])('shards that are missing beside %s', (_, runs, lost) => {
  expect(lostShards(runs)).toEqual(lost);
});

test('a blob that is merged twice is one run', () => {
  // Playwright merges the metadata of its blobs.
  const [one, again] = [fakeConfig(), fakeConfig()];
  for (const config of [one, again]) keepRun(config, kept('2/2'));
  Object.assign(one.metadata, again.metadata);
  expect(mergeConflicts(keptRuns(one, new Set()), [])).toEqual([]);
  expect(lostShards(keptRuns(one, new Set()))).toEqual(['shard 1 of 2']);
});

test('a conflict names both blobs as a person can find them', () => {
  const [one, other] = [kept('1/2', { ciRun: '7' }), kept(null, { ...later, plan: [] })];
  const [entry] = one.plan;
  other.plan = [{ ...entry!, project: '' }];
  one.plan = other.plan;
  expect(mergeConflicts([one, other], [])).toEqual([
    'the blob of shard 1/2 started 2026-11-05T10:00:00.000Z, CI run 7 and the blob started 2026-11-06T10:00:00.000Z are from different runs, and both have spec "cart"',
  ]);
});
