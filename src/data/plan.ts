// The plan of a test: its policy, and what identifies it; and how rows of results and baselines are named. A plan travels as JSON from
// the test files to workers, the reporter, blobs and merged reports, so that merging reports needs no spec files.
import { z } from 'zod';
import { compareText } from './collections';
import type { Policy, RowSubject } from './verdict';

/** Bounded, since files from elsewhere may have any count, and what is computed from it must end. */
export const trialCount = z.int().nonnegative().max(10_000);
export const policyFields = {
  k: trialCount.min(1).describe('Trials of the pass policy.'),
  minPasses: trialCount.min(1).describe('Passes that it needs.'),
};
/** For `refine`: policies and rows in a file that no run wrote may break this. */
export const CAN_PASS: [(policy: Policy) => boolean, { path: string[]; error: string }] = [
  ({ k, minPasses }: Policy) => minPasses <= k,
  { path: ['minPasses'], error: 'must not be above k' },
];

export const planSchema = z.object({
  /** Of an ordinary test: its title. */
  id: z.string(),
  /** Titles of the describes around it, joined by ` › `. The same spec in another describe has its own verdict. */
  describe: z.string().optional(),
  /** Relative to the config's folder (as declared: to the test file's), with forward slashes. */
  file: z.string(),
  /** SHA-256 of the parsed spec. */
  specHash: z.string().optional(),
  /** The same for what a trial runs, without what grades it. */
  taskHash: z.string().optional(),
  /** The same for its rubric. */
  rubricHash: z.string().optional(),
  /** Names of secrets that bodies of `network` assertions ask for. */
  secretsInBodies: z.array(z.string()).optional(),
  /** Of an ordinary test with a pass policy, to identify it: its file, describes and title. Specs have none. */
  titlePath: z.array(z.string()).optional(),
  /** The policy of this run, which `--repeat-each` and replays change. */
  policy: z.object(policyFields).refine(...CAN_PASS),
  /** Whether the agent plays recordings. The main process can't always know; the worker always does. */
  replayed: z.boolean(),
  /** Trials are skipped once the verdict is settled. */
  earlyStop: z.boolean().optional(),
});

export type Plan = z.infer<typeof planSchema>;

/** Its name in its project: `cart`, `phone › cart`, `chat.spec.ts › assistant › finds the policy`. */
export function planName(plan: Pick<Plan, 'id' | 'describe' | 'titlePath'>): string {
  return plan.titlePath?.join(' › ') ?? specName({ spec: plan.id, describe: plan.describe });
}

/** Identifies a test in a run. @param name as `planName` returns it */
export const keyIn = (project: string, name: string) => JSON.stringify([project, name]);

export const planKey = (project: string, plan: Parameters<typeof planName>[0]) =>
  keyIn(project, planName(plan));

/** A trial's title in reports, the same from run to run: `pricing-trial · trial 2/5`. */
export function trialTitle({ id, policy, replayed }: Plan, repeatIndex: number): string {
  if (repeatIndex >= policy.k) return `${id} · not needed`;
  return `${id} · ${replayed ? 'replay' : 'trial'} ${repeatIndex + 1}/${policy.k}`;
}

/** The name of a spec in reports: its id, after the titles of its describes: `phone › cart`. */
export function specName({ spec, describe }: Pick<RowSubject, 'spec' | 'describe'>): string {
  return describe ? `${describe} › ${spec}` : spec;
}

/** What names a row of results and baselines. */
export type RowName = Pick<RowSubject, 'spec' | 'titlePath' | 'describe' | 'project' | 'replayed'>;

/** By spec, then project, agents before replays. */
export function byRowName(a: RowName, b: RowName): number {
  return (
    compareText(specName(a), specName(b)) ||
    compareText(a.project, b.project) ||
    Number(a.replayed) - Number(b.replayed)
  );
}

/** The key of a row in a file. An ordinary test is known by its path, since its name depends on the other tests. */
export const keyOf = (row: RowName) =>
  JSON.stringify([row.titlePath ?? specName(row), row.project, row.replayed]);
