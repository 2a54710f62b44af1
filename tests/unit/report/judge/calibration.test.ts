// Whether a judge's judgements count: only if it agrees with enough labels. Nothing that failed passes because of that.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

function play(trials: readonly ('judged' | 'refused' | 'broken' | 'skipped')[], given: Given = {}) {
  const { labels = '', answers = labels, rubric = 'r1', plan = PLAN } = given;
  const { minAgreement } = { minAgreement: 0.9, ...given };
  const folder = mkdtempSync(join(tmpdir(), 'taskproof-calibration-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
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
  for (const [index, how] of trials.entries()) {
    const test = fakeTest({ annotations: planAnnotations(plan), repeatEachIndex: index });
    const outcome = how === 'judged' ? ('passed' as const) : ('failed' as const);
    const judge: TrialRecord['judge'] = {
      ...{ passed: how === 'judged', reason: 'so', name: 'strict' },
      ...(minAgreement !== undefined && { minAgreement }),
    };
    const more = { outcome, reason: outcome === 'failed' ? 'no' : null, policy: plan.policy };
    const record = madeRecord({ ...more, judge: how === 'broken' ? null : judge });
    const skipped = how === 'skipped';
    run.add(
      test,
      fakeResult({
        ...{ status: skipped ? 'skipped' : outcome, annotations: planAnnotations(plan) },
        ...(!skipped && { record }),
      }),
    );
  }
  return { verdict: run.verdict, judges: calibration.judges };
}

const GOOD = `${'p'.repeat(17)}fff`;

test.each<[string, Parameters<typeof play>[0], Given, string, string | null]>([
  ['without labels', ['judged', 'judged', 'judged'], {}, 'inconclusive', 'has no label for this rubric'],
  [
    'what the judge failed, too',
    ['refused', 'refused', 'judged'],
    {},
    'inconclusive',
    'the judge failed it, but',
  ],
  ['with enough labels', ['judged', 'judged', 'refused'], { labels: GOOD }, 'passed', null],
  ['enough, and failed', ['refused', 'refused', 'judged'], { labels: GOOD }, 'failed', 'no'],
  [
    'with too few',
    ['judged', 'judged', 'judged'],
    { labels: 'ppff' },
    'inconclusive',
    'has 4 of the 20 labels that it needs (2 passed, 2 failed; at least 3 of each)',
  ],
  [
    'where it differs',
    ['judged', 'judged', 'judged'],
    { labels: GOOD, answers: `${'p'.repeat(14)}ffffff` },
    'inconclusive',
    'agrees with 17 of 20 labels, and minAgreement is 0.9. Run npx taskproof judge label',
  ],
  [
    'with labels of an earlier rubric',
    ['judged', 'judged', 'judged'],
    { labels: GOOD, rubric: 'r0' },
    'inconclusive',
    'has no label for this rubric',
  ],
  ['with failed assertions', ['broken', 'broken', 'judged'], {}, 'failed', 'no'],
  ['with one failed assertion', ['broken', 'judged', 'judged'], {}, 'inconclusive', 'it, but'],
  ['that skipped the rest', ['judged', 'judged', 'skipped'], {}, 'inconclusive', 'it, but'],
  [
    'without the option',
    ['judged', 'judged', 'judged'],
    { minAgreement: undefined } as never,
    'passed',
    null,
  ],
])('a rubric %s', (_, trials, given, verdict, reason) => {
  const played = play(trials, given);
  expect(played.verdict.verdict).toBe(verdict);
  if (reason === null) expect(played.verdict.reason).toBeNull();
  else expect(played.verdict.reason).toContain(reason);
});

test('one pass that is needed, and settles it: the rest was skipped', () => {
  const plan = { ...PLAN, policy: { k: 3, minPasses: 1 } };
  expect(play(['judged', 'skipped', 'skipped'], { plan }).verdict.verdict).toBe('inconclusive');
});

test('the summary gets the judges of the run, and no others', () => {
  expect(play(['judged'], { labels: GOOD }).judges).toEqual([
    { judge: 'strict', model: null, labels: 20, agreed: 20, minAgreement: 0.9 },
  ]);
  expect(play(['broken']).judges).toBeUndefined();
});

test('a labels file that can not be read is told, and counts as none', () => {
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => told.mockRestore());
  const folder = mkdtempSync(join(tmpdir(), 'taskproof-calibration-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'labels.json'), '{');
  const calibration = new Calibration(join(folder, 'labels.json'), new Map());
  expect(calibration.whyNot({ passed: true, reason: '', name: 'strict', minAgreement: 0.9 }, 'r1')).toContain(
    'no label',
  );
  expect(String(told.mock.calls)).toContain('labels.json: not JSON');
});

test('labels are found beside the baseline, or where `judge label` writes them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'taskproof-calibration-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const found = () => labelsFileFor(folder, join(folder, 'baselines/main.json'));
  expect(found()).toBe(join(folder, 'taskproof-labels.json'));
  mkdirSync(join(folder, 'baselines'));
  writeFileSync(join(folder, 'baselines/taskproof-labels.json'), labelsText({ labels: [], answers: [] }));
  expect(found()).toBe(join(folder, 'baselines/taskproof-labels.json'));
});
