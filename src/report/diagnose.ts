// The diagnosis of each spec that has failed trials: in the results, and where readers of the HTML report meet it first.
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
import { annotate, pictureOf, showParting } from '../playwright/runner';
import { oneLine } from '../trial/safe-text';
import { diagnosisOf, headlineOf } from '../verdicts/diagnosis';
import { compareText } from '../verdicts/diff';
import { type HistoryRun, lastWay } from '../verdicts/history';
import { type PassingTrial, PassingWays } from '../verdicts/parting';
import type { Diagnosis, PassingTrials, Way } from '../verdicts/shapes';
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
    const partings = failed.flatMap(entry => partingsOf(entry, references));
    const { k } = run.planned.policy;
    const diagnosis = diagnosisOf(
      failed.map(({ failed }) => failed),
      partings,
      k,
    )!;
    found.set(run, { diagnosis, ...(way ? { way } : {}) });
    show(failed, diagnosis, k);
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

/** Where a failed trial left each of the ways, with the pictures of both shown in it. */
function partingsOf(
  { trial, way, result }: Graded['failed'][number],
  references: readonly Compared[],
): Diagnosis['partings'] {
  return references.flatMap(({ ways, trials }) => {
    const parting = ways.partingOf({ status: trial.status, way });
    if (!parting) return [];
    const { turn, expected, actual } = parting;
    const passing = trials.get(keyOf({ project: expected.project, index: expected.trial }))?.result;
    const pictures = {
      expected: passing && pictureOf(passing, expected.turn),
      actual: pictureOf(result, turn),
    };
    showParting(result, turn, pictures, ways.who.project);
    const named = (result: TestResult | undefined, side: typeof expected) => {
      const screenshot = result && pictureOf(result, side.turn)?.name;
      return screenshot ? { ...side, screenshot } : side;
    };
    return [
      { ...parting, index: trial.index, expected: named(passing, expected), actual: named(result, actual) },
    ];
  });
}

/** On the page of each failed trial, above all else. */
function show(failed: Graded['failed'], { groups, partings }: Diagnosis, k: number): void {
  const headlines = new Map(
    groups.flatMap(group => {
      const headline = headlineOf(group, failed.length, k);
      return group.trials.map(index => [index, headline]);
    }),
  );
  const texts = new Map<number, string[]>();
  for (const { index, text } of partings) texts.set(index, [...(texts.get(index) ?? []), text]);
  for (const { test, result, trial, failed: own } of failed) {
    const said = [headlines.get(trial.index)!, ...(texts.get(trial.index) ?? [])];
    const [finding] = own.findings;
    if (finding) said.push(findingLine(finding));
    annotate(test, result, 'diagnosis', oneLine(said.join('. '), 1_000));
  }
}
