// Tokens and US dollars of requests to models.
import { z } from 'zod';
import { sumOf } from './collections';

/** The most tokens or dollars that one report can have, so that sums stay finite. */
export const MAX_COUNT = 1e12;

export const count = z.int().nonnegative();
export const amount = z.number().nonnegative();
/** US dollars; null if a price is unknown. */
export const costSchema = amount.nullable();

const tokensIn = (amount: z.ZodType<number>) =>
  z.object({
    inputTokens: amount,
    outputTokens: amount,
    cacheReadTokens: amount,
    cacheCreationTokens: amount,
  });

/** Tokens, as the results file has them. */
export const tokensSchema = tokensIn(count);

/** The same in a record. The numbers are an agent's own, and may be fractions. */
export const usageSchema = tokensIn(amount).extend({ costUsd: costSchema });

/** Milliseconds of waiting for models. They make neither the agent nor the judge late. */
export const waitTimesSchema = z.object({
  modelTimeMs: amount.describe("With a model's answer pending."),
  waitTimeMs: amount.describe('With no answer pending, but a rate limit, or a pause before another try.'),
});

export type Tokens = z.infer<typeof tokensSchema>;

/** How long a trial, or several, waited for models. */
export interface WaitTimes extends z.infer<typeof waitTimesSchema> {}

/** Tokens and US dollars of several requests. The cost is null if the cost of one is unknown. */
export type TotalUsage = z.infer<typeof usageSchema>;

/** Tokens and US dollars of one model request. A missing count is 0; a missing cost is unknown. */
export interface Usage extends Partial<TotalUsage> {}

/** What an agent reports about a model request. */
export interface ReportedUsage extends Usage {
  /** US dollars of all requests of the trial so far, this one included. Replaces the sum of `costUsd`. */
  totalCostUsd?: number;
}

const NO_TOKENS: Tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
export const NO_USAGE: TotalUsage = { ...NO_TOKENS, costUsd: 0 };

export function addUsage(total: TotalUsage, usage: ReportedUsage): TotalUsage {
  const cost = usage.costUsd ?? null;
  const sum = total.costUsd === null || cost === null ? null : total.costUsd + cost;
  return { ...sumOfTokens([total, usage]), costUsd: usage.totalCostUsd ?? sum };
}

export function sumOfTokens(usages: readonly (Partial<Tokens> | undefined)[]): Tokens {
  const total = { ...NO_TOKENS };
  for (const usage of usages)
    for (const kind of Object.keys(total) as (keyof Tokens)[]) total[kind] += usage?.[kind] ?? 0;
  return total;
}

/** Whole milliseconds. Nothing if nobody waited, or if records of earlier versions don't tell. */
export function sumOfWaits(all: readonly Partial<WaitTimes>[]): Partial<WaitTimes> {
  const known = all.filter(({ modelTimeMs, waitTimeMs }) => modelTimeMs || waitTimeMs);
  if (!known.length) return {};
  return {
    modelTimeMs: Math.round(sumOf(known, ({ modelTimeMs = 0 }) => modelTimeMs)),
    waitTimeMs: Math.round(sumOf(known, ({ waitTimeMs = 0 }) => waitTimeMs)),
  };
}

/** The sum of US dollars; null if any is unknown. Rounded to a millionth: binary sums of cents leave 0.30000000000000004. */
export function sumOfCosts(costs: readonly (number | null)[]): number | null {
  const known = costs.filter(cost => cost !== null);
  return known.length < costs.length ? null : Math.round(sumOf(known, cost => cost) * 1e6) / 1e6;
}
