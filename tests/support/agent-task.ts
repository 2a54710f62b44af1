// An AgentTask for tests of agents: a real session, and turns that are kept in a list, without a trial.
import type { Page } from '@playwright/test';
import { BudgetExceededError, type SessionTask, TurnLimitError } from '../../src/agents/agent';
import { ActionRecorder } from '../../src/browser/actions/record';
import { PageTools, type PageToolsMode } from '../../src/browser/page-tools/page-tools';
import { Session } from '../../src/browser/session/session';
import type { Action } from '../../src/data/record';
import type { Usage } from '../../src/data/usage';
import type { WantedAnswer } from '../../src/spec/wanted-answer';
import { type SecretFunction, Secrets } from '../../src/text/secrets';

export interface RecordedTurn {
  title: string;
  narration: string[];
  actions: Action[];
  usage: Usage[];
}

export interface TestTask extends SessionTask {
  readonly turns: RecordedTurn[];
  abort(reason: Error): void;
}

export interface TaskSetup {
  goal?: string;
  entryUrl?: string;
  wantsAnswer?: WantedAnswer;
  maxSteps?: number;
  maxCostUsd?: number;
  runIsCapped?: boolean;
  secrets?: Record<string, string | SecretFunction>;
  allowedDomains?: string[];
  pageTools?: PageToolsMode;
  signal?: AbortSignal;
}

const sessions = new WeakMap<Page, Session[]>();

/** Ends what tasks listen to on a page, so that another test can have it. */
export function endTasks(page: Page): void {
  for (const session of sessions.get(page) ?? []) session.dispose();
  sessions.delete(page);
}

export function agentTask(page: Page, setup: TaskSetup = {}): TestTask {
  const session = new Session(page.context(), page);
  sessions.set(page, [...(sessions.get(page) ?? []), session]);
  const webmcp = new PageTools(session, setup.allowedDomains ?? ['127.0.0.1', 'localhost'], setup.pageTools);
  const controller = new AbortController();
  const signal = setup.signal ?? controller.signal;
  const turns: RecordedTurn[] = [];
  const secrets = new Secrets(setup.secrets);
  const { maxSteps = 20, goal = 'Do the task.' } = setup;
  let usage: Usage[] = [];
  let cost: number | null = 0;
  const { mask } = secrets;
  session.mask = mask;
  return {
    goal,
    wantsAnswer: setup.wantsAnswer ?? false,
    get page() {
      return session.page;
    },
    context: page.context(),
    entryUrl: setup.entryUrl ?? page.url(),
    allowedDomains: setup.allowedDomains ?? ['127.0.0.1', 'localhost'],
    maxSteps,
    maxCostUsd: setup.maxCostUsd,
    runIsCapped: setup.runIsCapped ?? false,
    seed: 1,
    signal,
    timeLeftMs: 60_000,
    waiting: promise => promise,
    get turnsLeft() {
      return maxSteps - turns.length;
    },
    get costUsd() {
      return cost;
    },
    get knownUsd() {
      return cost ?? 0;
    },
    get secrets() {
      return { ...secrets.values };
    },
    secret: name => secrets.value(name),
    computedSecrets: secrets.computed,
    async turn(title, fn) {
      signal.throwIfAborted();
      if (turns.length >= maxSteps) throw new TurnLimitError(`all ${maxSteps} turns are used`);
      if (setup.maxCostUsd !== undefined && (cost ?? 0) >= setup.maxCostUsd)
        throw new BudgetExceededError(`${setup.maxCostUsd} dollars are spent`);
      const turn: RecordedTurn = { title, narration: [], actions: [], usage: usage.splice(0) };
      turns.push(turn);
      return fn({
        number: turns.length,
        narrate: text => turn.narration.push(text),
        action: action => turn.actions.push(action),
        record: async () => undefined,
        readOnly: () => undefined,
      });
    },
    usage(added) {
      usage = [...usage, added];
      cost = cost === null || added.costUsd == null ? null : cost + added.costUsd;
    },
    activate: active => session.activate(active),
    specId: null,
    specName: null,
    specHash: '',
    done: [],
    configDir: process.cwd(),
    markHealed: () => undefined,
    takeNotices: () => session.takeNotices(),
    mask,
    webmcp,
    pageToolsMode: webmcp.mode,
    pageTools: () => webmcp.list(),
    callPageTool: (name, given = {}) => webmcp.call(session.page, name, given),
    recorder: new ActionRecorder(session, { goal, entryUrl: page.url(), configDir: process.cwd(), mask }),
    turns,
    session,
    abort: reason => controller.abort(reason),
  };
}
