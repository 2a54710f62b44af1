// The plan of the whole run in the config's metadata, which travels in blobs: a shard whose blob is missing may have had all trials of
// a spec.
import { z } from 'zod';
import { planSchema } from '../data/plan';

const keptRunSchema = z.object({
  startedAt: z.string(),
  /** `1/4`; null if the run is not sharded. */
  shard: z.string().nullable(),
  /** The CI's id of the run that this is part of; null if there is none. */
  ciRun: z.string().nullable(),
  /** The command line selected only some tests. */
  filtered: z.boolean().optional(),
  /** The specs of a whole run, each in its project. */
  plan: z.array(z.object({ project: z.string(), spec: planSchema })),
});

/** A run, or a shard of one, as its blob describes it. */
export type KeptRun = z.infer<typeof keptRunSchema>;

type WithMetadata = { metadata: Record<string, unknown> };

/**
 * Each run has its own key, so that merging keeps them all. Checked on Playwright 1.65: the runner itself adds to the metadata after
 * `onConfigure`, and merge-reports merges it key by key.
 */
export function keepRun(config: WithMetadata, run: KeptRun): void {
  config.metadata[`taskproof ${run.startedAt} ${run.shard ?? ''}`.trim()] = run;
}

/** The runs whose blobs are merged. */
export function keptRuns({ metadata }: WithMetadata): KeptRun[] {
  const kept = Object.entries(metadata).filter(([key]) => key.startsWith('taskproof '));
  return kept.flatMap(([, value]) => keptRunSchema.safeParse(value).data ?? []);
}
