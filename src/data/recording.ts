// The recording of a passed trial. The file may come from a pull request: it is checked, and names nothing outside the config's folder.
import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep, win32 } from 'node:path';
import { z } from 'zod';
import { problemsIn } from '../spec/errors';
import { SPEC_ID } from '../spec/schema';
import { type RecordedAction, recordedActionSchema } from './action';
import { trialRecordSchema } from './record';

export const RECORDING_VERSION = '1';
export const DEFAULT_RECORDINGS_DIR = 'recordings';
/** The most characters of a file. */
const MAX_LENGTH = 20_000_000;
/** The most entries of each list in it. */
const MAX_ENTRIES = 1_000;

/** Whether an action opens an address with a secret in it, which servers and proxies would write to their logs. */
function leaksSecret(action: RecordedAction): boolean {
  return action.do === 'goto' && action.url.includes('<secret>');
}

const recordedSchema = recordedActionSchema.refine(action => !leaksSecret(action), {
  path: ['url'],
  error: 'must not hold a secret: addresses end up in logs',
});
/** `title`: what it did, in words. `steps` is what 0.1 called `recorded`. */
const actionSchema = z.preprocess(
  action => ({ recorded: Object(action).steps, ...Object(action) }),
  z.object({ title: z.string(), recorded: z.array(recordedSchema).min(1).max(MAX_ENTRIES) }),
);
const turnSchema = z.object({ title: z.string(), actions: z.array(actionSchema).min(1).max(MAX_ENTRIES) });

const recordingSchema = z.object({
  recordingVersion: z.literal(RECORDING_VERSION),
  specId: z.string(),
  /** SHA-256 of the spec when it was recorded: if it differs, the spec has changed. */
  specHash: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  recordedAt: z.iso.datetime(),
  /** What the suite's `prepare` returned then: a replay puts its own values in their place. */
  data: trialRecordSchema.shape.data,
  turns: z.array(turnSchema).max(MAX_ENTRIES),
});

export type Recording = z.infer<typeof recordingSchema>;
export type RecordedTurn = Recording['turns'][number];

/** Thrown for a file that is not a recording, or not one that this version reads. */
export class RecordingError extends Error {
  override name = 'RecordingError';
}

/** @throws RecordingError, which names `file`. */
export function readRecording(text: string, file: string): Recording {
  if (text.length > MAX_LENGTH)
    throw new RecordingError(`${file}: too large for a recording. Record the trial again.`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`${file}: not JSON: ${(error as Error).message}`);
  }
  return checkRecording(json, file);
}

/** @throws RecordingError, which names `file`. */
export function checkRecording(json: unknown, file: string): Recording {
  const { success, data, error } = recordingSchema.safeParse(json);
  if (success) return data;
  const version = (json as { recordingVersion?: unknown } | null)?.recordingVersion;
  if (version !== undefined && version !== RECORDING_VERSION)
    throw new RecordingError(
      `${file}: recordingVersion is ${JSON.stringify(version)}; this version of @taskproof/playwright reads "${RECORDING_VERSION}". Record the trial again.`,
    );
  const problems = problemsIn(error, 'the file').slice(0, 3);
  throw new RecordingError(`${file}: not a recording: ${problems.join('; ')}. Record the trial again.`);
}

export function recordingText(recording: Recording): string {
  return `${JSON.stringify(recording, null, 2)}\n`;
}

/** Why replay() could not play these actions. */
export function whyRefused(actions: readonly RecordedAction[]): string | undefined {
  if (actions.some(leaksSecret)) return 'goes to an address that holds a secret';
  const files = actions.flatMap(action => (action.do === 'upload' ? action.files : []));
  const outside = files.find(leadsOut);
  return outside && `uploads "${outside}", which is outside the folder of the Playwright config`;
}

/** `cart.json` for the spec `cart`, `phone/cart.json` for `phone › cart`, `shop-spec-ts/finds-the-hours.json` for a test. */
export function recordingFile(folder: string, name: string): string {
  const parents = name.split(' › ');
  const last = parents.pop()!;
  const isId = SPEC_ID.test(last);
  // `..` would lead to another folder.
  if (!isId && !parents.length)
    throw new RecordingError(`${JSON.stringify(last)} is not the id of a task spec`);
  return join(folder, ...parents.map(nameOnDisk), `${isId ? last : testFileName(last)}.json`);
}

/** With a hash if the title loses something here, since another title could get the same name. */
function testFileName(title: string): string {
  const name = nameOnDisk(title);
  if (name.replaceAll('-', ' ') === title) return name;
  return `${name}-${createHash('sha256').update(title).digest('hex').slice(0, 6)}`;
}

function nameOnDisk(title: string): string {
  return title.replace(/[^\p{L}\p{N}_]+/gu, '-').slice(0, 60);
}

/** An absolute path; undefined if it leads out of the folder, as written or through a symbolic link. */
export function fileBelow(folder: string, path: string): string | undefined {
  if (leadsOut(path)) return undefined;
  const file = resolve(folder, path);
  return realPath(file)?.startsWith(realpathSync(folder) + sep) ? file : undefined;
}

function leadsOut(path: string): boolean {
  return isAbsolute(path) || win32.isAbsolute(path) || path.split(/[/\\]/).includes('..');
}

/** Also of a file that does not exist yet; undefined for a link to nothing, since writing would follow it. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    if (lstatSync(path, { throwIfNoEntry: false })) return undefined;
    const parent = realPath(dirname(path));
    return parent === undefined ? undefined : join(parent, basename(path));
  }
}
