// What must not have changed when a run is resumed or regraded: the spec, its settings, the test file.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { planKey, planName, planSchema } from '../../data/plan';
import { runError } from '../../playwright/inside/errors';
import { givenOptions, knownBaseURL } from '../../playwright/run/options';
import { isRegrading } from '../../playwright/run/settings';
import { parsedUrl } from '../../spec/url';
import { withModel } from '../../text/print';
import { bySpec, type PlannedTest } from '../planning';
import { specLabel } from '../render/document';

export const storedSpecSchema = z.object({
  project: z.string(),
  plan: planSchema,
  /** By name, in words. Agent, judge and origin are left out where only the workers know them. */
  settings: z.record(z.string(), z.string()),
  /** SHA-256 of the test file, whose `check` may have graded a trial. */
  testHash: z.string().optional(),
});
export type StoredSpec = z.infer<typeof storedSpecSchema>;

export function specsOf(planned: readonly PlannedTest[]): StoredSpec[] {
  return bySpec(planned).map(([{ test, project, plan, options }]) => {
    const { agent, judge, origin } = givenOptions(options);
    const { k, minPasses } = plan.policy;
    const { file } = test.location;
    const base = parsedUrl(knownBaseURL(test, project));
    const known = options.known && agent;
    return {
      project: project.name,
      plan,
      settings: {
        policy: `${minPasses} of ${k} must pass`,
        ...(known && { judge: judge ? [judge.name, judge.model].filter(Boolean).join(', ') : 'none' }),
        ...(known && { agent: withModel(agent.name, agent.model), origin: origin || 'none' }),
        // Without credentials and query.
        baseURL: base ? base.origin + base.pathname : 'none',
      },
      // A source map may name a file that is not there.
      ...(existsSync(file) && { testHash: sha256(readFileSync(file)) }),
    };
  });
}

/** @throws Error that names each change which keeps the run of `startedAt` from going on */
export function refuseChanges(startedAt: string, earlier: StoredSpec[], specs: StoredSpec[]): void {
  const byKey = (all: readonly StoredSpec[]) =>
    new Map(all.map(spec => [planKey(spec.project, spec.plan), spec]));
  const [before, now] = [byKey(earlier), byKey(specs)];
  const changes = [...new Map([...before, ...now])].flatMap(([key, { project, plan }]) => {
    const changed = changeOf(before.get(key), now.get(key));
    return changed === undefined ? [] : `  ${specLabel(planName(plan), project)}: ${changed}`;
  });
  if (!changes.length) return;
  const more = changes.length > 10 ? [`  and ${changes.length - 10} more`] : [];
  throw runError(
    [
      `taskproof: the run of ${startedAt} can't be ${isRegrading() ? 'regraded' : 'resumed'}, since this has changed:`,
      ...changes.slice(0, 10),
      ...more,
      'Undo the changes, or run new trials: npx playwright test',
    ].join('\n'),
  );
}

export const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

function changeOf(before: StoredSpec | undefined, now: StoredSpec | undefined): string | undefined {
  if (!now) return 'it is not in this run. Was it removed, or do the arguments leave it out?';
  if (!before) return 'it was not in that run';
  const regrading = isRegrading();
  // What grades a trial may change when it is regraded.
  const free = regrading ? ['policy', 'judge'] : [];
  for (const [what, was] of Object.entries(before.settings)) {
    const is = now.settings[what] ?? was;
    if (is !== was && !free.includes(what)) return `the ${what} has changed (was: ${was}; is: ${is})`;
  }
  const has = (what: string) => `the ${what} has changed (${now.plan.file})`;
  if (regrading && before.plan.taskHash !== now.plan.taskHash)
    return has('task (goal, entryUrl or another field that does not grade)');
  // Regrading runs no code of tests, in which the policy of an ordinary one stands.
  if (regrading) return undefined;
  if (before.plan.specHash !== now.plan.specHash) return has('spec');
  const isPlain = now.plan.titlePath !== undefined;
  return before.testHash === now.testHash ? undefined : has(isPlain ? 'test file' : 'test file of the spec');
}
