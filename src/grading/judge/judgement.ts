// Asks a judge, and reads what it returned. A file of its own: configs import judges, and need not load the schema of records.
import { abortable } from '../../browser/waiting';
import { type Judgement, type JudgeResult, judgeResultSchema } from '../../data/record';
import { NO_USAGE, type TotalUsage, usageSchema } from '../../data/usage';
import { problemsIn } from '../../spec/errors';
import { messageOf, oneLine } from '../../text/line';
import { inTexts, type Mask } from '../../text/mask';
import { type Judge, type JudgedTrial, JudgeError } from '.';

/** Milliseconds for all that a judge asks about one trial. */
export const JUDGE_TIME_MS = 300_000;
const MAX_REASON = 1_000;

export interface Judged {
  judgement?: JudgeResult;
  /** Why there is no judgement. It makes the trial an error. */
  error?: string;
  usage?: TotalUsage | undefined;
}

/** Never rejects. @param mask for the judge's words */
export async function askJudge(judge: Judge, trial: JudgedTrial, mask: Mask): Promise<Judged> {
  try {
    const returned: unknown = await abortable(() => judge.judge(trial), trial.signal);
    const judgement = readJudgement(returned, judge, mask);
    return { judgement, usage: judgement.usage };
  } catch (error) {
    const usage = error instanceof JudgeError ? readUsage(error.usage) : undefined;
    return { error: oneLine(mask(`judge "${judge.name}": ${messageOf(error)}`), 500), usage };
  }
}

/** What a judge used that gave no judgement. The cost is unknown if there are no counts. */
function readUsage(said: unknown): TotalUsage {
  const { data = { ...NO_USAGE, costUsd: null } } = usageSchema.safeParse(said);
  return data;
}

/** @throws Error that says what is wrong with the judgement: an unreadable record would lose the trial. */
function readJudgement(returned: unknown, { name, model, minAgreement }: Judge, mask: Mask): JudgeResult {
  const { data, error } = judgeResultSchema.safeParse(inTexts(returned, mask));
  if (error) {
    const problem = `must resolve to { passed, reason }: ${problemsIn(error, 'the result')[0]}`;
    const { usage } = Object(returned) as Judgement;
    throw usage ? new JudgeError(problem, usage) : new Error(problem);
  }
  const least = minAgreement === undefined ? {} : { minAgreement };
  return { ...data, reason: oneLine(data.reason, MAX_REASON), name, ...(model && { model }), ...least };
}
