// A judge asks a model through the AI SDK.
import type { JSONSchema7, ModelMessage } from 'ai';
import { aiSdkSender, type Given, usageWithCost } from '../../agents/ai-sdk/client';
import { loadSdk } from '../../agents/ai-sdk/load';
import type { AiJudgeSettings } from './index';
import { type Ask, type Block, plainSchema } from './prompts';

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
    const send = aiSdkSender({ ...settings, factory: 'aiJudge', maxOutputTokens: maxTokens }, sdk);
    const plain = plainSchema(schema).schema;
    // Providers that can't hold a model to a schema don't show it to the model either.
    const form = `Answer with one JSON object that fits this JSON Schema, and with nothing else:\n${JSON.stringify(plain)}`;
    const output = sdk.Output.object({ schema: sdk.jsonSchema<unknown>(plain as JSONSchema7) });
    const messages: ModelMessage[] = [{ role: 'user', content: content.map(written) }];
    const generate = async (given: Given) => {
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
    const answer = await send(limit, generate);
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
