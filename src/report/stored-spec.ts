// What must be the same if a run is resumed or regraded: of each spec, what its trials were played and graded by.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { groupBy } from '../data/collections';
import { planKey, planName, planSchema } from '../data/plan';
import { runError } from '../playwright/inside/errors';
import { knownBaseURL, type TaskproofOptions } from '../playwright/run/options';
import { parsedUrl } from '../spec/url';
import { withModel } from '../text/print';
import type { PlannedTest } from './planning';
import { specLabel } from './render/document';

export const storedSpecSchema = z.object({
  project: z.string(),
  plan: planSchema,
  /** Undefined where only the workers know it. */
  agent: z.string().optional(),
  model: z.string().nullish(),
  judge: z.array(z.string().nullish()).optional(),
  origin: z.string().optional(),
  /** Without credentials and query. */
  baseURL: z.string().optional(),
  /** SHA-256 of an ordinary test's file. */
  testHash: z.string().optional(),
});
export type StoredSpec = z.infer<typeof storedSpecSchema>;

export function specsOf(planned: readonly PlannedTest[]): StoredSpec[] {
  return [...groupBy(planned, ({ project, plan }) => planKey(project.name, plan)).values()].map(
    ([{ test, project, plan, options }]) => {
      const { agent, judge, origin } = (options.value ?? {}) as TaskproofOptions;
      const { file } = test.location;
      const base = parsedUrl(knownBaseURL(test, project));
      return {
        project: project.name,
        plan,
        ...(options.known && agent && { agent: agent.name, model: agent.model ?? null }),
        ...(judge && { judge: [judge.name, judge.model] }),
        ...(origin && { origin }),
        ...(base && { baseURL: base.origin + base.pathname }),
        // A source map may name a file that is not there.
        ...(plan.titlePath && existsSync(file) && { testHash: sha256(readFileSync(file)) }),
      };
    },
  );
}

/** @throws Error that names each change which keeps the run of `startedAt` from going on */
export function refuseChanges(
  startedAt: string,
  [earlier, specs]: readonly [StoredSpec[], StoredSpec[]],
  regrading: boolean,
): void {
  const byKey = (all: readonly StoredSpec[]) =>
    new Map(all.map(spec => [planKey(spec.project, spec.plan), spec]));
  const [before, now] = [byKey(earlier), byKey(specs)];
  const changes = [...new Map([...before, ...now])].flatMap(([key, { project, plan }]) => {
    const changed = changeOf(before.get(key), now.get(key), regrading);
    return changed === undefined ? [] : `  ${specLabel(planName(plan), project)}: ${changed}`;
  });
  if (!changes.length) return;
  const more = changes.length > 10 ? [`  and ${changes.length - 10} more`] : [];
  throw runError(
    [
      `taskproof: the run of ${startedAt} can't be resumed, since this has changed:`,
      ...changes.slice(0, 10),
      ...more,
      'Undo the changes, or start again with npx playwright test.',
    ].join('\n'),
  );
}

export const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

function changeOf(
  before: StoredSpec | undefined,
  now: StoredSpec | undefined,
  regrading: boolean,
): string | undefined {
  if (!now) return 'it is not in this run. Was it removed, or do the arguments leave it out?';
  if (!before) return 'it was not in the interrupted run';
  const known = before.agent !== undefined && now.agent !== undefined;
  const [was, is] = [before, now].map(
    ({ plan: { policy }, agent, model, judge, origin, baseURL = 'none' }) => ({
      // What grades a trial may change when it is regraded.
      ...(!regrading && { policy: `${policy.minPasses} of ${policy.k} must pass` }),
      ...(!regrading && known && { judge: judge?.filter(Boolean).join(', ') ?? 'none' }),
      ...(known && { agent: withModel(agent!, model), origin: origin ?? 'none' }),
      baseURL,
    }),
  );
  for (const [what, earlier] of Object.entries(was!)) {
    const later = Object(is)[what];
    if (later !== earlier) return `the ${what} has changed (was: ${earlier}; is: ${later})`;
  }
  // The policy of an ordinary test stands in its file.
  const hash = ({ plan, testHash }: StoredSpec) => (regrading ? plan.taskHash : (testHash ?? plan.specHash));
  if (hash(before) === hash(now)) return undefined;
  return `the ${now.testHash ? 'test file' : 'spec'} has changed (${now.plan.file})`;
}
