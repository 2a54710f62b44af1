// A run that the command line started for a purpose of its own: `taskproof confirm` plays candidates again, `taskproof probe` every
// spec without its agent. What it wants is in a file that an environment variable names, for the main process and the workers.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Names the file with a CheckRun. */
export const CHECK_RUN = 'TASKPROOF_CHECK_RUN';

const wantedSchema = z.object({
  project: z.string(),
  /** What it is known by, as `nameOf` has it. */
  spec: z.string(),
  /** Failures that settle it; null where none do. */
  enough: z.number().nullable(),
  /** By graded trials: so many failures or fewer settle it, too. */
  hopeless: z.array(z.number()),
  /** US dollars that a trial costs at most, as far as is known. */
  trialUsd: z.number(),
});

const checkRunSchema = z.object({
  purpose: z.enum(['confirm', 'probe']),
  /** Takes the results, instead of all that the suite's own reporter writes. */
  outputFile: z.string(),
  /** What is played; all specs if left out. */
  wanted: z.array(wantedSchema).optional(),
  /** US dollars; no trial starts that may pass it. */
  maxCostUsd: z.number().optional(),
});

export type CheckRun = z.infer<typeof checkRunSchema>;
export type Wanted = z.infer<typeof wantedSchema>;

let known: { file: string; run: CheckRun } | undefined;

/** Undefined in a run of the suite's own. */
export function checkRun(): CheckRun | undefined {
  const file = process.env[CHECK_RUN];
  if (!file) return undefined;
  if (known?.file !== file)
    known = { file, run: checkRunSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  return known.run;
}

/** What a confirmation wants of this spec. */
export function wantedOf(project: string, spec: string): Wanted | undefined {
  return checkRun()?.wanted?.find(one => one.project === project && one.spec === spec);
}

/**
 * Fresh trials must not be those of the run before played again: their seeds are others.
 *
 * @returns what is added to a trial's index, for its seed.
 */
export function seedOffset(): number {
  return checkRun()?.purpose === 'confirm' ? 1_000_000 : 0;
}

/** The options of a trial as this run wants them: a probe's agent does nothing, and nothing is judged or kept. */
export function checkedOptions(options: unknown): unknown {
  const run = checkRun();
  if (!run || typeof options !== 'object' || options === null) return options;
  const own = { ...options, earlyStop: false, record: false };
  if (run.purpose === 'confirm') return own;
  // Nothing is typed, so that no secret is missing.
  return { ...own, agent: { name: 'nothing', run: async () => {} }, judge: undefined, secrets: undefined };
}
