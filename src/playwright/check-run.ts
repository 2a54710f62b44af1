// A run that a command of ours started: `taskproof confirm` runs candidates again, `taskproof probe` runs every spec without its
// agent. An environment variable names a file with its settings, for the main process and the workers.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Names the file with a CheckRun. */
export const CHECK_RUN = 'TASKPROOF_CHECK_RUN';

const wantedSchema = z.object({
  project: z.string(),
  /** Its name, as `nameOf` returns it. */
  spec: z.string(),
  /** So many failures settle the answer; null if no number does. */
  enough: z.number().nullable(),
  /** By number of graded trials: so few failures settle the answer, too. */
  hopeless: z.array(z.number()),
  /** US dollars that a trial costs at most, as far as known. */
  trialUsd: z.number(),
});

const checkRunSchema = z.object({
  purpose: z.enum(['confirm', 'probe']),
  /** Gets the results. The reporter writes nothing else. */
  outputFile: z.string(),
  /** The specs to run. Default: all. */
  wanted: z.array(wantedSchema).optional(),
  /** US dollars; a trial that might exceed it does not start. */
  maxCostUsd: z.number().optional(),
});

export type CheckRun = z.infer<typeof checkRunSchema>;
export type Wanted = z.infer<typeof wantedSchema>;

let known: { file: string; run: CheckRun } | undefined;

/** Undefined in an ordinary run. */
export function checkRun(): CheckRun | undefined {
  const file = process.env[CHECK_RUN];
  if (!file) return undefined;
  if (known?.file !== file)
    known = { file, run: checkRunSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  return known.run;
}

/** What a confirmation asks about this spec. */
export function wantedOf(project: string, spec: string): Wanted | undefined {
  return checkRun()?.wanted?.find(one => one.project === project && one.spec === spec);
}

/** @returns what to add to a trial's index for its seed: fresh trials must not repeat those of the earlier run. */
export function seedOffset(): number {
  return checkRun()?.purpose === 'confirm' ? 1_000_000 : 0;
}

/** A trial's options in this run. A probe's agent does nothing, and a probe has neither judge nor recordings. */
export function checkedOptions(options: unknown): unknown {
  const run = checkRun();
  if (!run || typeof options !== 'object' || options === null) return options;
  const own = { ...options, earlyStop: false, record: false };
  if (run.purpose === 'confirm') return own;
  // Nothing is typed, so no secret is missing.
  return { ...own, agent: { name: 'nothing', run: async () => {} }, judge: undefined, secrets: undefined };
}
