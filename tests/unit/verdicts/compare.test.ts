import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResultRow, VerdictRow } from '../../../src/data/verdict';
import { compareProjects } from '../../../src/verdicts/compare';
import { rowOf } from './trials';

const row = (project: string, letters: string, more: Partial<ResultRow> = {}) =>
  rowOf(letters, { project, agent: `agent of ${project}`, ...more });

describe('what is compared', () => {
  test.each<[string, VerdictRow[]]>([
    ['nothing', []],
    ['one project', [row('a', 'ppp'), row('a', 'fff', { spec: 'other' })]],
    ['two projects without a common spec', [row('a', 'ppp'), row('b', 'ppp', { spec: 'other' })]],
    ['two specs of one id', [row('a', 'ppp', { specHash: '1' }), row('b', 'ppp', { specHash: '2' })]],
    ['a replay beside an agent', [row('a', 'ppp'), row('b', 'ppp', { replayed: true })]],
    ['a replay beside an agent in one project', [row('a', 'ppp'), row('a', 'p', { replayed: true })]],
  ])('%s: no comparison', (_name, rows) => {
    expect(compareProjects(rows)).toBeUndefined();
  });

  test('a spec in two describes is two specs', () => {
    const rows = ['a', 'b'].flatMap(project =>
      ['phone', 'desktop', undefined].map(describe => row(project, 'ppp', { spec: 'cart', describe })),
    );
    expect(compareProjects(rows)?.specs.map(({ spec, cells }) => [spec, cells.length])).toEqual([
      ['cart', 2],
      ['desktop › cart', 2],
      ['phone › cart', 2],
    ]);
  });

  test('specs that two projects have, a cell for each; what one alone has counts for nothing', () => {
    const found = compareProjects([
      row('b', 'ppppf', { spec: 'z' }),
      row('a', 'ppppp', { spec: 'z' }),
      row('c', 'fff', { spec: 'a' }),
      row('a', 'ppe', { spec: 'a' }),
      row('a', 'ffffffff', { spec: 'alone' }),
      row('d', 'ppp', { spec: 'alone-too' }),
      row('a', 'p', { spec: 'z', project: 'replays', replayed: true }),
    ]);
    expect(found?.specs.map(({ spec, cells }) => [spec, cells.map(({ project }) => project)])).toEqual([
      ['a', ['a', 'c']],
      ['z', ['a', 'b']],
    ]);
    expect(found?.projects).toEqual([
      {
        ...{ project: 'a', agent: 'agent of a', model: null, specs: 2, specsPassed: 2 },
        ...{ passes: 7, failures: 0, errors: 1, rate: 1 },
        ...{ costUsd: 0.8, passAll: { k: 2, value: 1 }, costPerPassUsd: 0.8 / 7 },
      },
      expect.objectContaining({ project: 'b', specs: 1, specsPassed: 1, passes: 4, failures: 1, rate: 0.8 }),
      expect.objectContaining({ project: 'c', specs: 1, specsPassed: 0, passes: 0, failures: 3, rate: 0 }),
    ]);
    expect(found?.specs[1]?.cells[1]).toEqual({
      ...{ project: 'b', verdict: 'passed', k: 5, passes: 4, failures: 1, errors: 0 },
      ...{ rate: 0.8, turns: 4, costUsd: 0.5 },
    });
  });

  test('an unknown price makes its project unknown, and no other', () => {
    const found = compareProjects([row('a', 'pp', { costUsd: null }), row('b', 'pp')]);
    expect(found?.projects.map(({ costUsd }) => costUsd)).toEqual([null, 0.2]);
  });
});

test('pass^k has the same k in all projects', () => {
  const found = compareProjects([row('a', 'ppppp'), row('b', 'ppf')])!;
  expect(found.projects.map(({ passAll }) => passAll)).toEqual([
    { k: 3, value: 1 },
    { k: 3, value: 0 },
  ]);
});

test('where a project stops early, rates are means of unbiased ones, and there is no pass^k', () => {
  // Specs that fail stop first: of all trials 5 in 7 pass.
  const stopped = [
    row('a', 'pppps', { spec: 'one', earlyStop: true, rate: 1 }),
    row('a', 'pffss', { spec: 'two', earlyStop: true, rate: 0.5 }),
    row('a', 'eeess', { spec: 'three', earlyStop: true, rate: null }),
  ];
  const whole = stopped.map(({ spec }) => row('b', 'ppppf', { spec }));
  const found = compareProjects([...stopped, ...whole])!;
  expect(found.projects).toMatchObject([
    { passes: 5, failures: 2, rate: 0.75, earlyStop: true, passAll: null },
    { passes: 12, failures: 3, rate: 0.8, earlyStop: true, passAll: null },
  ]);
  expect(found.specs.map(({ cells }) => cells[0]!.rate)).toEqual([1, null, 0.5]);
  expect(found.pairs).toMatchObject([{ difference: expect.closeTo(-0.05, 9) }]);
});

describe('two agents', () => {
  const two = (one: string[], other: string[]) =>
    compareProjects(
      [...one.entries()].flatMap(([index, letters]) => [
        row('a', letters, { spec: `s${index}` }),
        row('b', other[index]!, { spec: `s${index}` }),
      ]),
    )!.pairs!;

  test('alike: the interval holds 0, and they are not said to differ although verdicts do', () => {
    const [pair] = two(['ppppp', 'pppff', 'ppppf', 'ppppp'], ['ppppf', 'ppppp', 'ppppp', 'ppfff']);
    expect(pair).toMatchObject({ projects: ['a', 'b'], specs: 4, differ: false });
    expect(pair!.interval![0]).toBeLessThan(0);
    expect(pair!.interval![1]).toBeGreaterThan(0);
  });

  test('a small p of one spec is not enough where the interval over the specs holds 0', () => {
    const [pair] = two(['pppppppppp', 'pp'], ['ffffffffff', 'pp']);
    expect(pair!.p).toBeLessThan(0.01);
    expect(pair!.interval![0]).toBeLessThan(0);
    expect(pair!.differ).toBe(false);
  });

  test('one is better on every spec', () => {
    const [pair] = two(['ppppp', 'ppppf', 'ppppp'], ['ppfff', 'pffff', 'ppfff']);
    expect(pair).toMatchObject({
      difference: expect.closeTo(0.6, 9),
      interval: [expect.closeTo(0.6, 6), expect.closeTo(0.6, 6)],
      differ: true,
    });
    expect(pair!.p).toBeLessThan(0.01);
  });

  test('a single spec has no interval, and specs without trials say nothing', () => {
    expect(two(['ppppp', 'eeeee'], ['ppfff', 'ppppp'])).toMatchObject([{ specs: 1, interval: null }]);
    expect(two(['eeeee'], ['ppppp'])).toEqual([]);
  });
});

describe('where projects differ', () => {
  test.each<[string[], 'differ' | 'ratesDiffer' | 'unclear' | null]>([
    [['ppppp', 'ppppp'], null],
    [['ppppp', 'fffff'], 'differ'],
    [['ppppp', 'ppppf'], 'ratesDiffer'],
    [['fffff', 'pffff'], 'ratesDiffer'],
    [['ppppp', 'ppppp', 'ppppf'], 'ratesDiffer'],
    [['ppppp', 'ppppp', 'fffff'], 'differ'],
    // a rate, not a count
    [['ppppp', 'ppp'], null],
    [['fffff', 'ffsss'], null],
    [['ppppp', 'ppppe'], null],
    // an open verdict is no difference between agents, and hides none
    [['ppppp', 'eeeee'], 'unclear'],
    [['fffff', 'ppp--'], 'unclear'],
    [['eeeee', 'eeeee'], 'unclear'],
    [['ppppp', 'ppppf', '-----'], 'unclear'],
    [['ppppp', 'fffff', 'eeeee'], 'differ'],
  ])('%j: %s', (letters, expected) => {
    const found = compareProjects(letters.map((one, index) => row(`p${index}`, one)))!;
    const kinds = (['differ', 'ratesDiffer', 'unclear'] as const).filter(kind => found[kind].length > 0);
    expect(kinds).toEqual(expected === null ? [] : [expected]);
  });
});

const rowsOf = fc
  .uniqueArray(
    fc.record({
      spec: fc.constantFrom('a', 'b', '__proto__', 'd'),
      project: fc.constantFrom('', 'opus', 'constructor'),
      letters: fc.stringMatching(/^[pfes]{1,5}$/),
      replayed: fc.boolean(),
    }),
    { selector: ({ spec, project, replayed }) => `${spec} ${project} ${replayed}` },
  )
  .map(list => list.map(({ project, letters, ...more }) => row(project, letters, more)));

describe('properties', () => {
  test('any order of the rows gives the same comparison, and replays change nothing', () => {
    fc.assert(
      fc.property(
        rowsOf.chain(rows =>
          fc.tuple(
            fc.constant(rows),
            fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length }),
          ),
        ),
        ([rows, shuffled]) => {
          expect(compareProjects(shuffled)).toEqual(compareProjects(rows));
          expect(compareProjects(rows.filter(({ replayed }) => !replayed))).toEqual(compareProjects(rows));
        },
      ),
    );
  });

  test('totals are the sums of the cells, and a spec differs in one way at most', () => {
    fc.assert(
      fc.property(rowsOf, rows => {
        const found = compareProjects(rows);
        fc.pre(found !== undefined);
        for (const total of found.projects) {
          const cells = found.specs.flatMap(one => one.cells.filter(cell => cell.project === total.project));
          expect(total.specs).toBe(cells.length);
          expect(total.passes).toBe(cells.reduce((sum, cell) => sum + cell.passes, 0));
          expect(total.specsPassed).toBe(cells.filter(cell => cell.verdict === 'passed').length);
        }
        const named = [...found.differ, ...found.ratesDiffer, ...found.unclear];
        expect(new Set(named).size).toBe(named.length);
        for (const { cells } of found.specs) expect(cells.length).toBeGreaterThan(1);
      }),
    );
  });
});
