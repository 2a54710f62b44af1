// An agent that is a separate program. Configs import this file, so what runs the program is loaded when a trial runs.
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, extname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { checkOptions, type OptionSchemas, OptionsError } from '../../options';
import type { Agent, SessionTask } from '../agent';

const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|php|pl|sh|jar|dll|exe)$/i;

export interface CommandOptions {
  /** The program: a name on the PATH, or a path relative to the config. */
  command: string;
  /** Its arguments; there is no shell. Default: none. */
  args?: readonly string[];
  /** Variables to add to Playwright's environment. An undefined value removes a variable. Default: none. */
  env?: Record<string, string | undefined>;
  /** The working directory, relative to the config. Default: the config's folder. */
  cwd?: string;
  /** The name in reports. Default: the script's in `args`, else the program's. */
  name?: string;
  /** The model's name in reports. Default: none. */
  model?: string;
}

const optionsSchema = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).readonly().default([]),
  env: z.record(z.string(), z.string().optional()).default({}),
  cwd: z.string().min(1).default('.'),
  name: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
} satisfies OptionSchemas<CommandOptions>);

export type ProgramOptions = Omit<z.output<typeof optionsSchema>, 'name' | 'model'>;

/**
 * An agent that is a program: started once for each trial, with the task as one JSON object on its standard input. It
 * drives the trial's page over the DevTools protocol, and reports its turns as JSON lines on standard output (see
 * docs/agent-protocol.md). Chromium only. Its `preflight` throws if the program is missing.
 *
 * @throws OptionsError for wrong or unknown options.
 */
export function command(options: CommandOptions): Agent {
  const { name, model, ...program } = checkOptions('command()', optionsSchema, options);
  const file = scriptOf(program.args) ?? program.command;
  return {
    name: name ?? basename(file, extname(file)),
    ...(model === undefined ? {} : { model }),
    waits: true,
    preflight: () => checkProgram(program.command, program.env),
    async run(task: SessionTask) {
      const { runProgram } = await import('./run.js');
      return runProgram(task, program);
    },
  };
}

/** Resolves a path from the config's folder, whatever `cwd` is. A bare name stays, to be found on the PATH. */
export function programPath(command: string, configDir: string): string {
  return isBareName(command) ? command : resolve(configDir, command);
}

/**
 * Checks that a program exists, before a browser starts.
 *
 * @throws OptionsError if a bare name is not on the PATH, or an absolute path can't be executed. Relative paths are
 * checked by the trial.
 */
export function checkProgram(command: string, env: ProgramOptions['env']): void {
  if (!isBareName(command) && !isAbsolute(command)) return;
  const path = env.PATH ?? process.env.PATH ?? '';
  const extensions = process.platform === 'win32' && !extname(command) ? ['.exe', '.com'] : [''];
  const folders = isAbsolute(command) ? [''] : path.split(delimiter).filter(Boolean);
  const found = folders.some(folder =>
    extensions.some(extension => isExecutable(join(folder, command + extension))),
  );
  if (found) return;
  const where = isAbsolute(command) ? '' : ' on the PATH';
  const scripts =
    process.platform === 'win32' ? '. A .cmd file is no program: start node with its script' : '';
  throw new OptionsError(
    `command(): there is no program ${command}${where}. Install it, or set its path (relative to the folder of the Playwright config)${scripts}`,
  );
}

const isBareName = (command: string) => basename(command) === command;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first argument that looks like a script: `agent.py` of `python -u agent.py`. */
export function scriptOf(args: readonly string[]): string | undefined {
  return args.find(arg => !arg.startsWith('-') && SCRIPT.test(arg));
}
