// Shows a diagnosis at the top of each failed trial's page in the HTML report.
import { readFileSync } from 'node:fs';
import type { TestResult } from '@playwright/test/reporter';
import { annotate, markTurn, pictureOf, showSideBySide } from '../playwright/runner';
import { oneLine } from '../trial/safe-text';
import { headlineOf } from '../verdicts/diagnosis';
import type { Diagnosis, Parting } from '../verdicts/shapes';
import type { SpecRun } from './spec-run';
import { findingLine, IN_THE_WAY } from './trial-notes';

/** Where a failed trial left the way of passing ones, and the pictures of both. */
export interface FoundParting {
  parting: Diagnosis['partings'][number];
  /** The project of the passing trial, if it is another one. */
  of: string | undefined;
  pictures: Pictures | undefined;
}

type Pictures = Record<'expected' | 'actual', NonNullable<ReturnType<typeof pictureOf>>>;

/** What both trials saw before they parted. If they saw the same: what they saw after it. */
export function picturesOf(
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
    kind === 'action' || kind === 'skipped'
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

/** @param partings by index of the trial */
export function showDiagnosis(
  failed: SpecRun['graded']['failed'],
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
    // Passing trials of another agent often do the same as the agent's own: show it once.
    const shown = partings
      .get(trial.index)!
      .filter(({ parting }, at, all) => at === 0 || !isSame(parting, all[0]!.parting));
    const [finding] = own.findings;
    // Each annotation goes above the earlier ones.
    if (finding) annotate(test, result, IN_THE_WAY, findingLine(finding));
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
