// Runs a trial inside a Playwright test, and attaches its record whatever happens to the test.
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Page, type TestInfo, test } from '@playwright/test';
import { openSession } from '../browser/session/session';
import { leastOf } from '../data/collections';
import { planName } from '../data/plan';
import { RECORD_ATTACHMENT, type TrialRecord } from '../data/record';
import { failureOf, outcomeFields } from '../grading/outcome';
import { transcript } from '../grading/transcript';
import { frozen, type LoadedSpec, locationIn } from '../spec/load';
import { atSite, placeholdersIn, type TrialData, withData } from '../spec/placeholders';
import { wantedAnswer } from '../spec/wanted-answer';
import { beginning, few, oneLine } from '../text/line';
import type { Mask } from '../text/mask';
import { type AgentEnd, ended, errorEnd, type TrialOutput, type TrialPlan } from '../trial/run-agent';
import { CLOSING_TIME_MS, Trial, trialTimeMs } from '../trial/trial';
import { decidedByCheck, type Hooks, type PlaceholderValues, runCheck, runPrepare } from './hooks';
import { errorAt, expectationInWords, hasUncaughtError, isExpectation, onFailure } from './inside/errors';
import { addTime, addTrialTime } from './inside/timeout';
import { isFirstToPass, orWarn, runId, spend } from './run/ledger';
import type { ReadyOptions } from './run/options';
import { showUsed } from './run/plan';
import { checkRun, folderOf, posix, seedOffset } from './run/settings';
import { trialError } from './run/trial-error';

/**
 * Keeps an attachment out of terminals, which print 300 characters of each `text/` attachment of a failed test. Checked on Playwright
 * 1.65.1: they and the HTML report compare types in lower case. Our reporter lowers it for the HTML report.
 */
export const QUIET_TEXT = 'Text/plain';

export class TrialTest {
  private trial: Trial | null = null;
  /** The record that was attached last. */
  private record: TrialRecord | undefined;

  constructor(
    private readonly page: Page,
    private readonly options: ReadyOptions,
    private readonly testInfo: TestInfo,
    private readonly navigationTimeoutMs?: number,
  ) {}

  /** @param fixtures those of the suite, for the hooks. @throws an error that says why the trial did not pass */
  async run(loaded: LoadedSpec, { prepare, check }: Hooks, fixtures: object): Promise<void> {
    const { testInfo } = this;
    const { timeout: ownMs } = testInfo;
    const seed = seedOf(planName(this.options.plan!), testInfo.repeatEachIndex + seedOffset());
    const unique = uniqueOf(seed, testInfo.project.name);
    const own: TrialData = { trial: testInfo.repeatEachIndex + 1, unique };
    const given = { ...fixtures, spec: loaded.spec, ...own };
    const values = prepare && (await runPrepare(prepare, given, testInfo));
    if (prepare && !values) return;
    if (values) expectValues(loaded, values);
    let checked: Awaited<ReturnType<typeof runCheck>> | undefined;
    const plan: TrialPlan = this.plan(loaded, seed, own, values);
    if (check)
      plan.check = async trial => {
        checked = await runCheck(check, { ...fixtures, ...own, ...trial }, testInfo, ownMs);
        return checked;
      };
    showUsed(testInfo.annotations, plan.spec!, plan.secrets.mask);
    const giveBack = addTrialTime(testInfo, trialTimeMs(plan), CLOSING_TIME_MS);
    const opened = await openSession(this.page, plan.allowedDomains);
    this.trial = new Trial(plan, opened, outputTo(testInfo));
    const record = this.explained(await this.trial.run().finally(giveBack));
    // A trial that was stopped from outside may still end on its own.
    if (this.record) return;
    this.attach(record);
    if (record.outcome === 'passed') return this.watchHooks(record);
    if (!checked || !decidedByCheck(record))
      throw trialError(record, failureOf(record)!, path => locationIn(loaded, path));
    // Soft expectations have failed the test already.
    if (checked.thrown) throw checked.thrown.error;
  }

  /** Call it when the test is over, however it ended. */
  async settle(): Promise<void> {
    const { trial } = this;
    if (!trial) return;
    if (!this.record) {
      trial.stop(endFromOutside(this.testInfo, trial.mask));
      await trial.lastReports();
      this.attach(trial.record());
    }
    attachTo(this.testInfo, 'transcript', QUIET_TEXT, transcript(this.record!, trial.mask(trial.plan.goal)));
    await trial.close();
  }

  /** After an error that nobody awaits, Playwright closes the browser, in the middle of whatever runs: that error is why. */
  private explained(record: TrialRecord): TrialRecord {
    if (record.outcome !== 'error' || !hasUncaughtError(this.testInfo)) return record;
    const { errorKind, reason } = endFromOutside(this.testInfo, this.trial!.mask);
    return { ...record, errorKind, endReason: reason, reason };
  }

  /**
   * A failed `expect` in a hook or a fixture's teardown fails a trial that has passed; any other error there says
   * nothing about the site. The first error decides: later ones may follow from it.
   */
  private watchHooks(record: TrialRecord): void {
    const { testInfo } = this;
    const fail = (message: string) => {
      const reason = oneLine(this.trial!.mask(beginning(`hook: ${expectationInWords(message)}`)), 500);
      const result = { title: 'hook', type: 'check' as const, passed: false, reason };
      const failed = { ...record, assertions: [...record.assertions, result] };
      this.attach({ ...failed, ...outcomeFields(failed, failureOf(failed)) });
    };
    // Besides soft expectations, the test goes on after an error that nobody awaits.
    const earlier = hasUncaughtError(testInfo) ? undefined : testInfo.errors[0];
    if (earlier) fail(earlier.message ?? '');
    let isFirst = !testInfo.errors.length;
    onFailure(testInfo, error => {
      if (isFirst && isExpectation(error)) fail(error.message);
      isFirst = false;
    });
  }

  private plan(loaded: LoadedSpec, seed: number, own: TrialData, data?: PlaceholderValues) {
    const { options, testInfo, navigationTimeoutMs } = this;
    const { hash: specHash, file } = loaded;
    const shared = trialPlanOf(options, testInfo, file);
    const filled = withData(loaded.spec, { ...data, ...own });
    const spec = frozen(atSite(filled, options));
    const { unique } = own;
    // What `prepare` returned may depend on `unique`.
    const isUnique = data !== undefined || JSON.stringify(spec).includes(unique);
    return {
      goal: spec.goal,
      entryUrl: spec.entryUrl,
      allowedDomains: spec.allowedDomains,
      maxSteps: spec.maxSteps,
      wantsAnswer: wantedAnswer(spec.assertions),
      ...shared,
      spec,
      identity: { ...shared.identity, ...(isUnique && { runId: runId() }) },
      specId: spec.id,
      specName: planName(options.plan!),
      specHash,
      judge: options.judge,
      maxCostUsd: leastOf([spec.maxCostUsd, options.maxCostUsd]),
      seed,
      ...(isUnique && { unique }),
      ...(data && { data }),
      guesses: checkRun()?.purpose === 'probe',
      navigationTimeoutMs,
      locate: (path: string) => locationIn(loaded, path),
    } satisfies TrialPlan;
  }

  private attach(record: TrialRecord): void {
    this.record = record;
    attachTo(this.testInfo, RECORD_ATTACHMENT, 'application/json', JSON.stringify(record));
  }
}

/** How a trial ended that was still running when its test was over. */
export function endFromOutside({ status, timeout, error }: TestInfo, mask: Mask): AgentEnd {
  if (status === 'timedOut') return ended('timed_out', `the test timed out after ${timeout / 1000} s`);
  if (status !== 'failed') return errorEnd('interrupted', 'the run was interrupted before the trial ended');
  return errorEnd('internal', `an uncaught error ended the test: ${oneLine(mask(saidBy(error)), 500)}`);
}

export function saidBy(error: { message?: string; value?: string } | undefined): string {
  return stripVTControlCharacters(error?.message ?? error?.value ?? 'an unknown error');
}

/** The part that the plans of specs and of hand-written tests share. @param file the file that the record names */
export function trialPlanOf(
  { agent, secrets, pageTools, turnTimeoutMs, maxRunCostUsd, maxRequests, plan }: ReadyOptions,
  testInfo: TestInfo,
  file = testInfo.file,
) {
  const { config, project, title, repeatEachIndex: repeatIndex, retry } = testInfo;
  const { id: specId = title, policy = { k: 1, minPasses: 1 } } = plan ?? {};
  const name = plan && planName(plan);
  return {
    identity: { specId, specFile: posix(relative(config.rootDir, file)), repeatIndex, retry, policy },
    isFirstToPass: () =>
      name !== undefined && !(agent.replays || checkRun()) && isFirstToPass(project.name, name),
    // What a test without a pass policy spends counts, too, although it gets no verdict.
    spend: (costUsd: number) =>
      orWarn(name ?? title, () => spend(project.name, name ?? testInfo.testId, repeatIndex, costUsd)),
    agent,
    secrets,
    pageTools,
    turnTimeoutMs,
    runIsCapped: maxRunCostUsd !== undefined,
    maxRequests,
    configDir: folderOf(config),
  };
}

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

/** Attaches without the step that `testInfo.attach` adds. */
export function attachTo({ attachments }: TestInfo, name: string, contentType: string, body: string): void {
  attachments.push({ name, contentType, body: Buffer.from(body) });
}

/** A number that differs between the trials of a spec and is the same in each run. */
export function seedOf(name: string, repeatIndex: number): number {
  return createHash('sha256').update(`${name}#${repeatIndex}`).digest().readUInt32BE(0);
}

/** The value of `{{unique}}`: eight letters and digits, beginning with a letter. */
function uniqueOf(seed: number, project: string): string {
  const [first, ...rest] = createHash('sha256')
    .update(JSON.stringify([runId(), project, seed]))
    .digest();
  const digits = rest.slice(0, 7).map(byte => (byte % 36).toString(36));
  return (10 + (first! % 26)).toString(36) + digits.join('');
}

/** @throws Error if a placeholder of the spec has no value: the agent would take it literally */
function expectValues(loaded: LoadedSpec, values: PlaceholderValues): void {
  const open = placeholdersIn(loaded.spec).find(({ name, known }) => !known && !Object.hasOwn(values, name));
  if (!open) return;
  const given = few(['trial', 'unique', ...Object.keys(values)], 20);
  const text = `${open.path}: {{${open.name}}} has no value: prepare did not return it. Known placeholders: ${given}.`;
  throw errorAt(text, loaded.spec.id, locationIn(loaded, open.path));
}
