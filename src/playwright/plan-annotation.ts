// What the reporter must know of a declared spec, carried by the test itself: it travels in blobs, so that merging
// needs no spec files.
import { z } from 'zod';

/** Annotations whose type begins with `_` are not shown in the HTML report. */
const TYPE = '_taskproof';
const POLICY = 'policy';

const plannedSpecSchema = z.object({
  id: z.string(),
  /** Relative to the run's root folder, with forward slashes. */
  file: z.string(),
  line: z.number(),
  /** As the spec says. */
  declared: z.object({ k: z.number(), minPasses: z.number() }),
  /** As this run judges: another one with `--repeat-each`, and for a replay. */
  policy: z.object({ k: z.number(), minPasses: z.number() }),
  /** The N of `--repeat-each=N`, where the user said it. */
  repeatEach: z.number().optional(),
  /** The test's agent plays recordings. The main process says it where it can know, the worker in any case. */
  replayed: z.boolean().optional(),
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

/** The plan, and the policy for people to read. */
export function planAnnotations(spec: PlannedSpec): Annotation[] {
  return [
    { type: POLICY, description: policyText(spec) },
    { type: TYPE, description: JSON.stringify(spec) },
  ];
}

function policyText({ policy: { k, minPasses }, replayed }: PlannedSpec): string {
  const noun = replayed ? 'replay' : 'trial';
  return k === 1 ? `1 ${noun}, which must pass` : `at least ${minPasses} of ${k} ${noun}s must pass`;
}

/**
 * The plan of a spec whose agent plays recordings. Replays of one recording are not independent of each other, so one is
 * enough, unless the user insists on more by `--repeat-each`.
 */
export function asReplay(spec: PlannedSpec): PlannedSpec {
  const policy = spec.repeatEach === undefined ? { k: 1, minPasses: 1 } : spec.policy;
  return { ...spec, policy, replayed: true };
}

/**
 * Makes a declared spec a replayed one, in place: a test is declared once for all projects, before its agent is known. Copies
 * of the test share the annotations, so they are replaced, not changed. A test that is not ours is left as it is.
 */
export function markReplay(annotations: Annotation[]): void {
  const spec = plannedSpec(annotations);
  if (!spec) return;
  const [policy, plan] = planAnnotations(asReplay(spec)) as [Annotation, Annotation];
  const index = annotations.findIndex(({ type }) => type === TYPE);
  annotations[index] = plan;
  // Declared as a pair: another annotation of this name may be the suite's own.
  if (annotations[index - 1]?.type === POLICY) annotations[index - 1] = policy;
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
