// Plays recordings of passed trials. Configs import this file, so the player is loaded only when a trial runs.
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../../options';
import type { Agent, ReplayAgent, SessionTask } from '../agent';

export interface ReplayOptions {
  /** Folder of the recordings, relative to the config. Default: `recordings`. */
  recordings?: string;
  /** The agent with a model that takes over if a recording no longer fits the page, or is missing. Default: none, and the trial fails. */
  fallback?: Agent;
  /** Whether a spec or test without a recording is `error: setup` or skipped, if there is no `fallback`. Default: `fail`. */
  withoutRecording?: 'fail' | 'skip';
  /** Milliseconds to wait for a recorded action's element, and for its effect. Default: 5,000. */
  actionTimeoutMs?: number;
}

const optionsSchema = z.strictObject({
  recordings: z.string().min(1).optional(),
  fallback: z
    .custom<Agent>(value => typeof (value as Agent | null)?.run === 'function', {
      error: 'must be an agent: claude({ ... }), lexical() ...',
    })
    .refine(agent => agent?.name, { error: 'needs a `name`' })
    .refine(agent => !agent?.replays, { error: 'must not be a replay itself' })
    .optional(),
  withoutRecording: z.enum(['fail', 'skip']).default('fail'),
  actionTimeoutMs: z.int().min(1).default(5_000),
} satisfies OptionSchemas<ReplayOptions>);

export type ReplaySettings = z.output<typeof optionsSchema>;

/**
 * An agent that repeats a passed trial (`record: true`, `taskproof record`), without a model and at full speed. If the
 * element of an action is gone, or an action has no effect any more, the trial fails; with a `fallback`, that agent takes over
 * and the trial is marked as healed. Such trials don't measure an agent: their verdicts say "replayed", and k is 1 unless
 * `--repeat-each` says otherwise.
 *
 * @throws OptionsError for wrong or unknown options.
 */
export function replay(options?: ReplayOptions): Agent {
  const settings = checkOptions('replay()', optionsSchema, options);
  const agent: ReplayAgent = {
    name: 'replay',
    replays: true,
    recordings: settings.recordings,
    withoutRecording: settings.withoutRecording,
    async missingRecording(configDir, specName) {
      if (settings.fallback) return undefined;
      const { fileIn } = await import('./player.js');
      const file = fileIn(settings, configDir, specName);
      return existsSync(file) ? undefined : file;
    },
    preflight: () => settings.fallback?.preflight?.(),
    async run(task: SessionTask) {
      const { playRecording } = await import('./player.js');
      return playRecording(task, settings);
    },
  };
  return agent;
}
