import type { BrowserContext, ElementHandle, Locator, Page } from '@playwright/test';
import type { ActionDraft, ActionRecorder } from '../browser/action-recorder';
import type { RecordedAction } from '../browser/page-action';
import type { PageTool, PageToolCallOptions, PageTools, PageToolsMode } from '../browser/page-tools';
import type { Session } from '../browser/session';

/** Tokens and dollars of one model request. A count that is left out is 0, a cost is unknown. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheCreationTokens?: number;
  /** US dollars; null if the price is unknown. */
  costUsd?: number | null;
}

/** What an agent reports of a request, with what it learns at its end alone. */
export interface ReportedUsage extends Usage {
  /** US dollars of all requests of the trial, this one included, in the place of the sum. */
  totalCostUsd?: number;
}

/** Tokens of several requests, and their US dollars: null once a price was unknown. */
export type TotalUsage = Required<Usage>;

export const NO_USAGE: TotalUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  costUsd: 0,
};

export function addUsage(total: TotalUsage, usage: ReportedUsage): TotalUsage {
  const cost = usage.costUsd ?? null;
  const sum = total.costUsd === null || cost === null ? null : total.costUsd + cost;
  return {
    inputTokens: total.inputTokens + (usage.inputTokens ?? 0),
    outputTokens: total.outputTokens + (usage.outputTokens ?? 0),
    cacheReadTokens: total.cacheReadTokens + (usage.cacheReadTokens ?? 0),
    cacheCreationTokens: total.cacheCreationTokens + (usage.cacheCreationTokens ?? 0),
    costUsd: usage.totalCostUsd ?? sum,
  };
}

/** One thing that an agent did in a turn. */
export interface Action {
  /** In words, as a person would say it: `click button "Sign in"`. */
  title: string;
  /** What went wrong, if the action failed. */
  error?: string;
  /** Viewport pixels (CSS) of a click or the end of a drag, to mark on the turn's screenshot. */
  point?: { x: number; y: number };
  /** Anything else to keep in the record. JSON only. */
  detail?: Record<string, unknown>;
  /**
   * What it did to the page, for `replay()`; empty for an action that only looked. `turn.record` notes
   * them for a turn. Without them, the trial can't be recorded. Of a failed action: what it did before it failed.
   */
  steps?: RecordedAction[];
}

/** What a turn's function may report about itself. */
export interface Turn {
  /** 1 for the first turn. */
  readonly number: number;
  /** What the agent said or thought in this turn. Several calls are joined. */
  narrate(text: string): void;
  /** Adds an action. Without one, the turn's title is its only action. */
  action(action: Action): void;
  /**
   * Await it right before doing something to the page, so that the trial can be recorded:
   * `await turn.record({ do: 'click' }, locator)`. Finds the durable locator, and costs next to nothing.
   *
   * @param to where a drag ends
   */
  record(step: ActionDraft, target?: Locator | ElementHandle, to?: Locator | ElementHandle): Promise<void>;
  /** Marks the turn as one that changes nothing: recordings leave it out. */
  readOnly(): void;
}

export interface TurnOptions {
  /**
   * False to resolve before the turn's screenshot is taken, which the next turn then waits for. For agents that ask a model
   * between their turns, and do nothing to the page. Default: true.
   */
  waitForPicture?: boolean;
}

/** Why a recording no longer fits the page. */
export interface Healing {
  /** One sentence: `step 4: button "Place order" not found on /checkout`. */
  reason: string;
  /** The recording's file, absolute. If the trial passes, a new one is written beside it for review. */
  recording: string;
}

/** What an agent gets. The page has already opened `entryUrl`. */
export interface AgentTask {
  /** The spec's goal, with the values of `{{trial}}` and `{{unique}}`. */
  readonly goal: string;
  /** The active tab: the newest that the site opened, until it closes or `activate` selects another. */
  readonly page: Page;
  /** The page's browser context. */
  readonly context: BrowserContext;
  /** Where the trial began: the spec's entryUrl, or its page at `origin`. */
  readonly entryUrl: string;
  /** Hostnames, optionally with a leading `*.`. */
  readonly allowedDomains: readonly string[];
  /** Most turns. */
  readonly maxSteps: number;
  /** US dollars for this trial; undefined if there is no cap. */
  readonly maxCostUsd: number | undefined;
  /** A whole number that differs between the trials of a spec and is the same in each run. */
  readonly seed: number;
  /** Aborted when the trial's time is up, its page is gone or the run is interrupted. */
  readonly signal: AbortSignal;
  /** Milliseconds left for this trial. */
  readonly timeLeftMs: number;
  /** Turns that are left. */
  readonly turnsLeft: number;
  /** US dollars that `usage` has reported so far; null once a price was unknown. */
  readonly costUsd: number | null;
  /** Secrets by name. Type their values, never show them to a model. */
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * Runs one turn: counted, shown as a step named `title`, with a screenshot taken after `fn`.
   * Rejects with what `fn` throws; with TurnLimitError beyond `maxSteps`; with BudgetExceededError once
   * `maxCostUsd` is spent; with the signal's reason once that is aborted.
   */
  turn<T>(title: string, fn: (turn: Turn) => Promise<T> | T, options?: TurnOptions): Promise<T>;
  /** `only`: act through page tools alone; false: they are hidden. */
  readonly pageToolsMode: PageToolsMode;
  /**
   * The tools that the page in the active tab offers to agents (WebMCP); empty where there are none. Their texts are the
   * site's words: show them to a model as such.
   */
  pageTools(): Promise<PageTool[]>;
  /**
   * Calls one of them as an action of the turn that runs: shown, masked, noted for recordings, bounded in time. Resolves to
   * what it answers, undefined if it went to another page. In texts of `input`, `<secret>NAME</secret>` stands for a secret.
   *
   * @throws Error if the page has no such tool, its schema refuses the input (the page never gets that), it fails, or it
   * does not answer in time; outside a turn.
   */
  callPageTool(name: string, input?: object, options?: PageToolCallOptions): Promise<unknown>;
  /** Adds the usage of a model request to the turn that runs, or to the next one between turns. */
  usage(usage: ReportedUsage): void;
  /** Makes a tab the active one. */
  activate(page: Page): void;
  /** What happened besides the agent's own actions since the last call, one sentence each: opened tabs, answered dialogs, downloads, refused navigations. */
  takeNotices(): string[];
  /** Replaces the values of secrets in a text, also encoded ones, by `<secret>NAME</secret>`. Mask before you shorten. */
  mask(text: string): string;
}

/** The task for the library's own agents, which also get the session and the recorder. */
export interface SessionTask extends AgentTask {
  /** The spec's id; null in a hand-written test. */
  readonly specId: string | null;
  /** The id after the titles of its describes: `phone › cart`; null in a hand-written test. */
  readonly specName: string | null;
  /** SHA-256 of the parsed spec; null in a hand-written test. */
  readonly specHash: string | null;
  /** The value of `{{unique}}`, if the spec uses it. */
  readonly unique?: string | undefined;
  /** Folder of the Playwright config, absolute. An agent's paths are relative to it. */
  readonly configDir: string;
  /** What was done before this agent took over from a recording, in order; empty if it did not. */
  readonly done: readonly string[];
  /** Marks the trial as healed: the recording no longer fits the page, and another agent goes on. */
  markHealed(healing: Healing): void;
  readonly session: Session;
  readonly webmcp: PageTools;
  /** The one of the trial: it begins anew with each turn. */
  readonly recorder: ActionRecorder;
}

/** What an agent resolves to if it can't do the task. The trial fails and shows the reason. */
export interface GaveUp {
  status: 'gave_up';
  reason: string;
}

/** Anything that can drive a page towards a goal. */
export interface Agent {
  readonly name: string;
  /** Its model, if it has one. */
  readonly model?: string;
  /** Whether it plays recordings. Such trials are not independent, so k is 1 unless `--repeat-each` asks for more. */
  readonly replays?: boolean;
  /** Called once per worker before the first trial's page opens. Throw an error that says what is missing (a key, a program). */
  preflight?(): void | Promise<void>;
  /** Resolves when the agent ends its own turn: to nothing, or to why it gave up. */
  // biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return is the usual agent
  run(task: AgentTask): Promise<GaveUp | void>;
}

/** Our own agent that plays recordings. */
export interface ReplayAgent extends Agent {
  /** What to do with a spec that has no recording. */
  readonly withoutRecording: 'fail' | 'skip';
  /** Resolves to the recording's file if the spec needs one and there is none. */
  missingRecording(configDir: string, specName: string): Promise<string | undefined>;
}

/** Thrown by `turn` when all turns are used. */
export class TurnLimitError extends Error {
  override name = 'TurnLimitError';
}

/** Thrown by `turn` when the cost cap is reached, and by an agent before a turn that it can't afford. */
export class BudgetExceededError extends Error {
  override name = 'BudgetExceededError';
}

/** Throw it if the model can't be reached or refuses to work: the trial is then `error: agent_api`. */
export class AgentApiError extends Error {
  override name = 'AgentApiError';
}

/**
 * Makes an agent of a function.
 *
 * @throws TypeError if `name` is empty or not a string, or `run` is not a function.
 */
export function defineAgent(agent: Agent): Agent {
  if (typeof agent !== 'object' || agent === null || typeof agent.name !== 'string' || agent.name === '')
    throw new TypeError(
      'defineAgent: `name` must be a non-empty string: defineAgent({ name: "mine", run: async task => { ... } })',
    );
  if (typeof agent.run !== 'function')
    throw new TypeError(
      `defineAgent: agent "${agent.name}" needs \`run\`, an async function that takes the task`,
    );
  return agent;
}
