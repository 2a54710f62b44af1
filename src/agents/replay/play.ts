// Plays a trial from its recording. If that no longer fits, the fallback takes over.
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { UNIQUE } from '../../spec/data';
import type { Agent, SessionTask } from '../agent';
import type { ReplaySettings } from './index';
import { Player, StepProblem } from './player';
import { DEFAULT_RECORDINGS_DIR, type Recording, readRecording, recordingFile } from './recording';

/** The file of a spec's recording, absolute. @throws RecordingError if the spec's id can't be a file name. */
export function recordingOf({ recordings }: ReplaySettings, configDir: string, specName: string): string {
  return recordingFile(resolve(configDir, recordings ?? DEFAULT_RECORDINGS_DIR), specName);
}

export async function playRecording(task: SessionTask, settings: ReplaySettings): ReturnType<Agent['run']> {
  const { fallback, turnTimeoutMs } = settings;
  const file = recordingOf(settings, task.configDir, nameOf(task));
  const recording = await read(file, task.unique);
  if (recording && recording.specHash !== task.specHash) warnOfChange(task, file);
  const player = new Player(task, turnTimeoutMs);
  const problem = recording ? await played(player, recording) : `no recording: ${file}`;
  if (problem === undefined) return undefined;
  if (!fallback) return { status: 'gave_up', reason: problem };
  task.markHealed({ reason: problem, recording: file });
  return takeOver(fallback, task, player.done, problem);
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
  // Inherits from the task, since the active tab, the time left and the turns left change.
  const handedOver = Object.create(task, {
    done: { value: [...done, `This no longer worked: ${problem}`] },
  }) as SessionTask;
  return fallback.run(handedOver);
}

function nameOf({ specName }: SessionTask): string {
  if (specName === null)
    throw new Error(
      "replay() plays recordings of task specs, so it can't be used in a hand-written test (agent.run). Set another agent for it.",
    );
  return specName;
}

async function read(file: string, unique: string | undefined): Promise<Recording | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return readRecording(unique ? text.replaceAll(UNIQUE, unique) : text, file);
}

/** The assertions still check the old steps, but the recording can't know what else the changed spec asks for. */
function warnOfChange({ specName, configDir }: SessionTask, file: string): void {
  process.stderr.write(
    `taskproof: ${specName} has changed since ${relative(configDir, file)} was recorded. Record it again, unless the change does not affect its steps.\n`,
  );
}
