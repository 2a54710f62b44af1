// The diagnosis of each spec that has failed trials: in the results, and where readers of the HTML report meet it first.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FullConfig, TestResult } from '@playwright/test/reporter';
import {
  DEFAULT_RECORDINGS_DIR,
  type Recording,
  readRecording,
  recordingFile,
} from '../agents/replay/recording';
import { nameOf } from '../playwright/annotations';
import { annotate, markTurn, pictureOf, showSideBySide } from '../playwright/runner';
import { oneLine } from '../trial/safe-text';
import { diagnosisOf, headlineOf } from '../verdicts/diagnosis';
import { compareText } from '../verdicts/diff';
import { type HistoryRun, lastWay } from '../verdicts/history';
import { type PassingTrial, PassingWays } from '../verdicts/parting';
import type { Diagnosis, Parting, PassingTrials, Way } from '../verdicts/shapes';
import { readHistory } from './baseline';
import { wayOfTurns } from './evidence';
import { recordingsDir } from './recordings';
import type { Entry, SpecRun } from './spec-run';
import { findingLine } from './trial-notes';
import type { ReporterOptions } from './write';

/** Other projects that a failed trial is compared with. */
const MOST_PROJECTS = 3;

/** What was kept of a passing trial of earlier runs, and where. */
export interface KeptWay {
  from: 'baseline' | 'recording';
  way: Way;
}

/** What is found out about a spec in a project. */
export interface Diagnosed {
  diagnosis?: Diagnosis;
  /** Of the most usual passing trial. */
  way?: Way;
}

type Graded = SpecRun['graded'];
/** Passing trials with their pictures. */
type Compared = { ways: PassingWays; trials: ReadonlyMap<string, Entry> };

/**
 * Finds out and shows why trials failed.
 *
 * @param kept what earlier runs left of a spec; asked for if no trial of this run passed
 */
export async function diagnose(
  runs: readonly SpecRun[],
  kept: (run: SpecRun) => Promise<KeptWay | undefined>,
): Promise<Map<SpecRun, Diagnosed>> {
  const graded = new Map(runs.map(run => [run, run.graded]));
  const found = new Map<SpecRun, Diagnosed>();
  for (const run of runs) {
    const { passing, failed } = graded.get(run)!;
    const own = compared({ from: 'trials' }, passing);
    const way = own?.ways.usual;
    if (!failed.length) {
      found.set(run, way ? { way } : {});
      continue;
    }
    const references = [...(own ? [own] : []), ...otherProjects(run, graded)];
    if (!references.length) references.push(...keptWay(await kept(run)));
    const partings = new Map(failed.map(entry => [entry.trial.index, partingsOf(entry, references)]));
    const { k } = run.planned.policy;
    const diagnosis = diagnosisOf(
      failed.map(({ failed }) => failed),
      [...partings.values()].flat().map(({ parting }) => parting),
      k,
    )!;
    found.set(run, { diagnosis, ...(way ? { way } : {}) });
    show(failed, diagnosis, partings, k);
  }
  return found;
}

function compared(who: PassingTrials, passing: readonly (PassingTrial & Entry)[]): Compared | undefined {
  if (!passing.length) return undefined;
  const trials = new Map(passing.map(trial => [keyOf(trial), trial]));
  return { ways: new PassingWays(who, passing), trials };
}

const keyOf = ({ project, index }: { project?: string; index?: number }) => JSON.stringify([project, index]);

/** Where one agent passes a spec and another fails it, the one shows what the other missed. */
function otherProjects(run: SpecRun, graded: ReadonlyMap<SpecRun, Graded>): Compared[] {
  if (run.replayed || run.verdict.verdict !== 'failed') return [];
  return [...graded]
    .filter(
      ([other]) =>
        other !== run &&
        !other.replayed &&
        nameOf(other.planned) === nameOf(run.planned) &&
        other.verdict.verdict === 'passed',
    )
    .sort(([a], [b]) => compareText(a.project, b.project))
    .slice(0, MOST_PROJECTS)
    .flatMap(([{ project }, { passing }]) => compared({ from: 'project', project }, passing) ?? []);
}

/** The last passing trial that the baseline keeps; without one, the recording beside the suite. */
export function keptWays(
  config: FullConfig,
  folder: string,
  { baseline }: Pick<ReporterOptions, 'baseline'>,
): (run: SpecRun) => Promise<KeptWay | undefined> {
  let history: Promise<HistoryRun[]> | undefined;
  return async run => {
    const { planned, project, replayed, subject } = run;
    const row = {
      spec: planned.id,
      describe: planned.describe,
      project,
      replayed,
      specHash: subject?.specHash,
    };
    // What can't be read is told where the run is compared with it.
    history ??= baseline === undefined ? Promise.resolve([]) : historyIn(resolve(folder, baseline));
    const way = lastWay(await history, row);
    if (way) return { from: 'baseline', way };
    const recording = await recordingIn(
      resolve(folder, recordingsDir(config, run) ?? DEFAULT_RECORDINGS_DIR),
      run,
    );
    // Of another text of the spec it may be another way.
    return recording?.specHash === subject?.specHash && recording
      ? { from: 'recording', way: wayOfTurns(recording.turns) }
      : undefined;
  };
}

async function historyIn(file: string): Promise<HistoryRun[]> {
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
    const passing = trials.get(keyOf({ project: expected.project, index: expected.trial }))?.result;
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

interface FoundParting {
  parting: Diagnosis['partings'][number];
  /** The other project that the passing trial is of. */
  of: string | undefined;
  pictures: Pictures | undefined;
}
type Pictures = Record<'expected' | 'actual', NonNullable<ReturnType<typeof pictureOf>>>;

/** What both saw before they parted; if they saw the same, what came of it. */
function picturesOf(
  { kind, expected, actual }: Parting,
  passing: TestResult,
  lost: TestResult,
): Pictures | undefined {
  const pair = (a: number, b: number): Pictures | undefined => {
    const [one, other] = [pictureOf(passing, a), pictureOf(lost, b)];
    return one && other && { expected: one, actual: other };
  };
  const after = pair(expected.turn, actual.turn);
  const before =
    kind === 'action'
      ? pair(expected.turn - 1, actual.turn - 1)
      : kind === 'ended'
        ? pair(expected.turn - 1, actual.turn)
        : undefined;
  return before && !sameBytes(before) ? before : (after ?? before);
}

function sameBytes({ expected, actual }: Pictures): boolean {
  const [one, other] = [expected, actual].map(bytesOf);
  return one !== undefined && other !== undefined && one.equals(other);
}

function bytesOf({ body, path }: Pictures['actual']): Buffer | undefined {
  try {
    return body ?? readFileSync(path!);
  } catch {
    return undefined;
  }
}

/** On the page of each failed trial, above all else. */
function show(
  failed: Graded['failed'],
  { groups }: Diagnosis,
  partings: ReadonlyMap<number, readonly FoundParting[]>,
  k: number,
): void {
  const headlines = new Map(
    groups.flatMap(group => {
      const headline = headlineOf(group, failed.length, k);
      return group.trials.map(index => [index, headline]);
    }),
  );
  for (const { test, result, trial, failed: own } of failed) {
    // Passing trials of another agent often did what those of the trial's own did: once is enough.
    const shown = partings
      .get(trial.index)!
      .filter(({ parting }, at, all) => at === 0 || !isSame(parting, all[0]!.parting));
    const [finding] = own.findings;
    // Each goes above those before it.
    if (finding) annotate(test, result, 'in the way', findingLine(finding));
    const texts = shown.map(({ parting }) => parting.text);
    if (texts.length) annotate(test, result, 'parted', oneLine(texts.join('; '), 1_000));
    annotate(test, result, 'diagnosis', oneLine(headlines.get(trial.index)!, 1_000));
    for (const { parting, of, pictures } of shown) {
      markTurn(result, parting.turn, '(here it left the way of passing trials)');
      const from = of === undefined ? '' : `-from-${of.replace(/[^\p{L}\p{N}]+/gu, '-')}`;
      if (pictures) showSideBySide(result, `parted${from}-at-turn-${parting.turn}`, pictures);
    }
  }
}

const isSame = (one: Parting, other: Parting) =>
  one.kind === other.kind && one.turn === other.turn && one.expected.did === other.expected.did;
