// Recordings of passed trials: the files that `record: true` and healed trials write for replay().
import { relative, resolve } from 'node:path';
import type { FullConfig, TestCase } from '@playwright/test/reporter';
import { groupBy, sumOf } from '../data/collections';
import { planName } from '../data/plan';
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
import { givenOptions, isReplay, knownOptions } from '../playwright/run/options';
import { uniqueByName } from '../spec/placeholders';
import { writeText } from '../text/file';
import { messageOf } from '../text/line';
import { plural } from '../text/print';
import { specLabel } from './render/document';
import type { SpecRun } from './spec-run';

/** A trial's recording, or why it has none. Both are missing if it did not pass, or was a replay. */
export interface Recorded {
  recording?: Recording;
  problem?: string;
  /** The recording that was healed: its file, relative to the config's folder. */
  healed?: string | undefined;
}

const NOT_REPLAYABLE = {
  answer: "its answer is checked, and a replay gives none: set replay({ withoutRecording: 'skip' })",
  runs: 'it calls agent.run several times',
};

/** Leaves out actions that changed nothing, and of failed actions all but what they completed. */
export function recordingOf(record: TrialRecord): Recorded {
  if (record.outcome !== 'passed' || (record.replayed && !record.healed)) return {};
  const says = record.assertions.some(({ type }) => type === 'answer');
  const why = says ? 'answer' : record.notReplayable;
  if (why) return { problem: NOT_REPLAYABLE[why] };
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
  const subject = { specId, specHash, agent, model, recordedAt };
  const { data, unique } = record;
  const kept = uniqueByName({ ...(data && { data }), turns }, unique);
  return {
    recording: { recordingVersion: RECORDING_VERSION, ...subject, ...kept },
    healed: record.healed?.recording,
  };
}

const OWN_FOLDER = "Give it its own folder: `record: 'folder'`";
/** Healed recordings stand beside those that were played, whatever `record` says. */
const OWN_RECORDINGS = "Give its project recordings of its own: `replay({ recordings: 'folder' })`";

export function pickRecording(all: readonly Recorded[]): Recorded {
  const length = ({ recording }: Recorded) =>
    sumOf(recording!.turns, ({ actions }) => sumOf(actions, ({ recorded }) => recorded.length));
  const [shortest] = all.filter(({ recording }) => recording).sort((a, b) => length(a) - length(b));
  return shortest ?? all.find(({ problem }) => problem) ?? {};
}

type OfProject = { project: string; tests: Iterable<TestCase> };
type RecordedSpec = OfProject & Pick<SpecRun, 'pick'> & { planned: Parameters<typeof planName>[0] };

/** Not called when reports are merged, since blobs may come from anywhere. @returns lines for the terminal */
export function writeRecordings(specs: readonly RecordedSpec[], config: FullConfig, folder: string) {
  const lines: string[] = [];
  const written = new Map<string, RecordedSpec>();
  const saved: string[] = [];
  for (const spec of specs) {
    const { recording, problem, healed } = spec.pick;
    const into = recordingsDir(config, spec);
    if (!(recording || problem) || !(into || healed)) continue;
    try {
      const file = healed
        ? besideHealed(folder, healed)
        : recordingFile(resolve(folder, into!), planName(spec.planned));
      if (!recording) throw new Error(problem);
      const name = relative(resolve(folder), file).replaceAll('\\', '/');
      // Many disks take files whose names differ in case for one.
      const key = file.toLowerCase();
      const other = written.get(key);
      if (other)
        throw new Error(
          `its file ${name} belongs to ${label(other)}. ${healed ? OWN_RECORDINGS : OWN_FOLDER}`,
        );
      written.set(key, spec);
      writeText(file, recordingText(recording));
      if (healed) lines.push(`healed: review ${name}, then replace ${healed} with it`);
      else saved.push(into!);
    } catch (error) {
      lines.push(`no recording of ${label(spec)}: ${messageOf(error)}`);
    }
  }
  for (const [into, all] of groupBy(saved, folder => folder))
    lines.push(`saved ${plural(all.length, 'recording')} in ${into}`);
  return lines;
}

function besideHealed(folder: string, healed: string): string {
  const file = healed.endsWith('.json') && fileBelow(folder, healed.replace(/\.json$/, '.healed.json'));
  if (!file) throw new Error(`${healed} is not a .json file below the folder of the Playwright config`);
  return file;
}

const label = ({ planned, project }: RecordedSpec) => specLabel(planName(planned), project);

/** Nothing if this process has not loaded the config. */
function optionsOf(config: FullConfig, { project: name, tests }: OfProject) {
  const project = config.projects.find(each => each.name === name);
  const [test] = tests;
  return project && test ? givenOptions(knownOptions(test, project)) : {};
}

function recordingsDir(config: FullConfig, spec: OfProject): string | undefined {
  const { record } = optionsOf(config, spec);
  return record === true ? DEFAULT_RECORDINGS_DIR : record || undefined;
}

/** Where the recording is that a replay played, or that trials of an agent would leave. */
export function recordingsToCompare(config: FullConfig, spec: OfProject): string {
  const { agent } = optionsOf(config, spec);
  const folder = agent && isReplay(agent) ? agent.recordings : recordingsDir(config, spec);
  return folder ?? DEFAULT_RECORDINGS_DIR;
}
