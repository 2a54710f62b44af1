// The settings of a run: where its config is, and what the command asks for that started it (`taskproof confirm` runs candidates again,
// `taskproof probe` runs every spec without its agent, `taskproof judge check` asks judges about kept trials). An environment variable
// names the file with the command's settings.
import { readFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';
import { z } from 'zod';
import { isInteractive } from '../inside/command-line';
import { isJudged } from './ledger';

/** Without a config file, Playwright uses the folder that it was started in. */
export function folderOf({ configFile, rootDir }: Pick<FullConfig, 'configFile' | 'rootDir'>): string {
  return configFile ? dirname(configFile) : rootDir;
}

/** A path with slashes, as plans and records have it. */
export const posix = (path: string) => path.split(sep).join('/');

/** Names the file with a CheckRun. */
export const CHECK_RUN = 'TASKPROOF_CHECK_RUN';
/** Set by `taskproof resume` and `regrade`: the folder of the kept run. */
export const RESUME = 'TASKPROOF_RESUME';
/** Set by `taskproof regrade`: no trial runs. */
export const REGRADE = 'TASKPROOF_REGRADE';
export const isRegrading = () => process.env[REGRADE] !== undefined;

const wantedSchema = z.object({
  project: z.string(),
  /** Its name, as `planName` returns it. */
  spec: z.string(),
  /** The number of failures that settles the answer; null if no number does. */
  enough: z.number().nullable(),
  /** The most fresh trials. If `enough` failures can't be reached any more, that settles the answer, too. */
  trials: z.number(),
  /** US dollars that a trial costs at most, as far as known. */
  trialUsd: z.number(),
});

const checkRunSchema = z.object({
  /** `judge`: no trial runs, judges grade labelled trials again. */
  purpose: z.enum(['confirm', 'probe', 'judge']),
  /** The only file that the reporter writes: the results. */
  outputFile: z.string(),
  labelsFile: z.string().optional(),
  /** The specs to run. Default: all. */
  wanted: z.array(wantedSchema).optional(),
  /** US dollars; a trial that might exceed it does not start. */
  maxCostUsd: z.number().optional(),
});

export type CheckRun = z.infer<typeof checkRunSchema>;
export type Wanted = z.infer<typeof wantedSchema>;

/** What the command that started this run asks for; undefined in an ordinary run. */
export function checkRun(): CheckRun | undefined {
  const file = process.env[CHECK_RUN];
  return file ? checkRunSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/** Added to a trial's index for its seed: fresh trials must not repeat those of the earlier run. */
export const seedOffset = () => (checkRun()?.purpose === 'confirm' ? 1_000_000 : 0);

/** A trial's options in this run. In a probe, the agent does nothing, and there is no judge. */
export function optionsInRun(options: unknown): unknown {
  const run = checkRun();
  if (!run || typeof options !== 'object' || options === null) return options;
  const own = { ...options, earlyStop: false, record: false };
  if (run.purpose !== 'probe') return own;
  // A probe types nothing, so it needs no secrets.
  return { ...own, agent: { name: 'nothing', run: async () => {} }, judge: undefined, secrets: undefined };
}

/** What decides about a trial besides its own plan and options. */
export interface RunSettings extends Partial<Pick<CheckRun, 'purpose' | 'wanted' | 'maxCostUsd'>> {
  /** Whether our reporter gives verdicts. */
  judged: boolean;
  /** UI mode, `--debug`, editors: a person picks one trial. */
  interactive: boolean;
  /** Whether `resume` or `regrade` started it. */
  continues: boolean;
}

export function runSettings(): RunSettings {
  const continues = process.env[RESUME] !== undefined;
  return { ...checkRun(), judged: isJudged(), interactive: isInteractive(), continues };
}
