// The judge asks a model through the AI SDK.
import type { JSONSchema7, ModelMessage } from 'ai';
import { modelName } from '../../agents/ai-sdk';
import { aiSdkSender, type Given, usageWithCost } from '../../agents/ai-sdk/client';
import { loadSdk } from '../../agents/ai-sdk/load';
import type { Judgement } from '../../data/record';
import type { AiJudgeSettings, JudgedTrial } from './index';
import { type Ask, type Block, plainSchema } from './prompts';
import { judgeWeb } from './web-judge';

export async function judgeByAiSdk(trial: JudgedTrial, settings: AiJudgeSettings): Promise<Judgement> {
  const sdk = await loadSdk('aiJudge');
  const { pricing: prices } = settings;
  const ask: Ask = async ({ system, content, schema, maxTokens }, limit) => {
    const send = aiSdkSender({ ...settings, factory: 'aiJudge', maxOutputTokens: maxTokens }, sdk);
    const plain = plainSchema(schema).schema;
    // Providers that can't hold a model to a schema don't show it to the model either.
    const form = `Answer with one JSON object that fits this JSON Schema, and with nothing else:\n${JSON.stringify(plain)}`;
    const output = sdk.Output.object({ schema: sdk.jsonSchema<unknown>(plain as JSONSchema7) });
    const messages: ModelMessage[] = [{ role: 'user', content: content.map(written) }];
    const asked = { system: `${system}\n\n${form}`, messages, output };
    const generate = async (given: Given) => {
      const answer = await sdk.generateText({ ...given, ...asked }).catch(error => {
        // The SDK can't read the answer. It is paid for, and we try to read it ourselves.
        if (sdk.NoObjectGeneratedError.isInstance(error) && error.usage) return error;
        throw error;
      });
      const { text = '', usage, finishReason, response = {} } = answer;
      return { text, usage: usage!, finishReason, response };
    };
    const answer = await send(limit, generate);
    limit.spent(usageWithCost(answer.usage, prices));
    const isRefused = answer.finishReason === 'content-filter';
    // Models that only read the schema in the prompt often put their answer into a block of code.
    const [, inBlock] = /^\s*```(?:json)?\n([\s\S]*)\n```\s*$/.exec(answer.text) ?? [];
    return {
      text: inBlock ?? answer.text,
      stop: answer.finishReason === 'length' ? 'cut off' : isRefused ? 'refused' : undefined,
    };
  };
  return judgeWeb(trial, { ...settings, factory: 'aiJudge', model: modelName(settings.model), prices }, ask);
}

function written(block: Block) {
  if (block.type === 'image')
    return { type: 'file' as const, data: block.source.data, mediaType: block.source.media_type };
  const written = { type: 'text' as const, text: block.text };
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  return block.cache_control ? { ...written, providerOptions } : written;
}
