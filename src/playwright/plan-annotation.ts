// What the reporter must know of a declared spec, carried by the test itself: it travels in blobs, so that merging
// needs no spec files.
import { z } from 'zod';

/** Annotations whose type begins with `_` are not shown in the HTML report. */
const TYPE = '_taskproof';

const plannedSpecSchema = z.object({
  id: z.string(),
  /** Relative to the run's root folder, with forward slashes. */
  file: z.string(),
  line: z.number(),
  /** As the spec says. */
  declared: z.object({ k: z.number(), minPasses: z.number() }),
  /** As this run judges: another one with `--repeat-each`. */
  policy: z.object({ k: z.number(), minPasses: z.number() }),
});

export type PlannedSpec = z.infer<typeof plannedSpecSchema>;

const planSchema = z.array(z.object({ project: z.string(), spec: plannedSpecSchema }));

/** The specs of a whole run, each in its project. */
export type RunPlan = z.infer<typeof planSchema>;

/**
 * Keeps the plan of the whole run in the config's metadata, which travels in blobs: a shard whose blob is missing may have had
 * all trials of a spec. Checked on Playwright 1.65: the runner itself adds to the metadata after `onConfigure`, and
 * merge-reports merges it.
 */
export function keepRunPlan(config: { metadata: Record<string, unknown> }, plan: RunPlan): void {
  config.metadata.taskproof = plan;
}

export function keptRunPlan(config: { metadata: Record<string, unknown> }): RunPlan {
  return planSchema.safeParse(config.metadata.taskproof).data ?? [];
}

interface Annotation {
  type: string;
  description?: string;
}

export function planAnnotation(spec: PlannedSpec): Annotation {
  return { type: TYPE, description: JSON.stringify(spec) };
}

/** @returns undefined for a test that is not ours. */
export function plannedSpec(annotations: readonly Annotation[]): PlannedSpec | undefined {
  const description = annotations.find(annotation => annotation.type === TYPE)?.description;
  if (description === undefined) return undefined;
  try {
    return plannedSpecSchema.safeParse(JSON.parse(description)).data;
  } catch {
    return undefined;
  }
}
