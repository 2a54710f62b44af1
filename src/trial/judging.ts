// Hands a trial whose assertions held to the judge.
import type { Page } from '@playwright/test';
import { type Judge, type JudgedTrial, JudgeError, type JudgeUsage } from '../grading/judge';
import type { GradedPlan } from './plan';
import { type AssertionResult, type JudgeResult, judgeResultSchema } from './record';
import type { Stage } from './stage';
import { messageOf, oneLine } from './text';
import { keyPointTitle } from './transcript';
import { abortable, type Turns } from './turns';

/** Milliseconds for all of the judge's calls. */
export const JUDGE_TIME_MS = 120_000;
const MAX_FINAL_TEXT = 20_000;
const MAX_REASON = 1_000;

export interface JudgedState {
  plan: GradedPlan;
  turns: Turns;
  assertions: readonly AssertionResult[];
  screenshots: JudgedTrial['screenshots'];
  page: Page;
  stage: Stage;
  /** Replaces the values of secrets. */
  mask(text: string): string;
  /** Aborted when the test ends. */
  stopped: AbortSignal;
}

/**
 * @returns the judgement, or in one line why there is none: then the trial says nothing about the site. `usage` is what
 * the judge has spent either way.
 */
export async function judgeTrial(
  judge: Judge,
  state: JudgedState,
): Promise<({ judgement: JudgeResult } | { error: string }) & { usage?: JudgeUsage }> {
  const said = (reason: string) => oneLine(state.mask(`judge "${judge.name}": ${reason}`), 500);
  try {
    const trial = await judgedTrial(state);
    const returned: unknown = await abortable(() => judge.judge(trial), trial.signal);
    const judgement = readJudgement(returned, judge, state.mask);
    if (typeof judgement === 'string') return { error: said(judgement) };
    await showJudgement(state, judgement);
    return { judgement, ...(judgement.usage && { usage: judgement.usage }) };
  } catch (error) {
    const usage = error instanceof JudgeError ? error.usage : undefined;
    return { error: said(messageOf(error)), ...(usage && { usage }) };
  }
}

async function judgedTrial(state: JudgedState): Promise<JudgedTrial> {
  const { plan, turns, mask } = state;
  const cap = plan.maxCostUsd;
  const spent = turns.usage.costUsd;
  return {
    spec: plan.spec,
    rubric: plan.spec.judge!,
    turns: turns.records,
    screenshots: state.screenshots,
    finalUrl: mask(state.page.url()),
    finalText: mask(await visibleText(state.page)).slice(0, MAX_FINAL_TEXT),
    assertions: state.assertions,
    budgetUsd: cap === undefined || spent === null ? cap : Math.max(0, cap - spent),
    signal: AbortSignal.any([AbortSignal.timeout(JUDGE_TIME_MS), state.stopped]),
  };
}

/** @returns what the record will hold, or what is wrong with it: a record that can't be read back would lose the trial. */
function readJudgement(
  returned: unknown,
  { name, model }: Judge,
  mask: (text: string) => string,
): JudgeResult | string {
  const asJson = JSON.stringify(returned);
  const result = judgeResultSchema.safeParse(asJson && JSON.parse(mask(asJson)));
  if (!result.success) {
    const [issue] = result.error.issues;
    return `must resolve to { passed, reason }: ${issue!.path.join('.') || 'the result'}: ${issue!.message}`;
  }
  return { ...result.data, reason: oneLine(result.data.reason, MAX_REASON), name, ...(model && { model }) };
}

/** A step for the judgement, with one for each key point in it. */
async function showJudgement({ plan, stage }: JudgedState, judgement: JudgeResult): Promise<void> {
  const { name, passed, reason, keyPoints = [] } = judgement;
  const location = plan.locate('judge');
  const show = async (title: string, broken: string | null, inside?: () => Promise<void>) => {
    const failure = new Error(broken ?? '');
    await stage
      .step(
        title,
        async () => {
          await inside?.();
          if (broken !== null) throw failure;
        },
        location,
      )
      .catch(error => {
        if (error !== failure) throw error;
      });
  };
  await show(`judge "${name}": ${oneLine(reason, 200)}`, passed ? null : reason, async () => {
    for (const point of keyPoints)
      await show(
        oneLine(`${point.met ? 'met' : 'not met'}: ${keyPointTitle(point)}`, 300),
        point.met ? null : point.evidence,
      );
  });
}

async function visibleText(page: Page): Promise<string> {
  try {
    return await page.locator('body').innerText({ timeout: 5_000 });
  } catch {
    return '';
  }
}
