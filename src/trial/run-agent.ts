// One run of an agent on an open page, from the first turn to its end: in a spec's trial, or in a hand-written test.
import { relative } from 'node:path';
import type { Page } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import {
  type Agent,
  AgentApiError,
  AgentSetupError,
  BudgetExceededError,
  type GaveUp,
  type OnlyTalked,
  type SessionTask,
} from '../agents/agent';
import { PageTools, type PageToolsMode } from '../browser/page-tools/page-tools';
import type { OpenSession, Session } from '../browser/session/session';
import { abortable, listen } from '../browser/waiting';
import {
  type Answer,
  type ErrorKind,
  GAVE_UP,
  type NetworkEvent,
  type TrialRecord,
  type TrialStatus,
} from '../data/record';
import type { WaitTimes } from '../data/usage';
import type { Judge, JudgedTrial } from '../grading/judge';
import type { TaskSpec } from '../spec';
import type { TrialData } from '../spec/placeholders';
import { maskDebugLines } from '../text/debug';
import { messageOf, oneLine, thrownAt } from '../text/line';
import type { Mask } from '../text/mask';
import type { Secrets } from '../text/secrets';
import { Clock } from './clock';
import { maskAnswer, readAnswer } from './read-answer';
import { Turns } from './turns';

/** Attaches a JPEG to the current step. */
export type Attach = (name: string, image: Buffer) => Promise<void>;

/** Where a trial shows its steps. In a suite that is Playwright's test. */
export interface TrialOutput {
  step<T>(title: string, body: (attach: Attach) => Promise<T>, location?: Location): Promise<T>;
  /** Extends the test's timeout by `ms`. */
  extend?(ms: number): void;
  /** The number of the next turn, if one trial has several runs of agents. */
  nextTurn?(): number;
}

type PlannedTask = Pick<
  SessionTask,
  | ('specId' | 'specName' | 'specHash' | 'configDir' | 'goal' | 'allowedDomains' | 'maxSteps')
  | ('wantsAnswer' | 'maxCostUsd' | 'runIsCapped' | 'maxRequests' | 'seed' | 'unique' | 'data')
>;

/** What `check` gets besides fixtures. */
export interface CheckedTrial extends TrialData {
  /** The spec with its placeholders replaced, at the project's `origin`. */
  spec: TaskSpec;
  /** The active tab when the agent ended. */
  page: Page;
  /** What the agent said at its end, not masked; null if it said nothing. */
  answer: Answer | null;
  /** The trial's requests. Later ones are added as they come in. */
  network: readonly NetworkEvent[];
  /** The record so far, with the results of its assertions. */
  record: TrialRecord;
}

export interface CheckEnd {
  title: string;
  /** Why it does not hold, unmasked; null if it does. */
  reason: string | null;
  /** Whether the check itself is broken, which says nothing about the site. */
  broke: boolean;
}

/** What a trial does, for a spec or a goal in a hand-written test. Agents get a copy of the task's part. */
export interface TrialPlan extends PlannedTask {
  agent: Agent;
  secrets: Secrets;
  /** Says how the trial is graded; null in a hand-written test, which grades itself. */
  spec: TaskSpec | null;
  /** The fields of the record that identify the trial's test. */
  identity?: Pick<TrialRecord, 'specId' | 'specFile' | 'repeatIndex' | 'retry' | 'policy' | 'runId'>;
  judge?: Judge | undefined;
  /** Code of the suite that grades the trial after its assertions. Never rejects. */
  check?(trial: Omit<CheckedTrial, keyof TrialData>): Promise<CheckEnd>;
  /** Opened before the agent starts; null if the page is already open. */
  entryUrl: string | null;
  /** Milliseconds; the agent may take maxSteps times this. */
  turnTimeoutMs: number;
  /** `auto` if left out. */
  pageTools?: PageToolsMode | undefined;
  /** Milliseconds for opening entryUrl; 30,000 where left out or 0. */
  navigationTimeoutMs?: number | undefined;
  /** Milliseconds that each assertion waits. Default: Playwright's setting. */
  expectTimeoutMs?: number;
  /** Asked after a pass: true once per run and spec. That trial's page is examined, too, for what is in nobody's way. */
  isFirstToPass?(): boolean;
  /** Called with each amount that the agent spends, in US dollars. */
  spend?(costUsd: number): void;
  /** In a probe, an `answer` assertion holds if a guess would pass it. */
  guesses?: boolean;
  /** Line and column of a path in the spec's file, such as `assertions[0]`; undefined in a hand-written test. */
  locate(path: string): Location | undefined;
}

export interface AgentEnd {
  status: TrialStatus;
  errorKind: ErrorKind | null;
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
  "pageTools: 'only' requires Chromium with WebMCP: set use: { launchOptions: { args: ['--enable-features=WebMCP'] } }, and open the site by https or on localhost";

export class AgentRun {
  /** `performance.now()` when the trial began. Turns and network events count their times from it, to be compared. */
  readonly startedAt: number;
  readonly session: Session;
  readonly mask: Mask;
  readonly webmcp: PageTools;
  readonly turns: Turns;
  readonly pictures: JudgedTrial['screenshots'][number][] = [];
  /** What the agent said at its end; null if it said nothing, or did not end by itself. Its secrets are not masked. */
  answer: Answer | null = null;
  readonly waited: WaitTimes = { modelTimeMs: 0, waitTimeMs: 0 };
  /** How the browser was lost; null while it is there. */
  protected lost: string | null = null;
  protected running: Promise<unknown> | undefined;
  /** Set if the agent's model only talked. */
  protected neverActed: string | undefined;
  protected healed: TrialRecord['healed'];
  private readonly abort = new AbortController();
  private clock: Clock | undefined;
  private halted: AgentEnd | undefined;
  private newestTurn: Promise<unknown> | undefined;
  private readonly unwatch: () => void;
  private closing: Promise<void> | undefined;

  /** @param opened the page's session, which `close` closes */
  constructor(
    readonly plan: TrialPlan,
    readonly opened: OpenSession,
    readonly output: TrialOutput,
  ) {
    const { session, network } = opened;
    this.startedAt = network.startedAt;
    this.session = session;
    this.mask = plan.secrets.mask;
    session.mask = this.mask;
    maskDebugLines(this.mask);
    this.webmcp = new PageTools(session, plan.allowedDomains, plan.pageTools);
    this.turns = new Turns(this, this.abort.signal);
    this.unwatch = watchBrowser(session, this.mask, what => {
      this.lost ??= what;
      this.halt(errorEnd('browser', `${what} while the agent ran`));
    });
  }

  close(): Promise<void> {
    this.unwatch();
    this.closing ??= this.opened.close();
    return this.closing;
  }

  async runAgent(): Promise<AgentEnd> {
    const { plan, turns } = this;
    const { maxSteps, turnTimeoutMs } = plan;
    const limit = `${maxSteps} turns of ${turnTimeoutMs / 1000} s`;
    const late = ended('timed_out', `the time limit (${limit}) was reached`);
    const clock = new Clock(this, maxSteps * turnTimeoutMs, () => this.halt(late));
    this.clock = clock;
    try {
      if (plan.pageTools === 'only' && !(await this.webmcp.isSupported()))
        return errorEnd('browser', NO_PAGE_TOOLS);
      const run = async (): Promise<unknown> => plan.agent.run(this.task(clock));
      const result = await abortable(() => (this.running = run()), this.abort.signal);
      if (turns.isRunning) return this.endByUnawaited();
      await turns.pictured;
      return turns.limit ?? this.endBy(result);
    } catch (error) {
      return this.endByError(error);
    } finally {
      // An agent that goes on after its end finds its signal aborted and gets no further turn.
      this.halt(ended('completed', 'the agent has ended its turn'));
    }
  }

  /** Ends the agent's run if it is still going, without waiting for pending work. */
  protected halt(end: AgentEnd): void {
    this.halted ??= end;
    this.clock?.stop();
    this.abort.abort(new Error(end.reason ?? end.status));
  }

  get maskedAnswer(): Answer | undefined {
    return this.answer === null ? undefined : maskAnswer(this.answer, this.mask);
  }

  private task(clock: Clock): SessionTask {
    const { turns, session, mask, webmcp } = this;
    const { agent, spec, identity, judge, check, locate, entryUrl, pageTools, ...others } = this.plan;
    const { secrets, guesses, isFirstToPass, spend, ...rest } = others;
    const { turnTimeoutMs, navigationTimeoutMs, expectTimeoutMs, ...planned } = rest;
    return {
      // A copy: an agent can't change the plan.
      ...structuredClone(planned satisfies PlannedTask),
      get page() {
        return session.page;
      },
      context: session.context,
      get secrets() {
        return { ...secrets.values };
      },
      secret: name => secrets.value(name),
      computedSecrets: secrets.computed,
      session,
      recorder: turns.recorder,
      webmcp,
      pageToolsMode: webmcp.mode,
      pageTools: () => webmcp.list(),
      callPageTool: (name, input) => turns.callPageTool(name, input),
      entryUrl: entryUrl ?? session.page.url(),
      done: [],
      signal: this.abort.signal,
      get timeLeftMs() {
        return clock.leftMs;
      },
      waiting: (promise, kind) => clock.waiting(promise, kind),
      get turnsLeft() {
        return turns.left;
      },
      get costUsd() {
        return turns.usage.costUsd;
      },
      get knownUsd() {
        return turns.knownUsd;
      },
      turn: (title, fn, options) => {
        const turn = turns.run(title, fn, options);
        this.newestTurn = turn;
        return turn;
      },
      usage: usage => turns.addUsage(usage),
      activate: page => session.activate(page),
      markHealed: ({ reason, recording }) => {
        const path = relative(planned.configDir, recording).replaceAll('\\', '/');
        this.healed ??= { turn: turns.records.length + 1, reason: mask(reason), recording: path };
      },
      takeNotices: () => session.takeNotices(),
      mask,
    };
  }

  private endBy(result: unknown): AgentEnd {
    if (result === undefined || result === null) return ended('completed');
    const { status, reason, answer, neverActed } = result as Partial<GaveUp & OnlyTalked>;
    if (status === 'gave_up' && typeof reason === 'string')
      return ended('gave_up', `${GAVE_UP}${this.said(reason)}`);
    const { wantsAnswer, agent } = this.plan;
    const isAnswer = status === undefined && Object.hasOwn(Object(result), 'answer');
    const read = isAnswer ? readAnswer(answer, wantsAnswer) : undefined;
    if (read !== undefined) {
      this.answer = read;
      this.neverActed = neverActed && this.said(neverActed);
      return ended('completed');
    }
    const what = isAnswer ? 'an answer that is not JSON' : JSON.stringify(result);
    const problem = `agent "${agent.name}" resolved to ${what}; it must resolve to nothing, to { answer: "..." } or to { status: "gave_up", reason: "..." }`;
    return errorEnd('internal', this.said(problem));
  }

  private endByUnawaited(): AgentEnd {
    // Nobody awaits this turn, and it rejects when the trial ends.
    this.newestTurn?.catch(() => {});
    const why = `agent "${this.plan.agent.name}" ended while a turn was still running: await task.turn(...)`;
    return errorEnd('internal', this.said(why));
  }

  private endByError(error: unknown): AgentEnd {
    const { turns, plan, session, halted } = this;
    if (halted) return halted;
    const said = this.said(error);
    const isBudget = error instanceof BudgetExceededError && turns.limit?.status !== 'max_steps';
    if (isBudget) return ended('budget_exceeded', said);
    if (error instanceof AgentApiError) return errorEnd('agent_api', said);
    if (turns.limit) return turns.limit;
    if (error instanceof AgentSetupError) return errorEnd('setup', said);
    if (session.page.isClosed()) return errorEnd('browser', `no tab is open: ${said}`);
    return errorEnd('internal', `agent "${plan.agent.name}" threw: ${said}${thrownAt(error)}`);
  }

  private said(error: unknown): string {
    return oneLine(this.mask(messageOf(error)), 500);
  }
}

/** Calls `onLost` with what happened if a page crashes, or the browser or its context closes. */
function watchBrowser({ context }: Session, mask: Mask, onLost: (what: string) => void): () => void {
  const crash = (page: Page) => onLost(`the page crashed (${oneLine(mask(page.url()), 200)})`);
  // These listeners stay when the run of the agent ends: in a hand-written test, a page may crash afterwards.
  for (const page of context.pages()) page.on('crash', crash);
  return listen(context, {
    page: page => void page.on('crash', crash),
    // Which of both can't be told: a context closes before the browser is known to be gone.
    close: () => onLost('the browser or its context was closed'),
  });
}
