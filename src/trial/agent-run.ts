// One run of an agent on an open page, from its first turn to the status that it ends with.
import {
  type Agent,
  AgentApiError,
  type AgentTask,
  BudgetExceededError,
  type GaveUp,
  type Healing,
} from '../agents/agent';
import type { Session } from '../browser/session';
import { watchBrowser } from './browser-watch';
import { agentTimeMs, type TrialPlan } from './plan';
import type { ErrorKind, TrialStatus } from './record';
import type { Stage } from './stage';
import { messageOf, oneLine } from './text';
import { abortable, Turns } from './turns';

/** Why the agent was stopped from outside. */
export class TrialStopped extends Error {
  override name = 'TrialStopped';
  constructor(
    readonly status: TrialStatus,
    readonly errorKind: ErrorKind | null,
    message: string,
  ) {
    super(message);
  }
}

export interface AgentEnd {
  status: TrialStatus;
  errorKind: ErrorKind | null;
  /** One line; null where the agent ended its own turn. */
  reason: string | null;
}

export class AgentRun {
  readonly turns: Turns;
  private readonly abort = new AbortController();
  private deadline = 0;
  /** Set once another agent took over from a recording. */
  healing: (Healing & { turn: number }) | null = null;

  constructor(
    private readonly plan: TrialPlan,
    private readonly session: Session,
    stage: Stage,
    startedAt: number,
  ) {
    this.turns = new Turns(
      session,
      stage,
      { maxSteps: plan.maxSteps, maxCostUsd: plan.maxCostUsd, signal: this.abort.signal },
      text => this.mask(text),
      startedAt,
    );
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Ends the agent's run, if it is still going: what it waits for is given up. */
  stop(reason: TrialStopped): void {
    this.abort.abort(reason);
  }

  mask(text: string): string {
    let masked = text;
    // Longest first: a secret that contains another one would be shown in part.
    const byLength = Object.entries(this.plan.secrets).sort(([, a], [, b]) => b.length - a.length);
    for (const [name, value] of byLength)
      if (value) masked = masked.replaceAll(value, `<secret>${name}</secret>`);
    return masked;
  }

  async run(): Promise<AgentEnd> {
    const { agent } = this.plan;
    const time = agentTimeMs(this.plan);
    this.deadline = performance.now() + time;
    const timer = setTimeout(() => {
      const limit = `${this.plan.maxSteps} steps of ${this.plan.turnTimeoutMs / 1000} s`;
      this.stop(new TrialStopped('timed_out', null, `the time limit (${limit}) was reached`));
    }, time);
    const unwatch = watchBrowser(this.session.context, what =>
      this.stop(new TrialStopped('error', 'browser', `${what} while the agent ran`)),
    );
    try {
      const result: unknown = await abortable(() => agent.run(this.task()), this.signal);
      await this.turns.pictured;
      return this.turns.stoppedBy ? this.limitEnd() : endOf(agent, result, text => this.mask(text));
    } catch (error) {
      return this.endByError(error);
    } finally {
      clearTimeout(timer);
      unwatch();
      this.turns.dispose();
      // An agent that goes on after its end finds its signal aborted and gets no further turn.
      this.stop(new TrialStopped('completed', null, 'the agent has ended its turn'));
    }
  }

  private task(): AgentTask {
    const { plan, session, turns } = this;
    const now = () => Math.max(0, this.deadline - performance.now());
    return {
      specId: plan.specId,
      specHash: plan.specHash,
      configDir: plan.configDir,
      goal: plan.goal,
      get page() {
        return session.page;
      },
      context: session.context,
      entryUrl: plan.entryUrl ?? session.page.url(),
      allowedDomains: [...plan.allowedDomains],
      maxSteps: plan.maxSteps,
      done: [],
      maxCostUsd: plan.maxCostUsd,
      seed: plan.seed,
      signal: this.signal,
      get timeLeftMs() {
        return now();
      },
      get turnsLeft() {
        return turns.left;
      },
      get costUsd() {
        return turns.usage.costUsd;
      },
      secrets: { ...plan.secrets },
      turn: (title, fn, options) => turns.run(title, fn, options),
      usage: usage => turns.addUsage(usage),
      activate: page => session.activate(page),
      markHealed: healing => {
        this.healing ??= { ...healing, turn: turns.records.length + 1 };
      },
      takeNotices: () => session.takeNotices(),
      mask: text => this.mask(text),
    };
  }

  private endByError(error: unknown): AgentEnd {
    const { reason: stopped } = this.signal;
    if (stopped instanceof TrialStopped)
      return { status: stopped.status, errorKind: stopped.errorKind, reason: stopped.message };
    if (error instanceof BudgetExceededError) this.turns.stoppedBy ??= 'budget_exceeded';
    if (this.turns.stoppedBy === 'budget_exceeded' && error instanceof BudgetExceededError)
      return { status: 'budget_exceeded', errorKind: null, reason: this.said(error) };
    if (this.turns.stoppedBy) return this.limitEnd();
    if (error instanceof AgentApiError)
      return { status: 'error', errorKind: 'agent_api', reason: this.said(error) };
    if (this.session.page.isClosed())
      return {
        status: 'error',
        errorKind: 'browser',
        reason: `no tab is open any more: ${this.said(error)}`,
      };
    return {
      status: 'error',
      errorKind: 'internal',
      reason: `agent "${this.plan.agent.name}" threw: ${this.said(error)}`,
    };
  }

  private limitEnd(): AgentEnd {
    const status = this.turns.stoppedBy!;
    const reason =
      status === 'max_steps'
        ? `the agent used all ${this.plan.maxSteps} turns without ending`
        : `the cost cap of $${this.plan.maxCostUsd} was reached`;
    return { status, errorKind: null, reason };
  }

  private said(error: unknown): string {
    return oneLine(this.mask(messageOf(error)), 500);
  }
}

function endOf(agent: Agent, result: unknown, mask: (text: string) => string): AgentEnd {
  if (result === undefined || result === null) return { status: 'completed', errorKind: null, reason: null };
  const { status, reason } = result as Partial<GaveUp>;
  if (status === 'gave_up' && typeof reason === 'string')
    return { status: 'gave_up', errorKind: null, reason: `the agent gave up: ${oneLine(mask(reason), 500)}` };
  return {
    status: 'error',
    errorKind: 'internal',
    reason: oneLine(
      `agent "${agent.name}" resolved to ${mask(String(JSON.stringify(result)))}; it must resolve to nothing or to { status: "gave_up", reason: "..." }`,
      500,
    ),
  };
}
