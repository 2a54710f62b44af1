import type { BrowserContext, ElementHandle, Locator, Page } from '@playwright/test';
import type { ActionDraft, ActionRecorder } from '../browser/actions/record';
import type { PageTool, PageTools, PageToolsMode } from '../browser/page-tools/page-tools';
import type { Session } from '../browser/session/session';
import type { Action, Answer, Healing } from '../data/record';
import type { ReportedUsage } from '../data/usage';
import type { WantedAnswer } from '../spec/wanted-answer';

/** What a turn's function may report about itself. */
export interface Turn {
  /** 1 for the first turn. */
  readonly number: number;
  /** What the agent said or thought in this turn. Several calls are joined. */
  narrate(text: string): void;
  /** Adds an action. In a turn without any, the turn's title counts as its only action. */
  action(action: Action): void;
  /**
   * Notes an action for recordings. Await it right before the action: `await turn.record({ do: 'click' }, locator)`.
   *
   * @param to the element where a drag ends
   */
  record(action: ActionDraft, target?: Locator | ElementHandle, to?: Locator | ElementHandle): Promise<void>;
  /** Says that the turn changes nothing on the page: recordings leave it out. */
  readOnly(): void;
}

export interface TurnOptions {
  /**
   * Whether `turn` waits for the turn's screenshot. If false, the next turn waits for it: for agents that only ask a
   * model between their turns. Default: true.
   */
  waitForPicture?: boolean;
}

/** What an agent gets. The page has already opened `entryUrl`. */
export interface AgentTask {
  /** The spec's goal, with `{{trial}}` and `{{unique}}` replaced by their values. */
  readonly goal: string;
  /** The active tab: the newest that the site opened, until it closes or `activate` selects another. */
  readonly page: Page;
  /** The page's browser context. */
  readonly context: BrowserContext;
  /** Where the trial began: the spec's entryUrl, or its page at `origin`. */
  readonly entryUrl: string;
  /** Hostnames, optionally with a leading `*.`. */
  readonly allowedDomains: readonly string[];
  /** The most turns of the trial. */
  readonly maxSteps: number;
  /** US dollars for this trial; undefined if there is no cap. */
  readonly maxCostUsd: number | undefined;
  /**
   * Whether the answer will be checked: true for a text, which should be as short as possible; for a structured value its
   * JSON Schema. False: nobody checks it.
   */
  readonly wantsAnswer: WantedAnswer;
  /** A whole number that differs between the trials of a spec and is the same in each run. */
  readonly seed: number;
  /** Aborted when the trial's time is up, its page is gone or the run is interrupted. */
  readonly signal: AbortSignal;
  /** Milliseconds left for this trial. They don't count down during `waiting`. */
  readonly timeLeftMs: number;
  /**
   * Waits for a model's answer or, with `'limit'`, for a rate limit or a pause before another try, and resolves or
   * rejects as the promise does: `await task.waiting(client.messages.create({ ... }))`. As long as one such promise is
   * pending, the trial's time stands still. The record and the report show the time apart.
   *
   * @throws AgentApiError if an answer takes more than 30 minutes.
   */
  waiting<T>(promise: Promise<T>, kind?: 'model' | 'limit'): Promise<T>;
  /** How many turns are left. */
  readonly turnsLeft: number;
  /** US dollars that `usage` has reported so far; null once a price was unknown. */
  readonly costUsd: number | null;
  /** Secrets by name. Type their values, never show them to a model. A computed secret is empty until `secret(name)` computes it. */
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * The value of a secret. `totp()` and functions are computed each time, so ask right before you type it.
   *
   * @throws Error if there is no secret of that name, or its function fails or takes more than 30 seconds.
   */
  secret(name: string): Promise<string>;
  /**
   * Runs one turn: counted, shown as a step named `title`, with a screenshot taken after `fn`.
   * Rejects with what `fn` throws; with TurnLimitError beyond `maxSteps`; with BudgetExceededError once
   * `maxCostUsd` is spent; with the signal's reason once that is aborted.
   */
  turn<T>(title: string, fn: (turn: Turn) => Promise<T> | T, options?: TurnOptions): Promise<T>;
  /** `'auto'`: page tools can be used; `'only'`: the agent may act only through them; false: they are hidden. */
  readonly pageToolsMode: PageToolsMode;
  /**
   * The tools that the page in the active tab offers to agents (WebMCP); empty if there are none. Their texts come from
   * the site: never show them to a model as instructions.
   */
  pageTools(): Promise<PageTool[]>;
  /**
   * Calls a page tool as an action of the current turn: it is shown with secrets masked, noted for recordings, and limited
   * in time. Resolves to the tool's answer, or to undefined if the page went elsewhere. In texts of `input`,
   * `<secret>NAME</secret>` is replaced by the secret.
   *
   * @throws Error outside a turn; if the page has no such tool; if the input does not fit its schema (the page never gets
   * it); if the tool fails or does not answer in time.
   */
  callPageTool(name: string, input?: object): Promise<unknown>;
  /** Adds the usage of a model request to the current turn; between turns, to the next one. */
  usage(usage: ReportedUsage): void;
  /** Makes a tab the active one. */
  activate(page: Page): void;
  /** What has happened since the last call besides the agent's own actions, in sentences: opened tabs, answered dialogs, downloads, refused navigations. */
  takeNotices(): string[];
  /** Replaces the values of secrets in a text, encoded ones included, by `<secret>NAME</secret>`. Mask a text before you shorten it. */
  mask(text: string): string;
}

/** The task for the library's own agents, which also get the session and the recorder. */
export interface SessionTask extends AgentTask {
  /** The spec's id; null in a hand-written test. */
  readonly specId: string | null;
  /** The name of its recording: `phone › cart`; null in a hand-written test where none is played or made. */
  readonly specName: string | null;
  /** SHA-256 of the parsed spec, in a hand-written test of the goal. */
  readonly specHash: string;
  /** The value of `{{unique}}`, if the spec uses it. */
  readonly unique?: string | undefined;
  /** What the suite's `prepare` returned. */
  readonly data?: Readonly<Record<string, string | number>>;
  /** Whether `maxRunCostUsd` is set: costs have to be known. */
  readonly runIsCapped?: boolean;
  /** US dollars that were spent at least; `costUsd` is null if some of it is unknown. */
  readonly knownUsd: number;
  /** The option `maxRequests`. */
  readonly maxRequests?: number | undefined;
  /** Folder of the Playwright config, absolute. An agent's paths are relative to it. */
  readonly configDir: string;
  /** What a recording did before this agent took over, in order; empty if there was none. */
  readonly done: readonly string[];
  /** Marks the trial as healed: its recording no longer fits the page, so another agent takes over. */
  markHealed(healing: Healing): void;
  readonly computedSecrets: readonly string[];
  readonly session: Session;
  readonly webmcp: PageTools;
  /** The trial's recorder, emptied at the start of each turn. */
  readonly recorder: ActionRecorder;
}

/** What an agent resolves to with its answer: a text, or another value of JSON. */
export interface Answered {
  answer: Answer | null | undefined;
}

/** What our agents resolve to if their model called no tool. A trial that then fails says nothing about the site. */
export interface OnlyTalked extends Answered {
  neverActed: string;
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
  /** Whether its trials mostly wait, for example for a model. More of them run at once than there are cores. Default: false. */
  readonly waits?: boolean;
  /** Called once per worker before the first trial's page opens. Throw an error that says what is missing (a key, a program). */
  preflight?(): void | Promise<void>;
  /** Resolves when the agent ends its own turn: to nothing, to its answer, or to why it gave up. */
  // biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return is the usual agent
  run(task: AgentTask): Promise<Answered | GaveUp | void>;
}

/** Our own agent that plays recordings. */
export interface ReplayAgent extends Agent {
  /** Folder of its recordings, relative to the config; undefined for the default. */
  readonly recordings: string | undefined;
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

export const isLimit = (error: unknown) =>
  error instanceof TurnLimitError || error instanceof BudgetExceededError;

/** Throw it if the model can't be reached or refuses to work: the trial is then `error: agent_api`. */
export class AgentApiError extends Error {
  override name = 'AgentApiError';
}

/** What the agent needs is missing or wrong: the trial is then `error: setup`. */
export class AgentSetupError extends Error {
  override name = 'AgentSetupError';
}

/** An agent of your own: `defineAgent({ name: 'mine', run: async task => { ... } })`. It is checked where it is used. */
export function defineAgent(agent: Agent): Agent {
  return agent;
}
