// Whether a run is complete: why planned trials did not run, and whether merged reports belong together. Each blob carries the plan of
// the whole run in the config's metadata, since a shard whose blob is missing may have had all trials of a spec.
import { basename } from 'node:path';
import type { FullConfig, FullProject, FullResult, Suite, TestCase } from '@playwright/test/reporter';
import { z } from 'zod';
import { groupBy, sumOf } from '../data/collections';
import { planKey, planName, planSchema } from '../data/plan';
import { type ApiTraffic, apiTrafficSchema } from '../data/results';
import { wasLeftOut } from '../playwright/inside/results';
import { problemsIn } from '../spec/errors';
import { messageOf, oneLine } from '../text/line';
import { plural } from '../text/print';
import type { SpecRun } from './spec-run';
import { firstError } from './trials';

/** @returns one clause; null if this process can't know, as in a shard. */
export function whyMissing(
  { project, tests }: Pick<SpecRun, 'project' | 'tests'>,
  suite: Suite,
  config: FullConfig,
  result: FullResult,
): string | null {
  if (result.status === 'interrupted') return 'the run was interrupted';
  if (result.status === 'timedout')
    return `the run reached its globalTimeout of ${config.globalTimeout / 1000} s`;
  const failures = suite.allTests().filter(test => test.results.length > 0 && !test.ok());
  const needed = projectsFrom(config, [project], ({ dependencies }) => dependencies);
  const broken = new Set(failures.map(({ parent }) => parent.project()?.name));
  const failed = [...needed].slice(1).find(name => broken.has(name));
  if (failed !== undefined) return `project "${failed}" failed, which "${project}" depends on`;
  const { maxFailures } = config;
  if (maxFailures > 0 && failures.length >= maxFailures)
    return `the run stopped at ${plural(maxFailures, 'failure')} (maxFailures)`;
  // Playwright does not say which failure kept a test from running. All that stood between them was left out, too, so it is the last one
  // before it, of the same file and repeat.
  const all = suite.allTests().filter(({ parent }) => parent.project()?.name === project);
  for (const test of [...tests].filter(each => wasLeftOut(each))) {
    const { file } = test.location;
    const isNear = (each: TestCase) =>
      each.location.file === file && each.repeatEachIndex === test.repeatEachIndex;
    const cause = all.slice(0, all.indexOf(test)).findLast(each => isNear(each) && failureIn(each));
    if (cause)
      return `Playwright skipped tests of ${basename(file)} after a failure in "${cause.title}": ${firstError(failureIn(cause)!)}`;
  }
  return null;
}

const failureIn = ({ results }: TestCase) =>
  results.find(({ status }) => status !== 'passed' && status !== 'skipped');

/** These projects and all that `next` leads to, the nearest first. */
export function projectsFrom(
  { projects }: FullConfig,
  names: Iterable<string>,
  next: (project: FullProject) => readonly string[],
): Set<string> {
  const found = new Set(names);
  // A loop over a set also visits what is added meanwhile.
  for (const name of found)
    for (const project of projects)
      if (project.name === name) for (const other of next(project)) found.add(other);
  return found;
}

const keptRunSchema = z.object({
  startedAt: z.string(),
  /** `1/4`; null if the run is not sharded. */
  shard: z.string().nullable(),
  /** The CI's id of the run that this is part of; null if there is none. */
  ciRun: z.string().nullable(),
  filtered: z.boolean().optional(),
  plan: z.array(z.object({ project: z.string(), spec: planSchema })),
  trialsSince: z.string().optional(),
  api: z.array(apiTrafficSchema).optional(),
});

/** A run, or a shard of one, as its blob describes it. */
export type KeptRun = z.infer<typeof keptRunSchema>;

/** Each run has its own key: merge-reports merges the metadata key by key. Checked on Playwright 1.65: the runner adds to it itself. */
export function keepRun(config: FullConfig, run: KeptRun): void {
  config.metadata[`taskproof ${run.startedAt} ${run.shard ?? ''}`.trim()] = run;
}

/** Called before the blob is written: it holds these metadata, not a copy. */
export function keepOfRun({ metadata }: FullConfig, more: Partial<KeptRun>): void {
  for (const [key, run] of Object.entries(metadata))
    if (key.startsWith('taskproof ')) Object.assign(run, more);
}

/** When the first trials of merged runs began; undefined if none says so. */
export const startOf = (kept: readonly KeptRun[]): string | undefined =>
  kept.map(({ startedAt, trialsSince = startedAt }) => trialsSince).sort()[0];

/** Requests and waits of all shards. The rates are of the busiest one: shards need not have run at the same time. */
export function sumOfTraffic(kept: readonly KeptRun[]): ApiTraffic[] {
  const traffic = kept.flatMap(({ api = [] }) => api);
  return [...groupBy(traffic, ({ model }) => model).values()].map(all => {
    const busiest = all.reduce((most, each) => (each.perMinute > most.perMinute ? each : most));
    const sum = (what: 'served' | 'refused' | 'waitedMs') => sumOf(all, each => each[what]);
    return { ...busiest, served: sum('served'), refused: sum('refused'), waitedMs: sum('waitedMs') };
  });
}

export function keptRuns({ metadata }: FullConfig, refused: Set<string>): KeptRun[] {
  const kept = Object.entries(metadata).filter(([key]) => key.startsWith('taskproof '));
  return kept.flatMap(
    ([key, value]) => readOr(refused, `the blob of "${key}"`, () => keptRunSchema.parse(value)) ?? [],
  );
}

/** @param refused gets one line if a blob can't be read: without it nobody would notice that trials are missing */
export function readOr<T>(refused: Set<string>, what: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const why = error instanceof z.ZodError ? problemsIn(error, 'it')[0]! : messageOf(error);
    refused.add(oneLine(`${what}: ${why}`, 300));
    return undefined;
  }
}

/** One line for each conflict. The shards of one run have none, however many arrived. */
export function mergeConflicts(kept: readonly KeptRun[], runs: Iterable<SpecRun>): string[] {
  const pairs = kept.flatMap((one, index) => kept.slice(index + 1).map(other => twoRuns(one, other)));
  return [...new Set([...pairs, ...[...runs].flatMap(({ conflicts }) => [...conflicts])])].filter(Boolean);
}

/** Undefined if there is neither. @param refused what in the blobs can't be read, one line each */
export function whyForeign(refused: readonly string[], conflicts: readonly string[]): string | undefined {
  const problems = refused.length ? refused : conflicts;
  if (!problems.length) return undefined;
  const text = refused.length
    ? 'taskproof: no verdicts, since these blobs were cut off or changed after their runs. Merge the original blobs.'
    : "taskproof: these reports don't belong together. Merge the blobs of one run.";
  return [text, ...problems.slice(0, 10).map(line => `  ${line}`)].join('\n');
}

/** `shard 2 of 3`, for each that was not merged. Nothing else would tell that its ordinary tests are missing. */
export function lostShards(kept: readonly KeptRun[]): string[] {
  const parts = kept.flatMap(({ shard, plan }) => {
    const [, number, total] = /^(\d+)\/(\d{1,4})$/.exec(shard ?? '') ?? [];
    const keys = plan.map(({ project, spec }) => planKey(project, spec)).sort();
    const part = { number: Number(number), total: Number(total), keys: JSON.stringify(keys) };
    return total ? { ...part, isEmpty: !keys.length } : [];
  });
  // Runs of different projects may be merged, each with its shards. A shard without tests may belong to any of them.
  const empty = parts.filter(({ isEmpty }) => isEmpty);
  const known = empty.length < parts.length ? parts.filter(({ isEmpty }) => !isEmpty) : parts;
  const runs = groupBy(known, ({ total, keys }) => `${total} ${keys}`);
  return [...runs.values()].flatMap(shards => {
    const [{ total }] = shards;
    const all = [...shards, ...empty.filter(part => part.total === total)];
    const merged = new Set(all.map(({ number }) => number));
    const numbers = Array.from({ length: total }, (_, at) => at + 1);
    return numbers.filter(number => !merged.has(number)).map(number => `shard ${number} of ${total}`);
  });
}

/** Refuses parts of two runs of the same specs. Runs of different projects may be merged. */
function twoRuns(one: KeptRun, other: KeptRun): string {
  const key = ({ project, spec }: KeptRun['plan'][number]) => planKey(project, spec);
  const keys = new Set(one.plan.map(key));
  const shared = other.plan.find(entry => keys.has(key(entry)));
  const total = ({ shard }: KeptRun) => shard?.split('/')[1];
  const parts = one.shard !== null && one.shard !== other.shard && total(one) === total(other);
  const sameCi = one.ciRun === other.ciRun || one.ciRun === null || other.ciRun === null;
  if (!shared || (parts && sameCi)) return '';
  const where = shared.project ? ` of project "${shared.project}"` : '';
  const [first, second] = [one, other].map(({ startedAt, shard, ciRun }) =>
    ['the blob', shard && ` of shard ${shard}`, ` started ${startedAt}`, ciRun && `, CI run ${ciRun}`]
      .filter(Boolean)
      .join(''),
  );
  return `${first} and ${second} are from different runs, and both have spec "${planName(shared.spec)}"${where}`;
}
