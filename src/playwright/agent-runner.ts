// The fixture `agent`: runs agents in a hand-written test. All runs in a test are one trial with one record, graded by the test's code.
import { inspect } from 'node:util';
import type { BrowserContext, Page, TestInfo } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import { z } from 'zod';
import { type Agent, BudgetExceededError } from '../agents/agent';
import { openSession } from '../browser/session/session';
import { sumOf } from '../data/collections';
import { planName } from '../data/plan';
import {
  type Answer,
  escapeIn,
  RECORD_ATTACHMENT,
  type TrialRecord,
  type TrialStatus,
  type TurnRecord,
  whereOf,
} from '../data/record';
import type { TotalUsage } from '../data/usage';
import { outcomeFields } from '../grading/outcome';
import { transcript } from '../grading/transcript';
import { checkOptions, type OptionSchemas } from '../options';
import { hostAllowed, parsedUrl } from '../spec/url';
import { problemOfJsonSchema } from '../spec/value-schema';
import { shapeOf, type WantedAnswer } from '../spec/wanted-answer';
import { harmless, messageOf, oneLine } from '../text/line';
import type { Mask } from '../text/mask';
import { type AgentEnd, ended, errorEnd, type TrialOutput, type TrialPlan } from '../trial/run-agent';
import { Trial } from '../trial/trial';
import { sourceOfCall } from './inside/calls';
import { errorAt, hasUncaughtError, runError } from './inside/errors';
import { addTrialTime } from './inside/timeout';
import { decisive, goalsHash, joinedRecord } from './joined-record';
import { overBudget } from './run/decide';
import { readLedger } from './run/ledger';
import { agentSchema, LIMITS, preflightOnce, type ReadyOptions } from './run/options';
import { goalAnnotation, refusedAnnotation } from './run/plan';
import { missingSecrets } from './run/secrets';
import { stopOf } from './run/trial-error';
import { attachTo, endFromOutside, outputTo, QUIET_TEXT, saidBy, seedOf, trialPlanOf } from './trial-test';

export interface AgentRunOptions {
  /** The most turns. Default: 20. */
  maxSteps?: number;
  /** The most US dollars. Default: what earlier runs of the test left of the project's `use.taskproof.maxCostUsd`. */
  maxCostUsd?: number;
  /** Milliseconds; the run may take maxSteps times this, in addition to the test's timeout. Default: the project's, else 30,000. */
  turnTimeoutMs?: number;
  /** Hosts that the agent may visit. Default: the host of the current page. */
  allowedDomains?: readonly string[];
  /** Asks for an answer that the test checks: true for a short text, a JSON Schema for a structured value. Default: false, its last words. */
  answer?: WantedAnswer;
  /** The page to drive, in any context. Default: the fixture `page`. */
  page?: Page;
  /** The agent that drives the page. Default: the project's. */
  agent?: Agent;
}

const runOptionsSchema = z.strictObject({
  ...LIMITS,
  maxSteps: z.number().int().positive().optional(),
  allowedDomains: z.array(z.string().min(1)).readonly().optional(),
  answer: z
    .custom<WantedAnswer>()
    .superRefine((given, context) => {
      const problem = typeof given === 'boolean' ? undefined : problemOfJsonSchema(given);
      if (problem === undefined) return;
      context.addIssue({ code: 'custom', message: `must be true, false or a JSON Schema; ${problem}` });
    })
    .optional(),
  page: z
    .custom<Page>(page => typeof (page as Page | null)?.goto === 'function', { error: 'must be a page' })
    .optional(),
  agent: agentSchema.optional(),
} satisfies OptionSchemas<AgentRunOptions>);

export interface AgentOutcome {
  /** `completed`, `gave_up`, `max_steps`, `budget_exceeded` or `timed_out`. */
  status: Exclude<TrialStatus, 'error'>;
  /** Why the agent stopped early; null if it ended its own turn. */
  reason: string | null;
  /** What the agent said at its end, with secrets masked: a text or, with a JSON Schema as `answer`, another value of JSON; undefined if it said nothing. */
  answer: Answer | undefined;
  /** What each turn did: title, actions, narration, URL, usage, time. */
  turns: readonly TurnRecord[];
  /** Tokens by kind. */
  usage: TotalUsage;
  /** US dollars; null if a price is unknown. */
  costUsd: number | null;
  /** The address of the active tab at the end. */
  finalUrl: string;
}

export interface AgentRunner {
  /** The name of the project's agent. */
  readonly name: string;
  /**
   * Lets the agent drive the page until it ends its turn. Adds the time that it may take to the test's timeout. A test may call it
   * several times; at the same time only for pages of different contexts.
   *
   * @throws OptionsError for wrong or unknown options.
   * @throws Error if the outcome says nothing about the site: the model can't be reached, the browser is gone, the agent broke.
   */
  run(goal: string, options?: AgentRunOptions): Promise<AgentOutcome>;
}

export class RunsOfTest implements AgentRunner {
  readonly name: string;
  private readonly output: TrialOutput;
  private readonly trials: Trial[] = [];
  private readonly goals: string[] = [];
  /** Messages of errors because of which runs did not begin. */
  private readonly refused = new Set<string>();
  private readonly driven = new Set<BrowserContext>();
  private readonly running = new Map<Promise<AgentOutcome>, { goal: string; place: Location }>();
  private turns = 0;
  /** Whether the test had failed before its first run, which may be in `afterEach`. */
  private hadFailed = false;
  /** Whether the test has read an answer, which a replay does not give. */
  private answerUsed = false;

  constructor(
    private readonly page: Page,
    private readonly options: ReadyOptions,
    private readonly testInfo: TestInfo,
  ) {
    this.name = options.agent.name;
    this.output = { ...outputTo(testInfo), nextTurn: () => ++this.turns };
  }

  readonly run: AgentRunner['run'] = (goal, options) => {
    const place = sourceOfCall(this.run);
    const outcome = this.start(goal, options, place).finally(() => this.running.delete(outcome));
    this.running.set(outcome, { goal, place });
    return outcome;
  };

  private async start(goal: string, given: AgentRunOptions | undefined, place: Location) {
    const { page, plan } = await this.begin(goal, given, place).catch((error: unknown) => {
      if (!(error instanceof BudgetExceededError)) this.refused.add(messageOf(error));
      throw error;
    });
    if (!this.trials.length) this.hadFailed = this.testInfo.errors.length > 0;
    const giveBack = addTrialTime(this.testInfo, plan.maxSteps * plan.turnTimeoutMs);
    this.testInfo.annotations.push(goalAnnotation(plan.secrets.mask(goal)));
    const play = async () => {
      const trial = new Trial(plan, await openSession(page, plan.allowedDomains), this.output);
      this.trials.push(trial);
      const act = () => this.act(trial, place);
      return this.output
        .step(`agent "${plan.agent.name}": ${trial.mask(goal)}`, act, place)
        .finally(() => trial.close());
    };
    return play().finally(() => {
      giveBack();
      this.driven.delete(page.context());
    });
  }

  private async begin(goal: string, callerOptions: AgentRunOptions | undefined, place: Location) {
    const { options, testInfo, goals, driven } = this;
    if (typeof goal !== 'string' || goal.trim() === '')
      throw new TypeError('agent.run(goal): the goal must be a non-empty string');
    const given = checkOptions('agent.run()', runOptionsSchema, callerOptions);
    const missing = missingSecrets(options, [{ id: 'agent.run', goal }]);
    if (missing) throw runError(missing);
    const { page = this.page, agent = options.agent } = given;
    if (page.isClosed())
      throw new Error('agent.run: the page is closed. Pass the page to drive: { page: ... }');
    const address = page.url();
    const host = parsedUrl(address)?.hostname;
    const { allowedDomains = host ? [host] : [] } = given;
    if (!allowedDomains.length || (host && !hostAllowed(host, allowedDomains)))
      throw new Error(
        `agent.run: the page is on ${host || address}, which is not in allowedDomains (${allowedDomains.join(', ') || 'none'}). Open the site first: await page.goto(...), or pass { allowedDomains: [...] }`,
      );
    const spent = options.plan
      ? undefined
      : overBudget(options, readLedger(testInfo.project.name, testInfo.testId));
    if (spent) throw runError(`agent.run: ${spent}`);
    const maxCostUsd = given.maxCostUsd ?? this.leftUsd();
    await preflightOnce(agent);
    const shared = trialPlanOf(options, testInfo);
    const isRecorded = options.plan && !given.agent && !goals.length;
    const plan: TrialPlan = {
      ...shared,
      agent,
      specId: null,
      specName: isRecorded ? planName(options.plan!) : null,
      specHash: goalsHash([goal]),
      spec: null,
      goal,
      entryUrl: null,
      allowedDomains,
      maxSteps: given.maxSteps ?? 20,
      wantsAnswer: typeof given.answer === 'object' ? shapeOf(given.answer) : (given.answer ?? false),
      maxCostUsd,
      turnTimeoutMs: given.turnTimeoutMs ?? shared.turnTimeoutMs,
      seed: seedOf(`${testInfo.testId}:${goals.length}`, testInfo.repeatEachIndex),
      locate: () => place,
    };
    // Two runs in one context would each take the other's tabs and dialogs for its own.
    if (driven.has(page.context()))
      throw new Error(
        'agent.run: another agent is driving a page of this browser context. Await it first, or open the page in a context of its own (browser.newContext()).',
      );
    driven.add(page.context());
    goals.push(goal);
    return { page, plan };
  }

  /** What earlier runs left of the cap. @throws BudgetExceededError, which fails the test, if that is nothing */
  private leftUsd(): number | undefined {
    const { maxCostUsd: cap } = this.options;
    const spent = sumOf(this.trials, ({ turns }) => turns.knownUsd);
    if (cap === undefined || !spent || spent < cap) return cap && cap - spent;
    throw new BudgetExceededError(
      `agent.run: the runs of this test have spent $${spent.toFixed(4)} of its maxCostUsd of $${cap}. Raise it, or give the run a cap of its own: agent.run(goal, { maxCostUsd }).`,
    );
  }

  private async act(trial: Trial, place: Location): Promise<AgentOutcome> {
    const { status, errorKind, reason } = await trial.act();
    if (status === 'error') throw errorAt(`agent.run, error: ${errorKind}: ${reason}`, 'agent.run', place);
    const left = escapeError(trial);
    if (left) throw left;
    const { records: turns, usage } = trial.turns;
    const { maskedAnswer: answer, session } = trial;
    const finalUrl = session.page.url();
    const told = { status, reason, answer, turns, usage, costUsd: usage.costUsd, finalUrl };
    const get = () => {
      this.answerUsed = true;
      return answer;
    };
    // Printing the outcome does not count as reading its answer.
    const print = { value: () => told };
    return Object.defineProperties({ ...told }, { answer: { get }, [inspect.custom]: print });
  }

  /**
   * Call it when the test is over, however it ended. Attaches the record. If the test has failed, examines the page while it is open
   * and adds to the error where the agent stopped.
   *
   * @throws Error if the test has passed although a run has not ended, or an agent left its allowed domains
   */
  async settle(): Promise<void> {
    const { testInfo, running, trials, refused, options } = this;
    const overlooked = testInfo.status === 'passed' ? this.overlooked() : undefined;
    // Nobody awaits these runs any more.
    for (const outcome of running.keys()) outcome.catch(() => {});
    for (const trial of trials.filter(({ status }) => status === null)) {
      trial.stop(
        overlooked ? errorEnd('internal', trial.mask(overlooked.message)) : endByTest(testInfo, trial.mask),
      );
      await trial.close();
    }
    // A test that failed because of a wrong call says nothing about the site. If its code caught the error, that did not end it.
    const hasEnded = (why: string) => testInfo.errors.some(({ message = '' }) => message.includes(why));
    const whys = [...refused].filter(hasEnded);
    // A run that nobody awaited may not even have begun.
    if (overlooked && !trials.length) whys.push(overlooked.message);
    for (const why of whys) testInfo.annotations.push(refusedAnnotation(oneLine(options.secrets.mask(why))));
    if (trials.length) await this.leaveRecord(overlooked);
    if (overlooked) throw overlooked;
  }

  /** The error of a run that has not ended, or left its domains: the test's code may have caught what `run` threw. */
  private overlooked(): Error | undefined {
    const [run] = this.running.values();
    if (!run) return this.trials.map(escapeError).find(error => error !== undefined);
    const call = `agent.run(${JSON.stringify(oneLine(run.goal, 60))})`;
    return errorAt(`${call} was still running when the test ended: await it`, 'agent.run', run.place);
  }

  private async leaveRecord(overlooked: Error | undefined): Promise<void> {
    const { trials, testInfo, goals } = this;
    const { status, expectedStatus } = testInfo;
    const error = overlooked ?? testInfo.error;
    const isLost = Boolean(overlooked) || (status !== expectedStatus && status !== 'skipped');
    if (isLost) for (const trial of trials) trial.blameOthers();
    const isBroken = trials.some(({ status }) => status === 'error');
    const last = decisive(trials);
    const isGraded = !isBroken && status !== 'interrupted' && status !== 'skipped';
    if (isGraded && (isLost || last.plan.isFirstToPass?.())) await last.examine(!isLost);
    const joined = joinedRecord(trials, goals);
    const what = [joined.endReason, firstLine(last.mask(saidBy(error)))].filter(Boolean).join('; ');
    const where = isBroken ? null : whereOf(joined);
    const record: TrialRecord = {
      ...joined,
      notReplayable: goals.length > 1 ? 'runs' : this.answerUsed ? 'answer' : undefined,
      ...(isLost ? outcomeFields(joined, { what, where }) : { outcome: 'passed', reason: null }),
    };
    if (record.outcome === 'failed') this.tell(record);
    attachTo(testInfo, 'transcript', QUIET_TEXT, transcript(record, last.mask(goals.join('\n'))));
    attachTo(testInfo, RECORD_ATTACHMENT, 'application/json', JSON.stringify(record));
  }

  /** Adds to the first error why and where the agent stopped. */
  private tell(record: TrialRecord): void {
    const error = this.testInfo.errors[0];
    if (this.hadFailed || error?.message === undefined) return;
    const { message, stack = '' } = error;
    const why = record.endReason ? `${sentence(record.endReason)}\n` : '';
    error.message = `${message}\n\n${harmless(why + stopOf(record))}`;
    if (stack.startsWith(message)) error.stack = error.message + stack.slice(message.length);
  }
}

/** Why a run that has not ended when its test is over was stopped. The test's own code can fail meanwhile: that decides the trial. */
function endByTest(testInfo: TestInfo, mask: Mask): AgentEnd {
  if (testInfo.status !== 'failed' || hasUncaughtError(testInfo)) return endFromOutside(testInfo, mask);
  const isLate = testInfo.errors.some(error => /^(?:TimeoutError: )?Step timeout of /.test(saidBy(error)));
  return isLate
    ? ended('timed_out', "the time of the test's step was over")
    : ended('completed', 'the test failed before the agent had ended');
}

function escapeError(trial: Trial): Error | undefined {
  const left = escapeIn(trial.record().refusals);
  return left === undefined ? undefined : errorAt(`agent.run: ${left}`, 'agent.run', trial.plan.locate('')!);
}

const firstLine = (text: string) => oneLine(text.split('\n')[0]!.replace(/^Error: /, ''), 300);
const sentence = (text: string) =>
  `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;
