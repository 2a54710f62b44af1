import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VerdictRow } from '../../../src/data/verdict';
import {
  CHANGES,
  type Change,
  type DiffRow,
  diffVerdicts,
  type LaterRun,
} from '../../../src/verdicts/change';
import { rowOf as row } from './trials';

const only = (before: VerdictRow[], after: VerdictRow[]) => diffVerdicts(before, after).rows[0]!;

describe('the change of one spec', () => {
  test.each<[string, string, Change, number | null]>([
    ['ppppp', 'ppppp', 'unchanged', null],
    ['ppppp', 'ppppf', 'worsened', 0.5],
    ['ppppf', 'ppppp', 'improved', 0.5],
    ['ppppp', 'pppff', 'regressed', 2 / 9],
    ['ppppp', 'fffff', 'regressed', 1 / 252],
    ['fffff', 'ppppp', 'fixed', 1 / 252],
    ['fffff', 'pffff', 'improved', 0.5],
    ['pppff', 'ppfff', 'worsened', 0.5],
    // a rate, not a count: an early stop ran fewer trials
    ['fffff', 'ffsss', 'unchanged', null],
    ['ppppp', 'ppppe', 'unchanged', null],
    // nothing to compare
    ['ppppp', 'pppee', 'unclear', null],
    ['eeeee', 'ppppp', 'unclear', null],
    ['ppppp', 'ppp--', 'unclear', null],
    ['ffe--', 'eee--', 'unclear', null],
  ])('%s then %s: %s', (before, after, change, p) => {
    const found = only([row(before)], [row(after)]);
    expect(found.change).toBe(change);
    if (p === null) expect(found.p).toBeNull();
    else expect(found.p).toBeCloseTo(p, 10);
    expect(found.proven).toBe(p === 1 / 252 && change === 'regressed');
    expect(found.candidate).toBe(change === 'regressed');
  });

  test('both sides are there to show', () => {
    const found = only([row('ppppp')], [row('fffff')]);
    expect(found.before).toMatchObject({ verdict: 'passed', passes: 5, k: 5, turns: 4, costUsd: 0.5 });
    expect(found.after).toMatchObject({ verdict: 'failed', passes: 0, failures: 5 });
    expect(found.after?.reason).toContain('trial 1/5');
  });

  test('what else changed is named', () => {
    const before = row('ppppp', { minPasses: 3, specHash: 'a' });
    const after = row('pppff', { minPasses: 4, specHash: 'b', model: 'sonnet', agent: 'lexical' });
    const found = only([before], [after]);
    expect(found.change).toBe('regressed');
    expect(found.alsoChanged).toEqual(['spec', 'policy', 'agent', 'model']);
    expect(found).toMatchObject({ candidate: true, proven: false });
  });

  test('earlyStop that has changed is named, and the suite as a whole is tested without such specs', () => {
    const stopped = (letters: string) => row(letters, { stoppedEarly: true });
    const docs = row('pp', { spec: 'docs' });
    const found = diffVerdicts([row('ppppf'), docs], [stopped('ppffs'), docs]);
    expect(found.rows.map(({ alsoChanged }) => alsoChanged)).toEqual([['earlyStop'], []]);
    expect(found.suite).toMatchObject({ specs: 1, after: { passes: 2, failures: 0 } });
    expect(diffVerdicts([row('ppppf')], [stopped('ppffs')]).suite).toBeNull();
    expect(diffVerdicts([stopped('ppppf')], [stopped('ppffs')]).suite).toMatchObject({ specs: 1 });
  });

  test.each([
    [3, false, true],
    [3, true, false],
    [4, true, true],
  ])('%i specs that pass 3 of 5 instead of 5, early stop %s: fell %s', (specs, stoppedEarly, fell) => {
    const all = (letters: string) =>
      Array.from({ length: specs }, (_, at) => row(letters, { spec: `spec-${at}`, stoppedEarly }));
    expect(diffVerdicts(all('ppppp'), all('pppff')).suite).toMatchObject({ specs, fell });
  });

  test('with earlyStop on one side only, fewer failures count: nothing is proven', () => {
    const proven = (before: VerdictRow, after: VerdictRow) => only([before], [after]).proven;
    const stopped = row('fffss', { stoppedEarly: true });
    expect(only([row('ppppp')], [stopped])).toMatchObject({ change: 'regressed', candidate: true });
    expect(proven(row('p'.repeat(25)), stopped)).toBe(false);
    expect(proven(row('p'.repeat(25)), row('fff'))).toBe(true);
    expect(proven(row('p'.repeat(25), { stoppedEarly: true }), stopped)).toBe(true);
  });

  test.each<[string, number, string, number, Change, Partial<DiffRow>]>([
    ['pppff', 3, 'pppff', 4, 'unchanged', { candidate: false }],
    ['pppff', 3, 'ppfff', 4, 'worsened', { candidate: false }],
    ['ppppp', 5, 'ffffp', 1, 'worsened', { candidate: true, proven: true }],
    ['ppppp', 5, 'ppfff', 2, 'worsened', { candidate: true, proven: false }],
    ['p'.repeat(25), 13, 'p'.repeat(13) + 'f'.repeat(12), 13, 'worsened', { candidate: true, proven: true }],
    // other sizes: by the share of passes that the later policy asks for
    ['ppppppppff', 8, 'pppff', 4, 'regressed', { candidate: true }],
    ['pppppppfff', 7, 'pppff', 4, 'worsened', { candidate: false }],
  ])(
    '%s needing %i, then %s needing %i: both by the later policy, %s',
    (before, had, after, has, change, more) => {
      const found = only([row(before, { minPasses: had })], [row(after, { minPasses: has })]);
      expect(found).toMatchObject({ change, ...more });
    },
  );

  test('a spec without a hash has not changed', () => {
    const known = row('p', { specHash: 'a' });
    for (const [before, after] of [
      [known, known],
      [known, row('p')],
      [row('p'), known],
    ] as const)
      expect(only([before], [after]).alsoChanged).toEqual([]);
  });

  test('what only one side has changed nothing else, and has no p', () => {
    const alone = [row('p', { specHash: 'a' })];
    const nothing = { p: null, candidate: false, alsoChanged: [] };
    expect([only([], alone), only(alone, [])]).toMatchObject([nothing, nothing]);
  });

  test('a replay meets a replay only, and chance does not explain it', () => {
    const { rows } = diffVerdicts([row('ppppp')], [row('fffff', { replayed: true })]);
    expect(rows.map(one => [one.change, one.replayed])).toEqual([
      ['removed', false],
      ['added', true],
    ]);
    expect(only([row('ppp', { replayed: true })], [row('pff', { replayed: true })])).toMatchObject({
      change: 'regressed',
      p: null,
      proven: true,
      candidate: false,
    });
  });
});

describe('two runs', () => {
  const before = [
    row('ppppp', { spec: 'a' }),
    row('ppppp', { spec: 'a', project: 'other' }),
    row('ppppp', { spec: 'gone' }),
    row('fffff', { spec: 'z' }),
  ];
  const after = [
    row('ppppp', { spec: 'new' }),
    row('ppppp', { spec: 'z' }),
    row('fffff', { spec: 'a', project: 'other' }),
    row('ppppp', { spec: 'a' }),
  ];

  test('rows meet by spec and project, what needs a look comes first', () => {
    const diff = diffVerdicts(before, after);
    expect(diff.rows.map(one => [one.change, one.spec, one.project])).toEqual([
      ['regressed', 'a', 'other'],
      ['removed', 'gone', 'opus'],
      ['added', 'new', 'opus'],
      ['fixed', 'z', 'opus'],
      ['unchanged', 'a', 'opus'],
    ]);
    const none = Object.fromEntries(CHANGES.map(change => [change, 0]));
    expect(diff.counts).toEqual({ ...none, regressed: 1, removed: 1, added: 1, fixed: 1, unchanged: 1 });
  });

  test.each<[string, LaterRun, Change, Change]>([
    ['a whole run', { complete: true }, 'removed', 'removed'],
    ['a run with --grep', { complete: true, filtered: true }, 'not run', 'not run'],
    ['a run with --project', { complete: true, projectsSelected: true }, 'removed', 'not run'],
    ['a run that broke off', { complete: false }, 'unclear', 'unclear'],
    [
      'a run with --grep in which trials are missing',
      { complete: false, filtered: true },
      'unclear',
      'unclear',
    ],
  ])('what %s lacks', (_name, run, gone, project) => {
    const { rows } = diffVerdicts(before, [row('ppppp', { spec: 'a' })], run);
    const changes = Object.fromEntries(rows.map(one => [`${one.spec} ${one.project}`, one.change]));
    expect(changes).toEqual({ 'a opus': 'unchanged', 'a other': project, 'gone opus': gone, 'z opus': gone });
  });

  test('of one change: by spec, then project, agents before replays, however they come', () => {
    const order = [
      ['a', 'opus', false],
      ['a', 'opus', true],
      ['a', 'other', false],
      ['b', 'another', false],
      ['b', 'another', true],
    ] as const;
    const made = order.map(([spec, project, replayed]) => row('p', { spec, project, replayed }));
    for (const rows of [made, made.toReversed(), [made[3]!, made[0]!, made[4]!, made[2]!, made[1]!]])
      expect(diffVerdicts([], rows).rows.map(one => [one.spec, one.project, one.replayed])).toEqual(order);
  });

  test('a spec id that holds a separator is not taken for another', () => {
    const { rows } = diffVerdicts(
      [row('p', { spec: 'a b', project: 'c' })],
      [row('p', { spec: 'a', project: 'b c' })],
    );
    expect(rows).toHaveLength(2);
  });

  const rows = fc.uniqueArray(
    fc.record({ spec: fc.constantFrom('a', 'b', 'c', 'd'), letters: fc.stringMatching(/^[pfes]{3}$/) }),
    { selector: one => one.spec },
  );
  const build = (list: { spec: string; letters: string }[]) =>
    list.map(one => row(one.letters, { spec: one.spec }));

  test('the way back turns every change around; a run compared with itself is unchanged', () => {
    const opposite: Record<Change, Change> = {
      regressed: 'fixed',
      fixed: 'regressed',
      worsened: 'improved',
      improved: 'worsened',
      added: 'removed',
      removed: 'added',
      unclear: 'unclear',
      unchanged: 'unchanged',
      'not run': 'added',
    };
    fc.assert(
      fc.property(rows, rows, (one, two) => {
        const there = diffVerdicts(build(one), build(two));
        const back = diffVerdicts(build(two), build(one));
        for (const found of there.rows) {
          const other = back.rows.find(candidate => candidate.spec === found.spec)!;
          expect(other.change).toBe(opposite[found.change]);
          expect(other.p).toBe(found.p);
        }
        const same = diffVerdicts(build(one), build(one)).rows.map(found => found.change);
        expect(same.every(change => change === 'unchanged' || change === 'unclear')).toBe(true);
      }),
    );
  });
});
