// What a trial is to do, and one run of its agent on an open page, from the first turn to the status.
import type { Page } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import {
  type Agent,
  AgentApiError,
  BudgetExceededError,
  type GaveUp,
  type SessionTask,
} from '../agents/agent';
import { PageTools, type PageToolsMode } from '../browser/page-tools/page-tools';
import type { OpenSession } from '../browser/session/session';
import { abortable, listen } from '../browser/waiting';
import { type ErrorKind, GAVE_UP, type Healing, type TrialStatus } from '../data/record';
import type { Judge, JudgedTrial } from '../grading/judge';
import type { TaskSpec } from '../spec';
import { maskDebugLines } from '../text/debug';
import { messageOf, oneLine } from '../text/line';
import { type Mask, secretMask } from '../text/mask';
import { Turns } from './turns';

/** Adds a file to the step that is shown. */
export type Attach = (name: string, attachment: { body: Buffer; contentType: string }) => Promise<void>;

/** Shows a running trial. In a suite it is Playwright's test; the trial only knows this interface. */
export interface TrialOutput {
  step<T>(title: string, body: (attach: Attach) => Promise<T>, location?: Location): Promise<T>;
}

/** What the agent's task takes from the plan as it is. */
const TASK_FIELDS = [
  'specId',
  'specName',
  'specHash',
  'configDir',
  'goal',
  'allowedDomains',
  'maxSteps',
  'maxCostUsd',
  'seed',
  'unique',
  'secrets',
] as const satisfies (keyof SessionTask)[];

type PlannedTask = Pick<SessionTask, (typeof TASK_FIELDS)[number]>;

/** What a trial does: that of a spec, or a goal in a hand-written test. */
export interface TrialPlan extends PlannedTask {
  agent: Agent;
  /** Opened before the agent starts; null if the page is already open. */
  entryUrl: string | null;
  /** Milliseconds; the trial may take maxSteps times this. */
  turnTimeoutMs: number;
  /** `auto` if left out. */
  pageTools?: PageToolsMode | undefined;
  /** Milliseconds for opening entryUrl; 30,000 where left out or 0. */
  navigationTimeoutMs?: number;
  /** Milliseconds that each assertion waits. Default: Playwright's setting. */
  expectTimeoutMs?: number;
  /** Line and column of a path in the spec's file, such as `assertions[0]`; undefined in a hand-written test. */
  locate(path: string): Location | undefined;
}

/** The plan of a graded trial: with its spec and the places in its file. */
export interface GradedPlan extends TrialPlan {
  spec: TaskSpec;
  specName: string;
  judge: Judge | undefined;
  locate(path: string): Location;
}

/** Shared by all parts of a running trial. */
export interface TrialContext<Plan extends TrialPlan = TrialPlan> extends Omit<OpenSession, 'close'> {
  plan: Plan;
  output: TrialOutput;
  mask: Mask;
  webmcp: PageTools;
  /** `performance.now()` when the trial began. */
  startedAt: number;
  /** Pictures for the judge. */
  pictures: JudgedTrial['screenshots'][number][];
}

/** @param opened the page's session, to be closed by the caller */
export function trialContext<Plan extends TrialPlan>(
  plan: Plan,
  { close: _, ...opened }: OpenSession,
  output: TrialOutput,
): TrialContext<Plan> {
  const mask = secretMask(plan.secrets);
  opened.session.mask = mask;
  maskDebugLines(mask);
  const webmcp = new PageTools(opened.session, plan.allowedDomains, plan.pageTools);
  return { plan, ...opened, output, mask, webmcp, startedAt: performance.now(), pictures: [] };
}

/** Milliseconds for all turns of the agent. */
export function agentTimeMs(plan: Pick<TrialPlan, 'maxSteps' | 'turnTimeoutMs'>): number {
  return plan.maxSteps * plan.turnTimeoutMs;
}

export interface AgentEnd {
  status: TrialStatus;
  errorKind: ErrorKind | null;
  /** One line; null if the agent ended its own turn. */
  reason: string | null;
}

export function ended(status: TrialStatus, reason: string | null = null): AgentEnd {
  return { status, errorKind: null, reason };
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
      this.stop(ended('timed_out', `the time limit (${limit}) was reached`));
    }, time);
    const unwatch = watchBrowser(this.trial, what =>
      this.stop(errorEnd('browser', `${what} while the agent ran`)),
    );
    try {
      if (plan.pageTools === 'only' && !(await this.trial.webmcp.isSupported()))
        return errorEnd('browser', NO_PAGE_TOOLS);
      const result: unknown = await abortable(() => plan.agent.run(this.task()), this.abort.signal);
      await this.turns.pictured;
      return this.turns.stoppedBy ? this.limitEnd() : endOf(plan.agent, result, mask);
    } catch (error) {
      return this.endByError(error);
    } finally {
      clearTimeout(timer);
      unwatch();
      // An agent that goes on after its end has an aborted signal and gets no further turn.
      this.stop(ended('completed', 'the agent has ended its turn'));
    }
  }

  private task(): SessionTask {
    const { turns } = this;
    const { plan, session, mask, webmcp } = this.trial;
    const now = () => Math.max(0, this.deadline - performance.now());
    const planned = Object.fromEntries(TASK_FIELDS.map(field => [field, plan[field]])) as PlannedTask;
    return {
      // A copy: an agent can't change the plan.
      ...structuredClone(planned),
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
      done: [],
      signal: this.abort.signal,
      get timeLeftMs() {
        return now();
      },
      get turnsLeft() {
        return turns.left;
      },
      get costUsd() {
        return turns.usage.costUsd;
      },
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
    const isBudget = error instanceof BudgetExceededError;
    if (isBudget) this.turns.stoppedBy ??= 'budget_exceeded';
    if (this.turns.stoppedBy) return this.limitEnd(isBudget ? this.said(error) : undefined);
    if (error instanceof AgentApiError) return errorEnd('agent_api', this.said(error));
    if (this.trial.session.page.isClosed()) return errorEnd('browser', `no tab is open: ${this.said(error)}`);
    return errorEnd('internal', `agent "${this.trial.plan.agent.name}" threw: ${this.said(error)}`);
  }

  /** @param spent what was said about the cost cap */
  private limitEnd(spent?: string): AgentEnd {
    const { maxSteps, maxCostUsd } = this.trial.plan;
    if (this.turns.stoppedBy === 'max_steps')
      return ended('max_steps', `the agent used all ${maxSteps} turns without ending`);
    return ended('budget_exceeded', spent ?? `the cost cap of $${maxCostUsd} was reached`);
  }

  private said(error: unknown): string {
    return oneLine(this.trial.mask(messageOf(error)), 500);
  }
}

function endOf(agent: Agent, result: unknown, mask: (text: string) => string): AgentEnd {
  if (result === undefined || result === null) return ended('completed');
  const { status, reason } = result as Partial<GaveUp>;
  if (status === 'gave_up' && typeof reason === 'string')
    return ended('gave_up', `${GAVE_UP}${oneLine(mask(reason), 500)}`);
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
