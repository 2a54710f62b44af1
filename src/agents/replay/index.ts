// Plays trials from recordings: what was done, without whoever did it. Imported by configs: the player is loaded when a
// trial runs.
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../../options';
import type { Agent, ReplayAgent, SessionTask } from '../agent';

export interface ReplayOptions {
  /**
   * Folder of the recordings, one `<spec id>.json` each, those of a describe in a folder named by it; relative to the folder
   * of the Playwright config. Default: `recordings`.
   */
  recordings?: string;
  /** Plays on where a recording no longer fits the page, and where there is none. Default: none, and the trial fails. */
  fallback?: Agent;
  /** What to do with a spec that has no recording, if there is no `fallback`: its test fails, or is skipped. Default: `fail`. */
  withoutRecording?: 'fail' | 'skip';
  /** Milliseconds that a step waits for its element, and for its effect. Default: 5,000. */
  turnTimeoutMs?: number;
}

const optionsSchema = z.strictObject({
  recordings: z.string().min(1).optional(),
  fallback: z
    .custom<Agent>(value => typeof (value as Agent | null)?.run === 'function', {
      error: 'must be an agent: claude({ ... }), lexical() ...',
    })
    .refine(agent => !agent?.replays, { error: 'must not be a replay itself' })
    .optional(),
  withoutRecording: z.enum(['fail', 'skip']).default('fail'),
  turnTimeoutMs: z.number().int().positive().default(5_000),
} satisfies OptionSchemas<ReplayOptions>);

export type ReplaySettings = z.output<typeof optionsSchema>;

/**
 * An agent that does again what a trial did that passed (`record: true`, `taskproof record`), without a model and at full
 * speed. A step whose element is gone, or that has no effect where it had one, fails the trial and is named, or hands the
 * page to `fallback`: then the trial is marked as healed. Such trials don't measure an agent: their verdicts say
 * "replayed", and k is 1 unless `--repeat-each` says otherwise.
 *
 * @throws OptionsError for options that it can't use.
 */
export function replay(options?: ReplayOptions): Agent {
  const settings = checkOptions('replay()', optionsSchema, options);
  const agent: ReplayAgent = {
    name: 'replay',
    replays: true,
    withoutRecording: settings.withoutRecording,
    async missingRecording(configDir, specName) {
      if (settings.fallback) return undefined;
      const { recordingOf } = await import('./play.js');
      const file = recordingOf(settings, configDir, specName);
      return existsSync(file) ? undefined : file;
    },
    preflight: () => settings.fallback?.preflight?.(),
    async run(task: SessionTask) {
      const { playRecording } = await import('./play.js');
      return playRecording(task, settings);
    },
  };
  return agent;
}
