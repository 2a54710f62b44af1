// An agent in a program of its own, in any language: it gets the trial as JSON and drives the page by the DevTools protocol.
// Imported by configs: what serves that protocol is loaded when a trial runs.
import { basename, extname } from 'node:path';
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../../options';
import type { Agent, SessionTask } from '../agent';
import { checkProgram, scriptOf } from './program';

export interface CommandOptions {
  /** The program: a name on the PATH, or a path relative to the folder of the Playwright config. */
  command: string;
  /** Its arguments; there is no shell. Default: none. */
  args?: readonly string[];
  /** Set beside the environment of Playwright itself. A value that is undefined takes the variable away. Default: none. */
  env?: Record<string, string | undefined>;
  /** Folder that it runs in, relative to that of the Playwright config. Default: that folder. */
  cwd?: string;
  /** Shown in reports. Default: the name of the script among `args`, else of the program, without folder and extension. */
  name?: string;
  /** The model behind it, shown in reports. Default: none. */
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

/**
 * An agent that is a program: started once for each trial, with the task as one JSON object on its standard input. It
 * drives the trial's page over the DevTools protocol, and tells of its turns as JSON lines on standard output (see
 * docs/agent-protocol.md). Chromium only.
 *
 * @throws OptionsError for options that it can't use.
 */
export function command(options: CommandOptions): Agent {
  const { command, args, env, cwd, name, model } = checkOptions('command()', optionsSchema, options);
  const file = scriptOf(args) ?? command;
  return {
    name: name ?? basename(file, extname(file)),
    ...(model === undefined ? {} : { model }),
    preflight: () => checkProgram(command, env),
    async run(task: SessionTask) {
      const { runProgram } = await import('./run.js');
      return runProgram(task, { command, args, env, cwd });
    },
  };
}
