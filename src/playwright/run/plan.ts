// Keeps the plan of a test in its annotations: as JSON in a hidden one, and for people in others (the HTML report, JUnit's properties).
import { dirname, relative, resolve } from 'node:path';
import type { TestCase } from '@playwright/test/reporter';
import { type Plan, planSchema } from '../../data/plan';
import type { Policy } from '../../data/verdict';
import type { TaskSpec } from '../../spec';
import { harmless } from '../../text/line';
import { inTexts, type Mask } from '../../text/mask';
import { posix } from './settings';

export type Annotation = TestCase['annotations'][number];

/** The annotation of `passPolicy()`. Playwright keeps its third field. */
type PolicyAnnotation = Annotation & { description: string; policy: Policy };

/** A TestCase, whose titles begin with root and project, or a TestInfo. */
export interface AnnotatedTest {
  title: string;
  annotations: readonly Annotation[];
  titlePath: (() => readonly string[]) | readonly string[];
}

/** The HTML report hides types that begin with `_`. */
export const PLAN = '_taskproof-plan';
/** Why we refused to begin a trial: an error, not a failure of the site. */
export const REFUSED = '_taskproof-refused';
/** On a trial that the verdict needs and the run's budget does not allow. */
export const OVER_BUDGET = '_taskproof-over-budget';
export const RUBRIC = 'rubric';
const GOAL = 'goal';
/** Names the file of a spec that does not parse. */
export const BROKEN = 'broken spec';
/** On an ordinary test. */
export const PASS_POLICY = 'pass policy';

export function textAnnotations({ goal, judge }: TaskSpec): Annotation[] {
  const rubric = judge === undefined ? [] : [{ type: RUBRIC, description: harmless(judge) }];
  return [goalAnnotation(goal), ...rubric];
}

export const goalAnnotation = (goal: string) => ({ type: GOAL, description: harmless(goal) });

/** @param why the reason, with secrets masked */
export const refusedAnnotation = (why: string) => ({ type: REFUSED, description: harmless(why) });

export function goalOf({ annotations }: Pick<AnnotatedTest, 'annotations'>): string {
  const goals = annotations.filter(({ type }) => type === GOAL);
  return goals.map(({ description = '' }) => description).join('\n');
}

/** Shows the goal and rubric that a trial used, not those in its file. Replaces annotations, since copies of the test share them. */
export function showUsed(annotations: Annotation[], used: TaskSpec, mask: Mask): void {
  for (const shown of textAnnotations(used)) {
    const at = annotations.findLastIndex(({ type }) => type === shown.type);
    if (at >= 0) annotations[at] = { ...annotations[at], ...inTexts(shown, mask) };
  }
}

/** The file of a spec that does not parse; undefined for other tests. */
export const brokenSpec = ({ annotations }: Pick<AnnotatedTest, 'annotations'>) =>
  annotations.find(({ type }) => type === BROKEN)?.description;

/** The hidden annotation first, then those for people. */
export function planAnnotations(plan: Plan): Annotation[] {
  const policy = policyText(plan);
  const readable = plan.titlePath
    ? [{ type: PASS_POLICY, description: policy }]
    : [
        { type: 'spec', description: plan.file },
        { type: 'policy', description: policy },
      ];
  return [{ type: PLAN, description: JSON.stringify(plan) }, ...readable];
}

export const POLICY_TAG = '@pass-policy';

export function policyAnnotation(policy: Policy): PolicyAnnotation {
  return { type: PASS_POLICY, description: policyText({ policy, replayed: false }), policy };
}

function policyText({ policy: { k, minPasses }, replayed, earlyStop }: Omit<Plan, 'id' | 'file'>): string {
  const noun = replayed ? 'replay' : 'trial';
  const text = k === 1 ? `1 ${noun}, which must pass` : `at least ${minPasses} of ${k} ${noun}s must pass`;
  return earlyStop ? `${text}; stops early` : text;
}

/** The plan in the annotations of a test or a result, if there is one. */
export function carriedPlan({ annotations }: Pick<AnnotatedTest, 'annotations'>): Plan | undefined {
  const { description } = annotations.find(isPlan) ?? {};
  return description === undefined ? undefined : planSchema.parse(JSON.parse(description));
}

/**
 * The plan of a test; undefined if it is neither a spec's nor has a pass policy. The last of several policies is the nearest.
 *
 * @param testFile the declared plan names its spec relative to this file
 * @param folder the config's folder, relative to which the returned plan names the spec
 */
export function planOf(test: AnnotatedTest, testFile: string, folder: string): Plan | undefined {
  const describe = describeOf(test);
  const carried = carriedPlan(test);
  if (carried) {
    const file = posix(relative(folder, resolve(dirname(testFile), carried.file)));
    return { ...carried, file, ...(describe && { describe }) };
  }
  const { policy } = test.annotations.findLast(isPolicy) ?? {};
  if (!policy) return undefined;
  const [file = '', ...titles] = titlesOf(test).filter(Boolean);
  const titlePath = [posix(file), ...titles];
  return { id: test.title, describe, file: posix(file), titlePath, policy, replayed: false };
}

const isPlan = ({ type }: Annotation) => type === PLAN;
const isPolicy = (annotation: Annotation): annotation is PolicyAnnotation =>
  annotation.type === PASS_POLICY && 'policy' in annotation;

/** Writes the plan into the test, in place. Replaces annotations, since copies of the test share them. */
export function carryPlan({ annotations }: { annotations: Annotation[] }, plan: Plan): void {
  const written = planAnnotations(plan);
  const at = annotations.findIndex(isPlan);
  if (at >= 0) annotations.splice(at, written.length, ...written);
  else annotations.splice(annotations.findLastIndex(isPolicy), 1, ...written);
}

/**
 * Removes the plan from the test, since JUnit and JSON show all its annotations. Its result keeps the plan: the test gets a new list, as
 * both share one in merge-reports (checked on Playwright 1.65).
 */
export function hidePlan(test: { annotations: Annotation[] }): void {
  if (test.annotations.some(isPlan)) test.annotations = test.annotations.filter(each => !isPlan(each));
}

/**
 * Adds the options of a project to a plan: a test is declared once for all projects, before its agent is known. Replays of one recording
 * are not independent, so one is enough unless `--repeat-each` asks for more.
 */
export function planWith(
  plan: Plan,
  { replays, earlyStop }: { replays: boolean; earlyStop?: boolean | undefined },
  repeatEach: number | undefined,
): Plan {
  const policy = replays && repeatEach === undefined ? { k: 1, minPasses: 1 } : plan.policy;
  const stopsEarly = earlyStop && policy.k > 1;
  return { ...plan, policy, replayed: replays || plan.replayed, ...(stopsEarly && { earlyStop }) };
}

export function describeOf(test: Pick<AnnotatedTest, 'titlePath'>): string | undefined {
  return titlesOf(test).slice(1, -1).filter(Boolean).join(' › ') || undefined;
}

/** File, describes, title. */
function titlesOf(test: Pick<AnnotatedTest, 'titlePath'>): readonly string[] {
  return typeof test.titlePath === 'function' ? test.titlePath().slice(2) : test.titlePath;
}
