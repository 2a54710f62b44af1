// Hands a trial whose assertions held to the judge.
import type { Page } from '@playwright/test';
import type { Judge, JudgedTrial } from '../grading/judge';
import type { GradedPlan } from './plan';
import type { AssertionResult, JudgeResult } from './record';
import type { Stage } from './stage';
import { messageOf, oneLine, type Turns } from './turns';

/** Milliseconds for all of the judge's calls. */
const JUDGE_TIME_MS = 120_000;
const MAX_FINAL_TEXT = 20_000;

export interface JudgedState {
  plan: GradedPlan;
  turns: Turns;
  assertions: readonly AssertionResult[];
  screenshots: JudgedTrial['screenshots'];
  page: Page;
  stage: Stage;
}

/** @returns the judgement, or in one line why there is none: then the trial says nothing about the site. */
export async function judgeTrial(
  judge: Judge,
  state: JudgedState,
): Promise<{ judgement: JudgeResult } | { error: string }> {
  const { plan, turns } = state;
  const cap = plan.maxCostUsd;
  const spent = turns.usage.costUsd;
  const trial: JudgedTrial = {
    spec: plan.spec,
    rubric: plan.spec.judge!,
    turns: turns.records,
    screenshots: state.screenshots,
    finalUrl: state.page.url(),
    finalText: await visibleText(state.page),
    assertions: state.assertions,
    budgetUsd: cap === undefined || spent === null ? cap : Math.max(0, cap - spent),
    signal: AbortSignal.timeout(JUDGE_TIME_MS),
  };
  try {
    const judgement = await judge.judge(trial);
    if (typeof judgement?.passed !== 'boolean' || typeof judgement.reason !== 'string')
      return { error: `judge "${judge.name}" must resolve to { passed, reason }` };
    await showJudgement(state, judge, judgement);
    return { judgement: { ...judgement, model: judge.model } };
  } catch (error) {
    return { error: oneLine(`judge "${judge.name}": ${messageOf(error)}`, 500) };
  }
}

async function showJudgement(
  { plan, stage }: JudgedState,
  judge: Judge,
  { passed, reason }: { passed: boolean; reason: string },
): Promise<void> {
  const failed = new Error(reason);
  await stage
    .step(
      `judge "${judge.name}": ${oneLine(reason, 200)}`,
      async () => {
        if (!passed) throw failed;
      },
      plan.locate('judge'),
    )
    .catch(error => {
      if (error !== failed) throw error;
    });
}

async function visibleText(page: Page): Promise<string> {
  try {
    return (await page.locator('body').innerText({ timeout: 5_000 })).slice(0, MAX_FINAL_TEXT);
  } catch {
    return '';
  }
}
