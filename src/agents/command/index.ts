// An agent that is a separate program, in any language. It gets the task as JSON and drives the page over the DevTools
// protocol. Configs import this file, so the server of that protocol is loaded only when a trial runs.
import { basename, extname } from 'node:path';
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../../options';
import type { Agent, SessionTask } from '../agent';
import { checkProgram, scriptOf } from './program';

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

/** What starts a program. */
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
    preflight: () => checkProgram(program.command, program.env),
    async run(task: SessionTask) {
      const { runProgram } = await import('./run.js');
      return runProgram(task, program);
    },
  };
}
