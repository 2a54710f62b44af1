import { z } from 'zod';
import type { Agent } from '../agent';
import { optionProblems } from '../option-problems';
import { DEFAULT_RECORDINGS_DIR } from './recording';

export interface ReplayOptions {
  /**
   * Folder of the recordings, one `<spec id>.json` each; relative to the folder of the Playwright config. Default:
   * `recordings`.
   */
  recordings?: string;
  /** Plays on where a recording no longer fits the page, and where there is none. Default: none, and the trial fails. */
  fallback?: Agent;
  /** Milliseconds that a step waits for its element, and for its effect. Default: 5,000. */
  turnTimeoutMs?: number;
}

const optionsSchema = z.strictObject({
  recordings: z.string().min(1).default(DEFAULT_RECORDINGS_DIR),
  fallback: z
    .custom<Agent>(value => typeof (value as Agent | null)?.run === 'function', {
      error: 'must be an agent: claude({ ... }), lexical() ...',
    })
    .refine(agent => !agent?.replays, { error: 'must not be a replay itself' })
    .optional(),
  turnTimeoutMs: z.number().int().positive().default(5_000),
});

export type ReplaySettings = z.infer<typeof optionsSchema>;

/** Thrown where replay() is given something that it can't use. */
export class ReplayOptionsError extends Error {
  override name = 'ReplayOptionsError';
}

/** @throws ReplayOptionsError that names every option that is wrong. */
export function checkReplayOptions(options: unknown): ReplaySettings {
  const result = optionsSchema.safeParse(options ?? {});
  if (result.success) return result.data;
  throw new ReplayOptionsError(`replay(): ${optionProblems(result.error, optionsSchema).join('; ')}`);
}
