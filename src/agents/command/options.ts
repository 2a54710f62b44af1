import { accessSync, constants } from 'node:fs';
import { basename, delimiter, extname, isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { optionProblems } from '../option-problems';
import { scriptOf } from './text';

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
});

export type CommandSettings = z.infer<typeof optionsSchema> & { name: string };

/** Thrown where command() is given something that it can't use. */
export class CommandOptionsError extends Error {
  override name = 'CommandOptionsError';
}

/** @throws CommandOptionsError that names every option that is wrong. */
export function checkCommandOptions(options: unknown): CommandSettings {
  const result = optionsSchema.safeParse(options ?? {});
  if (!result.success)
    throw new CommandOptionsError(`command(): ${optionProblems(result.error, optionsSchema).join('; ')}`);
  const { command, args, name } = result.data;
  const file = scriptOf(args) ?? command;
  return { ...result.data, name: name ?? basename(file, extname(file)) };
}

/** A bare name is looked for on the PATH; anything with a folder in it is a path, wherever the program runs. */
export function programPath(command: string, configDir: string): string {
  return isBareName(command) ? command : resolve(configDir, command);
}

/**
 * Looks for a program before any browser starts.
 *
 * @throws CommandOptionsError where it is a bare name that the PATH does not have. Relative paths are left to the trial.
 */
export function checkProgram({ command, env }: Pick<CommandSettings, 'command' | 'env'>): void {
  if (!isBareName(command) && !isAbsolute(command)) return;
  const path = env.PATH ?? process.env.PATH ?? '';
  const extensions = process.platform === 'win32' ? ['', '.exe', '.com'] : [''];
  const folders = isAbsolute(command) ? [''] : path.split(delimiter).filter(Boolean);
  const found = folders.some(folder =>
    extensions.some(extension => isExecutable(join(folder, command + extension))),
  );
  if (!found)
    throw new CommandOptionsError(
      `command(): there is no program ${command}${isAbsolute(command) ? '' : ' on the PATH'}. Install it, or give its path (a relative one starts at the folder of the Playwright config)`,
    );
}

function isBareName(command: string): boolean {
  return basename(command) === command;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
