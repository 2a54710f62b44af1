// Runs a trial inside a Playwright test, and attaches its record whatever happens to the test.
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { type Page, type TestInfo, test } from '@playwright/test';
import { hideStepsBy } from '../browser/evaluate';
import { type OpenSession, openSession } from '../browser/open-session';
import { placeholdersIn, withData } from '../spec/data';
import type { LoadedSpec } from '../spec/load';
import { errorEnd } from '../trial/agent-run';
import { atOrigin, type GradedPlan, type SourceLocation, type TrialOutput } from '../trial/plan';
import { RECORD_ATTACHMENT, type TrialRecord } from '../trial/record';
import { oneLine } from '../trial/safe-text';
import { transcript } from '../trial/transcript';
import { Trial, trialTimeMs } from '../trial/trial';
import type { Policy } from '../verdicts/verdict';
import { describeOf, nameOf, type PlannedSpec, posix, replayPolicy, showUsed } from './annotations';
import { errorAt } from './call-site';
import { seedOffset } from './check-run';
import { enter, isJudged, lostTrials, runId } from './ledger';
import { withoutSteps } from './masked-test';
import { type ReadyOptions, replays } from './options';
import { folderOf, QUIET_TEXT, repeatEachOverride } from './runner';

hideStepsBy(withoutSteps);

/** Milliseconds for a turn, unless the project or the call sets them. */
export const DEFAULT_TURN_TIMEOUT_MS = 30_000;

export class TrialTest {
  private trial: Trial | null = null;
  private opened: OpenSession | null = null;
  private attached = false;

  constructor(
    private readonly page: Page,
    private readonly options: ReadyOptions,
    private readonly testInfo: TestInfo,
    private readonly navigationTimeoutMs?: number,
  ) {}

  /** @throws an error that says why the trial did not pass. */
  async run(loaded: LoadedSpec, declared: PlannedSpec): Promise<void> {
    const { testInfo } = this;
    const plan = this.plan(loaded);
    showUsed(testInfo.annotations, loaded.spec, plan.spec);
    // A timeout of 0 means none, as in debugging.
    if (testInfo.timeout) testInfo.setTimeout(testInfo.timeout + trialTimeMs(plan));
    this.opened = await openSession(this.page, plan.allowedDomains);
    const identity = {
      specId: loaded.spec.id,
      specHash: loaded.hash,
      specFile: posix(relative(testInfo.config.rootDir, loaded.file)),
      repeatIndex: testInfo.repeatEachIndex,
      retry: testInfo.retry,
      policy: this.policy(declared),
      ...(plan.unique ? { runId: runId(), unique: plan.unique } : {}),
    };
    this.trial = new Trial(plan, identity, this.opened, testOutput(testInfo));
    const record = await this.trial.run();
    await this.attach(record, plan.goal);
    if (record.outcome === 'passed') return;
    this.expectTolerated(record);
    throw trialError(record, this.trial.failure!, errorLocation(record, plan));
  }

  /** Call it when the test is over, however it ended. */
  async settle(): Promise<void> {
    const { trial, testInfo } = this;
    if (trial && !this.attached) {
      const reason = `the test timed out after ${testInfo.timeout / 1000} s`;
      trial.stop(
        testInfo.status === 'timedOut'
          ? { status: 'timed_out', errorKind: null, reason }
          : errorEnd('interrupted', 'the run was interrupted before the trial ended'),
      );
      await this.attach(trial.record(), trial.plan.goal);
    }
    await this.opened?.close();
  }

  private nameOf(id: string): string {
    return nameOf({ id, describe: describeOf(this.testInfo) });
  }

  private policy(declared: PlannedSpec): Policy {
    return replays(this.options) ? replayPolicy(declared.policy, repeatEachOverride()) : declared.policy;
  }

  private plan(loaded: LoadedSpec): GradedPlan {
    const { options, testInfo, navigationTimeoutMs } = this;
    const seed = seedOf(this.nameOf(loaded.spec.id), testInfo.repeatEachIndex + seedOffset());
    const unique = uniqueOf(seed, testInfo.project.name);
    const filled = withData(loaded.spec, { trial: testInfo.repeatEachIndex + 1, unique });
    const spec = atOrigin(filled, options.origin);
    const caps = [spec.maxCostUsd, options.maxCostUsd].filter(cap => cap !== undefined);
    return {
      spec,
      agent: options.agent,
      specId: spec.id,
      specName: this.nameOf(spec.id),
      specHash: loaded.hash,
      configDir: folderOf(testInfo.config),
      judge: options.judge,
      goal: spec.goal,
      entryUrl: spec.entryUrl,
      allowedDomains: spec.allowedDomains,
      maxSteps: spec.maxSteps,
      maxCostUsd: caps.length ? Math.min(...caps) : undefined,
      turnTimeoutMs: options.turnTimeoutMs ?? DEFAULT_TURN_TIMEOUT_MS,
      seed,
      ...(placeholdersIn(loaded.spec).some(({ name }) => name === 'unique') ? { unique } : {}),
      secrets: options.secrets,
      pageTools: options.pageTools,
      ...(navigationTimeoutMs ? { navigationTimeoutMs } : {}),
      locate: path => ({
        file: loaded.file,
        ...(loaded.locate(path) ?? loaded.locate('goal') ?? { line: 1, column: 1 }),
      }),
    };
  }

  /**
   * Marks a tolerated failure as expected at once, for reporters that print as tests end. If a later failure loses the spec, our
   * reporter removes the mark.
   */
  private expectTolerated({ specId, policy }: TrialRecord): void {
    const lost = lostTrials(this.testInfo.project.name, this.nameOf(specId));
    if (isJudged() && lost <= policy.k - policy.minPasses)
      this.testInfo.fail(true, `tolerated so far: ${policy.minPasses} of ${policy.k} trials must pass`);
  }

  private async attach(record: TrialRecord, goal: string): Promise<void> {
    // A trial that was stopped from outside may still end on its own.
    if (this.attached) return;
    this.attached = true;
    const { attach } = testOutput(this.testInfo);
    await attach('transcript', { body: transcript(record, goal), contentType: QUIET_TEXT });
    await attach(RECORD_ATTACHMENT, { body: JSON.stringify(record), contentType: 'application/json' });
    const { repeatIndex: index, outcome, costUsd } = record;
    try {
      enter(this.testInfo.project.name, this.nameOf(record.specId), { index, outcome, costUsd });
    } catch (error) {
      // Only other workers need the entry, for early stop and the cost cap of the run.
      process.stderr.write(
        `taskproof: ${record.specId}: can't write the run's ledger: ${(error as Error).message}\n`,
      );
    }
  }
}

/** Shows a trial in its Playwright test: turns and assertions as steps, evidence as attachments. */
export function testOutput(testInfo: TestInfo): TrialOutput {
  return {
    step: (title, body, location) =>
      test.step(
        oneLine(title, 300),
        step => body((name, attachment) => step.attach(name, attachment)),
        location ? { location } : {},
      ),
    // Not `testInfo.attach`, which would add a step.
    async attach(name, { body, contentType }) {
      testInfo.attachments.push({ name, contentType, body: Buffer.from(body) });
    },
  };
}

/** Differs between the trials of a spec, and is the same in each run. */
export function seedOf(name: string, repeatIndex: number): number {
  return createHash('sha256').update(`${name}#${repeatIndex}`).digest().readUInt32BE(0);
}

/** Eight letters and digits, a letter first: made of the seed, the project and the run. */
function uniqueOf(seed: number, project: string): string {
  const [first, ...rest] = createHash('sha256')
    .update(JSON.stringify([runId(), project, seed]))
    .digest();
  const digits = rest.slice(0, 7).map(byte => (byte % 36).toString(36));
  return (10 + (first! % 26)).toString(36) + digits.join('');
}

function errorLocation(record: TrialRecord, plan: GradedPlan): SourceLocation {
  if (record.errorKind === 'site_unreachable') return plan.locate('entryUrl');
  if (record.status === 'max_steps') return plan.locate('maxSteps');
  const broken = record.assertions.findIndex(({ passed }) => !passed);
  if (record.status === 'completed' && broken >= 0) return plan.locate(`assertions[${broken}]`);
  if (record.judge && !record.judge.passed) return plan.locate('judge');
  return plan.locate('goal');
}

/** Short, since terminals print it for each failed trial. Steps and annotations in the HTML report say the rest. */
function trialError(
  { specId, errorKind }: TrialRecord,
  { what, where }: NonNullable<Trial['failure']>,
  location: SourceLocation,
): Error {
  const place = where === null ? [] : [`The agent stopped on ${where}.`];
  return errorAt([errorKind ? `${errorKind}: ${what}` : what, ...place].join('\n'), specId, location);
}
