// The cost of requests to a model, and the trial's cap.
import { z } from 'zod';
import { MAX_COUNT, type Tokens, type Usage } from '../../data/usage';
import { AgentApiError, type AgentTask, BudgetExceededError } from '../agent';

/** The most tokens that a vendor counts for a picture. */
const PICTURE_TOKENS = 1_600;
const CHARACTERS_PER_TOKEN = 3.5;

export interface Prices {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Prices for prompts of more than `tokens` tokens, cached ones included. */
  above?: { tokens: number; prices: Prices };
}

const dollars = z.number().min(0);

/** Prices set by users, in US dollars per million tokens. Each agent has its own defaults for missing ones. */
export const pricingSchema = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
});

const CAPS = 'a cost cap (maxCostUsd or maxRunCostUsd)';

export const unknownPrice = (model: string, factory: string) =>
  `the price is unknown for the model "${model}", so ${CAPS} can't be kept. Set its prices in dollars per million tokens, ${factory}({ model, pricing: { input: 4, output: 20 } }), or remove the cap.`;

export const uncounted = (model: string) =>
  `the provider of the model "${model}" does not count tokens, so ${CAPS} can't be kept. Remove the cap.`;

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

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT;

/** The tokens that an API reports, with their cost: null if there are no prices, or a count is missing. */
export function priced(said: Record<keyof Tokens, unknown>, prices: Prices | undefined): Required<Usage> {
  const counts = Object.entries(said).map(([kind, value]) => [kind, isCount(value) ? value : 0]);
  const tokens = Object.fromEntries(counts) as Tokens;
  const isCounted = Object.values(said).every(isCount);
  return { ...tokens, costUsd: prices && isCounted ? costOf(prices, tokens) : null };
}

/** Estimates how many tokens a vendor counts, pictures included. */
export function tokensOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + tokensOf(each), 0);
  if (typeof value !== 'object' || value === null)
    return Math.ceil(String(value).length / CHARACTERS_PER_TOKEN);
  const { type, content } = value as { type?: string; content?: unknown };
  if (type === 'image' || type === 'file') return PICTURE_TOKENS;
  if (content !== undefined) return tokensOf(content) + 10;
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
}

/** Keeps a trial below its cost cap: refuses a request that would probably exceed it. */
export class Budget {
  /** Usage of the part of the next request that was sent before. */
  private known: Usage = {};
  /** Estimated tokens of the conversation at the last check. */
  private size = 0;
  private output = 0;

  constructor(
    private readonly task: Pick<AgentTask, 'usage' | 'maxCostUsd' | 'costUsd'>,
    readonly prices: Prices | undefined,
  ) {}

  report(usage: Required<Usage>): void {
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = usage;
    const cached = cacheReadTokens + cacheCreationTokens;
    this.known = cached ? { cacheReadTokens: cached + inputTokens } : { inputTokens };
    // The longest answer so far: an average would be too low half of the time.
    this.output = Math.max(this.output, outputTokens);
    this.task.usage(usage);
  }

  /** @throws BudgetExceededError, or AgentApiError if not even the first request fits: then nobody tried the site */
  check(conversation: unknown): void {
    const { maxCostUsd, costUsd } = this.task;
    if (maxCostUsd === undefined || !this.prices || costUsd === null) return;
    const size = tokensOf(conversation);
    // After a trim, the whole conversation is written to the cache again.
    const isTrimmed = size < this.size;
    const next = costOf(this.prices, {
      ...(!isTrimmed && this.known),
      cacheCreationTokens: isTrimmed ? size : size - this.size,
      outputTokens: this.output,
    });
    const isFirst = this.size === 0 && costUsd === 0;
    this.size = size;
    if (costUsd + next <= maxCostUsd) return;
    if (isFirst)
      throw new AgentApiError(
        `the first request would cost about $${next.toFixed(4)}, more than the whole maxCostUsd of $${maxCostUsd}: raise it, or use a cheaper model`,
      );
    throw new BudgetExceededError(
      `$${costUsd.toFixed(4)} of $${maxCostUsd} are spent, and the next turn would cost about $${next.toFixed(4)}`,
    );
  }
}
