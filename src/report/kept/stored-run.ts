// The files of kept runs, beside the config: a folder for each run, with a file for each trial.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { compareText, sumOf } from '../../data/collections';
import { type Plan, planKey } from '../../data/plan';
import { isOurReporter } from '../../playwright/inside/command-line';
import { removeFolder } from '../../text/file';
import { unlessBroken } from '../../text/line';
import { sha256, storedSpecSchema } from './stored-spec';

export const STORE_FOLDER = '.taskproof';

/** Whether a run with these reporters, as on the command line, takes trials from a kept one. */
export const isKeptBy = (reporters: string) => reporters.split(',').some(isOurReporter);

/** How much is kept, with the new run. */
const MAX_RUNS = 10;
const MAX_BYTES = 2_000_000_000;

const storedRunSchema = z.object({
  storeVersion: z.literal(1),
  startedAt: z.string(),
  resumedAt: z.string().optional(),
  /** For the values of `{{unique}}`. */
  runId: z.string(),
  args: z.array(z.string()),
  /** The folder that the arguments are relative to, from the config's. */
  cwd: z.string().optional(),
  configFile: z.string().optional(),
  shard: z.string().nullable(),
  specs: z.array(storedSpecSchema),
  /** How many of its trials have no grade; missing if the run was interrupted. */
  ungraded: z.number().optional(),
  failedBesides: z.array(z.string()).optional(),
  /** When it was last regraded, and which trials could not be, and why. */
  regraded: z.object({ at: z.string(), unknown: z.array(z.string()) }).optional(),
});
export type StoredRun = z.infer<typeof storedRunSchema>;

const storedTrialSchema = z.object({
  /** `resume` plays errors again. */
  outcome: z.enum(['passed', 'failed', 'error']),
  costUsd: z.number().nullable(),
  status: z.enum(['passed', 'failed', 'timedOut', 'skipped', 'interrupted']),
  duration: z.number(),
  errors: z.array(z.record(z.string(), z.unknown())),
  annotations: z.array(z.looseObject({ type: z.string(), description: z.string().optional() })),
  attachments: z.array(
    z.object({
      name: z.string(),
      contentType: z.string(),
      body: z.string().transform(text => Buffer.from(text, 'base64')),
    }),
  ),
});

export const runFileIn = (folder: string) => join(folder, 'run.json');

/** Undefined if the file is not there, or broken. */
const stored = <Schema extends z.ZodType>(file: string, schema: Schema): z.infer<Schema> | undefined =>
  unlessBroken(() => schema.parse(JSON.parse(readFileSync(file, 'utf8'))));

export const storedRun = (folder: string) => stored(runFileIn(folder), storedRunSchema);
export const readTrial = (file: string) => stored(file, storedTrialSchema);

/** The folders of all runs that are kept, the latest last: they are numbered, since a clock may go back. */
export function storedRuns(configFolder: string): string[] {
  return namesIn(configFolder)
    .map(name => join(configFolder, STORE_FOLDER, name))
    .filter(folder => storedRun(folder));
}

export function namesIn(configFolder: string): string[] {
  const names = unlessBroken(() => readdirSync(join(configFolder, STORE_FOLDER))) ?? [];
  return names.sort((a, b) => numberOf(a) - numberOf(b) || compareText(a, b));
}

export const numberOf = (name: string) => Number.parseInt(name, 10) || 0;

export function trialFile(folder: string, project: string, plan: Plan, index: number): string {
  return join(folder, `${sha256(planKey(project, plan)).slice(0, 32)}-${index}.json`);
}

export function removeOld(configFolder: string): void {
  let bytes = 0;
  for (const [age, folder] of storedRuns(configFolder).reverse().entries()) {
    bytes += sumOf(readdirSync(folder), name => statSync(join(folder, name)).size);
    if (age + 1 >= MAX_RUNS || bytes > MAX_BYTES) removeFolder(folder);
  }
}
