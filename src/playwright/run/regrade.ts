// Grades a trial anew from what is kept of it, without its page: after an edit of its spec's policy, assertions or rubric.
import {
  type AssertionResult,
  answerText,
  type JudgeResult,
  MAX_RECORDED_ANSWER,
  MAX_RECORDED_URL,
  type NetworkEvent,
  type TrialRecord,
} from '../../data/record';
import { addUsage } from '../../data/usage';
import type { Policy } from '../../data/verdict';
import { lookAtAnswer } from '../../grading/answer';
import { assertionTitle } from '../../grading/assertions';
import { type Judge, type JudgedTrial, readJudgement } from '../../grading/judge';
import { canBreakLater, networkLook } from '../../grading/network';
import { failureOf, outcomeFields } from '../../grading/outcome';
import { transcript } from '../../grading/transcript';
import { urlGlob } from '../../grading/url-glob';
import type { AnswerAssertion, Assertion } from '../../spec';
import { type LoadedSpec, locationIn } from '../../spec/load';
import { atOrigin, withData } from '../../spec/placeholders';
import { harmless, messageOf } from '../../text/line';
import { trialError } from './trial-error';

/** Milliseconds for all of a judge's calls. */
const JUDGE_TIME_MS = 300_000;

export interface KeptTrial {
  record: TrialRecord;
  /** What its judge was asked. */
  rubric: string | undefined;
  /** By name. */
  pictures: ReadonlyMap<string, Buffer>;
}

export interface Regrading {
  loaded: LoadedSpec;
  policy: Policy;
  origin: string | undefined;
  judge: Judge | undefined;
}

/** The new record, and the error of a trial that did not pass; or what the evidence can't tell. */
export type Regraded = { record: TrialRecord; transcript: string; error: Error | null } | { unknown: string };

/** Asks the judge again only if its rubric has changed, or it has itself. */
export async function regrade(kept: KeptTrial, to: Regrading): Promise<Regraded> {
  const { record } = kept;
  const { loaded, policy, origin, judge } = to;
  const data = { ...record.data, trial: record.repeatIndex + 1, unique: record.unique ?? '' };
  const spec = atOrigin(withData(loaded.spec, data), origin);
  const checked = spec.assertions.map((assertion, index) => {
    const line = loaded.locate(`assertions[${index}]`)?.line;
    return { assertion, result: checkKept(assertion, record, line) };
  });
  const assertions = [
    ...checked.flatMap(({ result }) => result ?? []),
    // Code of the suite is not run again.
    ...record.assertions.filter(({ type }) => type === 'check'),
  ];
  const graded = { ...record, specHash: loaded.hash, policy, assertions, judge: null as JudgeResult | null };
  const missing = checked.find(({ result }) => !result);
  if (failureOf(graded) === null) {
    if (missing) return { unknown: `what is kept can't tell whether ${assertionTitle(missing.assertion)}` };
    if (spec.judge !== undefined && judge) {
      const judgement = await judgeKept(kept, { ...spec, judge: spec.judge }, assertions, judge);
      if (typeof judgement === 'string') return { unknown: judgement };
      graded.judge = judgement;
    }
  }
  const { judge: judgement } = graded;
  if (judgement?.usage && judgement !== record.judge) {
    graded.usage = addUsage(record.usage, judgement.usage);
    graded.costUsd = graded.usage.costUsd;
  }
  const failure = failureOf(graded);
  const regraded = { ...graded, ...outcomeFields(graded, failure) };
  const locate = (path: string) => locationIn(loaded, path);
  const error = failure && trialError(regraded, failure, locate);
  return { record: regraded, transcript: transcript(regraded, spec.goal), error };
}

/** Undefined if the evidence can't tell. An assertion that was checked on the page keeps its result. */
function checkKept(
  assertion: Assertion,
  record: TrialRecord,
  line: number | undefined,
): AssertionResult | undefined {
  const title = assertionTitle(assertion);
  const earlier = record.assertions.find(each => each.title === title);
  const reason = earlier ? earlier.reason : whyBroken(assertion, record);
  if (reason === undefined) return undefined;
  const { type, description, method } = { method: undefined, ...assertion };
  const told = { ...(method && { method }), ...(description && { description }), ...(line && { line }) };
  return { title, type, ...told, passed: reason === null, reason };
}

/** Null if it holds; undefined if the evidence can't tell. */
function whyBroken(assertion: Assertion, record: TrialRecord): string | null | undefined {
  const { network, finalUrl } = record;
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
  // Agents are told whether their answer is checked, and its shape: told so, this one might have answered otherwise.
  const wasTold = assertions.some(({ type }) => type === 'answer') && !assertion.matches;
  return reason === null || wasTold ? reason : undefined;
}

const isIncomplete = (url: string) => url.endsWith('…') || url.includes('<secret>');
const isCut = ({ url }: NetworkEvent) => url.length >= MAX_RECORDED_URL || isIncomplete(url);

/** The judgement, or in one line why there is none. */
async function judgeKept(
  { record, rubric, pictures }: KeptTrial,
  spec: JudgedTrial['spec'] & { judge: string },
  assertions: readonly AssertionResult[],
  judge: Judge,
): Promise<JudgeResult | string> {
  const { turns, finalUrl, finalText, answer, judge: earlier } = record;
  const isSame = earlier?.name === judge.name && earlier.model === judge.model;
  if (earlier && isSame && rubric === harmless(spec.judge)) return earlier;
  if (finalText === undefined) return 'the page that its judge would read is not kept, since none was asked';
  const names = [...turns.map(({ number, screenshot }) => ({ turn: number, name: screenshot }))];
  const screenshots = [...names, { turn: null, name: 'end.jpg' }].flatMap(({ turn, name }) => {
    const image = pictures.get(name ?? '');
    return image ? { name: name!, turn, image } : [];
  });
  try {
    const returned: unknown = await judge.judge({
      ...{ spec, rubric: spec.judge, turns, screenshots, finalUrl: finalUrl ?? '', finalText, assertions },
      answer,
      budgetUsd: spec.maxCostUsd,
      signal: AbortSignal.timeout(JUDGE_TIME_MS),
      waiting: promise => Promise.resolve(promise),
    });
    return readJudgement(returned, judge, text => text);
  } catch (error) {
    return `judge "${judge.name}": ${messageOf(error)}`;
  }
}
