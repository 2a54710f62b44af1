// A confirmation in words: what fresh trials showed, what is open and why, what it cost.
import { describe, expect, test } from 'vitest';
import { type Confirmation, confirmDocument, planText } from '../../../../src/report/render/confirm';
import { commentWriter } from '../../../../src/report/render/markdown-writer';
import { terminalWriter } from '../../../../src/report/render/terminal-writer';
import { type Diff, type DiffRow, diffVerdicts, outcomeOf } from '../../../../src/verdicts/change';
import type { CandidateRow } from '../../../../src/verdicts/confirm';
import { verdictOf } from '../../../../src/verdicts/verdict';
import { resultRow, trials } from '../../verdicts/trials';

function row(spec: string, letters: string) {
  const subject = { spec, project: 'opus', agent: 'claude', model: null, replayed: false };
  return resultRow(subject, verdictOf({ k: letters.length, minPasses: letters.length }, trials(letters)));
}
const diffOf = (before: Record<string, string>, after: Record<string, string>) =>
  diffVerdicts(
    Object.entries(before).map(([spec, letters]) => row(spec, letters)),
    Object.entries(after).map(([spec, letters]) => row(spec, letters)),
  );

type One = Confirmation['answers'][number];
const FRESH = { passes: 0, failures: 0, errors: 0, costUsd: 0, reason: null };

/** Of the candidates of a diff, by spec. */
function confirmation(
  diff: Diff,
  answers: Record<string, Partial<Omit<One, 'row' | 'fresh'>> & { fresh?: Partial<One['fresh']> }>,
  more: Partial<Confirmation> = {},
): Confirmation {
  const rows = diff.rows.map(one => (one.candidate ? { ...one, candidate: false, proven: false } : one));
  return {
    outcome: 'unknown',
    suite: null,
    diff,
    rest: outcomeOf({ ...diff, rows, suite: null }),
    costUsd: 1.5,
    ...more,
    answers: Object.entries(answers).map(([spec, { fresh, ...one }]) => ({
      ...{ answer: 'open' as const, played: true, rule: { trials: 15, enough: 6 } },
      ...one,
      row: diff.rows.find(each => each.spec === spec) as DiffRow & CandidateRow,
      fresh: { ...FRESH, ...fresh },
    })),
  };
}

const DIFF = diffOf(
  { cart: 'ppp', docs: 'ppp', login: 'ppp', menu: 'p', same: 'p' },
  { cart: 'pff', docs: 'ppf', login: 'ppf', menu: 'f', same: 'p' },
);
const ALL = confirmation(
  DIFF,
  {
    cart: { answer: 'regressed', fresh: { passes: 1, failures: 6, costUsd: 0.7 } },
    docs: { answer: 'not confirmed', fresh: { passes: 5, costUsd: 0.5 } },
    login: {
      fresh: { passes: 2, failures: 1, errors: 2, costUsd: null, reason: 'the run was interrupted' },
    },
    menu: { rule: { trials: 15, enough: null }, played: false },
  },
  { outcome: 'worse', costUsd: null },
);
const LINES = [
  'Worse than the baseline, on fresh trials too: cart [opus].',
  "Can't tell: login [opus] had 3 of up to 15 fresh trials graded, 2 errors (the run was interrupted); 15 fresh trials of menu [opus] can't prove anything against a baseline of 1/1 (save more runs to it, or raise --trials).",
  '17 fresh trials, unknown.',
];

test('in the terminal', () => {
  expect(confirmDocument(ALL)(terminalWriter())).toBe(
    [
      'answer         spec   project  baseline  last run  fresh trials    cost',
      'regressed      cart   opus     3/3       1/3       1/7             $0.70',
      'not confirmed  docs   opus     3/3       2/3       5/5             $0.50',
      "can't tell     login  opus     3/3       2/3       2/3 (2 errors)  unknown",
      "can't tell     menu   opus     1/1       0/1       -               $0",
      '',
      ...LINES,
    ].join('\n'),
  );
  const coloured = confirmDocument(ALL)(terminalWriter({ colour: true }));
  for (const shown of ['\u001b[31mregressed', '\u001b[32mnot confirmed', "\u001b[33mcan't tell"])
    expect(coloured).toContain(shown);
});

test('as a comment', () => {
  const text = confirmDocument(ALL)(commentWriter);
  expect(text).toMatch(/^<!-- taskproof-diff -->\n\n### Taskproof: worse than the baseline\n\nWorse than/);
  expect(text).toContain('cart \\[opus\\].  \nCan');
  expect(text).toContain(
    '| answer | spec | project | baseline | last run | fresh trials | cost |\n| --- | --- | --- | --- | --- | --- | --- |\n' +
      '| **regressed** | cart | opus | 3/3 | 1/3 | 1/7 | \\$0.70 |\n| not confirmed | docs |',
  );
  expect(text).toMatch(
    /\n\n<details>\n<summary>The run compared with the baseline<\/summary>\n\n\| change [\s\S]*<\/details>$/,
  );
  expect(confirmDocument({ ...ALL, outcome: 'same' })(commentWriter)).toContain(
    '\n### Taskproof: nothing is worse\n',
  );
  const nothing = confirmDocument(confirmation(diffOf({}, {}), {}, { outcome: 'unknown' }))(commentWriter);
  expect(nothing).toMatch(
    /^<!-- taskproof-diff -->\n\n### Taskproof: can't tell\n\nCan't tell: .*\n\n<details>/,
  );
});

describe('the outcome in sentences', () => {
  const SAME = diffOf({ same: 'p' }, { same: 'p' });
  const one = { rule: { trials: 1, enough: null } };
  test.each<[string, Confirmation, string[]]>([
    [
      'nothing to confirm',
      confirmation(SAME, {}, { outcome: 'same' }),
      ['Nothing looks worse than the baseline.'],
    ],
    [
      'nothing confirmed',
      confirmation(
        DIFF,
        { docs: { answer: 'not confirmed', fresh: { passes: 1 } } },
        { outcome: 'same', costUsd: 0.1 },
      ),
      ['Nothing is worse than the baseline: fresh trials did not confirm it.', '1 fresh trial, $0.10.'],
    ],
    [
      'one trial, against several',
      confirmation(DIFF, { docs: one }),
      [
        "Can't tell: 1 fresh trial of docs [opus] can't prove anything against a baseline of 3/3 (save more runs to it, or raise --trials).",
        '0 fresh trials, $1.50.',
      ],
    ],
    [
      'a spec of which too few trials were graded',
      confirmation(DIFF, { docs: { fresh: { passes: 2 } } }),
      ["Can't tell: docs [opus] had 2 of up to 15 fresh trials graded.", '2 fresh trials, $1.50.'],
    ],
    [
      'a spec that is gone',
      confirmation(DIFF, { docs: { played: false } }),
      [
        "Can't tell: docs [opus] was not found (is it still in the suite, and in that project?).",
        '0 fresh trials, $1.50.',
      ],
    ],
    [
      'a doubt beside',
      confirmation(diffOf({ cart: 'ppp', docs: 'p' }, { cart: 'pff' }), {
        cart: { answer: 'not confirmed', fresh: { passes: 3 } },
      }),
      [
        "Can't tell: 1 spec of the baseline no longer in the suite (docs [opus]). If this is intended, add --allow removed",
        '3 fresh trials, $1.50.',
      ],
    ],
    [
      'a fall of the suite',
      confirmation(
        SAME,
        {},
        {
          outcome: 'worse',
          suite: {
            ...{ specs: 1, p: 0.012, fell: true },
            before: { passes: 9, failures: 1 },
            after: { passes: 1, failures: 1 },
          },
        },
      ),
      ['The suite as a whole became worse: 90% → 50% of the trials passed, over 1 spec (p = 0.012).'],
    ],
  ])('%s', (_, given, lines) => {
    expect(confirmDocument(given)(terminalWriter()).split('\n\n').at(-1)!.split('\n')).toEqual(lines);
  });
});

describe('what is about to run', () => {
  const [cart, docs] = ['cart', 'docs'].map(spec => ({ spec, project: 'opus' }));
  const shown = "\nPlaywright's list may show a failed trial as passed; the result at the end counts it.";
  test.each<[Parameters<typeof planText>, string]>([
    [
      [[cart!], 15, [0.1], undefined],
      'Running 1 candidate again: cart [opus]. Up to 15 fresh trials, at most $1.50 judging by the last run.',
    ],
    [
      [[cart!, docs!], 1, [0.1, 0.2], 5],
      'Running 2 candidates again: cart [opus], docs [opus]. Up to 1 fresh trial each, at most $0.30 judging by the last run, capped at $5.00.',
    ],
    [
      [[cart!, docs!], 2, [0.1, null], undefined],
      'Running 2 candidates again: cart [opus], docs [opus]. Up to 2 fresh trials each, cost unknown.',
    ],
  ])('%#', (given, expected) => expect(planText(...given)).toBe(expected + shown));
});
