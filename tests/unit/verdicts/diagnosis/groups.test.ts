// What failing trials of a spec have in common, and what stood in the way of several specs.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SuspectRequest } from '../../../../src/data/diagnosis';
import {
  diagnosisOf,
  failureGroups,
  groupParting,
  metFindings,
  sharedFindings,
} from '../../../../src/verdicts/diagnosis/groups';
import { type FoundParting, partingText } from '../../../../src/verdicts/diagnosis/parting';
import type { BrokenCheck, Facts, GradedTrial } from '../../../../src/verdicts/diagnosis/way';
import { trial as trialResult } from '../trials';

const HEADING: BrokenCheck = { title: '"h1" is visible', reason: 'nothing matches "h1"' };
const POST: BrokenCheck = {
  title: 'POST "**/orders" was sent',
  reason: 'no request matched POST "**/orders"',
  method: 'POST',
};
const ADDRESS: BrokenCheck = {
  title: 'url matches "**/thanks"',
  reason: 'the URL http://x/cart does not match "**/thanks"',
};

interface Lost extends Partial<Facts> {
  project?: string;
  status?: string;
  turns?: number;
  path?: string | null;
}

function trial(index: number, more: Lost = {}): GradedTrial {
  const { project = 'opus', status = 'max_steps', turns = 25, path = '/checkout', ...facts } = more;
  return {
    project,
    trial: trialResult(index, 'failed', { status, turns }),
    facts: {
      ...{ way: { actions: [], end: path }, broken: [HEADING], said: null, findings: [], others: [] },
      ...{ requests: [] },
      ...{ control: { words: 'field "Last name"', here: true }, ...facts },
    },
  };
}

const headline = (trials: readonly GradedTrial[]) => diagnosisOf(trials, 5)?.headline;
const elsewhere = { path: '/help', control: { words: 'link "Home"', here: true }, status: 'completed' };
const button = (name: string) => ({ control: { words: `button "${name}"`, here: true } });
const COMPLETED = { status: 'completed' };
const gaveUp = (said: string) => ({ status: 'gave_up', said });

/** Where a trial ends that is given nothing else. */
const HERE = 'on /checkout at field "Last name"';

describe('the headline', () => {
  test.each<[string, Lost[], string]>([
    ['three that share all', [{}, {}, {}, elsewhere], `3 of 4 failures: stuck ${HERE} (used all 25 turns)`],
    [
      'one that shares nothing with two that share a page',
      [elsewhere, button('A'), button('B')],
      '2 of 3 failures: stuck on /checkout (used all 25 turns)',
    ],
    ['a single one names its trial', [{}], `trial 1/5: stuck ${HERE} (used all 25 turns)`],
    ['other numbers of turns', [{}, { turns: 3 }], `2 of 2 failures: stuck ${HERE} (used all its turns)`],
    [
      'the limit in its own words',
      [{ status: 'timed_out', said: 'the test timed out after 9 s' }],
      `trial 1/5: stuck ${HERE} (the test timed out after 9 s)`,
    ],
    ['at its cost cap', [{ status: 'budget_exceeded' }], `trial 1/5: stuck ${HERE} (reached its cost cap)`],
    [
      'a control of an earlier page',
      [{ control: { words: 'link "Cart"', here: false } }],
      'trial 1/5: stuck on /checkout after link "Cart" (used all 25 turns)',
    ],
    ['nothing known of the page', [{ control: null, path: null }], 'trial 1/5: stuck (used all 25 turns)'],
    ['an end of its own', [COMPLETED], `trial 1/5: nothing matches "h1"; ended ${HERE}`],
    [
      'the first of several checks, and what was never sent',
      [{ ...COMPLETED, broken: [HEADING, ADDRESS, POST] }],
      `trial 1/5: nothing matches "h1"; no request matched POST "**/orders"; ended ${HERE}`,
    ],
    [
      'reasons that differ',
      [COMPLETED, { ...COMPLETED, broken: [{ ...HEADING, reason: 'another' }] }],
      `2 of 2 failures: failed check: "h1" is visible; ended ${HERE}`,
    ],
    [
      'reasons of the judge, which are its own words each time',
      ['Nothing shows it', 'It was never sent'].map(reason => ({
        ...COMPLETED,
        broken: [{ title: 'the judge', reason: `the judge: ${reason}` }],
      })),
      `2 of 2 failures: the judge: Nothing shows it (trial 1); ended ${HERE}`,
    ],
    ['without a check', [{ ...COMPLETED, broken: [] }], `trial 1/5: ended ${HERE}`],
    ['gave up, each with other words', ['a', 'b'].map(gaveUp), `2 of 2 failures: gave up ${HERE}`],
    ['gave up', [gaveUp('no such field')], 'trial 1/5: gave up on /checkout: no such field'],
    [
      'ended in other ways at one control',
      [{}, { status: 'gave_up' }, { ...COMPLETED, broken: [POST] }],
      `3 of 3 failures: stopped ${HERE}`,
    ],
    [
      'one page, other ends and controls',
      [button('A'), { ...button('B'), status: 'gave_up' }, elsewhere],
      '2 of 3 failures: nothing matches "h1"; stopped on /checkout',
    ],
    [
      'one check, other pages',
      ['A', 'B'].map(name => ({ ...COMPLETED, ...button(name), path: `/${name}` })),
      '2 of 2 failures: nothing matches "h1"; ended on different pages',
    ],
    [
      'nothing in common',
      [{ path: '/a', broken: [POST] }, { path: '/b' }],
      '1 of 2 failures: stuck on /a at field "Last name" (used all 25 turns)',
    ],
  ])('%s', (_name, trials, expected) => {
    expect(headline(trials.map((more, index) => trial(index, more)))).toBe(expected);
  });

  const WRONG = 'POST /api/cart answered 500 (201 in passing trials)';
  const bad = (index: number, turn: number): SuspectRequest => ({
    ...{ index, turn, request: 'POST /api/cart', status: 500, failure: null, expected: 201 },
    text: WRONG,
  });
  const STUCK = `stuck ${HERE} (used all 25 turns)`;
  test.each<[string, Lost[], number[], string]>([
    ['one', [COMPLETED], [2], `trial 1/5: turn 2: ${WRONG}; nothing matches "h1"; ended ${HERE}`],
    ['one that gave up', [gaveUp('x')], [2], `trial 1/5: turn 2: ${WRONG}; gave up on /checkout: x`],
    ['other turns', [{}, {}], [2, 3], `2 of 2 failures: ${WRONG}; ${STUCK}`],
    ['before the first turn', [{}], [0], `trial 1/5: before turn 1: ${WRONG}; ${STUCK}`],
    ['only one of two', [{}, {}], [2], `2 of 2 failures: ${STUCK}`],
  ])('a request that went wrong: %s', (_name, lost, turns, expected) => {
    const trials = lost.map((more, index) => {
      const turn = turns[index];
      return { ...trial(index, more), suspect: turn === undefined ? null : bad(index, turn) };
    });
    const { headline, requests } = diagnosisOf(trials, 5)!;
    expect(headline).toBe(expected.length > 160 ? `${expected.slice(0, 159)}…` : expected);
    expect(requests).toHaveLength(turns.length);
  });

  test('a request that was answered with an error explains what can not be reached', () => {
    const hidden = { kind: 'out_of_reach' as const, text: 'x', locator: 'y', path: '/' };
    const lost = trial(0, { findings: [hidden] });
    const found = (suspect: SuspectRequest) => diagnosisOf([{ ...lost, suspect }], 5)!.findings.length;
    expect(found(bad(0, 2))).toBe(0);
    expect(found({ ...bad(0, 2), status: null })).toBe(1);
  });

  test.each<[what: string, status: number | null, wasSent: boolean, isShown: boolean]>([
    ['an error of the server explains it', 500, true, false],
    ['one that was refused may lack what it would have given', 422, true, true],
    ['so may one that was never sent', null, false, true],
  ])('a control without a name, beside a request that went wrong: %s', (_, status, wasSent, isShown) => {
    const icon = { kind: 'no_name' as const, text: 'button without a name', locator: '#y', path: '/' };
    const place = { control: 'button', x: 0, y: 0, width: 9, height: 9 };
    const suspect = { ...bad(0, 2), status };
    const sent = { request: suspect.request, turn: 2, status, failure: null };
    const lost = trial(0, { findings: [{ ...icon, place }], requests: wasSent ? [sent] : [] });
    const { findings } = diagnosisOf([{ ...lost, suspect }], 5)!;
    expect(findings.length).toBe(Number(isShown));
  });

  test('is one line of at most 160 characters; the words of the agent are whole in the group', () => {
    const said = `I could not ${'really '.repeat(60)}find it`;
    const { headline, groups } = diagnosisOf([trial(0, { status: 'gave_up', said })], 5)!;
    expect(headline).toHaveLength(160);
    expect(groups[0]!.said).toBe(said);
  });

  test('names the control that an agent that gave up looked for in vain', () => {
    const control = { words: 'button "Pay"', here: true, sought: true };
    const headlineOf = (said: string) => headline([trial(0, { status: 'gave_up', said, control })]);
    expect(headlineOf('no')).toBe('trial 1/5: gave up on /checkout at button "Pay": no');
    expect(headlineOf('no "Pay"')).toBe('trial 1/5: gave up on /checkout: no "Pay"');
  });

  test('the broken check, though the address of the request is long', () => {
    const request = `POST /api/organisations/*/projects/*/baskets/*/${'items/'.repeat(6)}add`;
    const text = `${request} answered 500 (201 in passing trials)`;
    const lost = trial(0, { ...elsewhere, broken: [HEADING] });
    const suspect = { index: 0, turn: 2, request, status: 500, failure: null, expected: 201, text };
    const { headline, groups } = diagnosisOf([{ ...lost, suspect }], 5)!;
    expect(headline).toBe(
      'trial 1/5: turn 2: POST …/items/items/items/items/add answered 500 (201 in passing trials); nothing matches "h1"; ended on /help at link "Home"',
    );
    expect(groups[0]!.text).toContain(text);
  });

  test('what the page said, if it said the same to all', () => {
    const pageSaid = (...said: string[]) =>
      diagnosisOf(
        said.map((pageSaid, index) => ({ ...trial(index), pageSaid })),
        5,
      )!.pageSaid;
    expect(pageSaid('Sold out', 'Sold out')).toBe('Sold out');
    expect(pageSaid('Sold out', 'Busy')).toBeUndefined();
  });

  test('a group of several projects names them', () => {
    const groups = (...projects: string[]) =>
      diagnosisOf(
        projects.map((project, index) => trial(index, { project })),
        5,
      )!.groups;
    expect(groups('opus', 'haiku')).toMatchObject([{ projects: ['haiku', 'opus'] }]);
    expect(groups('opus', 'opus')[0]).not.toHaveProperty('projects');
  });

  test('no failed trial, no diagnosis', () => {
    expect(diagnosisOf([], 5)).toBeUndefined();
  });
});

const anyTrial = fc.record({
  project: fc.constantFrom('opus', 'haiku'),
  status: fc.constantFrom('completed', 'max_steps', 'gave_up'),
  broken: fc.subarray([HEADING, POST, ADDRESS]),
  path: fc.constantFrom('/cart', '/pay', null),
  control: fc.constantFrom({ words: 'a', here: true }, { words: 'b', here: false }, null),
});
const anyTrials = fc
  .array(anyTrial, { maxLength: 12 })
  .map(found => found.map((more, index) => trial(index, more)));

test('in any order, so from any shards: the same diagnosis', () => {
  fc.assert(
    fc.property(
      anyTrials.chain(trials =>
        fc.tuple(fc.constant(trials), fc.shuffledSubarray(trials, { minLength: trials.length })),
      ),
      ([trials, shuffled]) => {
        expect(diagnosisOf(shuffled, 12)).toEqual(diagnosisOf(trials, 12));
      },
    ),
  );
});

test('each failed trial is in one group, and the largest comes first', () => {
  fc.assert(
    fc.property(anyTrials, trials => {
      const groups = failureGroups(trials);
      expect(groups.flatMap(group => group.trials).sort((a, b) => a - b)).toEqual(
        trials.map((_, index) => index),
      );
      const sizes = groups.map(group => group.trials.length);
      expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    }),
  );
});

test('what a group says to share, all its trials have', () => {
  fc.assert(
    fc.property(anyTrials, trials => {
      for (const { trials: indexes, status, check, path, control } of diagnosisOf(trials, 12)?.groups ?? [])
        for (const index of indexes) {
          const own = trials[index]!;
          expect([null, own.trial.status]).toContain(status);
          expect([null, own.facts.way.end]).toContain(path);
          expect([null, own.facts.control?.words]).toContain(control);
          expect([null, ...own.facts.broken.map(({ title }) => title)]).toContain(check);
        }
    }),
  );
});

test('ten thousand trials', () => {
  const trials = Array.from({ length: 10_000 }, (_, index) =>
    trial(index, { path: `/p${index}`, ...button(String(index)), broken: [] }),
  );
  const start = performance.now();
  expect(diagnosisOf(trials, 10_000)!.groups).toHaveLength(10_000);
  expect(performance.now() - start).toBeLessThan(10_000);
});

describe('where the trials of a group parted', () => {
  const parting = (turn: number, did: string) => (index: number) => {
    const words = { lead: '', said: 'passing trials clicked A', own: did };
    const [expected, actual] = [
      { turn, did: 'clicked A', path: '/' },
      { turn, did, path: '/' },
    ];
    const text = partingText(words, `turn ${turn}`, 'this one');
    return {
      parting: { kind: 'action', from: 'trials', turn, text, expected, actual, index },
      ...words,
    } as FoundParting;
  };
  const toB = (turn: number) => parting(turn, 'clicked B');
  test.each<[string, number[], ReturnType<typeof parting>[], string | null]>([
    ['a single one', [0], [toB(6)], 'turn 6: passing trials clicked A, this one clicked B'],
    ['all at one turn', [0, 1], [toB(6), toB(6)], 'turn 6: passing trials clicked A, these clicked B'],
    ['all', [0, 1], [toB(6), toB(4)], 'turns 4 to 6: passing trials clicked A, these clicked B'],
    [
      'most of them',
      [0, 1, 2],
      [parting(3, 'clicked C'), toB(6), toB(6)],
      'trial 2, turn 6: passing trials clicked A, this one clicked B',
    ],
    ['not all known', [0, 1], [toB(6)], 'trial 1, turn 6: passing trials clicked A, this one clicked B'],
    ['none known', [0, 1], [], null],
  ])('%s', (_name, trials, partings, expected) => {
    const found = partings.map((of, index) => of(index));
    expect(groupParting(trials, found)).toBe(expected);
  });
});

describe('findings', () => {
  const text = 'button without a name';
  const icon = { kind: 'no_name', text, locator: "locator('.icon-cart')", path: '/shop' };
  const field = { kind: 'no_label', text: 'field without a label', locator: "locator('#q')", path: '/shop' };

  test('of a spec: each with the trials that met it, the costliest first', () => {
    const trials = [trial(0, { findings: [field, icon, icon] }), trial(1, { findings: [icon] }), trial(2)];
    expect(metFindings(trials.map(({ facts }) => facts.findings))).toEqual([
      { ...icon, trials: 2 },
      { ...field, trials: 1 },
    ]);
  });

  test('of several specs: one line each, also where one spec has them in several projects', () => {
    const met = (trials: number) => ({ ...icon, trials });
    const once = { ...field, trials: 1 };
    const shared = sharedFindings([
      { name: 'cart', findings: [met(4), once] },
      { name: 'cart', findings: [met(2), once] },
      { name: 'buy', findings: [met(3)] },
      { name: 'about', findings: [{ ...met(3), path: '/about' }] },
    ]);
    expect(shared).toEqual([{ ...icon, trials: 9, specs: ['buy', 'cart'] }]);
  });
});
