// Whether a trial runs, by what the main process and the workers know of it.
import { expect, test } from 'vitest';
import type { Plan } from '../../../../src/data/plan';
import { type Asked, type Decision, decide, type LedgerState } from '../../../../src/playwright/run/decide';
import type { LedgerEntry } from '../../../../src/playwright/run/ledger';
import type { RunSettings } from '../../../../src/playwright/run/settings';

const plan = { id: 'cart', file: 'cart.yaml', policy: { k: 5, minPasses: 4 }, replayed: false };
const replay = { ...plan, policy: { k: 1, minPasses: 1 }, replayed: true };
const ordinary = { ...plan, titlePath: ['a.spec.ts', 'cart'] };
const wanted = { project: 'p', spec: 'cart', enough: 2, trials: 4, trialUsd: 0.1 };

const EARLY = { earlyStop: true };
const SETTLED = 'early stop: the verdict is settled';
const OUTCOMES = { p: 'passed', f: 'failed', e: 'error' } as const;
const ended = (letters: string): LedgerEntry[] =>
  [...letters].map((letter, index) => ({
    index,
    outcome: OUTCOMES[letter as keyof typeof OUTCOMES],
    costUsd: 0,
  }));

interface Case extends Partial<Asked> {
  ended?: string;
  spentUsd?: number;
  committedUsd?: number;
  settings?: Partial<RunSettings>;
}

function decided({
  ended: letters = '',
  spentUsd = 0,
  committedUsd = 0,
  settings,
  ...asked
}: Case): Decision {
  const ledger: LedgerState = { ended: ended(letters), spentUsd, committedUsd };
  const run = { judged: true, interactive: false, continues: false, ...settings };
  return decide({ plan, project: 'p', index: 0, ...asked }, ledger, run);
}

test.each<[string, Case]>([
  ['the first trial', {}],
  ['the last of k', { index: 4 }],
  ['a settled verdict, without early stop', { ended: 'pppp' }],
  ['a verdict that is open', { ...EARLY, ended: 'fppp' }],
  ['no trial yet', { earlyStop: true }],
  ['two failures where each stands for itself', { ...EARLY, ended: 'ff', settings: { judged: false } }],
  ['money left', { maxRunCostUsd: 1, spentUsd: 0.99 }],
  ['an open answer', { ended: 'fpp', settings: { wanted: [wanted] } }],
  ['a cap that is just met', { committedUsd: 0.2, settings: { wanted: [wanted], maxCostUsd: 0.2 } }],
  ['a spec in a probe', { settings: { purpose: 'probe' } }],
  ['the one trial of an interactive run', { settings: { interactive: true } }],
])('%s: it runs', (_, asked) => {
  expect(decided(asked)).toEqual({ run: true });
});

test.each<[string, Case, string]>([
  ['beyond k', { index: 5 }, "repeat 6 is beyond the spec's k of 5"],
  ['a second replay', { plan: replay, index: 1 }, 'played once, or N times with --repeat-each=N'],
  ['interactive, a second one', { index: 1, settings: { interactive: true } }, 'beyond'],
  ['passed early', { ...EARLY, ended: 'pppp' }, `${SETTLED} (passed, 4 of 4 passed, needs 4 of 5)`],
  ['failed early', { ...EARLY, ended: 'fpf' }, `${SETTLED} (failed, 1 of 3 passed, needs 4 of 5)`],
  ['inconclusive', { ...EARLY, ended: 'ee' }, `${SETTLED} (inconclusive, 0 of 2 passed, needs 4 of 5)`],
  ['confirmed', { ended: 'ff', settings: { wanted: [wanted] } }, 'the answer is clear: regressed'],
  ['not confirmed', { ended: 'ppp', settings: { wanted: [wanted] } }, 'the answer is clear: not confirmed'],
  [
    'too dear',
    { committedUsd: 0.3, settings: { wanted: [wanted], maxCostUsd: 0.25 } },
    'another trial could cost more than the $0.25 of --max-cost',
  ],
  [
    'not asked for',
    { settings: { wanted: [{ ...wanted, project: 'q' }] } },
    'this spec is not one of those that this run repeats',
  ],
  ['a replay, confirmed', { plan: replay, settings: { wanted: [wanted] } }, 'a replay has no fresh trials'],
  ['a test in a probe', { plan: ordinary, settings: { purpose: 'probe' } }, 'does not run the code of tests'],
  ['no recording', { recording: { missing: 'r.json', otherwise: 'skip' } }, 'no recording: r.json'],
  ['beyond k before what is missing', { index: 5, secrets: 'none' }, 'beyond'],
])('%s: it is skipped', (_, asked, reason) => {
  expect(decided(asked)).toEqual({ skip: expect.stringContaining(reason) });
});

test('no money: it is skipped, but its verdict stays open', () => {
  const skip = 'the run has spent $1.0000 of its maxRunCostUsd of $1, so no new trial starts';
  expect(decided({ maxRunCostUsd: 1, spentUsd: 1 })).toEqual({ skip, isOpen: true });
  const settings = { judged: false, interactive: true };
  expect(decided({ maxRunCostUsd: 1, spentUsd: 1, settings })).toEqual({ skip, isOpen: true });
  // Nobody else would make the run red.
  const alone = { maxRunCostUsd: 1, spentUsd: 1, settings: { judged: false } };
  expect(decided(alone)).toEqual({ fail: skip });
});

test('going on with an earlier run without the reporter that kept it: it fails', () => {
  const settings = { judged: false, continues: true };
  expect(decided({ settings })).toEqual({ fail: expect.stringContaining('is not used in this run') });
  expect(decided({ settings: { ...settings, judged: true } })).toEqual({ run: true });
  expect(decided({ settings: { ...settings, interactive: true } })).toEqual({ run: true });
});

test('a secret without a value: it fails', () => {
  expect(decided({ secrets: 'PASSWORD has no value' })).toEqual({ fail: 'PASSWORD has no value' });
});

test.each<[string, Plan, string]>([
  ['spec', plan, 'cart'],
  ['test', { ...ordinary, id: 'pays "$5" (once)' }, 'pays ..5. .once.'],
])('a %s without a recording: it fails in one line, and below it says how to record it', (_, plan, words) => {
  const decision = decided({ plan, recording: { missing: 'r/cart.json', otherwise: 'fail' } });
  const [what, how, whatElse] = ('fail' in decision ? decision.fail : '').split('\n');
  expect(what).toBe('no recording: r/cart.json');
  expect(how).toContain(`npx playwright test --grep " ${words} @"`);
  expect(new RegExp(words).test(plan.id)).toBe(true);
  expect(whatElse).toMatch(/answer .*`withoutRecording: 'skip'`/);
});
