// The fixture `agent`: an agent in a hand-written test.
import type { Page, TestInfo } from '@playwright/test';
import { z } from 'zod';
import { openSession } from '../browser/session/session';
import {
  AGENT_ATTACHMENT,
  type AgentNote,
  type Answer,
  type TrialStatus,
  type TurnRecord,
} from '../data/record';
import { sumOfWaits, type TotalUsage } from '../data/usage';
import { checkOptions, type OptionSchemas } from '../options';
import { parsedUrl } from '../spec/url';
import { shapeOf, type WantedAnswer } from '../spec/wanted-answer';
import { AgentRun, type TrialPlan } from '../trial/run-agent';
import { runError } from './inside/errors';
import { LIMITS, missingSecrets, type ReadyOptions } from './run/options';
import { addTime, attachTo, outputTo, seedOf, trialPlanOf } from './trial-test';

export interface AgentRunOptions {
  /** Turns at most. Default: 20. */
  maxSteps?: number;
  /** US dollars at most. Default: the project's `use.taskproof.maxCostUsd`. */
  maxCostUsd?: number;
  /** Milliseconds; the run may take maxSteps times this. Default: the project's, else 30,000. */
  turnTimeoutMs?: number;
  /** Hosts that the agent may visit. Default: the host of the current page. */
  allowedDomains?: readonly string[];
  /** Whether the test checks the answer: true asks the agent for a short text, a JSON Schema for a structured value. Default: false, and the answer is the agent's last words. */
  answer?: WantedAnswer;
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
  /** The agent's name. */
  readonly name: string;
  /**
   * Lets the agent drive the current page until it ends its turn. Adds the time that it may take to the test's timeout.
   *
   * @throws OptionsError for wrong or unknown options.
   * @throws Error if the outcome says nothing about the site: the model can't be reached, the browser is gone, the agent broke.
   */
  run(goal: string, options?: AgentRunOptions): Promise<AgentOutcome>;
}

export function agentRunner(page: Page, options: ReadyOptions, testInfo: TestInfo): AgentRunner {
  const { agent } = options;
  let runs = 0;
  return {
    name: agent.name,
    async run(goal, callerOptions) {
      if (typeof goal !== 'string' || goal.trim() === '')
        throw new TypeError('agent.run(goal): the goal must be a non-empty text');
      const given = checkOptions('agent.run()', runOptionsSchema, callerOptions);
      const missing = missingSecrets(options, [{ id: 'agent.run', goal }]);
      if (missing) throw runError(missing);
      const base = trialPlanOf(options, testInfo);
      const plan: TrialPlan = {
        ...base,
        specId: null,
        specName: null,
        specHash: null,
        spec: null,
        goal,
        entryUrl: null,
        allowedDomains: given.allowedDomains ?? [hostOf(page.url())],
        maxSteps: given.maxSteps ?? 20,
        wantsAnswer: typeof given.answer === 'object' ? shapeOf(given.answer) : (given.answer ?? false),
        maxCostUsd: given.maxCostUsd ?? options.maxCostUsd,
        turnTimeoutMs: given.turnTimeoutMs ?? base.turnTimeoutMs,
        seed: seedOf(`${testInfo.testId}:${runs++}`, testInfo.repeatEachIndex),
        locate: () => undefined,
      };
      addTime(testInfo, plan.maxSteps * plan.turnTimeoutMs);
      return runAgent(page, plan, testInfo);
    },
  };
}

async function runAgent(page: Page, plan: TrialPlan, testInfo: TestInfo): Promise<AgentOutcome> {
  const output = outputTo(testInfo);
  const run = new AgentRun(plan, await openSession(page, plan.allowedDomains), output);
  const { turns, session, waited } = run;
  let error: AgentNote['error'];
  try {
    return await output.step(`agent "${plan.agent.name}": ${plan.goal}`, async () => {
      const { status, errorKind, reason } = await run.runAgent();
      if (status === 'error') {
        error = { kind: errorKind ?? 'internal', reason: reason ?? status };
        throw new Error(`agent.run, error: ${errorKind}: ${reason}`);
      }
      const { records, usage } = turns;
      const finalUrl = session.page.url();
      const spent = { usage, costUsd: usage.costUsd };
      return { status, reason, answer: run.maskedAnswer, turns: records, ...spent, finalUrl };
    });
  } finally {
    // Tells the reporter what the run took, for tests with a pass policy.
    const { name: agent, model = null } = plan.agent;
    const spent = { turns: turns.records.length, usage: turns.usage, ...sumOfWaits([waited]) };
    const note: AgentNote = { agent, model, ...spent, ...(error && { error }) };
    attachTo(testInfo, AGENT_ATTACHMENT, 'application/json', JSON.stringify(note));
    await run.close();
  }
}

/** @throws Error on a blank page, which has no host. */
function hostOf(url: string): string {
  const host = parsedUrl(url)?.hostname;
  if (!host)
    throw new Error(
      `agent.run: the page is at ${url}. Open the site first (await page.goto(...)), or pass { allowedDomains: [...] }`,
    );
  return host;
}
