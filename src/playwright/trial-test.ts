// Runs a trial inside a Playwright test, and attaches its record whatever happens to the test.
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Page, type TestInfo, test } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import { openSession } from '../browser/session/session';
import { planName } from '../data/plan';
import { RECORD_ATTACHMENT, type TrialRecord } from '../data/record';
import { transcript } from '../grading/transcript';
import { type LoadedSpec, locationIn } from '../spec/load';
import { atOrigin, placeholdersIn, withData } from '../spec/placeholders';
import { wantedAnswer } from '../spec/wanted-answer';
import { oneLine } from '../text/line';
import { type AgentEnd, ended, errorEnd, type TrialOutput, type TrialPlan } from '../trial/run-agent';
import { Trial, trialTimeMs } from '../trial/trial';
import { enter, runId } from './run/ledger';
import type { ReadyOptions } from './run/options';
import { carriedPlan, showUsed } from './run/plan';
import { folderOf, posix, seedOffset } from './run/settings';
import { trialError } from './run/trial-error';

/**
 * Terminals leave it out: of each `text/` attachment of a failed test they print 300 characters. Checked on Playwright 1.65.1: they
 * and the HTML report know types in lower case alone. Our reporter lowers it for the HTML report.
 */
export const QUIET_TEXT = 'Text/plain';

export class TrialTest {
  private trial: Trial | null = null;
  private attached = false;

  constructor(
    private readonly page: Page,
    private readonly options: ReadyOptions,
    private readonly testInfo: TestInfo,
    private readonly navigationTimeoutMs?: number,
  ) {}

  /** @throws an error that says why the trial did not pass. */
  async run(loaded: LoadedSpec): Promise<void> {
    const { testInfo } = this;
    const plan = this.plan(loaded);
    showUsed(testInfo.annotations, plan.spec);
    addTime(testInfo, trialTimeMs(plan));
    const opened = await openSession(this.page, plan.allowedDomains);
    this.trial = new Trial(plan, opened, outputTo(testInfo));
    const record = await this.trial.run();
    this.attach(record);
    if (record.outcome === 'passed') return;
    throw trialError(record, this.trial.failure!, plan.locate);
  }

  /** Call it when the test is over, however it ended. */
  async settle(): Promise<void> {
    const { trial } = this;
    if (trial && !this.attached) {
      trial.stop(endFromOutside(this.testInfo));
      this.attach(trial.record());
    }
    await trial?.close();
  }

  private plan({ spec: declared, hash, file, locate }: LoadedSpec) {
    const { options, testInfo, navigationTimeoutMs } = this;
    const specName = planName(carriedPlan(testInfo)!);
    const seed = seedOf(specName, testInfo.repeatEachIndex + seedOffset());
    const unique = uniqueOf(seed, testInfo.project.name);
    const filled = withData(declared, { trial: testInfo.repeatEachIndex + 1, unique });
    const spec = atOrigin(filled, options.origin);
    const caps = [spec.maxCostUsd, options.maxCostUsd].filter(cap => cap !== undefined);
    const isUnique = placeholdersIn(declared).some(({ name }) => name === 'unique');
    return {
      goal: spec.goal,
      entryUrl: spec.entryUrl,
      allowedDomains: spec.allowedDomains,
      maxSteps: spec.maxSteps,
      wantsAnswer: wantedAnswer(spec.assertions),
      ...trialPlanOf(options, testInfo),
      spec,
      identity: {
        specId: spec.id,
        specHash: hash,
        specFile: posix(relative(testInfo.config.rootDir, file)),
        repeatIndex: testInfo.repeatEachIndex,
        retry: testInfo.retry,
        policy: carriedPlan(testInfo)!.policy,
        ...(isUnique && { runId: runId(), unique }),
      },
      specId: spec.id,
      specName,
      specHash: hash,
      judge: options.judge,
      maxCostUsd: caps.length ? Math.min(...caps) : undefined,
      seed,
      ...(isUnique && { unique }),
      ...(navigationTimeoutMs ? { navigationTimeoutMs } : {}),
      locate: (path: string): Location => locationIn({ file, locate }, path),
    } satisfies TrialPlan;
  }

  private attach(record: TrialRecord): void {
    // A trial that was stopped from outside may still end on its own.
    if (this.attached) return;
    this.attached = true;
    attachTo(this.testInfo, 'transcript', QUIET_TEXT, transcript(record, this.trial!.plan.goal));
    attachTo(this.testInfo, RECORD_ATTACHMENT, 'application/json', JSON.stringify(record));
    const { repeatIndex: index, outcome, costUsd } = record;
    try {
      enter(this.testInfo.project.name, planName(carriedPlan(this.testInfo)!), { index, outcome, costUsd });
    } catch (error) {
      // Only other workers need the entry, for early stop and the cost cap of the run.
      process.stderr.write(
        `taskproof: ${record.specId}: can't write the run's ledger: ${(error as Error).message}\n`,
      );
    }
  }
}

/** Why the trial of a test that is over has not ended by itself. */
export function endFromOutside({ status, timeout, error }: TestInfo): AgentEnd {
  if (status === 'timedOut') return ended('timed_out', `the test timed out after ${timeout / 1000} s`);
  if (status !== 'failed') return errorEnd('interrupted', 'the run was interrupted before the trial ended');
  return errorEnd('internal', `an error that nothing caught ended the test: ${oneLine(saidBy(error), 500)}`);
}

export function saidBy(error: TestInfo['error']): string {
  return stripVTControlCharacters(error?.message ?? error?.value ?? 'an unknown error');
}

/** What the options of a project say about each run of its agent. */
export function trialPlanOf(
  { agent, secrets, pageTools, turnTimeoutMs, maxRequests }: ReadyOptions,
  { config }: Pick<TestInfo, 'config'>,
) {
  return { agent, secrets, pageTools, turnTimeoutMs, maxRequests, configDir: folderOf(config) };
}

/** Shows a trial in its Playwright test: turns and assertions as steps, with their evidence. */
export function outputTo(testInfo: TestInfo): TrialOutput {
  return {
    step: (title, body, location) =>
      test.step(
        oneLine(title, 300),
        step => body((name, body) => step.attach(name, { body, contentType: 'image/jpeg' })),
        location ? { location } : {},
      ),
    extend: ms => addTime(testInfo, ms),
  };
}

/** A timeout of 0 means none, as in debugging. */
export function addTime(testInfo: TestInfo, ms: number): void {
  if (testInfo.timeout) testInfo.setTimeout(testInfo.timeout + ms);
}

/** Not `testInfo.attach`, which would add a step. */
export function attachTo({ attachments }: TestInfo, name: string, contentType: string, body: string): void {
  attachments.push({ name, contentType, body: Buffer.from(body) });
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
