// Runs a trial inside a Playwright test, and sees to it that its record is attached whatever happens to the test.
import { createHash } from 'node:crypto';
import { dirname, relative, sep } from 'node:path';
import type { Page, TestInfo } from '@playwright/test';
import { lexical } from '../agents/lexical';
import { openSession } from '../browser/open-session';
import type { LoadedSpec } from '../spec/load';
import { TrialStopped } from '../trial/agent-run';
import { atOrigin } from '../trial/origin';
import type { GradedPlan } from '../trial/plan';
import { RECORD_ATTACHMENT, type TrialRecord } from '../trial/record';
import type { SourceLocation } from '../trial/stage';
import { transcript } from '../trial/transcript';
import { Trial, trialTimeMs } from '../trial/trial';
import { enter, lostTrials } from './ledger';
import { replays, type TaskproofOptions } from './options';
import { asReplay, type PlannedSpec } from './plan-annotation';
import { testStage } from './test-stage';
import { trialError } from './trial-error';

/** Milliseconds a turn, where the project says nothing. */
export const DEFAULT_TURN_TIMEOUT_MS = 30_000;

export class TrialHost {
  private trial: Trial | null = null;
  private goal = '';
  private attached = false;
  private close = async (): Promise<void> => undefined;

  constructor(
    private readonly page: Page,
    private readonly options: TaskproofOptions,
    private readonly testInfo: TestInfo,
    private readonly navigationTimeoutMs?: number,
  ) {}

  /** @throws the error that shows why the trial did not pass. */
  async run(loaded: LoadedSpec, declared: PlannedSpec): Promise<TrialRecord> {
    const { testInfo } = this;
    const { policy } = replays(this.options) ? asReplay(declared) : declared;
    const plan: GradedPlan = {
      ...gradedPlan(loaded, this.options, testInfo),
      ...(this.navigationTimeoutMs ? { navigationTimeoutMs: this.navigationTimeoutMs } : {}),
    };
    // Timeout 0 is the user's "none", as in debugging.
    if (testInfo.timeout) testInfo.setTimeout(testInfo.timeout + trialTimeMs(plan));
    const opened = await openSession(this.page, plan.allowedDomains);
    this.close = opened.close;
    this.goal = plan.goal;
    this.trial = new Trial(
      plan,
      {
        specId: loaded.spec.id,
        specHash: loaded.hash,
        specFile: posix(relative(testInfo.config.rootDir, loaded.file)),
        repeatIndex: testInfo.repeatEachIndex,
        retry: testInfo.retry,
        policy,
      },
      opened,
      testStage(testInfo),
    );
    const record = await this.trial.run();
    await this.attach(record);
    if (record.outcome === 'passed') return record;
    this.expectTolerated(record);
    throw trialError(record, errorLocation(record, plan));
  }

  /**
   * A failure that the policy tolerates is an expected one from the start, for reporters that print as tests end. Where
   * a later one loses the spec after all, our reporter takes it back.
   */
  private expectTolerated({ specId, policy }: TrialRecord): void {
    const lost = lostTrials(this.testInfo.project.name, specId);
    if (lost !== undefined && lost <= policy.k - policy.minPasses)
      this.testInfo.fail(true, `tolerated so far: ${policy.minPasses} of ${policy.k} trials must pass`);
  }

  /** To be called when the test is over, in whatever way. */
  async settle(): Promise<void> {
    if (this.trial && !this.attached) {
      const timedOut = this.testInfo.status === 'timedOut';
      this.trial.stop(
        timedOut
          ? new TrialStopped('timed_out', null, `the test timed out after ${this.testInfo.timeout / 1000} s`)
          : new TrialStopped('error', 'internal', 'the run was interrupted before the trial ended'),
      );
      await this.attach(this.trial.record());
    }
    await this.close();
  }

  private async attach(record: TrialRecord): Promise<void> {
    // A trial that was settled from outside may still come to an end of its own.
    if (this.attached) return;
    this.attached = true;
    const stage = testStage(this.testInfo);
    await stage.attach('transcript', { body: transcript(record, this.goal), contentType: 'text/plain' });
    await stage.attach(RECORD_ATTACHMENT, { body: JSON.stringify(record), contentType: 'application/json' });
    const { repeatIndex: index, outcome, costUsd } = record;
    try {
      enter(this.testInfo.project.name, record.specId, { index, outcome, costUsd });
    } catch (error) {
      // The other workers miss it (early stop, the run's cost cap); the trial itself stands.
      process.stderr.write(`taskproof: ${record.specId}: the run's ledger: ${(error as Error).message}\n`);
    }
  }
}

export function gradedPlan(loaded: LoadedSpec, options: TaskproofOptions, testInfo: TestInfo): GradedPlan {
  const spec = atOrigin(loaded.spec, options.origin);
  const caps = [spec.maxCostUsd, options.maxCostUsd].filter(cap => cap !== undefined);
  return {
    spec,
    agent: options.agent ?? lexical(),
    specId: spec.id,
    specHash: loaded.hash,
    configDir: configDirOf(testInfo),
    judge: options.judge,
    goal: spec.goal,
    entryUrl: spec.entryUrl,
    allowedDomains: spec.allowedDomains,
    maxSteps: spec.maxSteps,
    maxCostUsd: caps.length ? Math.min(...caps) : undefined,
    turnTimeoutMs: options.turnTimeoutMs ?? DEFAULT_TURN_TIMEOUT_MS,
    seed: seedOf(spec.id, testInfo.repeatEachIndex),
    secrets: knownSecrets(options),
    locate: path => ({
      file: loaded.file,
      ...(loaded.locate(path) ?? loaded.locate('goal') ?? { line: 1, column: 1 }),
    }),
  };
}

/** Without a config file Playwright takes the folder that it was started in. */
export function configDirOf({ config }: TestInfo): string {
  return config.configFile ? dirname(config.configFile) : config.rootDir;
}

/** `checkOptions` has refused those without a value; the types don't know it. */
export function knownSecrets({ secrets = {} }: TaskproofOptions): Record<string, string> {
  return secrets as Record<string, string>;
}

/** The trials of a spec must differ, or k of them would be one trial repeated; the same trial is the same in each run. */
export function seedOf(specId: string, repeatIndex: number): number {
  return createHash('sha256').update(`${specId}#${repeatIndex}`).digest().readUInt32BE(0);
}

function errorLocation(record: TrialRecord, plan: GradedPlan): SourceLocation {
  if (record.errorKind === 'site_unreachable') return plan.locate('entryUrl');
  if (record.status === 'max_steps') return plan.locate('maxSteps');
  const broken = record.assertions.findIndex(({ passed }) => !passed);
  if (record.status === 'completed' && broken >= 0) return plan.locate(`assertions[${broken}]`);
  if (record.judge && !record.judge.passed) return plan.locate('judge');
  return plan.locate('goal');
}

export function posix(path: string): string {
  return path.split(sep).join('/');
}
