// The trials of one spec in one project, as they come in: an agent's, or replays.
import type { TestCase, TestResult } from '@playwright/test/reporter';
import { type PlannedSpec, nameOf as plannedName, plannedSpec } from '../playwright/annotations';
import { checkRun, wantedOf } from '../playwright/check-run';
import { enter, needlessReason, settledReason } from '../playwright/ledger';
import { annotate, expectAsDeclared, retag, skipUnstarted, tolerate, unannotate } from '../playwright/runner';
import type { TrialRecord } from '../trial/record';
import { oneLine } from '../trial/safe-text';
import type { FailedTrial } from '../verdicts/diagnosis';
import type { PassingTrial } from '../verdicts/parting';
import type { Way, WayStep } from '../verdicts/shapes';
import {
  allowedFailures,
  isGraded,
  type Policy,
  type TrialResult,
  type Verdict,
  verdictOf,
} from '../verdicts/verdict';
import { failedTrialOf, stepsOf, wayOf } from './evidence';
import { specLabel } from './format';
import { RecordingPick } from './recordings';
import { healedText } from './trial-notes';
import { agentNotes, declaredStatus, failuresText, testTrial, trialOf } from './trials';

/** What trials of one spec have in common. A whole record would be kept until the run's end. */
type Subject = Pick<TrialRecord, 'agent' | 'model'> &
  Partial<Pick<TrialRecord, 'specFile' | 'specHash' | 'assertions'>>;

/** One trial, and what a diagnosis needs of its record. */
export interface Entry {
  test: TestCase;
  result: TestResult;
  trial: TrialResult;
  way?: Way | undefined;
  failed?: FailedTrial | undefined;
}

export class SpecRun {
  /** Tests of this process: all k of them in a whole run, fewer in a shard. */
  readonly tests = new Set<TestCase>();
  readonly entries: Entry[] = [];
  /** Known from the first record on. */
  subject: Subject | undefined;
  readonly pick = new RecordingPick();
  private readonly steps = new Map<string, WayStep>();
  /** Trials are skipped once the verdict is settled: its rate is biased. */
  earlyStop: boolean;
  /** What its trials do not agree on, although they should be of one run; in words. */
  readonly conflicts = new Set<string>();
  /** What people read: of a test its title, unless that is another's, too. */
  name: string;
  /** Why trials are missing at the run's end, if that is known. */
  missingBecause: string | null = null;

  constructor(
    readonly project: string,
    readonly planned: PlannedSpec,
  ) {
    this.earlyStop = planned.earlyStop === true;
    this.name = plannedName(planned);
  }

  /** Played from a recording: then its trials don't measure an agent. */
  get replayed(): boolean {
    return this.planned.replayed;
  }

  /** Whether every trial that this process was to run has ended. */
  get ended(): boolean {
    return this.entries.length >= this.tests.size;
  }

  get verdict(): Verdict {
    const verdict = verdictOf(
      this.planned.policy,
      this.entries.map(({ trial }) => trial),
    );
    if (this.isTest && verdict.verdict === 'failed' && verdict.failures > 1)
      return { ...verdict, reason: failuresText(verdict.trials) };
    if (verdict.verdict !== 'undecided' || this.missingBecause === null) return verdict;
    return { ...verdict, reason: `${this.missingBecause}; ${verdict.reason}` };
  }

  /** Skipped from the outside as a whole, by the suite: then there is nothing to judge. */
  get skipped(): boolean {
    const { entries, ended, isTest } = this;
    // `test.skip` in the code of a test skips its other trials, too.
    return (
      (ended || isTest) && entries.length > 0 && entries.every(({ trial }) => trial.outcome === 'skipped')
    );
  }

  /** Whether a worker said of any trial that it belongs here; what a crash has left says nothing. */
  get confirmed(): boolean {
    return this.entries.some(
      ({ test, result }) => plannedSpec({ ...result, title: test.title }) !== undefined,
    );
  }

  /** Of an ordinary test, whose trials leave no records. */
  get isTest(): boolean {
    return this.planned.titlePath !== undefined;
  }

  /** @returns false for a result that it has been told of before. */
  add(test: TestCase, result: TestResult): boolean {
    if (this.entries.some(entry => entry.result === result)) return false;
    this.tests.add(test);
    const { trial, record } = this.isTest
      ? { trial: testTrial(test.repeatEachIndex, result), record: undefined }
      : trialOf(test.repeatEachIndex, result);
    this.entries.push({ test, result, trial, ...this.evidence(trial, record) });
    if (this.isTest) this.subject ??= agentNotes(result)[0];
    if (record) {
      const { agent, model, specFile, specHash, assertions } = record;
      this.subject ??= { agent, model, specFile, specHash, assertions };
      this.expectSame('text', this.subject.specHash!.slice(0, 12), specHash.slice(0, 12));
      if (trial.outcome === 'passed') this.pick.add(record);
    }
    if (plannedSpec({ ...result, title: test.title })?.earlyStop) this.earlyStop = true;
    this.mark();
    if (this.ended) this.label();
    return true;
  }

  private evidence(trial: TrialResult, record: TrialRecord | undefined): Pick<Entry, 'way' | 'failed'> {
    // A confirmation and a probe diagnose nothing.
    if (checkRun() || !record || !isGraded(trial)) return {};
    const done = stepsOf(record);
    const { steps, end } = wayOf(record, done);
    // Trials do much the same: each step is kept once.
    const kept = steps.map(step => {
      const key = JSON.stringify(step);
      const known = this.steps.get(key) ?? step;
      this.steps.set(key, known);
      return known;
    });
    const failed =
      trial.outcome === 'failed' ? failedTrialOf(this.project, trial.index, record, done) : undefined;
    return { way: { steps: kept, end }, failed };
  }

  /** The trials that the verdict counts: passed ones, to compare failed ones with. */
  get graded(): { passing: (PassingTrial & Entry)[]; failed: (Entry & { failed: FailedTrial; way: Way })[] } {
    const counted = new Set(this.verdict.trials);
    const kept = this.entries.filter(({ trial }) => counted.has(trial));
    return {
      passing: kept.flatMap(entry => {
        const { way, trial } = entry;
        if (!way || trial.outcome !== 'passed') return [];
        return [{ ...entry, way, project: this.project, index: trial.index }];
      }),
      failed: kept.flatMap(entry => {
        const { way, failed } = entry;
        return way && failed ? [{ ...entry, way, failed }] : [];
      }),
    };
  }

  /** Reports that are merged may be of runs that don't belong together. */
  expectPolicy({ policy }: PlannedSpec): void {
    const text = ({ k, minPasses }: Policy) => `k ${k}, ${minPasses} needed`;
    this.expectSame('pass policy', text(this.planned.policy), text(policy));
  }

  private expectSame(what: string, one: string, other: string): void {
    if (one !== other)
      this.conflicts.add(
        `${nameOf(this)} has another ${what} in one report than in another: ${one}; ${other}`,
      );
  }

  /** Takes over what was counted elsewhere before the agent was known. */
  absorb(other: SpecRun): void {
    for (const test of other.tests) this.tests.add(test);
    for (const { test, result } of other.entries) unannotate(test, result, other.noun);
    this.entries.push(...other.entries);
    this.subject ??= other.subject;
    this.pick.join(other.pick);
    this.mark();
    this.label();
  }

  /** Shows the verdict on each of its trials: as a tag and as annotations. Titles stay the same from run to run. */
  label(): void {
    const { verdict, k, minPasses, passes, missing } = this.verdict;
    const ran = missing ? `; ${k - missing} of ${k} ran` : '';
    const replayed = this.replayed ? '; replayed, which measures no agent' : '';
    const summary = `${verdict}: ${passes}/${k} passed, needs ${minPasses}${ran}${replayed}`;
    for (const { test, result, trial } of this.entries) {
      const healed = healedText(trial);
      const tolerated = this.isLost(trial) && verdict === 'passed';
      if (!this.isTest) unannotate(test, result, 'fail');
      if (healed !== null) annotate(test, result, 'healed', healed);
      annotate(test, result, this.noun, this.trialText(trial, tolerated));
      annotate(test, result, 'verdict', summary);
      const marks = [...(tolerated ? ['@tolerated'] : []), ...(trial.healed ? ['@healed'] : [])];
      retag(test, [`@verdict:${verdict}`, ...marks]);
    }
  }

  private get noun(): 'replay' | 'trial' {
    return this.replayed ? 'replay' : 'trial';
  }

  /** `2/5`, `2/5 (failed, tolerated): "h1" is not visible ...`, `1/1 (healed)`. */
  private trialText(trial: TrialResult, tolerated: boolean): string {
    const { k } = this.planned.policy;
    // Without our trimming, repeats beyond k are there, too.
    if (trial.index >= k) return 'not needed';
    const marks = [
      trial.outcome !== 'passed' && trial.outcome,
      tolerated && 'tolerated',
      trial.healed && 'healed',
    ].filter(Boolean);
    const what = `${trial.index + 1}/${k}${marks.length ? ` (${marks.join(', ')})` : ''}`;
    return trial.reason ? `${what}: ${oneLine(trial.reason, 1_000)}` : what;
  }

  private isLost(trial: TrialResult): boolean {
    return trial.outcome === 'failed' || trial.outcome === 'error';
  }

  /** As long as the verdict may still be `passed`, its failures are expected ones; the decisive failure makes all count. */
  private mark(): void {
    const lost = this.entries.filter(({ trial }) => this.isLost(trial));
    const tolerable = lost.length <= allowedFailures(this.planned.policy);
    for (const { test, result } of lost) {
      if (tolerable) tolerate(test, result);
      else expectAsDeclared(test, this.isTest ? declaredStatus(result) : 'passed');
    }
  }
}

/**
 * Enters an ordinary trial into the run's ledger, for agents in other trials of it, and skips those that are not needed any more:
 * the tests themselves know nothing of us. Without an agent of ours a trial costs nothing, and one with an agent looks itself.
 */
export function skipNeedless({ planned, project, tests, earlyStop, entries }: SpecRun): void {
  const { trial } = entries.at(-1)!;
  const { index, outcome, costUsd } = trial;
  const name = plannedName(planned);
  if (outcome === 'skipped') return;
  enter(project, name, { index, outcome, costUsd });
  const wanted = wantedOf(project, name);
  const reason = earlyStop
    ? settledReason(project, name, planned.policy)
    : wanted && needlessReason({ ...wanted, trialUsd: 0 }, index);
  if (reason !== undefined) for (const test of tests) skipUnstarted(test, reason);
}

/** `cart [opus]` */
function nameOf({ name, project }: SpecRun): string {
  return specLabel(name, project);
}

/** Names tests by as much of the end of their paths as tells them from all others. */
export function nameTests(runs: Iterable<Pick<SpecRun, 'planned' | 'name'>>): void {
  const all = [...runs];
  const endings = ({ titlePath, ...spec }: PlannedSpec) =>
    titlePath?.map((_, index) => titlePath.slice(-1 - index).join(' › ')) ?? [plannedName(spec)];
  const owners = new Map<string, Set<string>>();
  for (const { planned } of all)
    for (const ending of endings(planned))
      owners.set(ending, (owners.get(ending) ?? new Set()).add(plannedName(planned)));
  for (const run of all)
    if (run.planned.titlePath)
      run.name = endings(run.planned).find(ending => owners.get(ending)!.size === 1) ?? run.name;
}
