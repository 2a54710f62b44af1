// The cost of requests to a model, and the trial's cap.
import { z } from 'zod';
import { type AgentTask, BudgetExceededError, type Usage } from '../agent';

/** An answer costs no less than this, and is guessed by those before it. */
const LEAST_OUTPUT = 200;

/** US dollars per million tokens. */
export interface Prices {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Other prices for prompts of more than so many tokens, cached ones included. */
  above?: { tokens: number; prices: Prices };
}

const dollars = z.number().min(0);

/** Prices as users give them, in US dollars per million tokens. What is left out, each agent fills in. */
export const pricingSchema = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
});

/** Dollars for a request. */
export function costOf(prices: Prices, usage: Usage): number {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0 } = usage;
  const prompt = inputTokens + cacheReadTokens + cacheCreationTokens;
  const { above } = prices;
  if (above && prompt > above.tokens) return costOf(above.prices, usage);
  const millionths =
    inputTokens * prices.input +
    outputTokens * prices.output +
    cacheReadTokens * prices.cacheRead +
    cacheCreationTokens * prices.cacheWrite;
  return millionths / 1_000_000;
}

/** Keeps a trial below its cap: a request is made only if what it will probably cost is left. */
export class Budget {
  /** Tokens of the newest request: the next one has them again. */
  private known = 0;
  private isCached = false;
  private output = LEAST_OUTPUT;

  /** @param toolsTokens estimated tokens of the tools' definitions, until the first answer */
  constructor(
    private readonly task: Pick<AgentTask, 'usage' | 'maxCostUsd' | 'costUsd'>,
    private readonly prices: Prices | undefined,
    private readonly toolsTokens: number,
  ) {}

  /** Tells the trial what a request took. */
  report(usage: Required<Usage>): void {
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = usage;
    this.known = inputTokens + cacheReadTokens + cacheCreationTokens;
    this.isCached = cacheReadTokens + cacheCreationTokens > 0;
    // An even guess would be too low every other time.
    this.output = Math.max(this.output, outputTokens);
    this.task.usage(usage);
  }

  /** After a trim, the conversation is written to the cache again. */
  forgetCached(): void {
    this.known = 0;
  }

  /**
   * @param fresh tokens that the next request adds; all of them, before the first one and after a trim.
   * @throws BudgetExceededError if the next request would probably go beyond the cap.
   */
  check(fresh: number): void {
    const { maxCostUsd, costUsd } = this.task;
    if (maxCostUsd === undefined || !this.prices || costUsd === null) return;
    const { known, isCached } = this;
    const next = costOf(this.prices, {
      ...(isCached ? { cacheReadTokens: known } : { inputTokens: known }),
      cacheCreationTokens: fresh + (known === 0 ? this.toolsTokens : 0),
      outputTokens: this.output,
    });
    if (costUsd + next <= maxCostUsd) return;
    throw new BudgetExceededError(
      `$${costUsd.toFixed(4)} of $${maxCostUsd} are spent, and the next turn would cost about $${next.toFixed(4)}`,
    );
  }
}
