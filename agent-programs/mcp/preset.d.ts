// How a command line is started and read: see `claude-code.mjs` and `codex.mjs`. For another command line, write a module
// whose default export is such an object, and pass its path instead of their names.
import type { Session } from './session.mjs';

export interface Preset {
  /** The npm package with the command line, looked up from the working directory, then beside this program. Default: none. */
  package?: string;
  /** The program, looked up on the PATH if the package is not found. */
  command: string;
  /** Names of environment variables to pass on, besides common ones (PATH and others); a `*` at the end matches any ending. Default: none. */
  env?: readonly string[];
  /** What to do if it is not logged in, as the end of a sentence: `set OPENAI_API_KEY`. */
  logIn?: string;
  /** Whether it stops at `maxCostUsd` by itself. Default: false: trials with a cap are refused. */
  keepsCostCap?: boolean;
  /**
   * Whether `read` reports each call (`session.round`) before it is made, with the `claudecode/toolUseId` of its MCP client
   * or `callKey` as its id. Default: false.
   */
  tellsCalls?: boolean;
  /** Whether it can be started with `skill`, by `--cli`. Default: false. */
  worksByCli?: boolean;
  /** Returns how to start it. */
  start(trial: Trial): Launch;
  /**
   * Gets each JSON line of its standard output. Not needed for turns: each call of a tool is one. Default: lines are
   * ignored, and the task is done when it exits with code 0.
   */
  // biome-ignore lint/suspicious/noExplicitAny: whatever a command line prints as JSON
  read?(event: any, session: Session): void;
}

export interface Trial {
  /** The goal, and facts about the task. */
  prompt: string;
  /** `--model`. */
  model: string | undefined;
  maxTurns: number;
  maxCostUsd: number | null;
  /** An empty folder for settings, which is the HOME of this trial; undefined with `--keep-home`. */
  home: string | undefined;
  /**
   * The MCP server to use, a program that speaks over standard input and output. With `--cli` it has one tool, `playwright_cli`:
   * leave the server out if the agent's shell can be limited to `playwright-cli`.
   */
  server: { name: string; command: string; args: string[] };
  /** With `--cli`: what `playwright-cli` can do, as a skill. */
  skill?: string;
}

export interface Launch {
  args: readonly string[];
  /** Variables besides those named in the preset's `env`. */
  env?: Record<string, string>;
  /** Text for its standard input. Default: none. */
  stdin?: string;
  /** Files to write first, by path below the folder that it runs in. */
  files?: Record<string, string>;
}

/** One call of a tool. */
export interface Call {
  id: string;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: as the model wrote it
  input: Record<string, any>;
}

/** The fields of the protocol's `usage` line. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheCreationTokens?: number;
  costUsd?: number | null;
  /** US dollars of the whole trial, as the command line reports it at its end. */
  totalCostUsd?: number;
}

/** The fields of the protocol's `end` line. */
export interface End {
  status?: 'completed' | 'gave_up' | 'error';
  answer?: string;
  /** Why nobody tried the task: a wrong answer is then the agent's fault, not the site's. */
  neverActed?: string;
  reason?: string;
  errorKind?: 'agent_api';
}
