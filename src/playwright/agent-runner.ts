// The fixture `agent`: agents in a hand-written test.
import type { Page, TestInfo } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import { z } from 'zod';
import type { Agent } from '../agents/agent';
import { openSession } from '../browser/session/session';
import { planName } from '../data/plan';
import type { Answer, TrialStatus, TurnRecord } from '../data/record';
import { escapeIn } from '../data/record';
import type { TotalUsage } from '../data/usage';
import { checkOptions, type OptionSchemas } from '../options';
import { parsedUrl } from '../spec/url';
import { shapeOf, type WantedAnswer } from '../spec/wanted-answer';
import type { TrialPlan } from '../trial/run-agent';
import { Trial } from '../trial/trial';
import { sourceOfCall } from './inside/call-site';
import { errorAt, runError } from './inside/errors';
import { agentSchema, LIMITS, missingSecrets, preflightOnce, type ReadyOptions } from './run/options';
import { planOf } from './run/plan';
import { goalsHash, RunsOfTest } from './runs-of-test';
import { addTime, seedOf, trialPlanOf } from './trial-test';

export interface AgentRunOptions {
  /** Turns at most. Default: 20. */
  maxSteps?: number;
  /** US dollars at most. Default: the project's `use.taskproof.maxCostUsd`. */
  maxCostUsd?: number;
  /** Milliseconds; the run may take maxSteps times this. Default: the project's, else 30,000. */
  turnTimeoutMs?: number;
  /** Hosts that the agent may visit. Default: the host of the current page. */
  allowedDomains?: readonly string[];
  /** Asks for an answer that the test checks: true for a short text, a JSON Schema for a structured value. Default: false, its last words. */
  answer?: WantedAnswer;
  /** The page to drive, of any context. Default: the fixture `page`. */
  page?: Page;
  /** The agent that drives it. Default: the project's. */
  agent?: Agent;
}

function isWantedAnswer(given: unknown): given is WantedAnswer {
  if (typeof given === 'boolean') return true;
  try {
    z.fromJSONSchema(given as never);
    return !Array.isArray(given);
  } catch {
    return false;
  }
}

const runOptionsSchema = z.strictObject({
  ...LIMITS,
  maxSteps: z.number().int().positive().optional(),
  allowedDomains: z.array(z.string().min(1)).readonly().optional(),
  answer: z.custom<WantedAnswer>(isWantedAnswer, 'must be true, false or a JSON Schema').optional(),
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
  /** What the agent said at its end, with secrets masked: a text, or a structured value; undefined if it said nothing. */
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

/** `settle`: call it when the test is over, however it ended. */
export function agentRunner(
  ownPage: Page,
  options: ReadyOptions,
  testInfo: TestInfo,
): AgentRunner & { settle(): Promise<void> } {
  const runs = new RunsOfTest(testInfo);
  const start = async (goal: string, callerOptions: AgentRunOptions | undefined, place?: Location) => {
    if (typeof goal !== 'string' || goal.trim() === '')
      throw new TypeError('agent.run(goal): the goal must be a non-empty text');
    const given = checkOptions('agent.run()', runOptionsSchema, callerOptions);
    const missing = missingSecrets(options, [{ id: 'agent.run', goal }]);
    if (missing) throw runError(missing);
    const { page = ownPage, agent = options.agent } = given;
    await preflightOnce(agent);
    const base = trialPlanOf(options, testInfo);
    const planned = planOf(testInfo);
    const plan: TrialPlan = {
      ...base,
      agent,
      specId: null,
      specName: planned && !given.agent && !runs.count ? planName(planned) : null,
      specHash: goalsHash([goal]),
      spec: null,
      identity: runs.identity,
      goal,
      entryUrl: null,
      allowedDomains: given.allowedDomains ?? [hostOf(page.url())],
      maxSteps: given.maxSteps ?? 20,
      wantsAnswer: typeof given.answer === 'object' ? shapeOf(given.answer) : (given.answer ?? false),
      maxCostUsd: given.maxCostUsd ?? options.maxCostUsd,
      turnTimeoutMs: given.turnTimeoutMs ?? base.turnTimeoutMs,
      seed: seedOf(`${testInfo.testId}:${runs.count}`, testInfo.repeatEachIndex),
      locate: () => place,
    };
    addTime(testInfo, plan.maxSteps * plan.turnTimeoutMs);
    return runs.during(page.context(), goal, () => runAgent(page, plan, runs));
  };
  const run: AgentRunner['run'] = (goal, given) => start(goal, given, sourceOfCall(run));
  return { name: options.agent.name, run, settle: () => runs.settle() };
}

async function runAgent(page: Page, plan: TrialPlan, runs: RunsOfTest): Promise<AgentOutcome> {
  const place = plan.locate('goal');
  const trial = new Trial(plan, await openSession(page, plan.allowedDomains), runs.output);
  runs.add(trial);
  const act = async (): Promise<AgentOutcome> => {
    const { status, errorKind, reason } = await trial.act();
    if (status === 'error')
      throw errorAt(`agent.run, error: ${errorKind}: ${reason}`, 'agent.run', place ?? NOWHERE);
    const { records, usage } = trial.turns;
    const left = escapeIn(trial.record().refusals);
    if (left) throw errorAt(`agent.run: ${left}`, 'agent.run', place ?? NOWHERE);
    const finalUrl = trial.session.page.url();
    const answer = trial.maskedAnswer;
    return {
      status,
      reason,
      get answer() {
        runs.answerUsed = true;
        return answer;
      },
      turns: records,
      usage,
      costUsd: usage.costUsd,
      finalUrl,
    };
  };
  try {
    return await runs.output.step(`agent "${plan.agent.name}": ${plan.goal}`, act, place);
  } finally {
    await trial.close();
  }
}

const NOWHERE: Location = { file: '', line: 0, column: 0 };

/** @throws Error on a blank page, which has no host. */
function hostOf(url: string): string {
  const host = parsedUrl(url)?.hostname;
  if (!host)
    throw new Error(
      `agent.run: the page is at ${url}. Open the site first (await page.goto(...)), or pass { allowedDomains: [...] }`,
    );
  return host;
}
