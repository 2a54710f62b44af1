// What `taskproof confirm` refuses or answers without playing anything.
import { expect, test } from 'vitest';
import { trialCost } from '../../../src/cli/confirm';
import { readHistory } from '../../../src/data/baseline';
import { readResults } from '../../../src/data/results';
import { diffVerdicts } from '../../../src/verdicts/change';
import { type CandidateRow, conclude } from '../../../src/verdicts/confirm';
import { diffWithBaseline } from '../../../src/verdicts/history';
import { row } from '../report/render/rows';
import { resultsFile, suite } from './suite';

const played = { 'taskproof-results.json': resultsFile({ cart: 'fffff', docs: 'ppppp' }) };
const files = (before: string) => ({ ...played, 'taskproof-baseline.json': before });
const BEFORE = resultsFile({ cart: 'ppppp', docs: 'ppppp' });

test.each(['--shard=1/2', '--repeat-each=3', '--list', '--ui'])('%s is refused', async arg => {
  const { taskproof } = suite(files(BEFORE));
  const { code, err } = await taskproof(['confirm', '--', '--workers=2', arg]);
  expect([code, err]).toEqual([
    2,
    expect.stringContaining(`confirm can't be used with ${arg.split('=')[0]}`),
  ]);
});

test('without candidates nothing is played', async () => {
  const { taskproof } = suite({ ...files(BEFORE), 'taskproof-results.json': BEFORE });
  expect(await taskproof(['confirm'])).toEqual({
    code: 0,
    out: 'Nothing looks worse than the baseline.',
    err: '',
  });
});

test('where no number of failures could prove anything, nothing is played', async () => {
  const { taskproof } = suite(files(resultsFile({ cart: 'p', docs: 'p' })));
  const { code, out, err } = await taskproof(['confirm', '--trials', '2', '--max-cost', '1']);
  expect([code, err]).toEqual([3, '']);
  expect(out).toContain("2 fresh trials of cart [opus] can't prove anything against a baseline of 1/1 (save");
  expect((await taskproof(['confirm', '--trials', '2', '--allow', 'candidates'])).code).toBe(0);
});

test.each([
  ['a newer schema', '{"schemaVersion":"3","runs":{}}', 'schemaVersion is "3"'],
  ['cut', BEFORE.slice(0, 100), 'not JSON'],
])('a baseline: %s', async (_, before, message) => {
  const { taskproof } = suite(files(before));
  const { code, err } = await taskproof(['confirm']);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test.each([
  [
    'cut off, without an answer',
    { passes: 0, failures: 1 },
    1,
    'open',
    expect.stringContaining('--max-cost'),
  ],
  ['answered before', { passes: 0, failures: 2 }, 1, 'regressed', 'trial 1/3: broken'],
  ['whole, without an answer', { passes: 0, failures: 1, errors: 2 }, 1, 'open', 'trial 1/3: broken'],
  ['without a cap', { passes: 0, failures: 1 }, undefined, 'open', 'trial 1/3: broken'],
  ['passed', { passes: 3, failures: 0 }, undefined, 'not confirmed', 'trial 1/3: broken'],
] as const)('fresh trials that are %s', (_, counts, maxCost, answer, reason) => {
  const found = { ...row('cart', 'fff', { reason: 'trial 1/3: broken' }), errors: 0, ...counts };
  const others = ['docs', 'login'].map(id => row(id, 'ppppp'));
  const diff = diffVerdicts([row('cart', 'ppp'), ...others], [row('cart', 'fff'), ...others]);
  const candidate = { row: diff.rows[0] as CandidateRow, rule: { trials: 3, enough: 2 } };
  const { answers, outcome } = conclude(diff, [candidate], [found], { allow: new Set(), maxCost });
  expect(answers).toMatchObject([{ answer, fresh: { reason } }]);
  expect(outcome).toBe({ open: 'unknown', regressed: 'worse', 'not confirmed': 'same' }[answer]);
});

test.each([
  // The dearest trial of a run that has passes.
  ['pppff', 'pppff', 0.4],
  // Lost trials are cheap: the baseline's passed ones cost more.
  ['ppppp', 'fffff', 0.4],
  ['fffff', 'fffff', 0.1],
])('baseline %s, later run %s: a trial costs $%d', (before, after, expected) => {
  const priced = (letters: string) => {
    const all = JSON.parse(resultsFile({ cart: letters }));
    for (const verdict of all.verdicts) {
      for (const trial of verdict.trials) trial.costUsd = trial.outcome === 'passed' ? 0.4 : 0.1;
      verdict.costUsd = verdict.trials.reduce(
        (sum: number, { costUsd }: { costUsd: number }) => sum + costUsd,
        0,
      );
    }
    return JSON.stringify(all);
  };
  const later = readResults(priced(after), 'after.json');
  const { rows } = diffWithBaseline(readHistory(priced(before), 'before.json'), later);
  expect(trialCost(later, rows[0]!)).toBeCloseTo(expected);
});
