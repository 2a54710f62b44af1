// Diagnoses each spec that has failed trials: decides which passing trials to compare them with.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';
import {
  DEFAULT_RECORDINGS_DIR,
  type Recording,
  readRecording,
  recordingFile,
} from '../agents/replay/recording';
import { nameOf } from '../playwright/annotations';
import { diagnosisOf, type FailedTrial, failureGroups, groupOf } from '../verdicts/diagnosis';
import { compareText } from '../verdicts/diff';
import { type HistoryRun, lastWays } from '../verdicts/history';
import { type PassingTrial, PassingWays } from '../verdicts/parting';
import type { Comparison, Diagnosis, PassingTrials, Way } from '../verdicts/shapes';
import { readHistory } from './baseline';
import { wayOfTurns } from './evidence';
import { recordingsDir } from './recordings';
import { type FoundParting, picturesOf, showDiagnosis } from './show-diagnosis';
import type { Entry, SpecRun } from './spec-run';
import type { ReporterOptions } from './write';

/** Most other projects to compare a failed trial with. */
const MOST_PROJECTS = 3;

/** A passing trial of an earlier run, and where it was kept. */
export interface KeptWay {
  from: 'baseline' | 'recording';
  way: Way;
}

/** What the diagnosis of a run found. */
export interface Diagnosed {
  /** `way`: that of the most typical passing trial. */
  specs: ReadonlyMap<SpecRun, { diagnosis?: Diagnosis; way?: Way }>;
  /** Specs that failed in several projects. */
  failures: NonNullable<Comparison['failures']>;
}

type Graded = SpecRun['graded'];
/** Passing trials with their pictures. */
type Compared = { ways: PassingWays; trials: ReadonlyMap<number, Entry> };

/**
 * Finds out why trials failed, and shows it in their reports.
 *
 * @param kept the passing trial of a spec that earlier runs kept; called only if no trial of this run passed
 */
export async function diagnose(
  runs: readonly SpecRun[],
  kept: (run: SpecRun) => Promise<KeptWay | undefined>,
): Promise<Diagnosed> {
  const graded = new Map(runs.map(run => [run, run.graded]));
  const bySpec = new Map<string, [SpecRun, Graded][]>();
  for (const entry of graded) {
    const name = nameOf(entry[0].planned);
    bySpec.set(name, [...(bySpec.get(name) ?? []), entry]);
  }
  const specs = new Map<SpecRun, { diagnosis?: Diagnosis; way?: Way }>();
  for (const run of runs) {
    const { passing, failed } = graded.get(run)!;
    const own = compared({ from: 'trials' }, passing);
    const way = own?.ways.usual;
    if (!failed.length) {
      specs.set(run, way ? { way } : {});
      continue;
    }
    const references = [
      ...(own ? [own] : []),
      ...otherProjects(run, bySpec.get(nameOf(run.planned))!, own === undefined),
    ];
    if (!references.length) references.push(...keptWay(await kept(run)));
    const partings = new Map(failed.map(entry => [entry.trial.index, partingsOf(entry, references)]));
    const { k } = run.planned.policy;
    const diagnosis = diagnosisOf(
      failed.map(({ failed }) => failed),
      [...partings.values()].flat().map(({ parting }) => parting),
      k,
    )!;
    specs.set(run, { diagnosis, ...(way ? { way } : {}) });
    showDiagnosis(failed, diagnosis, partings, k);
  }
  return { specs, failures: acrossProjects(bySpec) };
}

/** If several agents fail in the same way, the site is more likely at fault than the agents. */
function acrossProjects(bySpec: ReadonlyMap<string, readonly [SpecRun, Graded][]>): Diagnosed['failures'] {
  const failedIn = (runs: readonly [SpecRun, Graded][]): FailedTrial[][] =>
    runs
      .filter(([{ replayed }, { failed }]) => !replayed && failed.length > 0)
      .map(([, { failed }]) => failed.map(entry => entry.failed));
  return [...bySpec]
    .map(([spec, runs]) => [spec, failedIn(runs)] as const)
    .filter(([, projects]) => projects.length > 1)
    .sort(([a], [b]) => compareText(a, b))
    .map(([spec, projects]) => ({ spec, groups: failureGroups(projects.flat()).map(groupOf) }));
}

function compared(who: PassingTrials, passing: readonly (PassingTrial & Entry)[]): Compared | undefined {
  if (!passing.length) return undefined;
  const trials = new Map(passing.map(entry => [entry.trial.index, entry]));
  return { ways: new PassingWays(who, passing), trials };
}

/**
 * If one agent passes a spec that another fails, its trials show what the other missed.
 *
 * @param runs of the same spec, in all projects
 * @param any also compare with projects that fail the spec but have passing trials
 */
function otherProjects(run: SpecRun, runs: readonly [SpecRun, Graded][], any: boolean): Compared[] {
  const differ = (other: SpecRun) => run.verdict.verdict === 'failed' && other.verdict.verdict === 'passed';
  return runs
    .filter(([other, { passing }]) => other !== run && passing.length > 0 && (any || differ(other)))
    .filter(([other]) => !run.replayed && !other.replayed)
    .sort(([a], [b]) => sameAgent(run, b) - sameAgent(run, a) || compareText(a.project, b.project))
    .slice(0, MOST_PROJECTS)
    .flatMap(([{ project }, { passing }]) => compared({ from: 'project', project }, passing) ?? []);
}

/** In another browser or on another deployment, the same agent takes the most similar way. */
const sameAgent = ({ subject }: SpecRun, other: SpecRun) =>
  Number(subject?.agent === other.subject?.agent && subject?.model === other.subject?.model);

/** Finds the last passing trial in the baseline, else the recording in the suite. */
export function keptWays(
  config: FullConfig,
  folder: string,
  { baseline }: Pick<ReporterOptions, 'baseline'>,
): (run: SpecRun) => Promise<KeptWay | undefined> {
  let wayOf: Promise<ReturnType<typeof lastWays>> | undefined;
  return async run => {
    const { planned, project, replayed, subject } = run;
    const row = {
      spec: planned.id,
      describe: planned.describe,
      project,
      replayed,
      specHash: subject?.specHash,
    };
    // Errors are reported where the run is compared with the baseline.
    wayOf ??= historyIn(baseline && resolve(folder, baseline)).then(lastWays);
    const way = (await wayOf)(row);
    if (way) return { from: 'baseline', way };
    const recording = await recordingIn(
      resolve(folder, recordingsDir(config, run) ?? DEFAULT_RECORDINGS_DIR),
      run,
    );
    // With another text of the spec, the way may differ.
    return recording?.specHash === subject?.specHash && recording
      ? { from: 'recording', way: wayOfTurns(recording.turns) }
      : undefined;
  };
}

async function historyIn(file: string | undefined): Promise<HistoryRun[]> {
  if (file === undefined) return [];
  try {
    return readHistory(await readFile(file, 'utf8'), file);
  } catch {
    return [];
  }
}

async function recordingIn(folder: string, { planned }: SpecRun): Promise<Recording | undefined> {
  try {
    const file = recordingFile(folder, nameOf(planned));
    return readRecording(await readFile(file, 'utf8'), file);
  } catch {
    return undefined;
  }
}

function keptWay(kept: KeptWay | undefined): Compared[] {
  return kept ? [{ ways: new PassingWays({ from: kept.from }, [kept]), trials: new Map() }] : [];
}

/** Where a failed trial left each of the ways. */
function partingsOf(
  { trial, way, result }: Graded['failed'][number],
  references: readonly Compared[],
): FoundParting[] {
  return references.flatMap(({ ways, trials }) => {
    const found = ways.partingOf({ status: trial.status, way });
    if (!found) return [];
    const { expected, actual } = found;
    const passing = expected.trial === undefined ? undefined : trials.get(expected.trial)?.result;
    const pictures = passing && picturesOf(found, passing, result);
    const named = (side: typeof expected, picture: { name: string } | undefined) =>
      picture ? { ...side, screenshot: picture.name } : side;
    return [
      {
        parting: {
          ...{ ...found, index: trial.index },
          expected: named(expected, pictures?.expected),
          actual: named(actual, pictures?.actual),
        },
        of: ways.who.project,
        pictures,
      },
    ];
  });
}
