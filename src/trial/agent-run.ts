// One run of an agent on an open page, from its first turn to its status.
import type { Page } from '@playwright/test';
import {
  type Agent,
  AgentApiError,
  BudgetExceededError,
  type GaveUp,
  type Healing,
  type SessionTask,
} from '../agents/agent';
import { listen } from '../browser/listen';
import { agentTimeMs, type TrialContext } from './plan';
import type { ErrorKind, TrialStatus } from './record';
import { messageOf, oneLine } from './safe-text';
import { abortable, Turns } from './turns';

export interface AgentEnd {
  status: TrialStatus;
  errorKind: ErrorKind | null;
  /** One line; null if the agent ended its own turn. */
  reason: string | null;
}

/** An end that says nothing about the site. */
export function errorEnd(errorKind: ErrorKind, reason: string): AgentEnd {
  return { status: 'error', errorKind, reason };
}

const NO_PAGE_TOOLS =
  "pageTools: 'only' needs a Chromium with WebMCP: set use: { launchOptions: { args: ['--enable-features=WebMCP'] } }, and open the site by https or on localhost";

export class AgentRun {
  readonly turns: Turns;
  private readonly abort = new AbortController();
  private deadline = 0;
  /** Set when it is stopped from outside. */
  private stopped: AgentEnd | undefined;
  /** Set when another agent takes over from a recording. */
  healing: (Healing & { turn: number }) | null = null;

  constructor(private readonly trial: TrialContext) {
    this.turns = new Turns(trial, this.abort.signal);
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Ends the run if it is still going, without waiting for pending work. */
  stop(end: AgentEnd): void {
    this.stopped ??= end;
    this.abort.abort(new Error(end.reason ?? end.status));
  }

  async run(): Promise<AgentEnd> {
    const { plan, mask } = this.trial;
    const time = agentTimeMs(plan);
    this.deadline = performance.now() + time;
    const timer = setTimeout(() => {
      const limit = `${plan.maxSteps} turns of ${plan.turnTimeoutMs / 1000} s`;
      this.stop({ status: 'timed_out', errorKind: null, reason: `the time limit (${limit}) was reached` });
    }, time);
    const unwatch = watchBrowser(this.trial, what =>
      this.stop(errorEnd('browser', `${what} while the agent ran`)),
    );
    try {
      if (plan.pageTools === 'only' && !(await this.trial.webmcp.isSupported()))
        return errorEnd('browser', NO_PAGE_TOOLS);
      const result: unknown = await abortable(() => plan.agent.run(this.task()), this.signal);
      await this.turns.pictured;
      return this.turns.stoppedBy ? this.limitEnd() : endOf(plan.agent, result, mask);
    } catch (error) {
      return this.endByError(error);
    } finally {
      clearTimeout(timer);
      unwatch();
      // An agent that goes on after its end has an aborted signal and gets no further turn.
      this.stop({ status: 'completed', errorKind: null, reason: 'the agent has ended its turn' });
    }
  }

  private task(): SessionTask {
    const { turns } = this;
    const { plan, session, mask, webmcp } = this.trial;
    const now = () => Math.max(0, this.deadline - performance.now());
    return {
      specId: plan.specId,
      specName: plan.specName,
      specHash: plan.specHash,
      configDir: plan.configDir,
      goal: plan.goal,
      get page() {
        return session.page;
      },
      context: session.context,
      session,
      recorder: turns.recorder,
      webmcp,
      pageToolsMode: webmcp.mode,
      pageTools: () => webmcp.list(),
      callPageTool: (name, input, options) => turns.callPageTool(name, input, options),
      entryUrl: plan.entryUrl ?? session.page.url(),
      allowedDomains: [...plan.allowedDomains],
      maxSteps: plan.maxSteps,
      done: [],
      maxCostUsd: plan.maxCostUsd,
      seed: plan.seed,
      unique: plan.unique,
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
      mask,
    };
  }

  private endByError(error: unknown): AgentEnd {
    if (this.stopped) return this.stopped;
    if (error instanceof BudgetExceededError) this.turns.stoppedBy ??= 'budget_exceeded';
    if (this.turns.stoppedBy === 'budget_exceeded' && error instanceof BudgetExceededError)
      return { status: 'budget_exceeded', errorKind: null, reason: this.said(error) };
    if (this.turns.stoppedBy) return this.limitEnd();
    if (error instanceof AgentApiError) return errorEnd('agent_api', this.said(error));
    if (this.trial.session.page.isClosed()) return errorEnd('browser', `no tab is open: ${this.said(error)}`);
    return errorEnd('internal', `agent "${this.trial.plan.agent.name}" threw: ${this.said(error)}`);
  }

  private limitEnd(): AgentEnd {
    const { plan } = this.trial;
    const status = this.turns.stoppedBy!;
    const reason =
      status === 'max_steps'
        ? `the agent used all ${plan.maxSteps} turns without ending`
        : `the cost cap of $${plan.maxCostUsd} was reached`;
    return { status, errorKind: null, reason };
  }

  private said(error: unknown): string {
    return oneLine(this.trial.mask(messageOf(error)), 500);
  }
}

function endOf(agent: Agent, result: unknown, mask: (text: string) => string): AgentEnd {
  if (result === undefined || result === null) return { status: 'completed', errorKind: null, reason: null };
  const { status, reason } = result as Partial<GaveUp>;
  if (status === 'gave_up' && typeof reason === 'string')
    return { status: 'gave_up', errorKind: null, reason: `the agent gave up: ${oneLine(mask(reason), 500)}` };
  const problem = `agent "${agent.name}" resolved to ${mask(String(JSON.stringify(result)))}; it must resolve to nothing or to { status: "gave_up", reason: "..." }`;
  return errorEnd('internal', oneLine(problem, 500));
}

/**
 * Calls `onLost` with what happened when the browser, the context or the renderer of one of its pages is gone.
 *
 * @returns a function that ends the watch
 */
export function watchBrowser(
  { session: { context }, mask }: Pick<TrialContext, 'session' | 'mask'>,
  onLost: (what: string) => void,
): () => void {
  const crash = (page: Page) => onLost(`the page crashed (${oneLine(mask(page.url()), 200)})`);
  const pages = context.pages().map(page => listen(page, { crash }));
  const unlisten = listen(context, {
    page: page => pages.push(listen(page, { crash })),
    // It can't tell which: contexts close before the browser is known to be gone.
    close: () => onLost('the browser context was closed, or the browser was gone,'),
  });
  return () => {
    for (const each of [unlisten, ...pages]) each();
  };
}
