// Kept trials that a judge has graded, for people to label; and copies of labelled ones, since old runs are removed.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Label } from '../../data/labels';
import { planName } from '../../data/plan';
import { RECORD_ATTACHMENT, readRecord } from '../../data/record';
import type { EarlierResult } from '../../playwright/inside/results';
import { goalOf, RUBRIC } from '../../playwright/run/plan';
import type { KeptTrial } from '../../playwright/run/regrade';
import { readTrial, STORE_FOLDER, storedRun, storedRuns, trialFile } from '../kept/stored-run';
import { sha256 } from '../kept/stored-spec';

export type Candidate = Omit<Label, 'label' | 'at'> & { file: string };

/** Of the last `runs` runs, the newest first. */
export function candidatesIn(configFolder: string, runs: number): Candidate[] {
  const folders = storedRuns(configFolder).reverse().slice(0, runs);
  return folders.flatMap(folder =>
    storedRun(folder)!.specs.flatMap(({ project, plan }) => {
      const { rubricHash: rubric } = plan;
      const indexes = rubric === undefined ? [] : Array.from({ length: plan.policy.k }, (_, index) => index);
      return indexes.flatMap(index => {
        const file = trialFile(folder, project, plan, index);
        const kept = readKept(file);
        if (!kept?.record.judge) return [];
        const { startedAt: run } = kept.record;
        return { spec: planName(plan), project, trial: kept.trial, rubric: rubric!, run, index, file };
      });
    }),
  );
}

export type ReadTrial = KeptTrial & { trial: string; goal: string };
type Evidence = Pick<EarlierResult, 'attachments' | 'annotations'>;

/** Undefined if it is not kept, or has no record. */
export function readKept(file: string): ReadTrial | undefined {
  const kept = readTrial(file);
  return kept && evidenceIn(kept);
}

export function evidenceIn({ attachments, annotations }: Evidence): ReadTrial | undefined {
  const attached = attachments.findLast(({ name }) => name === RECORD_ATTACHMENT);
  const record = attached && readRecord(attached.body!.toString('utf8'));
  if (!record) return undefined;
  const trial = sha256(attached.body!).slice(0, 32);
  const images = attachments.filter(({ contentType }) => contentType === 'image/jpeg');
  const pictures = new Map(images.map(({ name, body }) => [name, body!]));
  const rubric = annotations.find(({ type }) => type === RUBRIC)?.description;
  return { trial, record, rubric, goal: goalOf({ annotations }), pictures };
}

const copyOf = (configFolder: string, trial: string) =>
  join(configFolder, STORE_FOLDER, 'labelled', `${trial}.json`);

export function keepLabelled(configFolder: string, { file, trial }: Candidate): void {
  const copy = copyOf(configFolder, trial);
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(file, copy);
}

export const readLabelled = (configFolder: string, trial: string) => readKept(copyOf(configFolder, trial));
