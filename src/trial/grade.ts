// Grades a trial whose agent has ended: checks the assertions, asks the judge, and finds out whether the site still answers.
import { setTimeout } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { unseen } from '../browser/in-page';
import { forModel } from '../browser/session/pictures';
import { within } from '../browser/waiting';
import { type AssertionResult, type JudgeResult, type NetworkEvent, recordedAnswer } from '../data/record';
import { lookAtAnswer } from '../grading/answer';
import { assertionTitle, checkAssertion, resultOf } from '../grading/assertions';
import { limitOf, whyInvalid } from '../grading/dom';
import { AssertionFailure, canBreakLater } from '../grading/holds';
import type { Judge, JudgedTrial } from '../grading/judge';
import { askJudge, JUDGE_TIME_MS, type Judged } from '../grading/judge/judgement';
import { askedFor } from '../grading/network';
import { keyPointTitle } from '../grading/transcript';
import type { Assertion } from '../spec';
import { parsedUrl } from '../spec/url';
import { beginning, messageOf, oneLine } from '../text/line';
import { inTexts } from '../text/mask';
import { Clock } from './clock';
import type { AgentRun } from './run-agent';

const SITE_ANSWER_MS = 5_000;
const SELECTORS_MS = 2_000;
const MAX_FINAL_TEXT = 20_000;

/** Milliseconds after the agent's end in which a request may still be sent that must not be. */
const QUIET_MS = 500;

/** Makes the network log keep the bodies that assertions check. */
export function keepBodies({ plan, opened }: AgentRun): void {
  const wanted = (plan.spec?.assertions ?? [])
    .filter(each => each.type === 'network')
    .filter(({ body }) => body !== undefined)
    .map(askedFor);
  if (wanted.length) opened.network.keepBodies(event => wanted.some(isWanted => isWanted(event)));
}

/** The first assertion with a selector that no browser can read, as its result. A page that hangs is asked in vain. */
export async function misreadAssertion({ plan, session }: AgentRun): Promise<AssertionResult | null> {
  const { assertions = [] } = plan.spec ?? {};
  const { page } = session;
  const ask = (each: Assertion) =>
    each.type === 'dom' ? within(whyInvalid(each, page), SELECTORS_MS) : null;
  const reasons = await unseen(page, () => Promise.all(assertions.map(ask)));
  const index = reasons.findIndex(Boolean);
  if (index < 0) return null;
  return resultOf(assertions[index]!, reasons[index]!, plan.locate(`assertions[${index}]`)?.line);
}

const MAX_GUESSES = 1_000;

const textOf = (page: Page) => page.locator('css=body').first().innerText({ timeout: 5_000 });

/**
 * Checks each assertion in a step, even after one has failed. Once an assertion has waited in vain, the trial has failed, and the
 * others are checked without waiting. Those that can break later, such as `absent`, are checked once more at the end.
 *
 * @param hasFailed whether the agent gave up: then no assertion waits
 */
export async function checkAssertions(
  { plan, session, opened, output, mask, answer }: AgentRun,
  results: AssertionResult[],
  hasFailed = false,
): Promise<void> {
  const { assertions = [], specVersion } = plan.spec ?? {};
  const { network: log } = opened;
  const { events: network, bodyOf } = log;
  const { downloads } = session;
  // What an agent could answer without doing anything.
  const text = plan.guesses ? await session.onAdmitted(textOf).catch(() => '') : '';
  const guesses = plan.guesses ? ['', plan.goal, ...text.split('\n').slice(0, MAX_GUESSES)] : [];
  let once = hasFailed;
  const reasonFor = (assertion: Assertion, index: number, limit?: Assertion): Promise<string | null> => {
    const seen = { network, isFull: log.isFull, bodyOf, downloads, answer, secrets: plan.secrets };
    const state = { ...seen, specVersion, timeoutMs: plan.expectTimeoutMs, once };
    const isGuessed =
      assertion.type === 'answer' && guesses.some(guess => lookAtAnswer(assertion, guess) === null);
    const check = async () =>
      isGuessed || session.onAdmitted(page => checkAssertion(limit ?? assertion, { page, ...state }));
    const title = assertionTitle(assertion) + (limit ? ', at the end' : '');
    return output.step(title, check, plan.locate(`assertions[${index}]`)).then(
      () => null,
      error => {
        once ||= error instanceof AssertionFailure && error.waited;
        return oneLine(mask(beginning(messageOf(error))), 500);
      },
    );
  };
  for (const [index, assertion] of assertions.entries()) {
    const reason = await reasonFor(assertion, index);
    results.push(resultOf(assertion, reason, plan.locate(`assertions[${index}]`)?.line));
  }
  const lasting = [...assertions.entries()].filter(
    ([index, each]) => results[index]!.passed && canBreakLater(each),
  );
  const isQuiet = lasting.some(([, { type }]) => type === 'network');
  if (isQuiet) await setTimeout(QUIET_MS);
  once = true;
  for (const [index, assertion] of lasting) {
    // It has just been checked.
    if (!isQuiet && index === assertions.length - 1) continue;
    const isOfPage = assertion.type !== 'network';
    const said = await reasonFor(assertion, index, assertion.type === 'dom' ? limitOf(assertion) : assertion);
    const reason = said && isOfPage ? `${said} (at the end; it held before)` : said;
    Object.assign(results[index]!, { passed: reason === null, reason });
  }
}

/** If a request to the site was not answered, asks the site once more. @returns the error, or null if the site is there */
export async function whySiteIsGone(trial: AgentRun): Promise<string | null> {
  const { plan, session, opened } = trial;
  const { entryUrl } = plan;
  const origin = parsedUrl(entryUrl ?? '')?.origin;
  const sentBefore = performance.now() - trial.startedAt - SITE_ANSWER_MS;
  const isLost = ({ failure, startedAtMs }: NetworkEvent) =>
    failure === undefined ? startedAtMs <= sentBefore : !/abort|block|cancel|insufficient/i.test(failure);
  const unanswered = (event: NetworkEvent) =>
    event.status === null && !event.answeredBy && event.url.startsWith(`${origin}/`) && isLost(event);
  if (!entryUrl || !origin || !opened.network.events.some(unanswered)) return null;
  try {
    const options = { timeout: SITE_ANSWER_MS, maxRedirects: 0 };
    const answer = await session.context.request.get(entryUrl, options);
    await answer.dispose();
    return null;
  } catch (error) {
    const [said] = messageOf(error).split('\n');
    return oneLine(said!.replace(/^.*\.get: /, ''), 300);
  }
}

/** What a judge reads of the page on which the agent ended. */
export async function finalPage({ session, mask }: AgentRun) {
  const text = await session.onAdmitted(textOf).catch(() => '(it could not be read)');
  return {
    finalUrl: mask(beginning(session.page.url())),
    finalText: mask(beginning(text, MAX_FINAL_TEXT)),
  };
}

type Graded = Pick<JudgedTrial, 'finalUrl' | 'finalText' | 'assertions'>;

/** @param stopped aborted when the test ends @returns also what the judge read of the final page */
export async function judgeTrial(
  trial: AgentRun,
  judge: Judge,
  graded: Graded,
  stopped: AbortSignal,
): Promise<Judged & { finalText?: string }> {
  const late = new AbortController();
  const seconds = JUDGE_TIME_MS / 1000;
  const clock = new Clock(trial, JUDGE_TIME_MS, () =>
    late.abort(new Error(`it took longer than ${seconds} s`)),
  );
  stopped.addEventListener('abort', () => clock.stop());
  try {
    const signal = AbortSignal.any([late.signal, stopped]);
    const judged = await judgedTrial(trial, graded, signal, clock);
    const asked = await askJudge(judge, judged, trial.mask);
    if (asked.judgement) await showJudgement(trial, asked.judgement);
    return { ...asked, ...(asked.judgement && { finalText: judged.finalText }) };
  } finally {
    clock.stop();
  }
}

async function judgedTrial(
  { plan, session, mask, pictures, turns, maskedAnswer }: AgentRun,
  graded: Graded,
  signal: AbortSignal,
  clock: Clock,
): Promise<JudgedTrial> {
  const spec = inTexts(plan.spec!, mask);
  const cap = plan.maxCostUsd;
  return {
    spec,
    rubric: spec.judge!,
    turns: structuredClone(turns.records),
    screenshots: await Promise.all(
      pictures.map(async each => ({ ...each, image: await forModel(session.page, each.image) })),
    ),
    ...structuredClone(graded),
    answer: maskedAnswer && recordedAnswer(maskedAnswer),
    budgetUsd: cap && Math.max(0, cap - turns.knownUsd),
    runIsCapped: plan.runIsCapped,
    maxRequests: plan.maxRequests,
    signal,
    waiting: (promise, kind) => clock.waiting(promise, kind),
  };
}

/** Shows the judgement as a step, with one for each key point in it. */
async function showJudgement({ plan, output }: AgentRun, judgement: JudgeResult): Promise<void> {
  const { name, passed, reason, keyPoints = [] } = judgement;
  const show = async (title: string, broken: string | null, inside = async () => {}) => {
    const body = async () => {
      await inside();
      if (broken !== null) throw new Error(broken);
    };
    await output.step(title, body, plan.locate('judge')).catch(() => undefined);
  };
  await show(`judge "${name}": ${oneLine(reason, 200)}`, passed ? null : reason, async () => {
    for (const point of keyPoints) {
      const title = oneLine(`${point.met ? 'met' : 'not met'}: ${keyPointTitle(point)}`, 300);
      await show(title, point.met ? null : point.evidence);
    }
  });
}
