// The cost of requests to a model, and the trial's cap.
import { z } from 'zod';
import type { Usage } from '../../data/usage';
import { type AgentTask, BudgetExceededError } from '../agent';

/** Tokens that an answer is assumed to have at least. */
const LEAST_OUTPUT = 200;

/** US dollars per million tokens. */
export interface Prices {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Prices for prompts of more than `tokens` tokens, cached ones included. */
  above?: { tokens: number; prices: Prices };
}

const dollars = z.number().min(0);

/** Prices as users set them, in US dollars per million tokens. Each agent has its own defaults for missing ones. */
export const pricingSchema = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
});

/** Why a cost cap can't be kept. */
export const unknownPrice = (model: string, factory: string) =>
  `the price is unknown for the model "${model}", so maxCostUsd can't be kept. Set its prices in dollars per million tokens, ${factory}({ model, pricing: { input: 4, output: 20 } }), or remove maxCostUsd.`;

/** US dollars for a request. */
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

/** Keeps a trial below its cost cap: refuses a request that would probably exceed it. */
export class Budget {
  /** Prompt tokens of the newest request: the next one sends them again. */
  private known = 0;
  private isCached = false;
  private output = LEAST_OUTPUT;

  /** @param toolsTokens estimated tokens of the tools' definitions, until the first answer */
  constructor(
    private readonly task: Pick<AgentTask, 'usage' | 'maxCostUsd' | 'costUsd'>,
    readonly prices: Prices | undefined,
    private readonly toolsTokens: number,
  ) {}

  /** Adds the usage of a request to the trial's. */
  report(usage: Required<Usage>): void {
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = usage;
    this.known = inputTokens + cacheReadTokens + cacheCreationTokens;
    this.isCached = cacheReadTokens + cacheCreationTokens > 0;
    // The longest so far: an average would be too low half of the time.
    this.output = Math.max(this.output, outputTokens);
    this.task.usage(usage);
  }

  /** After a trim, the conversation is written to the cache again. */
  forgetCached(): void {
    this.known = 0;
  }

  /**
   * @param fresh tokens that the next request adds; all of them, before the first one and after a trim.
   * @throws BudgetExceededError if the next request would probably exceed the cap.
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
