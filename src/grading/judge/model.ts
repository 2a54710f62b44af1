// How a judge asks a model for an answer that fits a schema. The method and its prompts are the same for all models; each way to
// ask writes the blocks in its API's form.
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import type {
  BetaContentBlockParam,
  BetaTextBlockParam,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { JSONSchema7, ModelMessage } from 'ai';
import { z } from 'zod';
import { loadSdk } from '../../agents/ai-sdk';
import { AiSdkClient, usageWithCost } from '../../agents/ai-sdk/client';
import { Client } from '../../agents/claude/client';
import { pricesOf, usageOf } from '../../agents/claude/pricing';
import { RequestFailed } from '../../agents/model/send';
import type { Usage } from '../../data/usage';
import type { AiJudgeSettings, JudgedTrial, WebJudgeSettings } from './index';

export interface TextBlock {
  type: 'text';
  text: string;
  /** Whether the prompt up to here is sent again soon. */
  cached?: true;
}

export type Block = TextBlock | { type: 'image'; jpeg: Buffer };

export interface Question {
  system: string;
  content: readonly Block[];
  schema: z.ZodType;
  maxTokens: number;
}

export interface Reply {
  text: string;
  stop?: 'cut off' | 'refused' | undefined;
}

interface Limit extends Pick<JudgedTrial, 'signal' | 'waiting' | 'maxRequests'> {
  /** Gets the usage of every request, also of those without a usable answer. */
  spent(usage: Required<Usage>): void;
}

/** @throws Error that says why there is no answer, without any key */
export type Ask = (question: Question, limit: Limit) => Promise<Reply>;

/** Without what APIs refuse in schemas, such as the length of a text: that is checked when the answer is read. */
function plainSchema(schema: z.ZodType) {
  // Not the format's own `parse`: if it fails, the count of tokens is lost.
  return jsonSchemaOutputFormat(z.toJSONSchema(schema, { reused: 'ref' }) as never);
}

export function askClaude(settings: WebJudgeSettings): Ask {
  const client = new Client({ ...settings, factory: 'webJudge' });
  const prices = pricesOf(settings);
  const { model, effort } = settings;
  const cache_control = { type: 'ephemeral' as const };
  const written = (block: Block): BetaContentBlockParam => {
    if (block.type === 'text') return writtenText(block);
    const data = block.jpeg.toString('base64');
    return { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data } };
  };
  const writtenText = ({ type, text, cached }: TextBlock): BetaTextBlockParam => ({
    ...{ type, text },
    ...(cached && { cache_control }),
  });
  return async ({ system, content, schema, maxTokens }, limit) => {
    const { type, schema: plain } = plainSchema(schema);
    const params = {
      model,
      max_tokens: maxTokens,
      system: [writtenText({ type: 'text', text: system, cached: true })],
      messages: [{ role: 'user' as const, content: content.map(written) }],
      output_config: { format: { type, schema: plain }, ...(effort && { effort }) },
    };
    const spent = (usage: Parameters<typeof usageOf>[0]) => limit.spent(usageOf(usage, prices));
    const message = await client.send(params, { ...limit, spent }).catch(error => {
      throw error instanceof RequestFailed ? new Error(client.problem(error)) : error;
    });
    const text = message.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('');
    const stop = message.stop_reason;
    return { text, stop: stop === 'max_tokens' ? 'cut off' : stop === 'refusal' ? 'refused' : undefined };
  };
}

export async function askAiSdk(settings: AiJudgeSettings): Promise<Ask> {
  const sdk = await loadSdk('aiJudge');
  const anthropic = { cacheControl: { type: 'ephemeral' } };
  const written = (block: Block) =>
    block.type === 'text'
      ? {
          ...{ type: 'text' as const, text: block.text },
          ...(block.cached && { providerOptions: { anthropic } }),
        }
      : { type: 'file' as const, data: block.jpeg.toString('base64'), mediaType: 'image/jpeg' };
  return async ({ system, content, schema, maxTokens }, limit) => {
    const client = new AiSdkClient({ ...settings, factory: 'aiJudge', maxOutputTokens: maxTokens }, sdk);
    const plain = plainSchema(schema).schema;
    // Providers that can't hold a model to a schema don't show it to the model either.
    const form = `Answer with one JSON object that fits this JSON Schema, and with nothing else:\n${JSON.stringify(plain)}`;
    const output = sdk.Output.object({ schema: sdk.jsonSchema<unknown>(plain as JSONSchema7) });
    const messages: ModelMessage[] = [{ role: 'user', content: content.map(written) }];
    const generate = async (given: Parameters<Parameters<typeof client.send>[1]>[0]) => {
      try {
        const { text, usage, finishReason, response } = await sdk.generateText({
          ...given,
          ...{ system: `${system}\n\n${form}`, messages, output },
        });
        return { text, usage, finishReason, response };
      } catch (error) {
        // An answer that the SDK can't read. It is paid, and read once more by ourselves.
        if (!sdk.NoObjectGeneratedError.isInstance(error) || !error.usage) throw error;
        const { text = '', usage, finishReason, response = {} } = error;
        return { text, usage, finishReason, response };
      }
    };
    const answer = await client.send(limit, generate).catch(async error => {
      throw error instanceof RequestFailed ? new Error(await client.problem(error)) : error;
    });
    limit.spent(usageWithCost(answer.usage, settings.pricing));
    const isRefused = answer.finishReason === 'content-filter';
    // Models that are only told of the schema like to put their answer into a block of code.
    const [, inBlock] = /^\s*```(?:json)?\n([\s\S]*)\n```\s*$/.exec(answer.text) ?? [];
    return {
      text: inBlock ?? answer.text,
      stop: answer.finishReason === 'length' ? 'cut off' : isRefused ? 'refused' : undefined,
    };
  };
}
