import type { BrowserContext, ElementHandle, Locator, Page } from '@playwright/test';
import type { ActionDraft, ActionRecorder } from '../browser/action-recorder';
import type { RecordedAction } from '../browser/page-action';
import type { Session } from '../browser/session';

/** Tokens and dollars of one model request. Counts left out are 0; a cost left out or null is unknown. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheCreationTokens?: number;
  /** US dollars; null where the price is unknown. */
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

/** One thing that an agent did in a turn, as the record keeps it. */
export interface Action {
  /** In words, as a person would say it: `click button "Sign in"`. */
  title: string;
  /** What went wrong, where the action failed. */
  error?: string;
  /** Viewport pixels (CSS) of a click or a drag's end, marked on the turn's screenshot. */
  point?: { x: number; y: number };
  /** Anything else worth keeping, JSON only. */
  detail?: Record<string, unknown>;
  /**
   * What it did to the page, so that `replay()` can do it again: none for an action that only looked. `turn.record` notes
   * them for a turn; where nobody does, the trial can't be recorded. Of an action that failed: what was done before.
   */
  steps?: RecordedAction[];
}

/** What a turn's function may report about itself. */
export interface Turn {
  /** 1 for the first turn. */
  readonly number: number;
  /** What the agent said or thought in this turn. Several calls are joined. */
  narrate(text: string): void;
  /** Adds an action. Without one, the turn's title stands as its only action. */
  action(action: Action): void;
  /**
   * To be awaited right before something is done to the page, so that the trial can be recorded:
   * `await turn.record({ do: 'click' }, locator)`. Finds the durable locator, and costs next to nothing.
   *
   * @param to where a drag ends
   */
  record(step: ActionDraft, target?: Locator | ElementHandle, to?: Locator | ElementHandle): Promise<void>;
  /** The turn only looks, or speaks: a recording leaves it out. */
  readOnly(): void;
}

export interface TurnOptions {
  /**
   * False to resolve before the turn's screenshot is taken; the next turn waits for it then. For agents that ask a model
   * between their turns, and do nothing to the page. Default: true.
   */
  waitForPicture?: boolean;
}

/** Where and why a recording stopped fitting the page. */
export interface Healing {
  /** One sentence: `step 4: button "Place order" not found on /checkout`. */
  reason: string;
  /** The recording's file, absolute. Where the trial passes, a new one is written beside it for review. */
  recording: string;
}

/** What an agent is given. The page has already opened `entryUrl`. */
export interface AgentTask {
  /** The spec's goal, with the data of this trial in the place of `{{trial}}` and `{{unique}}`. */
  readonly goal: string;
  /** The active tab: the newest that the site opened, until it closes or `activate` says otherwise. */
  readonly page: Page;
  /** The page's browser context. */
  readonly context: BrowserContext;
  /** Where the trial began: the spec's entryUrl, at `origin` where that is set. */
  readonly entryUrl: string;
  /** Hostnames, optionally with a leading `*.`. */
  readonly allowedDomains: readonly string[];
  /** Turns at most. */
  readonly maxSteps: number;
  /** US dollars for this trial; undefined where there is no cap. */
  readonly maxCostUsd: number | undefined;
  /** A whole number, another one for each trial of a spec and the same in each run. */
  readonly seed: number;
  /** Aborted when the trial's time is up, its page is gone or the run is interrupted. */
  readonly signal: AbortSignal;
  /** Milliseconds left for this trial. */
  readonly timeLeftMs: number;
  /** Turns that `turn` will still grant. */
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
  /** Adds the usage of a model request to the turn that runs, or to the next one between turns. */
  usage(usage: ReportedUsage): void;
  /** Makes a tab the active one. */
  activate(page: Page): void;
  /** What happened beside the agent's own actions since the last call, one sentence each: tabs opened, dialogs answered, downloads, navigations refused. */
  takeNotices(): string[];
  /** Replaces the values of secrets, encoded ones too, in a text by `<secret>NAME</secret>`. Mask first, then shorten. */
  mask(text: string): string;
}

/** The task as the library's own agents get it: with what drives, settles and records the page. */
export interface SessionTask extends AgentTask {
  /** The spec's id; null in a hand-written test. */
  readonly specId: string | null;
  /** The id, after the titles of the describes around it: `phone › cart`; null in a hand-written test. */
  readonly specName: string | null;
  /** SHA-256 of the parsed spec; null in a hand-written test. */
  readonly specHash: string | null;
  /** The value of `{{unique}}`, if the spec has it. */
  readonly unique?: string | undefined;
  /** Folder of the Playwright config, absolute: an agent's relative paths start there. */
  readonly configDir: string;
  /** What was done before this agent took over from a recording, in words and in order; empty where it begins. */
  readonly done: readonly string[];
  /** Says that a recording no longer fits the page and that another agent plays on from here. */
  markHealed(healing: Healing): void;
  readonly session: Session;
  /** The one of the trial: it begins anew with each turn. */
  readonly recorder: ActionRecorder;
}

/** How an agent says that it can't do the task. Such a trial is failed, with the reason shown. */
export interface GaveUp {
  status: 'gave_up';
  reason: string;
}

/** Anything that can drive a page towards a goal. */
export interface Agent {
  readonly name: string;
  /** The model behind it, where there is one. */
  readonly model?: string;
  /** Whether it plays recordings. Such trials are not independent of each other: k is 1 unless `--repeat-each` asks for more. */
  readonly replays?: boolean;
  /** Called once per worker before the first trial's page opens; throw to say what is missing (a key, a program). */
  preflight?(): void | Promise<void>;
  /** Resolves when the agent ends its own turn: to nothing, or to why it gave up. */
  // biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return is the usual agent
  run(task: AgentTask): Promise<GaveUp | void>;
}

/** What plays recordings, as the library sees it. */
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

/** Thrown by an agent whose model can't be reached or refuses to work: the trial is `error: agent_api`. */
export class AgentApiError extends Error {
  override name = 'AgentApiError';
}

/**
 * Makes an agent of a function.
 *
 * @throws TypeError where `name` is not a non-empty string or `run` is not a function.
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
