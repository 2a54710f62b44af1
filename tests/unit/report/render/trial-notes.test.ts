// Why a spec did not pass, line by line, and which errors are not counted against the site.
import { describe, expect, test } from 'vitest';
import type { Diagnosis, Parting, ResultRow } from '../../../../src/data/verdict';
import { picturesOf } from '../../../../src/report/diagnose';
import { outcomeLines } from '../../../../src/report/render/diff';
import { errorGroups, sharedLine, whyLines } from '../../../../src/report/render/trial-notes';
import { diffVerdicts, outcomeOf } from '../../../../src/verdicts/change';
import { verdictOf } from '../../../../src/verdicts/verdict';
import { resultRow, trial, trials } from '../../verdicts/trials';

const ICON = { kind: 'no_name', text: 'button without a name', locator: "locator('.icon')", path: '/shop' };
const SHARED = { ...ICON, trials: 9, specs: ['a', 'b', 'c'] };
const DIAGNOSIS: Diagnosis = {
  ...{ headline: '2 of 2 failures: stuck', parted: null, groups: [], partings: [], others: [] },
  findings: [],
};

describe('why a spec did not pass', () => {
  type Why = Parameters<typeof whyLines>[0];
  const LINE = 'in the way: button without a name .icon on /shop';
  const found = [{ ...ICON, trials: 2 }];
  test.each<[string, Omit<Why, 'k'>, string[]]>([
    ['its reason', { verdict: 'failed', reason: 'no', diagnosis: undefined }, ['no']],
    ['no reason', { verdict: 'failed', reason: null, diagnosis: undefined }, []],
    [
      'errors are no failures',
      { verdict: 'inconclusive', reason: 'no key', diagnosis: DIAGNOSIS },
      ['no key'],
    ],
    ['the headline', { verdict: 'failed', reason: 'no', diagnosis: DIAGNOSIS }, [DIAGNOSIS.headline]],
    [
      'what is missing before it',
      { verdict: 'undecided', missing: 3, reason: 'no', diagnosis: DIAGNOSIS },
      [`2 of 5 trials present; ${DIAGNOSIS.headline}`],
    ],
    [
      'that only if it is',
      { verdict: 'failed', reason: '2 of 5 trials present', diagnosis: DIAGNOSIS },
      [DIAGNOSIS.headline],
    ],
    [
      'where it parted, and the first finding',
      {
        ...{ verdict: 'failed', reason: 'no' },
        diagnosis: {
          ...DIAGNOSIS,
          parted: 'turn 2: x',
          findings: [...found, { ...ICON, path: '/b', trials: 1 }],
        },
      },
      [DIAGNOSIS.headline, 'turn 2: x', LINE],
    ],
  ])('%s', (_, row, lines) => expect(whyLines({ ...row, k: 5 })).toEqual(lines));

  test('a finding that was told is not told again', () => {
    const diagnosis = { ...DIAGNOSIS, findings: found };
    expect(whyLines({ verdict: 'failed', k: 5, reason: 'no', diagnosis }, [SHARED])).toEqual([
      DIAGNOSIS.headline,
    ]);
    expect(sharedLine(SHARED)).toBe('button without a name .icon on /shop: 3 specs, 9 failed trials');
    expect(sharedLine({ ...SHARED, trials: 1 })).toMatch(/: 3 specs, 1 failed trial$/);
  });
});

test('errors by kind, the most frequent first, with the first reason and what to do', () => {
  const row = (...kinds: (string | undefined)[]) => ({
    trials: kinds.map((errorKind, index) =>
      trial(index, 'error', { errorKind, reason: `${errorKind} ${index}` } as object),
    ),
  });
  const groups = errorGroups([
    row('judge', 'agent_api'),
    row('agent_api', undefined, 'of-a-later-version'),
    { trials: trials('pfs') },
  ] as ResultRow[]);
  expect(groups.map(({ kind, trials, reason }) => [kind, trials, reason])).toEqual([
    ['agent_api', 2, 'agent_api 1'],
    ['judge', 1, 'judge 0'],
    ['internal', 1, 'undefined 1'],
    ['of-a-later-version', 1, 'of-a-later-version 2'],
  ]);
  expect(groups.map(({ hint }) => hint.split('.')[0])).toEqual([
    'The agent could not work',
    'The judge could not be reached',
    'The trial broke off',
    'See the trial in the HTML report',
  ]);
  const hints = ['site_unreachable', 'browser', 'setup', 'interrupted'].map(
    kind => errorGroups([row(kind)] as ResultRow[])[0]!.hint,
  );
  expect(hints.map(hint => hint.split(/[.?]/)[0])).toEqual([
    ...[
      'Is the site running',
      'The browser failed',
      'The test failed before its trial began',
      'The run was interrupted',
    ],
  ]);
});

describe('the outcome of a comparison', () => {
  const row = (spec: string, letters: string) =>
    resultRow(
      { spec, project: 'opus', agent: 'a', model: null, replayed: false },
      verdictOf({ k: letters.length, minPasses: letters.length }, trials(letters)),
    );
  const rows = (specs: Record<string, string>) =>
    Object.entries(specs).map(([spec, letters]) => row(spec, letters));
  test.each<[string, Record<string, string>, Record<string, string>, string[], string[]]>([
    ['nothing', {}, {}, [], ["Can't tell: there is nothing to compare."]],
    ['the same', { a: 'p' }, { a: 'p' }, [], ['Nothing is worse than the baseline.']],
    ['worse', { a: 'ppppp' }, { a: 'fffff' }, [], ['Worse than the baseline: a [opus].']],
    [
      'a candidate, and doubts',
      { a: 'pp', b: 'p', c: 'p' },
      { a: 'pf', c: 'e', d: 'p', e: 'p' },
      [],
      [
        'Looks worse, but there are too few trials to tell: a [opus]. To run fresh trials: npx taskproof confirm',
        'Not compared: 1 spec of the baseline no longer in the suite (b [opus]); 2 specs not in the baseline (d [opus], e [opus]); 1 spec without a verdict on one side (c [opus]). If this is intended, add --allow removed,added,unclear',
      ],
    ],
    [
      'doubts alone',
      { a: 'p' },
      { a: 'p', d: 'p' },
      [],
      ["Can't tell: 1 spec not in the baseline (d [opus]). If this is intended, add --allow added"],
    ],
    [
      'doubts that are allowed',
      { a: 'p' },
      { a: 'p', d: 'p' },
      ['added'],
      ['Nothing is worse than the baseline.'],
    ],
  ])('%s', (_, before, after, allowed, lines) => {
    const diff = diffVerdicts(rows(before), rows(after));
    expect(outcomeLines(outcomeOf(diff, new Set(allowed)))).toEqual(lines);
  });

  test('a fall of the suite alone is said elsewhere', () => {
    expect(outcomeLines({ outcome: 'worse', proven: [], candidates: [], doubts: [] })).toEqual([]);
  });
});

describe('the pictures of a passing and of a failed trial', () => {
  const shots = (letters: string) =>
    ({
      attachments: [...letters].map((letter, index) => ({
        ...{ name: `turn-${index + 1}.jpg`, contentType: 'image/jpeg', body: Buffer.from(letter) },
      })),
    }) as never;
  const shownFor = (kind: Parting['kind'], passing: string, lost: string, turns = [2, 3]) => {
    const [expected, actual] = turns.map(turn => ({ turn, did: null, path: null })) as [
      Parting['expected'],
      Parting['actual'],
    ];
    const found = picturesOf({ kind, expected, actual } as never, shots(passing), shots(lost));
    return found && `${found.expected.body}${found.actual.body}`;
  };
  test.each<[Parting['kind'], string, string, string | undefined]>([
    // What both saw before they parted; if that is the same, or not there, what they saw after it.
    ['action', 'ab', 'xyz', 'ay'],
    ['skipped', 'ab', 'xyz', 'ay'],
    ['ended', 'ab', 'xyz', 'az'],
    ['page', 'ab', 'xyz', 'bz'],
    ['went_on', 'ab', 'xyz', 'bz'],
    ['action', 'yb', 'xyz', 'bz'],
    ['action', 'y', 'xyz', 'yy'],
    ['action', '', 'xyz', undefined],
    ['page', 'ab', 'x', undefined],
  ])('%s, %s and %s: %s', (kind, passing, lost, shown) => expect(shownFor(kind, passing, lost)).toBe(shown));

  test('a picture whose file is gone is not taken for another', () => {
    const gone = {
      attachments: [1, 2].map(n => ({ name: `turn-${n}.jpg`, path: '/nowhere/x.jpg' })),
    } as never;
    const [expected, actual] = [2, 2].map(turn => ({ turn, did: null, path: null })) as [
      Parting['expected'],
      Parting['actual'],
    ];
    const found = picturesOf({ kind: 'action', expected, actual } as never, gone, gone);
    expect(found!.expected.name).toBe('turn-1.jpg');
  });
});
