import { expect, test } from 'vitest';
import { isFiltered, selectsProjects } from '../../../src/playwright/inside/command-line';
import { type KeptRun, mergeConflicts } from '../../../src/report/missing';

const kept = (shard: string | null, more: Partial<KeptRun> = {}, spec = 'cart'): KeptRun => ({
  startedAt: '2026-11-05T10:00:00.000Z',
  shard,
  ciRun: null,
  plan: [
    { project: 'opus', spec: { id: spec, file: 'x.yaml', policy: { k: 5, minPasses: 4 }, replayed: false } },
  ],
  ...more,
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

test('a conflict names both blobs as a person can find them', () => {
  const [one, other] = [kept('1/2', { ciRun: '7' }), kept(null, { ...later, plan: [] })];
  const [entry] = one.plan;
  other.plan = [{ ...entry!, project: '' }];
  one.plan = other.plan;
  expect(mergeConflicts([one, other], [])).toEqual([
    'the blob of shard 1/2 started 2026-11-05T10:00:00.000Z, CI run 7 and the blob started 2026-11-06T10:00:00.000Z are from different runs, and both have spec "cart"',
  ]);
});

test.each<[string, boolean]>([
  ['', false],
  ['--project=opus --workers 2', false],
  ['--project opus sonnet', false],
  ['-c other.config.ts --reporter line --shard 1/2 --repeat-each 5', false],
  ['--grep cart', true],
  ['-g cart', true],
  ['--grep-invert=cart', true],
  ['--last-failed', true],
  ['--only-changed', true],
  ['tasks.spec.ts:3', true],
  ['--workers 2 tasks.spec.ts', true],
])('playwright test %s: a part of the suite is %s', (line, expected) => {
  const argv = ['node', 'cli.js', 'test', ...line.split(' ').filter(Boolean)];
  expect(isFiltered(argv)).toBe(expected);
  expect(selectsProjects(argv)).toBe(line.includes('--project'));
});

test('merge-reports filters nothing by its own arguments', () => {
  expect(isFiltered(['node', 'cli.js', 'merge-reports', '--config=merge.config.ts', 'blobs'])).toBe(false);
});
