// Diagnoses each spec that has failed trials: decides which passing trials to compare them with, and shows what it found at the
// top of each failed trial's page in the HTML report.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FullConfig, TestResult } from '@playwright/test/reporter';
import { readHistory } from '../data/baseline';
import { compareText, groupBy } from '../data/collections';
import { planName } from '../data/plan';
import { DEFAULT_RECORDINGS_DIR, readRecording, recordingFile } from '../data/recording';
import { byRowName } from '../data/row-names';
import type { Comparison, Diagnosis, Parting, PassingTrials, SharedFinding } from '../data/verdict';
import { markTurn, pictureOfTurn, showSideBySide } from '../playwright/inside/html-report';
import { annotate } from '../playwright/inside/results';
import { oneLine } from '../text/line';
import { diagnosisOf, failureGroups, headlineOf, sharedFindings } from '../verdicts/diagnosis/groups';
import { type FoundParting, type PassingTrial, PassingWays } from '../verdicts/diagnosis/parting';
import { wayOfTurns } from '../verdicts/diagnosis/way';
import { lastWays } from '../verdicts/history';
import { recordingsDir } from './recordings';
import { findingLine, IN_THE_WAY } from './render/trial-notes';
import type { CountedTrial, SpecRun } from './spec-run';
import type { ReporterOptions } from './write';

const MOST_PROJECTS = 3;

/** A passing trial of an earlier run, and where it was kept. */
type KeptWay = PassingTrial & { from: 'baseline' | 'recording' };

export interface Diagnosed {
  /** What failed trials of several specs met. */
  findings: readonly SharedFinding[];
  /** Specs that failed in several projects. */
  failures: NonNullable<Comparison['failures']>;
}

type Graded = SpecRun['graded'];
type Compared = { ways: PassingWays; passing: readonly CountedTrial[] };

/**
 * Finds out why trials failed, keeps it with their specs, and shows it in their reports.
 *
 * @param kept the passing trial of a spec that earlier runs kept; called only if no trial of this run passed
 */
export async function diagnose(
  runs: readonly SpecRun[],
  kept: (run: SpecRun) => Promise<KeptWay | undefined>,
): Promise<Diagnosed> {
  const graded = new Map(runs.map(run => [run, run.graded]));
  const bySpec = groupBy(graded, ([{ planned }]) => planName(planned));
  for (const run of runs) {
    const { passing, failed } = graded.get(run)!;
    if (!failed.length) continue;
    const own = compared({ from: 'trials' }, passing);
    const references = [...own, ...otherProjects(run, bySpec.get(planName(run.planned))!, !own.length)];
    const last = references.length ? undefined : await kept(run);
    if (last) references.push({ ways: new PassingWays({ from: last.from }, [last]), passing: [] });
    const partings = new Map(failed.map(lost => [lost.trial.index, partingsOf(lost, references)]));
    const { k } = run.planned.policy;
    run.diagnosis = diagnosisOf(failed, [...partings.values()].flat(), k)!;
    showDiagnosis(failed, run.diagnosis, partings, k);
  }
  const named = runs.flatMap(({ name, project, replayed, diagnosis }) =>
    diagnosis ? { name, spec: name, project, replayed, findings: diagnosis.findings } : [],
  );
  return { findings: sharedFindings(named.sort(byRowName)), failures: acrossProjects(bySpec) };
}

/** If several agents fail in the same way, the site is more likely at fault than the agents. */
function acrossProjects(bySpec: ReadonlyMap<string, readonly [SpecRun, Graded][]>): Diagnosed['failures'] {
  return [...bySpec]
    .map(([spec, runs]) => ({
      spec,
      failedIn: runs.filter(([{ replayed }, { failed }]) => !replayed && failed.length > 0),
    }))
    .filter(({ failedIn }) => failedIn.length > 1)
    .sort((a, b) => compareText(a.spec, b.spec))
    .map(({ spec, failedIn }) => ({
      spec,
      groups: failureGroups(failedIn.flatMap(([, { failed }]) => failed)),
    }));
}

function compared(who: PassingTrials, passing: readonly CountedTrial[]): Compared[] {
  return passing.length ? [{ ways: new PassingWays(who, passing), passing }] : [];
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
    .flatMap(([{ project }, { passing }]) => compared({ from: 'project', project }, passing));
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
    const { id: spec, describe } = planned;
    // Errors are reported where the run is compared with the baseline.
    wayOf ??= unlessBroken(() => baseline && resolve(folder, baseline), readHistory).then((runs = []) =>
      lastWays(runs),
    );
    const way = (await wayOf)({ spec, describe, project, replayed, specHash: subject?.specHash });
    if (way) return { from: 'baseline', facts: { way } };
    const recordings = resolve(folder, recordingsDir(config, run) ?? DEFAULT_RECORDINGS_DIR);
    const recording = await unlessBroken(() => recordingFile(recordings, planName(planned)), readRecording);
    // With another text of the spec, the way may differ.
    return recording?.specHash === subject?.specHash && recording
      ? { from: 'recording', facts: { way: wayOfTurns(recording.turns) } }
      : undefined;
  };
}

async function unlessBroken<Value>(
  fileOf: () => string | undefined,
  read: (text: string, file: string) => Value,
): Promise<Value | undefined> {
  try {
    const file = fileOf();
    return file === undefined ? undefined : read(await readFile(file, 'utf8'), file);
  } catch {
    return undefined;
  }
}

/** Where a failed trial left the way of passing ones, and the pictures of both. */
interface SeenParting extends FoundParting {
  /** The project of the passing trial, if it is another one. */
  of: string | undefined;
  pictures: Pictures | undefined;
}

type Pictures = Record<'expected' | 'actual', NonNullable<ReturnType<typeof pictureOfTurn>>>;

/** Where a failed trial left each of the ways. */
function partingsOf(lost: CountedTrial, references: readonly Compared[]): SeenParting[] {
  return references.flatMap(({ ways, passing }) => {
    const found = ways.partingOf(lost);
    if (!found) return [];
    const { expected, actual } = found.parting;
    const other = passing.find(({ trial }) => trial.index === expected.trial)?.result;
    const pictures = other && picturesOf(found.parting, other, lost.result);
    if (pictures) {
      expected.screenshot = pictures.expected.name;
      actual.screenshot = pictures.actual.name;
    }
    return { ...found, of: ways.who.project, pictures };
  });
}

/** What both trials saw before they parted. If they saw the same: what they saw after it. */
export function picturesOf(
  { kind, expected, actual }: Parting,
  passing: TestResult,
  lost: TestResult,
): Pictures | undefined {
  const pair = (a: number, b: number): Pictures | undefined => {
    const [one, other] = [pictureOfTurn(passing, a), pictureOfTurn(lost, b)];
    return one && other && { expected: one, actual: other };
  };
  const after = pair(expected.turn, actual.turn);
  const turn = kind === 'ended' ? actual.turn : actual.turn - 1;
  const sawBefore = kind === 'action' || kind === 'skipped' || kind === 'ended';
  const before = sawBefore ? pair(expected.turn - 1, turn) : undefined;
  return before && !sameBytes(before) ? before : (after ?? before);
}

function sameBytes({ expected, actual }: Pictures): boolean {
  try {
    const [one, other] = [expected, actual].map(({ body, path }) => body ?? readFileSync(path!));
    return one!.equals(other!);
  } catch {
    return false;
  }
}

/** @param partings by index of the trial */
function showDiagnosis(
  failed: readonly CountedTrial[],
  { groups }: Diagnosis,
  partings: ReadonlyMap<number, readonly SeenParting[]>,
  k: number,
): void {
  for (const { test, result, trial, facts } of failed) {
    // Passing trials of another agent often do the same as the agent's own: show it once.
    const shown = partings
      .get(trial.index)!
      .filter(({ parting }, at, all) => at === 0 || !isSame(parting, all[0]!.parting));
    const [finding] = facts.findings;
    const group = groups.find(({ trials }) => trials.includes(trial.index))!;
    // Each annotation goes above the earlier ones.
    if (finding) annotate(test, result, IN_THE_WAY, findingLine(finding));
    const texts = shown.map(({ parting }) => parting.text);
    if (texts.length) annotate(test, result, 'parted', oneLine(texts.join('; '), 1_000));
    annotate(test, result, 'diagnosis', oneLine(headlineOf(group, failed.length, k), 1_000));
    for (const { parting, of, pictures } of shown) {
      markTurn(result, parting.turn, '(first difference from passing trials)');
      const from = of === undefined ? '' : `-from-${of.replace(/[^\p{L}\p{N}]+/gu, '-')}`;
      if (pictures) showSideBySide(result, `parted${from}-at-turn-${parting.turn}`, pictures);
    }
  }
}

const isSame = (one: Parting, other: Parting) =>
  one.kind === other.kind && one.turn === other.turn && one.expected.did === other.expected.did;
