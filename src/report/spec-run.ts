// The trials of one spec in one project, as they come in.
import type { TestCase, TestResult } from '@playwright/test/reporter';
import type { PlannedSpec } from '../playwright/plan-annotation';
import { annotate, expectPass, relabel, tolerate, unannotate } from '../playwright/reporting';
import type { TrialRecord } from '../trial/record';
import { allowedFailures, judgeTrials, type Trial, type Verdict } from '../verdicts/verdict';
import { trialOf } from './trials';

interface Entry {
  test: TestCase;
  result: TestResult;
  trial: Trial;
}

export class SpecRun {
  /** Tests of this process: all k of them in a whole run, fewer in a shard. */
  readonly tests: TestCase[] = [];
  private readonly entries: Entry[] = [];
  private firstRecord: TrialRecord | undefined;

  constructor(
    readonly project: string,
    readonly planned: PlannedSpec,
  ) {}

  /** Whether every trial that this process was to run has ended. */
  get ended(): boolean {
    return this.entries.length >= this.tests.length;
  }

  /** Agent and model are known from the first record on. */
  get record(): TrialRecord | undefined {
    return this.firstRecord;
  }

  get verdict(): Verdict {
    return judgeTrials(
      this.planned.policy,
      this.entries.map(({ trial }) => trial),
    );
  }

  /** Skipped from the outside as a whole, by the suite: then there is nothing to judge. */
  get skipped(): boolean {
    return (
      this.ended && this.entries.length > 0 && this.entries.every(({ trial }) => trial.outcome === 'skipped')
    );
  }

  add(test: TestCase, result: TestResult): Trial {
    const { trial, record } = trialOf(test.repeatEachIndex, result);
    this.entries.push({ test, result, trial });
    this.firstRecord ??= record;
    this.mark();
    if (this.ended) this.label();
    return trial;
  }

  /** Writes verdict and number into what the reports show of each trial. */
  label(): void {
    const { verdict, k, minPasses, passes, missing } = this.verdict;
    const ran = missing ? `; ${k - missing} of ${k} ran` : '';
    const summary = `${verdict}: ${passes}/${k} passed, needs ${minPasses}${ran}`;
    for (const { test, result, trial } of this.entries) {
      const tolerated = this.isTolerated(trial) && verdict === 'passed' ? ', tolerated' : '';
      const outcome = trial.outcome === 'passed' ? '' : ` (${trial.outcome}${tolerated})`;
      unannotate(test, result, 'fail');
      annotate(
        result,
        'trial',
        `${trial.index + 1}/${k}${outcome}${trial.reason ? `: ${trial.reason}` : ''}`,
      );
      annotate(result, 'verdict', summary);
      relabel(
        test,
        `${this.planned.id} · trial ${trial.index + 1}/${k}${outcome} · verdict: ${verdict} ${passes}/${k}`,
      );
    }
  }

  private isTolerated(trial: Trial): boolean {
    return trial.outcome === 'failed' || trial.outcome === 'error';
  }

  /** As long as the verdict may still be `passed`, its failures are expected ones; the decisive failure makes all count. */
  private mark(): void {
    const lost = this.entries.filter(({ trial }) => this.isTolerated(trial));
    const tolerable = lost.length <= allowedFailures(this.planned.policy);
    for (const { test, result } of lost) {
      if (tolerable) tolerate(test, result);
      else expectPass(test);
    }
  }
}
