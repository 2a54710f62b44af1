// What a baseline keeps of each run, and what it makes of files that people and Git have changed.
import { describe, expect, test } from 'vitest';
import type { HistoryRun } from '../../../src/data/baseline';
import { baselineText, historyRun, newest, readHistory } from '../../../src/data/baseline';
import { type Results, ResultsFileError } from '../../../src/data/results';
import { verdictOf } from '../../../src/verdicts/verdict';
import { resultRow, trials } from '../verdicts/trials';

const WAY = { actions: [{ turn: 1, path: '/', did: 'clicked "Buy"', key: 'click' }], end: '/thanks' };
const SUBJECT = { spec: 'cart', project: 'opus', agent: 'claude', model: 'm-1', replayed: false };
const row = (letters: string, more: Partial<Results['verdicts'][number]> = {}) => ({
  ...resultRow(SUBJECT, verdictOf({ k: letters.length, minPasses: 2 }, trials(letters))),
  ...more,
});
const results = (verdicts: Results['verdicts'], more: Partial<Results> = {}): Results => ({
  ...{ schemaVersion: '1', durationMs: 1, status: 'passed', complete: true },
  startedAt: '2026-11-05T10:00:00.000Z',
  verdicts,
  ...more,
});
const manyRuns = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [new Date(index * 1000).toISOString(), { verdicts: [] }]),
  );
const run = (startedAt: string, ...specs: string[]): HistoryRun =>
  historyRun(
    results(
      (specs.length ? specs : ['cart']).map(spec => row('pp', { spec })),
      { startedAt },
    ),
  );
const part = (startedAt: string, spec: string) => ({ ...run(startedAt, spec), partial: true });
const day = (number: number) => new Date(Date.UTC(2026, 10, number)).toISOString();

test('a run is read as it was saved: who ran what, the counts, one passing trial', () => {
  const saved = historyRun(
    results([
      row('ppf', { describe: 'phone', specHash: 'h', way: WAY }),
      row('pp-', { spec: 'answers', titlePath: ['a.spec.ts', 'answers'], agent: null, model: null }),
      row('ppe', { spec: 'docs', earlyStop: true, turns: null, costUsd: null }),
      row('---', { spec: 'gone' }),
    ]),
  );
  expect(readHistory(baselineText([saved], 10), 'b.json')).toEqual([
    { ...saved, verdicts: saved.verdicts.map(one => ({ ...one, reason: null })) },
  ]);
  expect(saved.verdicts).toEqual([
    {
      ...{ spec: 'answers', titlePath: ['a.spec.ts', 'answers'], project: 'opus', agent: null, model: null },
      ...{ replayed: false, verdict: 'passed', k: 3, minPasses: 2, turns: 4, costUsd: 0.2, reason: null },
      ...{ passes: 2, failures: 0, errors: 0 },
    },
    {
      ...{ ...SUBJECT, spec: 'docs', verdict: 'passed', k: 3, minPasses: 2, turns: null, costUsd: null },
      ...{ reason: null, passes: 2, failures: 0, errors: 1, stoppedEarly: true },
    },
    {
      ...{ ...SUBJECT, describe: 'phone', specHash: 'h', way: WAY, verdict: 'passed', k: 3, minPasses: 2 },
      ...{ turns: 4, costUsd: expect.closeTo(0.3), reason: null, passes: 2, failures: 1, errors: 0 },
    },
  ]);
});

test.each<[string, Partial<Results>, boolean]>([
  ['whole', {}, false],
  ['incomplete', { complete: false }, true],
  ['filtered', { filtered: true }, true],
])('a run that is %s', (_, more, partial) => {
  const saved = historyRun(results([row('pp')], more));
  expect(saved.partial).toBe(partial);
  expect(readHistory(baselineText([saved], 1), 'b.json')[0]!.partial).toBe(partial);
});

test('each run is a line, and the newest are kept; of two that began at one time the later in the list', () => {
  const [one, two, three] = ['04', '05', '06'].map(day => `2026-11-${day}T10:00:00.000Z`) as [
    string,
    string,
    string,
  ];
  const counts = JSON.stringify({ verdicts: [{ ...run(one).verdicts[0], reason: undefined }] });
  expect(baselineText([run(three), run(one)], 9)).toBe(
    `{\n"schemaVersion": "2",\n"runs": {\n"${one}": ${counts},\n"${three}": ${counts}\n}\n}\n`,
  );
  expect(newest([run(two), run(three), run(one)], 2).map(({ startedAt }) => startedAt)).toEqual([two, three]);
  const again = { ...run('2026-11-04T11:00:00.000+01:00'), partial: true };
  expect(newest([run(one), again], 9)).toEqual([{ ...again, startedAt: one }]);
});

test('runs of one spec, and runs without verdicts, push out no counts of the others', () => {
  const kept = [run(day(1), 'a', 'b'), run(day(2), 'a', 'b')];
  const parts = Array.from({ length: 12 }, (_, at) => part(day(3 + at), 'a'));
  const empty = Array.from({ length: 5 }, (_, at) => ({ ...run(day(20 + at)), verdicts: [] }));
  const runs = newest([...kept, ...parts, ...empty], 3);
  expect(runs.map(({ startedAt, verdicts }) => [startedAt, verdicts.map(({ spec }) => spec).join()])).toEqual(
    [
      ...[
        [day(1), 'b'],
        [day(2), 'b'],
      ],
      ...[12, 13, 14].map(number => [day(number), 'a']),
    ],
  );
  // Nor does a project that runs more often.
  const byProject = (start: string, project: string) =>
    historyRun(results([row('pp', { project })], { startedAt: start }));
  const weekly = [1, 2].map(number => byProject(day(number), 'firefox'));
  const daily = [3, 4, 5, 6].map(number => byProject(day(number), 'chromium'));
  expect(newest([...weekly, ...daily], 2).map(({ startedAt }) => startedAt)).toEqual([1, 2, 5, 6].map(day));
  // A spec that a whole run lacks was removed, however often others ran since.
  const both = [1, 2, 3].map(number => run(day(number), 'a', 'b'));
  const specsIn = (of: HistoryRun[]) => of.flatMap(each => each.verdicts.map(({ spec }) => spec));
  expect(specsIn(newest([...both, run(day(4), 'a')], 9))).toEqual(['a', 'a', 'a', 'a']);
  const removed = newest([...both, run(day(4), 'a'), part(day(5), 'a'), part(day(6), 'a')], 2);
  expect(specsIn(removed)).toEqual(['a', 'a']);
  expect(newest(removed, 2)).toEqual(removed);
  // So was a project that has not run for very long.
  const long = Array.from({ length: 21 }, (_, at) => byProject(day(9 + at), 'chromium'));
  expect(newest([...weekly, ...long], 2)).toHaveLength(2);
  // Whole runs push out older ones.
  expect(newest([...kept, ...[5, 6, 7].map(number => run(day(number), 'a'))], 3)).toHaveLength(3);
});

test('a run that was resumed or regraded stays one run', () => {
  const first = historyRun(results([row('p-')], { startedAt: day(1), complete: false }));
  const resumed = historyRun(results([row('pp')], { startedAt: day(2), trialsSince: day(1) }));
  expect(newest([first, resumed], 9)).toMatchObject([
    { startedAt: day(1), partial: false, verdicts: [{ passes: 2 }] },
  ]);
});

describe('a file', () => {
  const text = baselineText([run('2026-11-04T10:00:00.000Z'), run('2026-11-05T10:00:00.000Z')], 9);
  const [open, version, runs, first, second] = text.split('\n') as [string, string, string, string, string];
  const startsOf = (...lines: string[]) =>
    readHistory([open, version, runs, ...lines, '}', '}', ''].join('\n'), 'b.json').map(one =>
      one.startedAt.slice(8, 10),
    );

  test.each<[string, string[]]>([
    ['as it was saved', [first, second]],
    ['in another order', [second, first]],
    ['with a comma at the end', [first, `${second},`]],
    ['with blank lines', [first, '', '  ', second]],
  ])('with the lines of both sides, %s', (_, lines) => {
    expect(startsOf(...lines).sort()).toEqual(['04', '05']);
  });

  test('with a mark of its encoding, or Windows line ends', () => {
    expect(readHistory(`\uFEFF${text}`, 'b.json')).toHaveLength(2);
    expect(readHistory(text.replace(/,\n"2026/, '\n"2026').replaceAll('\n', '\r\n'), 'b.json')).toHaveLength(
      2,
    );
  });

  test.each<[string, string, RegExp]>([
    ['is not JSON', '{', /^b\.json: not JSON: [^.]*$/],
    ['is not one of ours', '{"suites":[]}', /^b\.json: not a Taskproof results file/],
    [
      'has a later schema',
      '{"schemaVersion":"3","runs":{}}',
      /^b\.json: schemaVersion is "3"; this version of @taskproof\/playwright reads baselines of "1" and "2"\. Update the package, or save the baseline again\.$/,
    ],
    [
      'is broken',
      '{"schemaVersion":"2","runs":{"monday":{"verdicts":[]}}}',
      /^b\.json: the baseline is not valid:\n {2}runs\.monday: /,
    ],
    [
      'counts more trials than anyone plays',
      baselineText([historyRun(results([row('pp')]))], 1).replace(/"passes":\d+/, '"passes":100000000'),
      /^b\.json: the baseline is not valid:\n {2}runs.*passes: .*10000/,
    ],
    [
      'needs more passes than it has trials',
      baselineText([historyRun(results([row('pp')]))], 1).replace(/"minPasses":\d+/, '"minPasses":3'),
      /^b\.json: the baseline is not valid:\n {2}runs.*minPasses: must not be above k$/,
    ],
    [
      'has too many runs',
      JSON.stringify({ schemaVersion: '2', runs: manyRuns(1_001) }),
      /^b\.json: the baseline is not valid:\n {2}runs: has more than 1000 runs/,
    ],
    ['is cut', text.slice(0, -4), /^b\.json: not JSON/],
    [
      'has a conflict',
      [open, version, runs, '<<<<<<< HEAD', first, '=======', second, '>>>>>>> b', '}', '}'].join('\n'),
      /not JSON: .*\. It has a Git conflict: of a baseline, keep the runs of both sides, one per line; else one side\.$/,
    ],
  ])('that %s is refused', (_, content, message) => {
    expect(() => readHistory(content, 'b.json')).toThrow(ResultsFileError);
    expect(() => readHistory(content, 'b.json')).toThrow(message);
  });

  test('of results is one run', () => {
    const [saved] = readHistory(JSON.stringify(results([row('pp')])), 'r.json');
    expect(saved).toMatchObject({
      startedAt: '2026-11-05T10:00:00.000Z',
      partial: false,
      verdicts: [{ passes: 2 }],
    });
  });
});
