// Reads what a judge returned. A file of its own: configs import judges, and need not load the schema of records.
import { type JudgeResult, judgeResultSchema } from '../../data/record';
import { NO_USAGE, type TotalUsage, usageSchema } from '../../data/usage';
import { problemsIn } from '../../spec/errors';
import { oneLine } from '../../text/line';
import { inTexts, type Mask } from '../../text/mask';
import type { Judge } from '.';

const MAX_REASON = 1_000;

/** What a judge used that gave no judgement. The cost is unknown if there are no counts. */
export function readUsage(said: unknown): TotalUsage {
  const { data = { ...NO_USAGE, costUsd: null } } = usageSchema.safeParse(said);
  return data;
}

/** @throws Error that says what is wrong with the judgement: an unreadable record would lose the trial. */
export function readJudgement(
  returned: unknown,
  { name, model, minAgreement }: Judge,
  mask: Mask,
): JudgeResult {
  const { data, error } = judgeResultSchema.safeParse(inTexts(returned, mask));
  if (error) throw new Error(`must resolve to { passed, reason }: ${problemsIn(error, 'the result')[0]}`);
  const least = minAgreement === undefined ? {} : { minAgreement };
  return { ...data, reason: oneLine(data.reason, MAX_REASON), name, ...(model && { model }), ...least };
}
