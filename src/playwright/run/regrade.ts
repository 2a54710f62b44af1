// Grades a kept trial again without its page, after its spec's policy, assertions or rubric have changed.
import { leastOf } from '../../data/collections';
import {
  answerText,
  MAX_RECORDED_ANSWER,
  MAX_RECORDED_URL,
  type NetworkEvent,
  type TrialRecord,
} from '../../data/record';
import { addUsage } from '../../data/usage';
import type { Policy } from '../../data/verdict';
import { lookAtAnswer } from '../../grading/answer';
import { assertionTitle, resultOf } from '../../grading/assertions';
import { canBreakLater } from '../../grading/holds';
import type { Judge, JudgedTrial } from '../../grading/judge';
import { askJudge, JUDGE_TIME_MS, type Judged } from '../../grading/judge/judgement';
import { networkLook } from '../../grading/network';
import { failureOf, outcomeFields } from '../../grading/outcome';
import { transcript } from '../../grading/transcript';
import type { AnswerAssertion, Assertion } from '../../spec';
import { type LoadedSpec, locationIn } from '../../spec/load';
import { atSite, type Site, withData } from '../../spec/placeholders';
import { urlGlob } from '../../spec/url-glob';
import { harmless } from '../../text/line';
import type { Mask } from '../../text/mask';
import { trialError } from './trial-error';

export interface KeptTrial {
  record: TrialRecord;
  /** The rubric that its judge was given. */
  rubric: string | undefined;
  /** Screenshots by name. */
  pictures: ReadonlyMap<string, Buffer>;
}

export interface Regrading {
  loaded: LoadedSpec;
  policy: Policy;
  site: Site;
  judge: Judge | undefined;
  /** For the judge's words: it may read a secret in a picture. */
  mask: Mask;
  /** US dollars for a trial, its earlier grades included; the lower of this and the spec's own. */
  maxCostUsd?: number | undefined;
  /** US dollars that the run may still spend on judges. */
  leftOfRunUsd?: number | undefined;
}

/**
 * Asks the judge again only if its rubric or the judge itself has changed.
 *
 * @returns the new record, with the error of a trial that did not pass; or `unknown`, which says what the evidence can't tell
 */
export async function regrade(kept: KeptTrial, { loaded, policy, site, judge, mask, ...caps }: Regrading) {
  const { record } = kept;
  const spec = specOf(record, { loaded, site });
  const checked = spec.assertions.map((assertion, index) => {
    const line = loaded.locate(`assertions[${index}]`)?.line;
    const reason = whyBroken(assertion, record);
    return { assertion, result: reason === undefined ? [] : [resultOf(assertion, reason, line)] };
  });
  const assertions = [
    ...checked.flatMap(({ result }) => result),
    // The suite's own code is not run again.
    ...record.assertions.filter(({ type }) => type === 'check'),
  ];
  const graded: TrialRecord = { ...record, specHash: loaded.hash, policy, assertions, judge: null };
  const missing = checked.find(({ result }) => !result.length);
  if (failureOf(graded) === null) {
    if (missing)
      return { unknown: `the kept record does not show whether ${assertionTitle(missing.assertion)}` };
    if (spec.judge !== undefined && judge) {
      const budgetUsd = budgetOf(record, leastOf([spec.maxCostUsd, caps.maxCostUsd]), caps.leftOfRunUsd);
      const asked = await judgeKept(kept, { spec, assertions, judge, mask, budgetUsd });
      if ('unknown' in asked) return asked;
      const { judgement = null, error, usage } = asked;
      graded.judge = judgement;
      if (error !== undefined)
        Object.assign(graded, { status: 'error', errorKind: 'judge', endReason: error });
      if (usage) {
        graded.usage = addUsage(record.usage, usage);
        graded.costUsd = graded.usage.costUsd;
      }
    }
  }
  const failure = failureOf(graded);
  const regraded = { ...graded, ...outcomeFields(graded, failure) };
  const locate = (path: string) => locationIn(loaded, path);
  const error = failure && trialError(regraded, failure, locate);
  return { record: regraded, transcript: transcript(regraded, spec.goal), error };
}

function budgetOf({ costUsd }: TrialRecord, cap: number | undefined, ofRun: number | undefined) {
  const ofTrial = cap === undefined ? undefined : Math.max(0, cap - (costUsd ?? 0));
  return leastOf([ofTrial, ofRun]);
}

/** The spec as it is now, with the trial's data. */
export function specOf(record: TrialRecord, { loaded, site }: Pick<Regrading, 'loaded' | 'site'>) {
  const data = { ...record.data, trial: record.repeatIndex + 1, unique: record.unique ?? '' };
  return atSite(withData(loaded.spec, data), site);
}

/** @returns null if the assertion holds, undefined if the evidence can't tell. One that was checked on the page keeps its result. */
function whyBroken(assertion: Assertion, record: TrialRecord): string | null | undefined {
  const { network, finalUrl } = record;
  const title = assertionTitle(assertion);
  const earlier = record.assertions.find(each => each.title === title);
  if (earlier) return earlier.reason;
  if (assertion.type === 'answer') return whyWrong(assertion, record);
  if (assertion.type === 'url') {
    if (finalUrl === null || isIncomplete(finalUrl)) return undefined;
    const holds = urlGlob(assertion.pattern)(finalUrl);
    return holds ? null : `the URL ${finalUrl} does not match "${assertion.pattern}"`;
  }
  // Bodies are not kept.
  if (assertion.type !== 'network' || assertion.body !== undefined) return undefined;
  const whole = network.dropped === 0 && !network.events.some(isCut);
  const reason = networkLook(assertion)({ network: network.events });
  return whole || (reason === null && !canBreakLater(assertion)) ? reason : undefined;
}

function whyWrong(assertion: AnswerAssertion, { answer, assertions }: TrialRecord) {
  const said = answerText(answer ?? '');
  if (said.length >= MAX_RECORDED_ANSWER || said.includes('<secret>')) return undefined;
  const reason = lookAtAnswer(assertion, answer ?? null);
  // Agents are told whether their answer is checked, and its shape. This agent was not, and might have answered otherwise.
  const wasTold = assertions.some(({ type }) => type === 'answer') && !assertion.matches;
  return reason === null || wasTold ? reason : undefined;
}

const isIncomplete = (url: string) => url.endsWith('…') || url.includes('<secret>');
const isCut = ({ url }: NetworkEvent) => url.length >= MAX_RECORDED_URL || isIncomplete(url);

/** `spec` has a rubric. */
type Asking = Pick<JudgedTrial, 'spec' | 'assertions' | 'budgetUsd'> & { judge: Judge; mask: Mask };

async function judgeKept(kept: KeptTrial, asking: Asking): Promise<Judged | { unknown: string }> {
  const { judge: earlier, finalText } = kept.record;
  const { judge, spec } = asking;
  const isSame = earlier?.name === judge.name && earlier.model === judge.model;
  if (earlier && isSame && kept.rubric === harmless(spec.judge!))
    return { judgement: { ...earlier, minAgreement: judge.minAgreement } };
  if (finalText === undefined)
    return {
      unknown: 'its record lacks the text of the final page, which the judge reads: no judge was asked then',
    };
  return askAgain(kept, asking);
}

/** Asks a judge about a kept trial, even if it was judged before. */
export function askAgain(
  { record, pictures }: Pick<KeptTrial, 'record' | 'pictures'>,
  { judge, mask, ...asking }: Asking,
): Promise<Judged> {
  const { turns, finalUrl, finalText = '', answer } = record;
  const ends = { number: null, screenshot: 'end.jpg' };
  const screenshots = [...turns, ends].flatMap(({ number: turn, screenshot }) => {
    const [name, image] = [screenshot ?? '', pictures.get(screenshot ?? '')];
    return image ? { name, turn, image } : [];
  });
  const trial: JudgedTrial = {
    ...asking,
    rubric: asking.spec.judge!,
    ...{ turns, screenshots, finalUrl: finalUrl ?? '', finalText, answer },
    signal: AbortSignal.timeout(JUDGE_TIME_MS),
    waiting: promise => Promise.resolve(promise),
  };
  return askJudge(judge, trial, mask);
}
