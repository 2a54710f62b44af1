// Keeps a trial below its cap: a request is made only where what it will probably cost is still there.
import type { BetaUsage } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { AgentApiError, type AgentTask, BudgetExceededError, type Usage } from '../agent';
import type { ClaudeSettings } from './options';
import { costOf, PRICES_AS_OF, type Prices, pricesOf } from './pricing';

/** What the vendor's tool definitions weigh, until the first answer tells. */
const TOOLS_TOKENS = 6_000;
/** An answer costs no less than this, and is guessed by those before it. */
const LEAST_OUTPUT = 200;

/** @throws AgentApiError where a cap is set and the model's price is unknown. */
export function pricesFor(
  { model, pricing }: ClaudeSettings,
  maxCostUsd: number | undefined,
): Prices | undefined {
  const prices = pricesOf(model, pricing);
  if (!prices && maxCostUsd !== undefined)
    throw new AgentApiError(
      `claude: no price is known for the model "${model}" (prices as of ${PRICES_AS_OF}), so maxCostUsd can't be kept. Give its prices in dollars per million tokens, claude({ model: '${model}', pricing: { input: 4, output: 20 } }), or remove maxCostUsd.`,
    );
  return prices;
}

export class Budget {
  /** Tokens of the newest request and its answer: the next request reads them from the cache. */
  private known = 0;
  private output = LEAST_OUTPUT;

  constructor(
    private readonly task: AgentTask,
    private readonly prices: Prices | undefined,
  ) {}

  /** Tells the trial what a request took. */
  report(usage: BetaUsage): void {
    const counted: Usage = {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_input_tokens ?? 0,
      cacheCreationTokens: usage.cache_creation_input_tokens ?? 0,
    };
    this.known = counted.inputTokens! + counted.cacheReadTokens! + counted.cacheCreationTokens!;
    // An even guess would be too low every other time.
    this.output = Math.max(this.output, counted.outputTokens!);
    this.task.usage({ ...counted, costUsd: this.prices ? costOf(this.prices, counted) : null });
  }

  /** After a trim, the conversation is written to the cache anew. */
  forgetCached(): void {
    this.known = 0;
  }

  /**
   * @param fresh tokens that the next request adds; all of them, before the first one and after a trim.
   * @throws BudgetExceededError where the next request would probably go beyond the cap.
   */
  check(fresh: number): void {
    const { maxCostUsd, costUsd } = this.task;
    if (maxCostUsd === undefined || !this.prices || costUsd === null) return;
    const next = costOf(this.prices, {
      cacheReadTokens: this.known,
      cacheCreationTokens: fresh + (this.known === 0 ? TOOLS_TOKENS : 0),
      outputTokens: this.output,
    });
    if (costUsd + next <= maxCostUsd) return;
    throw new BudgetExceededError(
      `$${costUsd.toFixed(4)} of $${maxCostUsd} are spent, and the next turn would cost about $${next.toFixed(4)}`,
    );
  }
}
