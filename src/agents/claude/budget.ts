// Keeps a trial below its cap: a request is made only if what it will probably cost is left.
import type { BetaUsage } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { type AgentTask, BudgetExceededError } from '../agent';
import { costOf, type Prices, usageOf } from './pricing';

/** What the vendor's tool definitions weigh, until the first answer tells. */
const TOOLS_TOKENS = 6_000;
/** An answer costs no less than this, and is guessed by those before it. */
const LEAST_OUTPUT = 200;

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
    const counted = usageOf(usage, this.prices);
    this.known = counted.inputTokens + counted.cacheReadTokens + counted.cacheCreationTokens;
    // An even guess would be too low every other time.
    this.output = Math.max(this.output, counted.outputTokens);
    this.task.usage(counted);
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
