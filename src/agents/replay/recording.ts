// A trial that passed, as something that can be played again without its agent.
import { z } from 'zod';
import { recordedActionSchema } from '../../browser/page-action';

export const RECORDING_VERSION = '1';
export const DEFAULT_RECORDINGS_DIR = 'recordings';

const recordedTurnSchema = z.object({
  /** What the turn did, in words. */
  title: z.string(),
  actions: z.array(z.object({ title: z.string(), steps: z.array(recordedActionSchema).min(1) })).min(1),
});

export const recordingSchema = z.object({
  recordingVersion: z.literal(RECORDING_VERSION),
  specId: z.string(),
  /** SHA-256 of the spec that it was recorded for: another one means that the spec has changed since. */
  specHash: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  recordedAt: z.iso.datetime(),
  turns: z.array(recordedTurnSchema),
});

export type Recording = z.infer<typeof recordingSchema>;
export type RecordedTurn = Recording['turns'][number];

/** A file that is no recording, or not one that this version reads. */
export class RecordingError extends Error {
  override name = 'RecordingError';
}

/**
 * @param file shown in errors
 * @throws RecordingError
 */
export function readRecording(text: string, file: string): Recording {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`${file}: not JSON: ${(error as Error).message}`);
  }
  return checkRecording(json, file);
}

/**
 * @param file shown in errors
 * @throws RecordingError
 */
export function checkRecording(json: unknown, file: string): Recording {
  const { success, data, error } = recordingSchema.safeParse(json);
  if (success) return data;
  const version = (json as { recordingVersion?: unknown } | null)?.recordingVersion;
  if (version !== undefined && version !== RECORDING_VERSION)
    throw new RecordingError(
      `${file}: recordingVersion is ${JSON.stringify(version)}; this version of @taskproof/playwright reads "${RECORDING_VERSION}". Record the trial again.`,
    );
  const problems = error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${z.core.toDotPath(path)}: ${message}`);
  throw new RecordingError(`${file}: not a recording: ${problems.join('; ')}. Record the trial again.`);
}

/** As it is written to a file. */
export function recordingText(recording: Recording): string {
  return `${JSON.stringify(recording, null, 2)}\n`;
}
