// The model behind the judge. Each request stays within the budget, and each answer fits its schema.
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import type {
  BetaContentBlockParam,
  BetaMessage,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { z } from 'zod';
import { Client } from '../../agents/claude/client';
import { pricesOf, usageOf } from '../../agents/claude/pricing';
import { costOf, type Prices, unknownPrice } from '../../agents/model/budget';
import { tokensOf } from '../../agents/model/conversation';
import { addUsage, NO_USAGE } from '../../data/usage';
import { problemsIn } from '../../spec/errors';
import { JudgeError, type WebJudgeSettings } from './index';
import { cached, text } from './prompts';

/** Estimated tokens of an answer. */
const OUTPUT_GUESS = 500;
const MAX_PROBLEM = 300;
/** Most requests at a time. */
const PARALLEL = 4;

export interface Question<Schema extends z.ZodType> {
  /** For messages. */
  stage: string;
  system: string;
  content: BetaContentBlockParam[];
  schema: Schema;
}

export class JudgeModel {
  usage = NO_USAGE;
  private readonly client: Client;
  private readonly prices: Prices | undefined;
  /** US dollars of the requests in flight. */
  private reserved = 0;

  /** @throws JudgeError if there is a cap and the model's price is unknown. */
  constructor(
    private readonly settings: WebJudgeSettings,
    private readonly budgetUsd: number | undefined,
    private readonly signal: AbortSignal,
  ) {
    const { model } = settings;
    this.client = new Client({ ...settings, factory: 'webJudge' });
    this.prices = pricesOf(settings);
    if (!this.prices && budgetUsd !== undefined) throw new JudgeError(unknownPrice(model, 'webJudge'));
  }

  /**
   * Asks, and asks once more if the answer does not fit the schema.
   *
   * @throws JudgeError if the API fails, the budget is too small or the answer stays malformed.
   */
  async ask<Schema extends z.ZodType>(question: Question<Schema>): Promise<z.output<Schema>> {
    let problem = '';
    let { maxTokens } = this.settings;
    for (let attempt = 0; attempt < 2; attempt++) {
      const message = await this.send(this.request(question, problem, maxTokens));
      const answer = read(message, question.schema);
      if ('value' in answer) return answer.value;
      problem = answer.problem;
      // With the same limit, thinking would use it up again.
      if (message.stop_reason === 'max_tokens') maxTokens *= 2;
    }
    throw new JudgeError(`the answer to "${question.stage}" is malformed, even when asked again: ${problem}`);
  }

  /** In order, a few at a time. Rejects with the first failure once those of its time have ended: each is paid. */
  async inParallel<Item, Result>(
    items: readonly Item[],
    run: (item: Item) => Promise<Result>,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (let at = 0; at < items.length; at += PARALLEL) {
      const some = items.slice(at, at + PARALLEL).map(run);
      await Promise.allSettled(some);
      results.push(...(await Promise.all(some)));
    }
    return results;
  }

  private request(
    { system, content, schema }: Question<z.ZodType>,
    problem: string,
    maxTokens: number,
  ): MessageCreateParamsNonStreaming {
    const { model, effort } = this.settings;
    // Not the format's own `parse`: if it fails, the count of tokens is lost.
    const { type, schema: jsonSchema } = jsonSchemaOutputFormat(
      z.toJSONSchema(schema, { reused: 'ref' }) as never,
    );
    const again = problem
      ? [text(`An earlier answer to this was not valid (${problem}). Answer again, in the required form.`)]
      : [];
    return {
      model,
      max_tokens: maxTokens,
      system: [cached(text(system))],
      messages: [{ role: 'user', content: [...content, ...again] }],
      output_config: { format: { type, schema: jsonSchema }, ...(effort && { effort }) },
    };
  }

  private async send(params: MessageCreateParamsNonStreaming): Promise<BetaMessage> {
    const price = this.reserve(params);
    try {
      const message = await this.client.send(params, {
        signal: this.signal,
        timeLeftMs: this.settings.requestTimeoutMs,
        patienceMs: 0,
        spent: usage => {
          this.usage = addUsage(this.usage, usageOf(usage, this.prices));
        },
      });
      if (message.stop_reason === 'refusal')
        throw new JudgeError(`the model "${this.settings.model}" refuses to judge this trial`);
      return message;
    } catch (error) {
      if (error instanceof JudgeError || this.signal.aborted) throw error;
      throw new JudgeError(this.client.problem(error));
    } finally {
      this.reserved -= price;
    }
  }

  /** @throws JudgeError if the request would probably exceed what is left of the cap. */
  private reserve({ system, messages }: MessageCreateParamsNonStreaming): number {
    const { budgetUsd } = this;
    if (budgetUsd === undefined || !this.prices) return 0;
    const price = costOf(this.prices, {
      cacheCreationTokens: tokensOf([system, messages]),
      outputTokens: OUTPUT_GUESS,
    });
    const spent = (this.usage.costUsd ?? 0) + this.reserved;
    if (spent + price > budgetUsd)
      throw new JudgeError(
        `the judge would exceed the trial's cost cap: of the $${budgetUsd.toFixed(4)} that were left it has spent $${spent.toFixed(4)}, and its next request would cost about $${price.toFixed(4)}. Raise maxCostUsd, or use a cheaper model: webJudge({ model }).`,
      );
    this.reserved += price;
    return price;
  }
}

function read<Schema extends z.ZodType>(
  { content, stop_reason }: BetaMessage,
  schema: Schema,
): { value: z.output<Schema> } | { problem: string } {
  if (stop_reason === 'max_tokens')
    return { problem: 'it was cut off. If this happens often, raise webJudge({ maxTokens })' };
  const words = content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('');
  let json: unknown;
  try {
    json = JSON.parse(words);
  } catch {
    return { problem: 'it is not JSON' };
  }
  const result = schema.safeParse(json);
  if (result.success) return { value: result.data };
  return { problem: problemsIn(result.error, 'answer').join('; ').slice(0, MAX_PROBLEM) };
}
