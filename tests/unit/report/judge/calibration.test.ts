// Whether a judge's judgements count: only if it agrees with enough labels. Nothing that failed passes because of that.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { labelsText } from '../../../../src/data/labels';
import type { Plan } from '../../../../src/data/plan';
import type { TrialRecord } from '../../../../src/data/record';
import { planAnnotations } from '../../../../src/playwright/run/plan';
import { Calibration, labelsFileFor } from '../../../../src/report/judge/calibration';
import { SpecRun } from '../../../../src/report/spec-run';
import { fakeResult, fakeTest } from '../../../support/fake-suite';
import { madeRecord } from '../../../support/records';
import { tempFolder } from '../../../support/temp-folder';

const PLAN: Plan = {
  ...{ id: 'send', file: 'send.yaml', rubricHash: 'r1', policy: { k: 3, minPasses: 2 }, replayed: false },
};

interface Given {
  /** The labels' values and the judge's answers, as letters. */
  labels?: string;
  answers?: string;
  rubric?: string;
  minAgreement?: number;
  plan?: Plan;
}

/** The letters of the trials: p and f as the judge says, b with a failed assertion, s skipped. */
function play(trials: string, given: Given = {}) {
  const { labels = '', answers = labels, rubric = 'r1', plan = PLAN } = given;
  const { minAgreement } = { minAgreement: 0.9, ...given };
  const folder = tempFolder();
  const file = join(folder, 'taskproof-labels.json');
  const trialOf = (at: number) => ({ trial: at.toString(16).padStart(32, '0'), rubric });
  const times = { run: '2026-11-25T10:00:00.000Z', at: '2026-11-25T11:00:00.000Z' };
  const all = [...labels].map((letter, at) => ({
    ...{ spec: 'send', project: 'agents', ...trialOf(at), ...times, index: 0 },
    label: letter === 'p' ? ('passed' as const) : ('failed' as const),
  }));
  const said = [...answers].map((letter, at) => ({
    ...{ judge: 'strict', model: null, prompt: null, ...trialOf(at), passed: letter === 'p' },
  }));
  if (labels) writeFileSync(file, labelsText({ labels: all, answers: said }));
  const runs = new Map<string, SpecRun>();
  const calibration = new Calibration(file, runs);
  const run = new SpecRun('agents', plan, calibration);
  runs.set(JSON.stringify(['agents', 'send']), run);
  for (const [index, letter] of [...trials].entries()) {
    const annotations = planAnnotations(plan);
    const outcome = letter === 'p' ? ('passed' as const) : ('failed' as const);
    const judge: TrialRecord['judge'] = {
      ...{ passed: letter === 'p', reason: 'so', name: 'strict' },
      ...(minAgreement !== undefined && { minAgreement }),
    };
    const more = { outcome, reason: outcome === 'failed' ? 'no' : null, policy: plan.policy };
    const record = madeRecord({ ...more, judge: letter === 'b' ? null : judge });
    const result = letter === 's' ? { status: 'skipped' as const } : { status: outcome, record };
    run.add(fakeTest({ annotations, repeatEachIndex: index }), fakeResult({ ...result, annotations }));
  }
  return { verdict: run.verdict, judges: calibration.judges };
}

const GOOD = `${'p'.repeat(17)}fff`;

test.each<[string, string, Given, string, string | null]>([
  ['without labels', 'ppp', {}, 'inconclusive', 'has no label for this rubric'],
  ['what the judge failed, too', 'ffp', {}, 'inconclusive', 'the judge failed it, but'],
  ['with enough labels', 'ppf', { labels: GOOD }, 'passed', null],
  ['enough, and failed', 'ffp', { labels: GOOD }, 'failed', 'no'],
  [
    'with too few',
    'ppp',
    { labels: 'ppff' },
    'inconclusive',
    'has 4 of the 20 labels that it needs (2 passed, 2 failed; at least 3 of each)',
  ],
  [
    'where it differs',
    'ppp',
    { labels: GOOD, answers: `${'p'.repeat(14)}ffffff` },
    'inconclusive',
    'agrees with 17 of 20 labels, and minAgreement is 0.9. Run npx taskproof judge label',
  ],
  ['with labels of an earlier rubric', 'ppp', { labels: GOOD, rubric: 'r0' }, 'inconclusive', 'has no label'],
  ['with failed assertions', 'bbp', {}, 'failed', 'no'],
  ['with one failed assertion', 'bpp', {}, 'inconclusive', 'it, but'],
  ['that skipped the rest', 'pps', {}, 'inconclusive', 'it, but'],
  ['without the option', 'ppp', { minAgreement: undefined } as never, 'passed', null],
])('a rubric %s', (_, trials, given, verdict, reason) => {
  const played = play(trials, given);
  expect(played.verdict.verdict).toBe(verdict);
  if (reason === null) expect(played.verdict.reason).toBeNull();
  else expect(played.verdict.reason).toContain(reason);
});

test('one pass that is needed, and settles it: the rest was skipped', () => {
  const plan = { ...PLAN, policy: { k: 3, minPasses: 1 } };
  expect(play('pss', { plan }).verdict.verdict).toBe('inconclusive');
});

test('the summary gets the judges of the run, and no others', () => {
  expect(play('p', { labels: GOOD }).judges).toEqual([
    { judge: 'strict', model: null, labels: 20, agreed: 20, minAgreement: 0.9 },
  ]);
  expect(play('b').judges).toBeUndefined();
});

test('a labels file that can not be read is told, and counts as none', () => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => told.mockRestore());
  const folder = tempFolder();
  writeFileSync(join(folder, 'labels.json'), '{');
  const calibration = new Calibration(join(folder, 'labels.json'), new Map());
  expect(calibration.whyNot({ passed: true, reason: '', name: 'strict', minAgreement: 0.9 }, 'r1')).toContain(
    'no label',
  );
  expect(String(told.mock.calls)).toContain('labels.json: not JSON');
});

test('labels are found beside the baseline, or where `judge label` writes them', () => {
  const folder = tempFolder();
  const found = () => labelsFileFor(folder, join(folder, 'baselines/main.json'));
  expect(found()).toBe(join(folder, 'taskproof-labels.json'));
  mkdirSync(join(folder, 'baselines'));
  writeFileSync(join(folder, 'baselines/taskproof-labels.json'), labelsText({ labels: [], answers: [] }));
  expect(found()).toBe(join(folder, 'baselines/taskproof-labels.json'));
});
