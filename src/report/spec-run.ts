// Collects the trials of one spec in one project, of an agent or of replays, as they come in.
import type { TestCase, TestResult } from '@playwright/test/reporter';
import type { Diagnosis, Way } from '../data/diagnosis';
import { type Plan, planName, type RowName, trialTitle } from '../data/plan';
import type { JudgeResult, TrialRecord } from '../data/record';
import type { Policy, TrialResult, Verdict } from '../data/verdict';
import { annotate, retag, skipUnstarted, unannotate, wroteSnapshot } from '../playwright/inside/results';
import { decide } from '../playwright/run/decide';
import { enter, orWarn, readLedger } from '../playwright/run/ledger';
import { carriedPlan, hidePlan, OVER_BUDGET } from '../playwright/run/plan';
import { checkRun, runSettings } from '../playwright/run/settings';
import { uniqueByName } from '../spec/placeholders';
import { oneLine } from '../text/line';
import { print } from '../text/print';
import { PassingWays } from '../verdicts/diagnosis/parting';
import { factsOf, type GradedTrial, withoutPlace } from '../verdicts/diagnosis/way';
import { allowedFailures } from '../verdicts/policy';
import { isGraded, verdictOf } from '../verdicts/verdict';
import type { Calibration } from './judge/calibration';
import { pickRecording, type Recorded, recordingOf } from './recordings';
import { specLabel } from './render/document';
import { isHealed, takenOverText } from './render/trial-notes';
import { declaredStatus, type ReadTrial, testTrial, trialOf } from './trials';
import { agentWork01 } from './version-0.1';

/** What the trials of a spec share. Whole records would fill the memory until the run ends. */
type Subject = Pick<TrialRecord, 'agent' | 'model'> &
  Partial<Pick<TrialRecord, 'specFile' | 'specHash' | 'assertions'>>;

/** One trial. It has facts if it is graded and has a record. */
export interface Entry extends Omit<GradedTrial, 'facts'>, Partial<Pick<GradedTrial, 'facts'>> {
  test: TestCase;
  result: TestResult;
  recorded: Recorded;
  judge?: JudgeResult | null | undefined;
}

export type CountedTrial = Entry & GradedTrial;

/** How many requests, and how many findings, of a passing way a baseline keeps. */
const MAX_KEPT = 50;

/** The `errorKind` of a trial whose judgement does not count. */
const UNCALIBRATED = 'uncalibrated';
/** Of a trial that played another text than was planned. */
const EDITED = {
  ...({ outcome: 'error', status: 'error', errorKind: 'setup' } as const),
  reason: 'the spec was edited while the run was going: this trial played the new text. Run it again.',
};

const asEdited = (read: ReadTrial): ReadTrial =>
  read.trial.outcome === 'skipped' ? read : { trial: { ...read.trial, ...EDITED } };

const subjectOf = ({ agent, model }: Subject) => ({ agent, model });
const isLost = ({ outcome }: TrialResult) => outcome === 'failed' || outcome === 'error';

/** Whether the suite skipped the trial, or early stop did. */
export const isNeedless = ({ trial, result }: Pick<Entry, 'trial' | 'result'>) =>
  trial.outcome === 'skipped' && result.annotations.every(({ type }) => type !== OVER_BUDGET);

export class SpecRun {
  /** Tests of this process: all k of them in a whole run, fewer in a shard. */
  readonly tests = new Set<TestCase>();
  readonly entries: Entry[] = [];
  subject: Subject | undefined;
  /** Signs that its trials come from different runs, one line each. */
  readonly conflicts = new Set<string>();
  missingBecause: string | null = null;
  diagnosis: Diagnosis | undefined;

  constructor(
    readonly project: string,
    public planned: Plan,
    private readonly calibration?: Calibration,
  ) {}

  get row(): RowName {
    const { id: spec, describe, titlePath, replayed } = this.planned;
    return { spec, titlePath, describe, project: this.project, replayed };
  }

  /** Undefined for an ordinary test, and in results of 0.1 until a trial has its record. */
  get specHash(): string | undefined {
    return this.subject?.specHash ?? this.planned.specHash;
  }

  get ended(): boolean {
    return this.entries.length >= this.tests.size;
  }

  get verdict(): Verdict {
    const { policy } = this.planned;
    const trials = this.entries.map(entry => this.counted(entry));
    const counted = verdictOf(policy, trials);
    // Early stop went by judgements that don't count. The trials that it skipped won't run any more.
    const isOpen =
      counted.verdict === 'undecided' && counted.trials.some(({ errorKind }) => errorKind === UNCALIBRATED);
    const verdict = isOpen && this.ended ? { ...counted, verdict: 'inconclusive' as const } : counted;
    if (verdict.verdict !== 'undecided' || this.missingBecause === null) return verdict;
    return { ...verdict, reason: `${this.missingBecause}; ${verdict.reason}` };
  }

  /** A judgement that does not count says nothing about the site. */
  private counted({ trial, judge }: Entry): TrialResult {
    const reason = judge && this.calibration?.whyNot(judge, this.planned.rubricHash);
    return reason ? { ...trial, outcome: 'error', errorKind: UNCALIBRATED, reason } : trial;
  }

  /** Whether the suite skips all k trials, also those of other shards. Then there is no verdict. */
  get skipped(): boolean {
    const { entries, ended, planned } = this;
    const indexes = new Set(entries.map(({ trial }) => trial.index));
    const isWhole = ended && indexes.size >= planned.policy.k;
    return isWhole && entries.every(isNeedless);
  }

  /** An ordinary test with a pass policy. Its own code grades it; only trials with an agent of ours leave records. */
  get isTest(): boolean {
    return this.planned.titlePath !== undefined;
  }

  /** @param worker the plan as the worker knows it; undefined after a crash @returns false if the result was added before */
  add(test: TestCase, result: TestResult, worker = carriedPlan(result)): boolean {
    if (this.entries.some(entry => entry.result === result)) return false;
    this.tests.add(test);
    const isEdited = this.isEdited(worker);
    if (worker && !isEdited) this.confirm(worker);
    const read = (this.isTest ? testTrial : trialOf)(test.repeatEachIndex, result);
    const { trial, record, failure } = isEdited ? asEdited(read) : read;
    // A confirmation or a probe needs no diagnosis. {{unique}} has another value in each trial, which would differ when they are compared.
    const facts =
      record && isGraded(trial) && !checkRun()
        ? { facts: factsOf(uniqueByName(record, record.unique), failure && [failure]) }
        : {};
    const recorded = record && trial.outcome === 'passed' ? recordingOf(record) : {};
    const judge = record && isGraded(trial) ? record.judge : null;
    this.entries.push({ test, result, project: this.project, trial, recorded, judge, ...facts });
    // The goals of an ordinary test may differ from trial to trial, so they are not compared.
    if (this.isTest) this.subject ??= record ? subjectOf(record) : agentWork01(result).subject;
    else if (record) {
      const { agent, model, specFile, assertions } = record;
      // An error that was kept may be of an earlier text.
      const specHash = isGraded(trial) ? record.specHash : (this.planned.specHash ?? record.specHash);
      this.subject ??= { agent, model, specFile, specHash, assertions };
      this.expectText(this.subject.specHash, specHash);
    }
    this.mark();
    if (this.ended) this.label();
    return true;
  }

  /** The trials that the verdict counts: the failed ones, and the passed ones to compare them with. */
  get graded(): Record<'passing' | 'failed', CountedTrial[]> {
    const counted = new Set(this.verdict.trials);
    const kept = this.entries.filter(
      (entry): entry is CountedTrial => entry.facts !== undefined && counted.has(entry.trial),
    );
    const ended = (outcome: string) => kept.filter(({ trial }) => trial.outcome === outcome);
    return { passing: ended('passed'), failed: ended('failed') };
  }

  /** Why the run fails although it passed. */
  get whyRed(): string[] {
    const { verdict, planned, project, entries } = this;
    if (verdict.verdict !== 'passed') return [];
    const name = specLabel(planName(planned), project);
    return entries
      .filter(({ result }) => wroteSnapshot(result))
      .map(
        ({ trial: { index } }) =>
          `taskproof: ${name}: trial ${index + 1} wrote a snapshot that was missing, so the run fails. Look at the snapshot, commit it, and run again.`,
      );
  }

  get pick(): Recorded {
    return pickRecording(this.entries.map(({ recorded }) => recorded));
  }

  get way(): Way | undefined {
    const { passing } = this.graded;
    const usual = new PassingWays({ from: 'trials' }, passing).usual;
    const { requests = [] } = passing.find(({ facts }) => facts.way === usual)?.facts ?? {};
    const findings = passing.flatMap(({ facts }) => facts.others.map(withoutPlace)).slice(0, MAX_KEPT);
    return usual && { ...usual, requests: requests.slice(0, MAX_KEPT), findings };
  }

  /** If only the worker knows the agent, only it knows whether that replays, which changes the plan. */
  private confirm(worker: Plan): void {
    const { policy, replayed, earlyStop } = worker;
    const isAsPlanned = replayed === this.planned.replayed;
    if (isAsPlanned) this.expectPolicy(worker);
    this.planned = { ...this.planned, ...(!isAsPlanned && { policy }), replayed, earlyStop };
    if (!isAsPlanned)
      for (const test of this.tests) test.title = trialTitle(this.planned, test.repeatEachIndex);
  }

  /** A worker that starts later reads the spec again. */
  private isEdited(worker: Plan | undefined): boolean {
    const [planned, played] = [this.planned.specHash, worker?.specHash];
    return planned !== undefined && played !== undefined && planned !== played;
  }

  /** Merged reports may come from runs that don't belong together. */
  expectPlan(plan: Plan): void {
    this.expectPolicy(plan);
    this.expectText(this.planned.specHash, plan.specHash);
  }

  private expectText(one: string | undefined, other: string | undefined): void {
    if (one && other) this.expectSame('text', one.slice(0, 12), other.slice(0, 12));
  }

  private expectPolicy({ policy }: Plan): void {
    const text = ({ k, minPasses }: Policy) => `k ${k}, ${minPasses} needed`;
    this.expectSame('pass policy', text(this.planned.policy), text(policy));
  }

  private expectSame(what: string, one: string, other: string): void {
    if (one !== other)
      this.conflicts.add(
        `the reports disagree about the ${what} of ${specLabel(planName(this.planned), this.project)}: ${one}; ${other}`,
      );
  }

  /** Shows the verdict on each trial, as a tag and as annotations. Titles stay the same from run to run. */
  label(): void {
    const { verdict, k, minPasses, passes, missing } = this.verdict;
    const ran = missing ? `; ${k - missing} of ${k} ran` : '';
    const { replayed } = this.planned;
    const more = replayed ? '; replayed, which measures no agent' : '';
    const summary = `${verdict}: ${passes}/${k} passed, needs ${minPasses}${ran}${more}`;
    for (const entry of this.entries) {
      const { test, result } = entry;
      const trial = this.counted(entry);
      hidePlan(test);
      const takenOver = takenOverText(trial);
      const tolerated = isLost(trial) && verdict === 'passed' && !wroteSnapshot(result);
      if (!this.isTest) unannotate(test, result, 'fail');
      if (takenOver !== null) annotate(test, result, isHealed(trial) ? 'healed' : 'fallback', takenOver);
      annotate(test, result, replayed ? 'replay' : 'trial', this.trialText(trial, tolerated));
      annotate(test, result, 'verdict', summary);
      const marks = [...(tolerated ? ['@tolerated'] : []), ...(isHealed(trial) ? ['@healed'] : [])];
      retag(test, [`@verdict:${verdict}`, ...marks]);
    }
  }

  /** `2/5`, `2/5 (failed, tolerated): "h1" is not visible ...`, `1/5 (error: browser, not counted): ...`, `1/1 (healed)`. */
  private trialText(trial: TrialResult, tolerated: boolean): string {
    const { k } = this.planned.policy;
    // If our reporter did not plan the run, repeats beyond k ran, too.
    if (trial.index >= k) return 'not needed';
    const marks = [
      trial.outcome === 'error'
        ? `error: ${trial.errorKind}, not counted`
        : trial.outcome !== 'passed' && trial.outcome,
      tolerated && 'tolerated',
      isHealed(trial) && 'healed',
    ].filter(Boolean);
    const what = `${trial.index + 1}/${k}${marks.length ? ` (${marks.join(', ')})` : ''}`;
    return trial.reason ? `${what}: ${oneLine(trial.reason, 1_000)}` : what;
  }

  /** Playwright is to expect failures while the verdict can be `passed`. With one too many all count, also those that a shard marked. */
  private mark(): void {
    // The agent of a probe does nothing: it should fail.
    if (checkRun()?.purpose === 'probe') {
      for (const { test, trial } of this.entries) if (isGraded(trial)) test.expectedStatus = 'failed';
      return;
    }
    const lost = this.entries.filter(({ trial }) => isLost(trial));
    const tolerable = lost.length <= allowedFailures(this.planned.policy);
    for (const { test, result } of lost) {
      const declared = this.isTest ? declaredStatus(result) : 'passed';
      test.expectedStatus = tolerable && !wroteSnapshot(result) ? result.status : declared;
    }
  }
}

/** Only this process knows how the last trial ended: a hook or a teardown may break after it. Trials of specs are skipped in the worker. */
export function skipNeedless({ planned, project, tests, entries, isTest }: SpecRun): void {
  const { index, outcome } = entries.at(-1)!.trial;
  const name = planName(planned);
  if (outcome === 'skipped') return;
  orWarn(name, () => {
    // The worker has noted what it spent.
    enter(project, name, { index, outcome, costUsd: null });
    if (!isTest) return;
    const asked = { plan: planned, project, index, earlyStop: planned.earlyStop };
    const decision = decide(asked, readLedger(project, name), runSettings());
    if ('skip' in decision) for (const test of tests) skipUnstarted(test, decision.skip);
  });
}

/** Editors show no annotations, so the output says it. */
export function sayNotJudged(runs: Iterable<SpecRun>): void {
  const ran = ({ results }: TestCase) => results.some(({ status }) => status !== 'skipped');
  const watched = [...runs].filter(({ tests, planned }) => planned.policy.k > 1 && [...tests].some(ran));
  const told = watched.map(({ planned }) => `${planName(planned)} (1 trial of ${planned.policy.k})`);
  if (told.length) print(process.stdout, `taskproof: no verdict: ${[...new Set(told)].join(', ')}`);
}
