import { basename, extname } from 'node:path';
import { z } from 'zod';

export interface CommandOptions {
  /** The program: a name on the PATH, or a path relative to the folder of the Playwright config. */
  command: string;
  args?: readonly string[];
  /** Set beside the environment of Playwright itself. A value that is undefined takes the variable away. */
  env?: Record<string, string | undefined>;
  /** Folder that it runs in, relative to that of the Playwright config. Default: that folder. */
  cwd?: string;
  /** Shown in reports. Default: the program's name, without folder and extension. */
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
  if (!result.success) {
    const problems = result.error.issues.map(issue =>
      issue.code === 'unrecognized_keys'
        ? `${issue.keys.join(', ')}: unknown option; known are ${Object.keys(optionsSchema.shape).join(', ')}`
        : `${issue.path.join('.') || 'options'}: ${issue.message}`,
    );
    throw new CommandOptionsError(`command(): ${problems.join('; ')}`);
  }
  const { command } = result.data;
  return { ...result.data, name: result.data.name ?? basename(command, extname(command)) };
}
