// The plan of a test in its annotations: as JSON in a hidden one, and for people in others beside it (the HTML report, JUnit's
// properties).
import { type Plan, planSchema } from '../../data/plan';
import type { Policy } from '../../data/verdict';
import type { TaskSpec } from '../../spec';
import { harmless } from '../../text/line';

export interface Annotation {
  type: string;
  description?: string;
}

/** That of `passPolicy()`: a single one, to be combined with others. Playwright keeps its third field. */
export interface PolicyAnnotation extends Annotation {
  description: string;
  policy: Policy;
}

/** The part of a test that its plan is read from: Playwright's TestCase or TestInfo. */
export interface AnnotatedTest {
  title: string;
  annotations: readonly Annotation[];
  /** Of a TestCase: root, project, file, describes, title. Of a TestInfo: file, describes, title. */
  titlePath?: (() => readonly string[]) | readonly string[];
}

/** The HTML report hides types that begin with `_`. */
export const PLAN = '_taskproof-plan';
/** The spec's `judge`. */
export const RUBRIC = 'rubric';
const GOAL = 'goal';
/** A spec that does not parse. */
export const BROKEN = 'broken spec';
/** Of an ordinary test. */
export const PASS_POLICY = 'pass policy';

export function textAnnotations({ goal, judge }: TaskSpec): Annotation[] {
  const rubric = judge === undefined ? [] : [{ type: RUBRIC, description: harmless(judge) }];
  return [goalAnnotation(goal), ...rubric];
}

export function goalAnnotation(goal: string): Annotation & { description: string } {
  return { type: GOAL, description: harmless(goal) };
}

export function goalOf({ annotations }: Pick<AnnotatedTest, 'annotations'>): string {
  const goals = annotations.filter(({ type }) => type === GOAL);
  return goals.map(({ description = '' }) => description).join('\n');
}

/** Shows the texts that a trial used instead of those in its file. Replaces annotations, since copies of the test share them. */
export function showUsed(annotations: Annotation[], used: TaskSpec): void {
  for (const shown of textAnnotations(used)) {
    const at = annotations.findLastIndex(({ type }) => type === shown.type);
    if (at >= 0) annotations[at] = { ...annotations[at], ...shown };
  }
}

/** The file of a spec that does not parse; undefined for other tests. */
export function brokenSpec({ annotations }: Pick<AnnotatedTest, 'annotations'>): string | undefined {
  return annotations.find(({ type }) => type === BROKEN)?.description;
}

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

export function policyAnnotation(policy: Policy): PolicyAnnotation {
  return { type: PASS_POLICY, description: policyText({ policy, replayed: false }), policy };
}

function policyText({
  policy,
  replayed,
  earlyStop,
}: Pick<Plan, 'policy' | 'replayed' | 'earlyStop'>): string {
  const { k, minPasses } = policy;
  const noun = replayed ? 'replay' : 'trial';
  const text = k === 1 ? `1 ${noun}, which must pass` : `at least ${minPasses} of ${k} ${noun}s must pass`;
  return earlyStop ? `${text}; stops early` : text;
}

/** The plan that a test or a result carries; undefined if it carries none, as that of an ordinary test from its worker. */
export function carriedPlan(test: Pick<AnnotatedTest, 'annotations' | 'titlePath'>): Plan | undefined {
  const { description } = test.annotations.find(isPlan) ?? {};
  if (description === undefined) return undefined;
  const plan = planSchema.parse(JSON.parse(description));
  const describe = plan.describe ?? describeOf(test);
  return describe ? { ...plan, describe } : plan;
}

/** @returns undefined for a test that is neither a spec nor has a pass policy. Of several policies, the last is the nearest one. */
export function planOf(test: AnnotatedTest): Plan | undefined {
  const { policy } = test.annotations.findLast(isPolicy) ?? {};
  const carried = carriedPlan(test);
  if (carried || !policy) return carried;
  const { title: id } = test;
  const path = titlesOf(test) ?? [id];
  const titlePath = [...path.slice(0, -1).filter(Boolean), id];
  return { id, describe: describeOf(test), file: path[0]!, titlePath, policy, replayed: false };
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
 * Takes the plan from the test, whose result keeps it: JUnit and JSON show each annotation of a test. Makes a list of its own: in
 * merge-reports test and result share one (checked on Playwright 1.65).
 */
export function hidePlan(test: { annotations: Annotation[] }): void {
  if (test.annotations.some(isPlan)) test.annotations = test.annotations.filter(each => !isPlan(each));
}

/**
 * The plan with what the options say: a test is declared once for all projects, before its agent is known. Replays of one recording
 * are not independent: one is enough, unless `--repeat-each` asks for more.
 */
export function planWith(
  plan: Plan,
  { replays, earlyStop }: { replays: boolean; earlyStop?: boolean | undefined },
  repeatEach: number | undefined,
): Plan {
  const policy = replays && repeatEach === undefined ? { k: 1, minPasses: 1 } : plan.policy;
  return {
    ...plan,
    policy,
    replayed: replays || plan.replayed,
    ...(earlyStop && policy.k > 1 ? { earlyStop } : {}),
  };
}

/** Undefined if there are none. */
export function describeOf(test: Pick<AnnotatedTest, 'titlePath'>): string | undefined {
  return titlesOf(test)?.slice(1, -1).filter(Boolean).join(' › ') || undefined;
}

/** File, describes, title. */
function titlesOf(test: Pick<AnnotatedTest, 'titlePath'>): readonly string[] | undefined {
  return typeof test.titlePath === 'function' ? test.titlePath().slice(2) : test.titlePath;
}
