// The plan of a declared spec, as annotations that the reporter reads. People read them, too, in the HTML report and in JUnit's
// properties. They travel in blobs, so merging reports needs no spec files.
import { sep } from 'node:path';
import { z } from 'zod';
import { specName } from '../data/row-names';
import type { Policy } from '../data/verdict';
import type { TaskSpec } from '../spec';
import { harmless } from '../text/line';

export interface Annotation {
  type: string;
  description?: string;
}

/** The part of a test that its plan is read from: Playwright's TestCase, or a title with a result's annotations. */
export interface AnnotatedTest {
  title: string;
  annotations: readonly Annotation[];
  /** Of a TestCase: root, project, file, describes, title. Of a TestInfo: file, describes, title. */
  titlePath?: (() => readonly string[]) | readonly string[];
}

const plannedSpecSchema = z.object({
  /** Of an ordinary test: its title. */
  id: z.string(),
  /** Titles of the describes around it, joined by ` › `. The same spec in another describe has its own verdict. */
  describe: z.string().optional(),
  /** Relative to the test file's folder, with forward slashes. */
  file: z.string(),
  /** Of an ordinary test with a pass policy, to identify it: its file, describes and title. Specs have none. */
  titlePath: z.array(z.string()).optional(),
  /** The policy of this run, which `--repeat-each` and replays change. */
  policy: z.object({ k: z.number(), minPasses: z.number() }),
  /** Whether the agent plays recordings. The main process can't always know; the worker always does. */
  replayed: z.boolean(),
  /** Trials are skipped once the verdict is settled. */
  earlyStop: z.boolean().optional(),
});

export type PlannedSpec = z.infer<typeof plannedSpecSchema>;

/** Its name in its project: `cart`, `phone › cart`, `chat.spec.ts › assistant › finds the policy`. */
export function nameOf(spec: Pick<PlannedSpec, 'id' | 'describe' | 'titlePath'>): string {
  return spec.titlePath?.join(' › ') ?? specName({ spec: spec.id, describe: spec.describe });
}

/** Undefined if there are none. */
export function describeOf(test: Pick<AnnotatedTest, 'titlePath'>): string | undefined {
  return titlesOf(test)?.slice(1, -1).filter(Boolean).join(' › ') || undefined;
}

/** File, describes, title. */
function titlesOf(test: Pick<AnnotatedTest, 'titlePath'>): readonly string[] | undefined {
  return typeof test.titlePath === 'function' ? test.titlePath().slice(2) : test.titlePath;
}

export function posix(path: string): string {
  return path.split(sep).join('/');
}

/** The spec's `judge`. */
export const RUBRIC = 'rubric';
const GOAL = 'goal';
/** A spec that does not parse. */
export const BROKEN = 'broken spec';
const POLICY = 'policy';
const SPEC = 'spec';
/** Of an ordinary test. */
const PASS_POLICY = 'pass policy';

export function textAnnotations({ goal, judge }: TaskSpec): Annotation[] {
  const rubric = judge === undefined ? [] : [{ type: RUBRIC, description: harmless(judge) }];
  return [{ type: GOAL, description: harmless(goal) }, ...rubric];
}

export function goalOf({ annotations }: Pick<AnnotatedTest, 'annotations'>): string {
  const goals = annotations.filter(({ type }) => type === GOAL);
  return goals.map(({ description = '' }) => description).join('\n');
}

/** Shows the texts that a trial used instead of those in its file. Replaces annotations, since copies of the test share them. */
export function showUsed(annotations: Annotation[], declared: TaskSpec, used: TaskSpec): void {
  const shown = textAnnotations(used);
  for (const [index, { type, description }] of textAnnotations(declared).entries()) {
    const at = annotations.findIndex(each => each.type === type && each.description === description);
    if (at >= 0) annotations[at] = { ...annotations[at], ...shown[index]! };
  }
}

/** The plan as annotations, for people and for `plannedSpec`. */
export function planAnnotations(plan: Omit<PlannedSpec, 'id' | 'describe' | 'titlePath'>): Annotation[] {
  const policy = policyText(plan.policy, plan.replayed, plan.earlyStop);
  return [
    { type: SPEC, description: plan.file },
    { type: POLICY, description: policy },
  ];
}

/** The pass policy of an ordinary test or of a describe. */
export function policyAnnotation(policy: Policy, earlyStop = false): Annotation {
  return { type: PASS_POLICY, description: policyText(policy, false, earlyStop) };
}

function policyText({ k, minPasses }: Policy, replayed: boolean, earlyStop = false): string {
  const noun = replayed ? 'replay' : 'trial';
  const text = k === 1 ? `1 ${noun}, which must pass` : `at least ${minPasses} of ${k} ${noun}s must pass`;
  return earlyStop ? `${text}; stops early` : text;
}

/** Reads a text of `policyText`; undefined for other texts, such as a suite's own annotation of this type. */
function readPolicy(text: string): Omit<PlannedSpec, 'id' | 'file' | 'titlePath'> | undefined {
  const found = POLICY_TEXT.exec(text);
  if (!found) return undefined;
  const [, minPasses = 1, k = 1, noun, stops] = found;
  return {
    policy: { k: Number(k), minPasses: Number(minPasses) },
    replayed: noun === 'replay',
    ...(stops ? { earlyStop: true } : {}),
  };
}

const POLICY_TEXT = /^(?:1|at least (\d+) of (\d+)) (trial|replay)(?:, which|s) must pass(; stops early)?$/;

/** The file of a spec that does not parse; undefined for other tests. */
export function brokenSpec({ annotations }: Pick<AnnotatedTest, 'annotations'>): string | undefined {
  return annotations.find(({ type }) => type === BROKEN)?.description;
}

/** @returns undefined for a test that is neither a spec nor has a pass policy. */
export function plannedSpec(test: AnnotatedTest): PlannedSpec | undefined {
  const { title, annotations } = test;
  const at = planIndex(annotations);
  if (at < 0) return plannedTest(test);
  const file = annotations[at]!.description!;
  return {
    id: title.replace(TRIAL_SUFFIX, ''),
    describe: describeOf(test),
    file,
    ...readPolicy(annotations[at + 1]!.description!)!,
  };
}

/** An ordinary test with a pass policy. The last policy is the nearest one and wins. */
function plannedTest(test: AnnotatedTest): PlannedSpec | undefined {
  const found = test.annotations[policyIndex(test.annotations)];
  if (!found) return undefined;
  const id = test.title.replace(TRIAL_SUFFIX, '');
  const path = titlesOf(test) ?? [id];
  const titlePath = [...path.slice(0, -1).filter(Boolean), id];
  return { id, describe: describeOf(test), file: path[0]!, titlePath, ...readPolicy(found.description!)! };
}

function policyIndex(annotations: readonly Annotation[]): number {
  return annotations.findLastIndex(
    ({ type, description }) => type === PASS_POLICY && readPolicy(description ?? '') !== undefined,
  );
}

/** Looks for both annotations together, since a suite may use either type for its own. */
function planIndex(annotations: readonly Annotation[]): number {
  return annotations.findIndex(({ type, description }, index) => {
    const next = annotations[index + 1];
    const isPair = type === SPEC && description !== undefined && next?.type === POLICY;
    return isPair && readPolicy(next.description ?? '') !== undefined;
  });
}

const TRIAL_SUFFIX = / · (trial|replay) \d+\/\d+$/;

/** A trial's title in reports, the same from run to run: `pricing-trial · trial 2/5`. */
export function trialTitle({ id, policy, replayed }: PlannedSpec, repeatIndex: number): string {
  return `${id} · ${replayed ? 'replay' : 'trial'} ${repeatIndex + 1}/${policy.k}`;
}

/** The policy of a replay: 1 of 1, since replays of one recording are not independent, unless `--repeat-each` asks for more. */
export function replayPolicy(policy: Policy, repeatEach: number | undefined): Policy {
  return repeatEach === undefined ? { k: 1, minPasses: 1 } : policy;
}

/**
 * Marks a declared spec as replayed, in place: a test is declared once for all projects, before its agent is known. Replaces
 * annotations, since copies of the test share them. Leaves other tests alone.
 */
export function markReplay(
  test: { title: string; annotations: Annotation[] },
  repeatEach: number | undefined,
): void {
  const spec = plannedSpec(test);
  if (!spec || spec.titlePath) return;
  replacePlan(test, { ...spec, policy: replayPolicy(spec.policy, repeatEach), replayed: true });
}

/** Marks a test whose remaining trials are skipped once the verdict is settled. In place, as `markReplay`. */
export function markEarlyStop(test: { title: string; annotations: Annotation[] }): void {
  const spec = plannedSpec(test);
  if (spec && spec.policy.k > 1) replacePlan(test, { ...spec, earlyStop: true });
}

function replacePlan({ annotations }: { annotations: Annotation[] }, spec: PlannedSpec): void {
  if (spec.titlePath)
    annotations.splice(policyIndex(annotations), 1, policyAnnotation(spec.policy, spec.earlyStop));
  else annotations.splice(planIndex(annotations), 2, ...planAnnotations(spec));
}

/** The specs of a whole run, each in its project. */
const runPlanSchema = z.array(z.object({ project: z.string(), spec: plannedSpecSchema }));

const keptRunSchema = z.object({
  startedAt: z.string(),
  /** `1/4`; null if the run is not sharded. */
  shard: z.string().nullable(),
  /** The CI's id of the run that this is part of; null if there is none. */
  ciRun: z.string().nullable(),
  /** The command line selected only some tests. */
  filtered: z.boolean().optional(),
  plan: runPlanSchema,
});

/** A run, or a shard of one, as its blob describes it. */
export type KeptRun = z.infer<typeof keptRunSchema>;

type WithMetadata = { metadata: Record<string, unknown> };

/**
 * Keeps the plan of the whole run in the config's metadata, which travels in blobs: a shard whose blob is missing may have had
 * all trials of a spec. Each run has its own key, so that merging keeps them all. Checked on Playwright 1.65: the runner itself
 * adds to the metadata after `onConfigure`, and merge-reports merges it key by key.
 */
export function keepRun(config: WithMetadata, run: KeptRun): void {
  config.metadata[`taskproof ${run.startedAt} ${run.shard ?? ''}`.trim()] = run;
}

/** The runs whose blobs are merged. */
export function keptRuns({ metadata }: WithMetadata): KeptRun[] {
  const kept = Object.entries(metadata).filter(([key]) => key.startsWith('taskproof '));
  return kept.flatMap(([, value]) => keptRunSchema.safeParse(value).data ?? []);
}
