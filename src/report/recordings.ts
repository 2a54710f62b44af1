// Recordings of passed trials: the files that `record: true` and healed trials write for replay().
import { relative, resolve } from 'node:path';
import type { FullConfig, TestCase } from '@playwright/test/reporter';
import { type Plan, planName } from '../data/plan';
import type { TrialRecord } from '../data/record';
import {
  DEFAULT_RECORDINGS_DIR,
  fileBelow,
  RECORDING_VERSION,
  type RecordedTurn,
  type Recording,
  recordingFile,
  recordingText,
  whyRefused,
} from '../data/recording';
import { knownOptions, type TaskproofOptions } from '../playwright/run/options';
import { uniqueByName } from '../spec/placeholders';
import { plural } from '../text/print';
import { writeText } from './write';

/**
 * The recording of a trial, or why there is none. Leaves out actions that changed nothing, and of failed actions all but the
 * those that they completed.
 */
export function recordingOf(record: TrialRecord): Recording | { problem: string } {
  if (record.outcome !== 'passed') return { problem: 'the trial did not pass' };
  const turns: RecordedTurn[] = [];
  for (const { number, title, actions } of record.turns) {
    const kept: RecordedTurn['actions'] = [];
    for (const action of actions) {
      if (action.error !== undefined && !action.recorded) continue;
      if (!action.recorded) return { problem: `turn ${number}: \`${action.title}\` can't be replayed` };
      const refused = whyRefused(action.recorded);
      if (refused) return { problem: `turn ${number}: \`${action.title}\` ${refused}` };
      if (action.recorded.length) kept.push({ title: action.title, recorded: action.recorded });
    }
    if (kept.length) turns.push({ title, actions: kept });
  }
  if (!turns.length) return { problem: 'the trial did nothing to the page' };
  const { specId, specHash, agent, model, startedAt: recordedAt } = record;
  const subject = {
    recordingVersion: RECORDING_VERSION,
    specId,
    specHash,
    agent,
    model,
    recordedAt,
  } as const;
  return { ...subject, turns: uniqueByName(turns, record.unique) };
}

/** The recording of one spec in one project: of its shortest trial. Or why there is none. */
export class RecordingPick {
  recording: Recording | undefined;
  problem: string | undefined;
  /** The recording that was healed: its file, relative to the config's folder. */
  healed: string | undefined;

  add(record: TrialRecord): void {
    if (record.outcome !== 'passed' || (record.replayed && !record.healed)) return;
    const made = recordingOf(record);
    this.join('problem' in made ? made : { recording: made, healed: record.healed?.recording });
  }

  join({ recording, problem, healed }: Partial<RecordingPick>): void {
    this.problem ??= problem;
    if (!recording || (this.recording && lengthOf(this.recording) <= lengthOf(recording))) return;
    this.recording = recording;
    this.healed = healed;
  }
}

function lengthOf({ turns }: Recording): number {
  return turns.flatMap(({ actions }) => actions.flatMap(({ recorded }) => recorded)).length;
}

interface RecordedSpec {
  planned: Pick<Plan, 'id' | 'describe'>;
  project: string;
  tests: Iterable<TestCase>;
  pick: RecordingPick;
}

/**
 * Writes recordings: for projects with `record`, and beside healed ones. Not called when reports are merged, since blobs may
 * come from anywhere.
 *
 * @returns lines for the terminal
 */
export async function writeRecordings(
  specs: readonly RecordedSpec[],
  config: FullConfig,
  folder: string,
): Promise<string[]> {
  const lines: string[] = [];
  const written = new Map<string, RecordedSpec>();
  const counts = new Map<string, number>();
  // Ordinary tests leave no recordings, and have no id for a file.
  for (const spec of specs.filter(({ pick }) => pick.recording || pick.problem)) {
    const { planned, pick } = spec;
    const into = recordingsDir(config, spec);
    const file = fileOf(spec, into, folder);
    if (file === undefined) continue;
    if (!file || !pick.recording) {
      const outside = `${pick.healed} is not a .json file below the folder of the Playwright config`;
      lines.push(`no recording of ${planName(planned)}: ${file ? pick.problem : outside}`);
      continue;
    }
    const other = written.get(file);
    const name = relative(resolve(folder), file).replaceAll('\\', '/');
    if (other !== undefined) {
      lines.push(`${name} is of ${label(other)}. Give ${label(spec)} its own folder: \`record: 'folder'\``);
      continue;
    }
    written.set(file, spec);
    const failure = await writeText(file, recordingText(pick.recording)).catch(
      (error: Error) => error.message,
    );
    if (failure) lines.push(`${name}: ${failure}`);
    else if (pick.healed) lines.push(`healed: review ${name}, then replace ${pick.healed} with it`);
    else counts.set(into!, (counts.get(into!) ?? 0) + 1);
  }
  for (const [into, count] of counts) lines.push(`recorded ${plural(count, 'spec')} in ${into}`);
  return lines;
}

const label = ({ planned, project }: RecordedSpec) => `${planName(planned)} [${project}]`;

/** Undefined if nothing is to be written, empty if it may not. The record says where a healed recording is. */
function fileOf(
  { planned, pick: { healed } }: RecordedSpec,
  into: string | undefined,
  folder: string,
): string | undefined {
  if (healed === undefined) return into && recordingFile(resolve(folder, into), planName(planned));
  return (healed.endsWith('.json') && fileBelow(folder, healed.replace(/\.json$/, '.healed.json'))) || '';
}

/** Only the process that loaded the config knows it. */
export function recordingsDir(
  config: FullConfig,
  { project: name, tests }: Pick<RecordedSpec, 'project' | 'tests'>,
): string | undefined {
  const project = config.projects.find(each => each.name === name);
  const [test] = tests;
  if (!project || !test) return undefined;
  const record = (knownOptions(test, project).value as TaskproofOptions | undefined)?.record;
  return record === true ? DEFAULT_RECORDINGS_DIR : record || undefined;
}
