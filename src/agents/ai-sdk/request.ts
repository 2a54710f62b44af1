// One request to the model, and its usage.
import type { JSONSchema7, ModelMessage } from 'ai';
import { AgentApiError, type Usage } from '../agent';
import { costOf } from '../model/budget';
import { noAnswer } from '../model/problem';
import type { Call } from './calls';
import type { AiSdkSettings } from './options';

export type Sdk = typeof import('ai');

export interface Answer {
  /** The model's messages, to send again with the next request. */
  messages: ModelMessage[];
  calls: Call[];
  text: string;
  thoughts: string;
  finishReason: string;
  usage: Required<Usage>;
}

export interface Request {
  system: string;
  messages: ModelMessage[];
  tools: readonly { name: string; description: string; schema: object }[];
  signal: AbortSignal;
  /** Milliseconds for the answer. */
  limitMs: number;
}

/** @throws AgentApiError if time is up; whatever the SDK throws. */
export async function ask(sdk: Sdk, settings: AiSdkSettings, request: Request): Promise<Answer> {
  const { model, maxOutputTokens, maxRetries, providerOptions } = settings;
  const { system, messages, signal, limitMs } = request;
  // Without `execute`, the SDK returns the calls and makes no second request.
  const tools = request.tools.map(({ name, description, schema }) => [
    name,
    sdk.tool({ description, inputSchema: sdk.jsonSchema<unknown>(schema as JSONSchema7) }),
  ]);
  const timeUp = AbortSignal.timeout(limitMs);
  try {
    const result = await sdk.generateText({
      model: model as Parameters<Sdk['generateText']>[0]['model'],
      system,
      messages,
      tools: Object.fromEntries(tools),
      maxOutputTokens,
      maxRetries,
      abortSignal: AbortSignal.any([signal, timeUp]),
      ...(providerOptions && { providerOptions: providerOptions as never }),
    });
    return {
      // The SDK answers calls that it can't read. We answer each call once, ourselves.
      messages: result.response.messages.filter(({ role }) => role === 'assistant'),
      calls: result.toolCalls.filter(call => !call.providerExecuted),
      text: result.text,
      thoughts: result.reasoningText ?? '',
      finishReason: result.finishReason,
      usage: usageOf(result.usage, settings.pricing),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (timeUp.aborted)
      throw new AgentApiError(
        `aiSdk: ${noAnswer('aiSdk', limitMs, settings.requestTimeoutMs, 'retries included')}`,
      );
    throw error;
  }
}

interface Counted {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  /** The name in ai 5. */
  cachedInputTokens?: number | undefined;
  inputTokenDetails?: { cacheReadTokens?: number | undefined; cacheWriteTokens?: number | undefined };
}

/** The usage with its cost; null without prices, or if the provider did not count. */
export function usageOf(counted: Counted, pricing: AiSdkSettings['pricing']): Required<Usage> {
  const { inputTokens, outputTokens, cachedInputTokens, inputTokenDetails } = counted;
  const cacheReadTokens = inputTokenDetails?.cacheReadTokens ?? cachedInputTokens ?? 0;
  const cacheCreationTokens = inputTokenDetails?.cacheWriteTokens ?? 0;
  const tokens = {
    inputTokens: Math.max(0, (inputTokens || 0) - cacheReadTokens - cacheCreationTokens),
    outputTokens: outputTokens || 0,
    cacheReadTokens,
    cacheCreationTokens,
  };
  // Servers that don't count report 0, and no request has an empty prompt.
  const isCounted = Boolean(inputTokens) && outputTokens !== undefined;
  return { ...tokens, costUsd: pricing && isCounted ? costOf(pricing, tokens) : null };
}
