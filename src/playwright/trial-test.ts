// Runs a trial inside a Playwright test, and attaches its record whatever happens to the test.
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Page, type TestInfo, test } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import { openSession } from '../browser/session/session';
import { planName } from '../data/plan';
import { RECORD_ATTACHMENT, type TrialRecord } from '../data/record';
import { failureOf, outcomeFields } from '../grading/outcome';
import { transcript } from '../grading/transcript';
import { type LoadedSpec, locationIn } from '../spec/load';
import { atBase, atOrigin, placeholdersIn, type TrialData, withData } from '../spec/placeholders';
import { wantedAnswer } from '../spec/wanted-answer';
import { expectationInWords } from '../text/expectation';
import { beginning, few, oneLine } from '../text/line';
import { inTexts } from '../text/mask';
import { type AgentEnd, ended, errorEnd, type TrialOutput, type TrialPlan } from '../trial/run-agent';
import { Trial, trialTimeMs } from '../trial/trial';
import { CheckInTest, type Hooks, type PlaceholderValues, runPrepare } from './hooks';
import { errorAt, isExpectation, onFailure } from './inside/errors';
import { enter, runId } from './run/ledger';
import type { ReadyOptions } from './run/options';
import { carriedPlan, showUsed } from './run/plan';
import { checkRun, folderOf, posix, seedOffset } from './run/settings';
import { trialError } from './run/trial-error';

/**
 * Terminals leave it out: of each `text/` attachment of a failed test they print 300 characters. Checked on Playwright 1.65.1: they
 * and the HTML report know types in lower case alone. Our reporter lowers it for the HTML report.
 */
export const QUIET_TEXT = 'Text/plain';

export class TrialTest {
  private trial: Trial | null = null;
  /** The one that was attached last. */
  private record: TrialRecord | undefined;

  constructor(
    private readonly page: Page,
    private readonly options: ReadyOptions,
    private readonly testInfo: TestInfo,
    private readonly navigationTimeoutMs?: number,
  ) {}

  /**
   * @param fixtures what `hooks` get of the suite
   * @throws an error that says why the trial did not pass.
   */
  async run(loaded: LoadedSpec, { prepare, check }: Hooks, fixtures: object): Promise<void> {
    const { testInfo } = this;
    const own = this.ownData;
    const given = { ...fixtures, spec: loaded.spec, ...own };
    const values = prepare && (await runPrepare(prepare, given, testInfo));
    if (prepare && !values) return;
    if (values) expectValues(loaded, values);
    const checking = check && new CheckInTest(check, testInfo);
    const plan = {
      ...this.plan(loaded, own, values),
      check: checking && (trial => checking.run({ ...fixtures, ...own, ...trial })),
    } satisfies TrialPlan;
    showUsed(testInfo.annotations, plan.spec);
    addTime(testInfo, trialTimeMs(plan));
    const opened = await openSession(this.page, plan.allowedDomains);
    this.trial = new Trial(plan, opened, outputTo(testInfo));
    const record = await this.trial.run();
    // A trial that was stopped from outside may still end on its own.
    if (this.record) return;
    this.attach(record);
    if (record.outcome === 'passed') return this.watchHooks(record);
    if (!checking?.decided(record)) throw trialError(record, this.trial.failure!, plan.locate);
    // Soft expectations have failed the test already.
    if (checking.thrown) throw checking.thrown.error;
  }

  /** Call it when the test is over, however it ended. */
  async settle(): Promise<void> {
    const { trial } = this;
    if (!trial) return;
    if (!this.record) {
      trial.stop(endFromOutside(this.testInfo));
      this.attach(trial.record());
    }
    attachTo(this.testInfo, 'transcript', QUIET_TEXT, transcript(this.record!, trial.plan.goal));
    await trial.close();
  }

  /**
   * What a hook or a fixture's teardown expects of the site in vain fails a trial that has passed; any other error of theirs says
   * nothing about the site. The first error decides: what follows may come of it.
   */
  private watchHooks(record: TrialRecord): void {
    const { testInfo } = this;
    const fail = (message: string) => {
      const reason = oneLine(this.trial!.mask(beginning(`hook: ${expectationInWords(message)}`)), 500);
      const result = { title: 'hook', type: 'check' as const, passed: false, reason };
      const failed = { ...record, assertions: [...record.assertions, result] };
      this.attach({ ...failed, ...outcomeFields(failed, failureOf(failed)) });
    };
    // Only those of soft expectations leave the test running.
    const [earlier] = testInfo.errors;
    if (earlier) fail(earlier.message ?? '');
    let isFirst = !earlier;
    onFailure(testInfo, error => {
      if (isFirst && isExpectation(error)) fail(error.message);
      isFirst = false;
    });
  }

  private get specName(): string {
    return planName(carriedPlan(this.testInfo)!);
  }

  private get seed(): number {
    return seedOf(this.specName, this.testInfo.repeatEachIndex + seedOffset());
  }

  private get ownData(): TrialData {
    const { repeatEachIndex, project } = this.testInfo;
    return { trial: repeatEachIndex + 1, unique: uniqueOf(this.seed, project.name) };
  }

  private plan({ spec: declared, hash, file, locate }: LoadedSpec, own: TrialData, data?: PlaceholderValues) {
    const { options, testInfo, navigationTimeoutMs, specName, seed } = this;
    const { unique } = own;
    const filled = withData(declared, { ...data, ...own });
    const spec = atOrigin(atBase(filled, options.origin ?? options.baseURL), options.origin);
    const caps = [spec.maxCostUsd, options.maxCostUsd].filter(cap => cap !== undefined);
    // What was prepared may be made of it.
    const isUnique = data !== undefined || JSON.stringify(spec).includes(unique);
    const { mask } = options.secrets;
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
        ...(data && { data: inTexts(data, mask) }),
      },
      specId: spec.id,
      specName,
      specHash: hash,
      judge: options.judge,
      maxCostUsd: caps.length ? Math.min(...caps) : undefined,
      seed,
      ...(isUnique && { unique }),
      ...(checkRun()?.purpose === 'probe' && { guesses: true }),
      ...(navigationTimeoutMs ? { navigationTimeoutMs } : {}),
      locate: (path: string): Location => locationIn({ file, locate }, path),
    } satisfies TrialPlan;
  }

  private attach(record: TrialRecord): void {
    this.record = record;
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

/** @throws for a placeholder of the spec that nothing gives a value: the agent would take it literally. */
function expectValues(loaded: LoadedSpec, values: PlaceholderValues): void {
  const open = placeholdersIn(loaded.spec).find(({ name, known }) => !known && !Object.hasOwn(values, name));
  if (!open) return;
  const given = few(['trial', 'unique', ...Object.keys(values)], 20);
  const text = `${open.path}: {{${open.name}}} has no value: prepare did not return it. Known are ${given}.`;
  throw errorAt(text, loaded.spec.id, locationIn(loaded, open.path));
}
