// A minimal AgentTask: it counts turns and keeps their titles, but records nothing.

import type { Page } from '@playwright/test';
import { type SessionTask, TurnLimitError } from '../../src/agents/agent';
import { ActionRecorder } from '../../src/browser/actions/record';
import { PageTools, type PageToolsMode } from '../../src/browser/page-tools/page-tools';
import { Session } from '../../src/browser/session/session';
import type { Action } from '../../src/data/record';
import { secretMask } from '../../src/text/mask';

export interface TaskInput {
  goal: string;
  /** Default 20. */
  maxSteps?: number;
  /** Default 1. */
  seed?: number;
  allowedDomains?: string[];
  pageTools?: PageToolsMode;
  secrets?: Record<string, string>;
  signal?: AbortSignal;
}

export interface TestTask extends SessionTask {
  /** The titles of the turns so far. */
  readonly titles: string[];
  readonly actions: Action[];
  /** What it said, in order. */
  readonly said: string[];
}

/** An AgentTask on an open page. A new tab becomes the active one, as in a trial. */
export function agentTask(page: Page, input: TaskInput): TestTask {
  const { goal, maxSteps = 20, seed = 1, secrets = {} } = input;
  const titles: string[] = [];
  const actions: Action[] = [];
  const said: string[] = [];
  const session = new Session(page.context(), page);
  const webmcp = new PageTools(session, input.allowedDomains ?? ['127.0.0.1'], input.pageTools);
  page.once('close', () => session.dispose());
  const mask = secretMask(secrets);
  session.mask = mask;
  return {
    goal,
    maxSteps,
    seed,
    secrets,
    titles,
    actions,
    said,
    context: page.context(),
    entryUrl: page.url(),
    allowedDomains: input.allowedDomains ?? ['127.0.0.1'],
    maxCostUsd: undefined,
    signal: input.signal ?? new AbortController().signal,
    timeLeftMs: 60_000,
    costUsd: 0,
    get page() {
      return session.page;
    },
    get turnsLeft() {
      return maxSteps - titles.length;
    },
    async turn(title, fn) {
      if (titles.length >= maxSteps) throw new TurnLimitError(`All ${maxSteps} turns (maxSteps) are used.`);
      titles.push(title);
      return fn({
        number: titles.length,
        narrate: text => void said.push(text),
        record: async () => undefined,
        readOnly: () => undefined,
        action: action => void actions.push(action),
      });
    },
    usage: () => undefined,
    activate: tab => session.activate(tab),
    session,
    webmcp,
    pageToolsMode: webmcp.mode,
    pageTools: () => webmcp.list(),
    callPageTool: (name, given = {}) => webmcp.call(session.page, name, given),
    recorder: new ActionRecorder(session, { entryUrl: page.url(), configDir: process.cwd(), mask }),
    specId: null,
    specName: null,
    specHash: null,
    done: [],
    configDir: process.cwd(),
    markHealed: () => undefined,
    takeNotices: () => [],
    mask,
  };
}
