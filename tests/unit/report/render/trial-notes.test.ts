// Why a spec did not pass, line by line, and which errors are not counted against the site.
import { describe, expect, test } from 'vitest';
import type { Diagnosis, Parting } from '../../../../src/data/diagnosis';
import type { ResultRow } from '../../../../src/data/verdict';
import { picturesOf } from '../../../../src/report/diagnose';
import { errorItems, sharedLine, whyLines } from '../../../../src/report/render/trial-notes';
import { trial } from '../../verdicts/trials';

const ICON = { kind: 'no_name', text: 'button without a name', locator: "locator('.icon')", path: '/shop' };
const SHARED = { ...ICON, trials: 9, specs: ['a', 'b', 'c'] };
const DIAGNOSIS: Diagnosis = {
  ...{ headline: '2 of 2 failures: stuck', parted: null, groups: [], partings: [], others: [] },
  findings: [],
};

describe('why a spec did not pass', () => {
  type Why = Parameters<typeof whyLines>[0];
  const LINE = 'in the way: button without a name (.icon on /shop)';
  const found = [{ ...ICON, trials: 2 }];
  test.each<[string, Omit<Why, 'k'>, string[]]>([
    ['its reason', { verdict: 'failed', reason: 'no', diagnosis: undefined }, ['no']],
    [
      'errors are no failures',
      { verdict: 'inconclusive', reason: 'no key', diagnosis: DIAGNOSIS },
      ['no key'],
    ],
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

  test('what several specs met', () => {
    expect(sharedLine(SHARED)).toBe('button without a name (.icon on /shop): 3 specs, 9 failed trials');
    expect(sharedLine({ ...SHARED, trials: 1 })).toMatch(/: 3 specs, 1 failed trial$/);
  });
});

test('errors by kind, the most frequent first, with the first reason and what to do', () => {
  const kinds = ['judge', 'agent_api', 'agent_api', undefined, 'of-a-later-version'];
  const hints = ['site_unreachable', 'browser', 'setup', 'interrupted'];
  const all = [...kinds, ...hints].map((errorKind, index) =>
    trial(index, 'error', { errorKind, reason: `${errorKind} ${index}` } as object),
  );
  const reason = 'the trial could not begin: Error: browserType.connect: connect ECONNREFUSED 127.0.0.1:9';
  all.push(trial(9, 'error', { errorKind: 'browser', reason }));
  const items = errorItems([{ trials: all.slice(0, 2) }, { trials: all.slice(2) }] as ResultRow[]);
  expect(
    items.map(
      ({ text, more }) =>
        `${text
          .split(/[.?] |\.$/)
          .slice(0, 2)
          .join('. ')} / ${more}`,
    ),
  ).toEqual([
    '2 trials with error: agent_api. The agent could not work / agent_api 1',
    '1 trial with error: judge. The judge gave no judgement / judge 0',
    '1 trial with error: internal. The trial broke off / undefined 3',
    '1 trial with error: of-a-later-version. See the trial in the HTML report / of-a-later-version 4',
    '1 trial with error: site_unreachable. The page did not open / site_unreachable 5',
    '1 trial with error: browser. The browser failed / browser 6',
    '1 trial with error: setup. The trial could not begin / setup 7',
    '1 trial with error: interrupted. The run ended first / interrupted 8',
    "1 trial with error: browser. The remote browser can't be reached at this address / the trial could not begin: Error: browserType.connect: connect ECONNREFUSED 127.0.0.1:9",
  ]);
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
    ['ended', 'ab', 'xyz', 'az'],
    ['page', 'ab', 'xyz', 'bz'],
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
