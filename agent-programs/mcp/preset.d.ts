// How a command line is started and read. `claude-code.mjs` and `codex.mjs` are two; another one is a module whose default
// export is such an object, given in place of their names.
import type { Session } from './session.mjs';

export interface Preset {
  /** The npm package that has the command line. Looked for from the working directory, and beside this program. */
  package?: string;
  /** The program, looked for on the PATH where the package is not found. */
  command: string;
  /** Names of environment variables that it gets; a `*` at the end stands for any ending. Default: none of its own. */
  env?: readonly string[];
  /** What to do where it is not logged in, as the end of a sentence: `set OPENAI_API_KEY`. */
  logIn?: string;
  /** Whether it stops by itself at the cap of `maxCostUsd`. Default: false, and trials with a cap are refused. */
  keepsCostCap?: boolean;
  /**
   * Whether `read` tells of each call (`session.round`) before it is made, by the `claudecode/toolUseId` of its MCP client or
   * by `callKey`. Default: false.
   */
  tellsCalls?: boolean;
  /** What it is started with. */
  start(trial: Trial): Launch;
  /**
   * Reads a line of its standard output. Turns need no help: each call of a tool is one. Default: lines are not looked at,
   * and the task is done when it exits with code 0.
   */
  // biome-ignore lint/suspicious/noExplicitAny: whatever a command line prints as JSON
  read?(event: any, session: Session): void;
}

export interface Trial {
  /** The goal, and what has to be known besides. */
  prompt: string;
  /** `--model`. */
  model: string | undefined;
  maxTurns: number;
  maxCostUsd: number | null;
  /** An empty folder of this trial for settings, which is the HOME; undefined with `--keep-home`. */
  home: string | undefined;
  /** The MCP server to use, a program that speaks over standard input and output. */
  server: { name: string; command: string; args: string[] };
}

export interface Launch {
  args: readonly string[];
  /** Beside the variables named in `env`. */
  env?: Record<string, string>;
  /** Written to its standard input, which ends then. */
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
  /** US dollars of the whole trial, as the command line tells it at its end. */
  totalCostUsd?: number;
}

/** The fields of the protocol's `end` line. */
export interface End {
  status?: 'completed' | 'gave_up' | 'error';
  reason?: string;
  errorKind?: 'agent_api';
}
