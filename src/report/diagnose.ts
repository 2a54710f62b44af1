// Diagnoses each spec that has failed trials, compared with passing ones, and shows it at the top of each failed trial's page.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FullConfig, TestResult } from '@playwright/test/reporter';
import { readHistory } from '../data/baseline';
import { compareText, groupBy } from '../data/collections';
import type { Diagnosis, FoundInTheWay, Parting, PassingTrials, SharedFinding, Way } from '../data/diagnosis';
import { byRowName, planName, specName } from '../data/plan';
import { readRecording, recordingFile } from '../data/recording';
import type { Comparison } from '../data/verdict';
import { annotate, markTurn, pictureOfTurn, showSideBySide } from '../playwright/inside/results';
import { oneLine, unlessBroken } from '../text/line';
import {
  causesIn,
  diagnosisOf,
  failureGroups,
  headlineOf,
  type LostTrial,
  sharedFindings,
} from '../verdicts/diagnosis/groups';
import { PassingWays } from '../verdicts/diagnosis/parting';
import { atPlace } from '../verdicts/diagnosis/places';
import { suspectOf } from '../verdicts/diagnosis/requests';
import { type Facts, saidSince, unusual, wayOfTurns } from '../verdicts/diagnosis/way';
import { lastWay } from '../verdicts/history';
import { recordingsToCompare } from './recordings';
import { findingLine, IN_THE_WAY, PAGE_SAID } from './render/trial-notes';
import type { CountedTrial, SpecRun } from './spec-run';

type Failures = NonNullable<Comparison['failures']>;
export type Diagnosed = { findings: readonly SharedFinding[]; failures: Failures };

type GradedRun = SpecRun['graded'] & { run: SpecRun };

type Reference = NonNullable<ReturnType<typeof referenceOf>>;

/** @param kept the passing trial of a spec that earlier runs kept; called only if no trial of this run passed */
export function diagnose(runs: readonly SpecRun[], kept: (run: SpecRun) => Reference | undefined): Diagnosed {
  const all = runs.map((run): GradedRun => ({ run, ...run.graded }));
  // Packages of a monorepo may have different specs of one id.
  const keyOf = (run: SpecRun) => JSON.stringify([planName(run.planned), run.specHash]);
  const bySpec = groupBy(all, ({ run }) => keyOf(run));
  for (const { run, passing, failed } of all) {
    if (!failed.length) continue;
    const reference =
      referenceOf({ from: 'trials' }, passing) ?? otherProject(run, bySpec.get(keyOf(run))!) ?? kept(run);
    const lost = failed.map(trial => compared(trial, reference));
    const { k } = run.planned.policy;
    run.diagnosis = diagnosisOf(lost, k)!;
    showDiagnosis(lost, run.diagnosis, k);
  }
  const named = runs.flatMap(({ row, diagnosis }) =>
    diagnosis ? { name: specName(row), ...row, findings: diagnosis.findings } : [],
  );
  return { findings: sharedFindings(named.sort(byRowName)), failures: acrossProjects([...bySpec.values()]) };
}

/** If several agents fail in the same way, the site is more likely at fault than the agents. */
function acrossProjects(bySpec: readonly (readonly GradedRun[])[]): Failures {
  const all = bySpec.flatMap(runs => {
    const failedIn = runs.filter(({ run, failed }) => !run.planned.replayed && failed.length > 0);
    const failed = failedIn.flatMap(each => each.failed);
    const [first, second] = failedIn;
    return second ? { spec: planName(first!.run.planned), groups: failureGroups(failed) } : [];
  });
  return all.sort((a, b) => compareText(a.spec, b.spec));
}

/** What failed trials are compared with. Of earlier runs, there are no passing trials, but only a way. */
function referenceOf(who: PassingTrials, passing: readonly CountedTrial[], isSameAgent = true) {
  if (!passing.length) return undefined;
  const sent: Pick<Facts, 'way' | 'requests'>[] = passing.map(({ facts }) => facts);
  // What passing trials of the same agent met, too. What another agent met says nothing about this one.
  const usual: FoundInTheWay[] = isSameAgent ? passing.flatMap(({ facts }) => facts.others) : [];
  return { ways: new PassingWays(who, passing), passing, sent, usual };
}

/** If one agent passes a spec that another fails, its trials show what the other missed. */
function otherProject(run: SpecRun, runs: readonly GradedRun[]): Reference | undefined {
  if (run.planned.replayed) return undefined;
  const [nearest] = runs
    .filter(({ run: { planned }, passing }) => !planned.replayed && passing.length > 0)
    .sort((a, b) => sameAgent(run, b) - sameAgent(run, a) || compareText(a.run.project, b.run.project));
  if (!nearest) return undefined;
  const { project } = nearest.run;
  return referenceOf({ from: 'project', project }, nearest.passing, sameAgent(run, nearest) > 0);
}

/** The same agent in another browser, or on another deployment, takes the most similar way. */
const sameAgent = ({ subject }: SpecRun, { run: other }: GradedRun) =>
  Number(subject?.agent === other.subject?.agent && subject?.model === other.subject?.model);

/** @param baseline the file, if there is one */
export function keptWays(config: FullConfig, folder: string, baseline?: string) {
  // Errors are reported where the run is compared with the baseline.
  const read = () => unlessBroken(() => baseline && readFrom(resolve(folder, baseline), readHistory)) || [];
  let history: ReturnType<typeof read> | undefined;
  return (run: SpecRun): Reference | undefined => {
    const { planned, project, specHash } = run;
    const { id: spec, describe, replayed } = planned;
    history ??= read();
    const way = lastWay(history, { spec, describe, project, replayed, specHash });
    if (way) return keptWay('baseline', way);
    const recordings = resolve(folder, recordingsToCompare(config, run));
    const recording = unlessBroken(() =>
      readFrom(recordingFile(recordings, planName(planned)), readRecording),
    );
    // If the spec has changed since, the way may have, too.
    if (!recording || recording.specHash !== specHash) return undefined;
    return keptWay('recording', wayOfTurns(recording.turns));
  };
}

const keptWay = (from: 'baseline' | 'recording', way: Way): Reference => ({
  ways: new PassingWays({ from }, [{ facts: { way } }]),
  passing: [],
  sent: way.requests ? [{ way, requests: way.requests }] : [],
  usual: way.findings ?? [],
});

const readFrom = <Value>(file: string, read: (text: string, file: string) => Value) =>
  read(readFileSync(file, 'utf8'), file);

type Pictures = Record<'expected' | 'actual', NonNullable<ReturnType<typeof pictureOfTurn>>>;
type ComparedTrial = CountedTrial & LostTrial & { pictures?: Pictures | undefined };

function compared(lost: CountedTrial, reference: Reference | undefined): ComparedTrial {
  const { passing = [], sent = [], usual = [] } = reference ?? {};
  const found = reference?.ways.partingOf(lost);
  const facts = unusual(atPlace(lost.facts, found?.sought), usual);
  const since = found?.parting.turn ?? lost.trial.turns - 1;
  const passed = passing.map(({ facts }) => facts);
  const beside = passing.find(({ trial }) => trial.index === found?.parting.expected.trial);
  const pictures = beside && picturesOf(found!.parting, beside.result, lost.result);
  for (const side of ['expected', 'actual'] as const)
    if (pictures) found!.parting[side].screenshot = pictures[side].name;
  const suspect = suspectOf({ ...lost, facts }, sent, found?.parting);
  const pageSaid = saidSince(since, facts, passed);
  return { ...lost, facts, found, suspect, pageSaid, pictures };
}

/** What both trials saw before they parted. If they saw the same: what they saw after it. */
export function picturesOf({ kind, expected, actual }: Parting, passing: TestResult, lost: TestResult) {
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

const sameBytes = ({ expected, actual }: Pictures) =>
  unlessBroken(() => {
    const [one, other] = [expected, actual].map(({ body, path }) => body ?? readFileSync(path!));
    return one!.equals(other!);
  });

function showDiagnosis(failed: readonly ComparedTrial[], { groups }: Diagnosis, k: number): void {
  for (const { test, result, trial, facts, found, suspect, pageSaid, pictures } of failed) {
    const group = groups.find(({ trials }) => trials.includes(trial.index))!;
    const { parting } = found ?? {};
    const [finding] = causesIn(facts, suspect);
    // Each annotation goes above the earlier ones.
    if (pageSaid) annotate(test, result, PAGE_SAID, `"${oneLine(pageSaid, 300)}"`);
    if (suspect && !group.request) annotate(test, result, 'request', suspect.text);
    if (finding) annotate(test, result, IN_THE_WAY, findingLine(finding));
    if (parting) annotate(test, result, 'parted', oneLine(parting.text, 1_000));
    annotate(test, result, 'diagnosis', oneLine(headlineOf(group, failed.length, k), 1_000));
    if (parting) markTurn(result, parting.turn, '(first difference from passing trials)');
    if (parting && pictures) showSideBySide(result, `parted-at-turn-${parting.turn}`, pictures);
  }
}
