// Plays trials from recordings: what was done, without whoever did it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../../options';
import type { Agent, ReplayAgent, SessionTask } from '../agent';
import { Player, StepProblem } from './player';
import { DEFAULT_RECORDINGS_DIR, type Recording, readRecording, recordingFile } from './recording';

export interface ReplayOptions {
  /**
   * Folder of the recordings, one `<spec id>.json` each; relative to the folder of the Playwright config. Default:
   * `recordings`.
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
  recordings: z.string().min(1).default(DEFAULT_RECORDINGS_DIR),
  fallback: z
    .custom<Agent>(value => typeof (value as Agent | null)?.run === 'function', {
      error: 'must be an agent: claude({ ... }), lexical() ...',
    })
    .refine(agent => !agent?.replays, { error: 'must not be a replay itself' })
    .optional(),
  withoutRecording: z.enum(['fail', 'skip']).default('fail'),
  turnTimeoutMs: z.number().int().positive().default(5_000),
} satisfies OptionSchemas<ReplayOptions>);

/**
 * An agent that does again what a trial did that passed (`record: true`, `taskproof record`), without a model and at full
 * speed. A step whose element is gone, or that has no effect where it had one, fails the trial and is named, or hands the
 * page to `fallback`: then the trial is marked as healed. Such trials don't measure an agent: their verdicts say
 * "replayed", and k is 1 unless `--repeat-each` says otherwise.
 *
 * @throws OptionsError for options that it can't use.
 */
export function replay(options?: ReplayOptions): Agent {
  const checked = checkOptions('replay()', optionsSchema, options);
  const { recordings, fallback, withoutRecording, turnTimeoutMs } = checked;
  const agent: ReplayAgent = {
    name: 'replay',
    replays: true,
    withoutRecording,
    missingRecording(configDir, specId) {
      const file = recordingFile(resolve(configDir, recordings), specId);
      return fallback || existsSync(file) ? undefined : file;
    },
    preflight: () => fallback?.preflight?.(),
    async run(task: SessionTask) {
      const file = recordingFile(resolve(task.configDir, recordings), nameOf(task));
      const recording = await read(file);
      if (recording && recording.specHash !== task.specHash) warnOfChange(task, file);
      const player = new Player(task, turnTimeoutMs);
      const problem = recording ? await played(player, recording) : `there is no recording ${file}`;
      if (problem === undefined) return undefined;
      if (!fallback) return { status: 'gave_up', reason: problem };
      task.markHealed({ reason: problem, recording: file });
      return takeOver(fallback, task, player.done, problem);
    },
  };
  return agent;
}

/** @returns what went wrong, if anything: a sentence that names the step. */
async function played(player: Player, recording: Recording): Promise<string | undefined> {
  try {
    await player.play(recording);
    return undefined;
  } catch (error) {
    if (error instanceof StepProblem) return error.message;
    throw error;
  } finally {
    player.dispose();
  }
}

async function takeOver(
  fallback: Agent,
  task: SessionTask,
  done: readonly string[],
  problem: string,
): ReturnType<Agent['run']> {
  // Its members are looked up at each use: the active tab and what is left of time and turns change.
  const handedOver = Object.create(task, {
    done: { value: [...done, `This could not be done any more: ${problem}`] },
  }) as SessionTask;
  return fallback.run(handedOver);
}

function nameOf({ specId }: SessionTask): string {
  if (specId === null)
    throw new Error(
      'replay() plays the recordings of task specs: in a hand-written test (agent.run) there is none to play',
    );
  return specId;
}

async function read(file: string): Promise<Recording | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return readRecording(text, file);
}

/** The steps may still do what the spec asks for, which its assertions say; what else it asks for now, nobody did. */
function warnOfChange({ specId, configDir }: SessionTask, file: string): void {
  process.stderr.write(
    `taskproof: ${specId} has changed since ${relative(configDir, file)} was recorded: record it again, unless the change has nothing to do with its steps\n`,
  );
}
