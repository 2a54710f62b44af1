// Recordings of passed trials: the files that `record: true` and healed trials write for replay().
import { relative, resolve } from 'node:path';
import type { FullConfig, TestCase } from '@playwright/test/reporter';
import { sumOf } from '../data/collections';
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
import { messageOf } from '../text/line';
import { plural } from '../text/print';
import { writeText } from './write';

/** What a trial leaves for replay(), or why there is nothing. Both are missing if it did not pass, or was a replay. */
export interface Recorded {
  recording?: Recording;
  problem?: string;
  /** The recording that was healed: its file, relative to the config's folder. */
  healed?: string | undefined;
}

/** Leaves out actions that changed nothing, and of failed actions all but what they completed. */
export function recordingOf(record: TrialRecord): Recorded {
  if (record.outcome !== 'passed' || (record.replayed && !record.healed)) return {};
  const says = record.assertions.some(({ type }) => type === 'answer');
  if (says)
    return {
      problem: "its answer is checked, and a replay gives none: set replay({ withoutRecording: 'skip' })",
    };
  const turns: RecordedTurn[] = [];
  for (const { number, title, actions } of record.turns) {
    const done = actions.filter(({ error, recorded }) => error === undefined || recorded);
    const whyNot = ({ recorded }: (typeof done)[number]) =>
      recorded ? whyRefused(recorded) : "can't be replayed";
    const unfit = done.find(whyNot);
    if (unfit) return { problem: `turn ${number}: \`${unfit.title}\` ${whyNot(unfit)}` };
    const kept = done.flatMap(({ title, recorded = [] }) => (recorded.length ? { title, recorded } : []));
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
  const recording = { ...subject, turns: uniqueByName(turns, record.unique) };
  return { recording, healed: record.healed?.recording };
}

/** Of the shortest trial of a spec in a project. */
export function pickRecording(all: readonly Recorded[]): Recorded {
  const length = ({ recording }: Recorded) =>
    sumOf(
      recording!.turns.flatMap(({ actions }) => actions),
      ({ recorded }) => recorded.length,
    );
  const [shortest] = all.filter(({ recording }) => recording).sort((a, b) => length(a) - length(b));
  return shortest ?? all.find(({ problem }) => problem) ?? {};
}

interface RecordedSpec {
  planned: Pick<Plan, 'id' | 'describe'>;
  project: string;
  tests: Iterable<TestCase>;
  pick: Recorded;
}

/**
 * Writes recordings: for projects with `record`, and beside healed ones. Not called when reports are merged, since blobs may
 * come from anywhere.
 *
 * @returns lines for the terminal
 */
export function writeRecordings(
  specs: readonly RecordedSpec[],
  config: FullConfig,
  folder: string,
): string[] {
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
    try {
      writeText(file, recordingText(pick.recording));
    } catch (error) {
      lines.push(`${name}: ${messageOf(error)}`);
      continue;
    }
    if (pick.healed) lines.push(`healed: review ${name}, then replace ${pick.healed} with it`);
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
