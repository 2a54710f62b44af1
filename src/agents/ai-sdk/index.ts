// The agent for any model of the AI SDK. Configs import this file, so the optional package `ai` is loaded when a trial runs.
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../../options';
import type { Agent, SessionTask } from '../agent';
import { pricingSchema } from '../model/budget';
import { loadSdk } from './load';

/** A model of one of the AI SDK's providers: `openai('gpt-5.5')`. */
export interface AiSdkModel {
  readonly provider: string;
  readonly modelId: string;
}

/** US dollars per million tokens. */
export interface AiSdkPricing {
  input: number;
  output: number;
  /** Tokens read from the provider's prompt cache. Default: `input`. */
  cacheRead?: number;
  /** Tokens written to it. Default: `input`. */
  cacheWrite?: number;
}

export interface AiSdkOptions {
  /** A model of a provider, `openai('gpt-5.5')`, or a name for the gateway, `'openai/gpt-5.5'`. */
  model: AiSdkModel | string;
  /** US dollars per million tokens. Default: the cost is unknown, and no cost cap can be kept. */
  pricing?: AiSdkPricing;
  /** Whether the model may take screenshots and act by coordinates. If it refuses its first picture, the trial goes on without. Default: true. */
  pictures?: boolean;
  /** The most tokens of an answer, thinking included; at least 256. Default: 8,192. */
  maxOutputTokens?: number;
  /** Tries after a failure (500) or an answer that broke off; limits (429, 529) are waited out. Default: 4. */
  maxRetries?: number;
  /** Milliseconds for an answer; a provider that has answered in this run may be unreachable for as long. Default: 300,000. */
  requestTimeoutMs?: number;
  /** Options for the provider, passed on unchanged: `{ openai: { reasoningEffort: 'low' } }`. Default: the provider's own. */
  providerOptions?: Record<string, Record<string, unknown>>;
}

const NO_MODEL =
  "must be a model of the AI SDK, openai('gpt-5.5') with `openai` from @ai-sdk/openai, or a name for its gateway, 'openai/gpt-5.5'";

function isModel(value: unknown): value is AiSdkModel | string {
  if (typeof value === 'string') return value !== '';
  if (typeof value !== 'object' || value === null) return false;
  const { modelId, provider, doGenerate } = value as Record<string, unknown>;
  return typeof modelId === 'string' && typeof provider === 'string' && typeof doGenerate === 'function';
}

export const aiSdkSchemas = {
  model: z.custom<AiSdkModel | string>(isModel, NO_MODEL),
  pricing: pricingSchema
    .transform(({ input, output, cacheRead = input, cacheWrite = input }) => ({
      input,
      output,
      cacheRead,
      cacheWrite,
    }))
    .optional(),
  maxRetries: z.int().min(0).default(4),
  providerOptions: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
};

const optionsSchema = z.strictObject({
  ...aiSdkSchemas,
  pictures: z.boolean().default(true),
  maxOutputTokens: z.int().min(256).default(8192),
  requestTimeoutMs: z.int().min(1).default(300_000),
} satisfies OptionSchemas<AiSdkOptions>);

export type AiSdkSettings = z.output<typeof optionsSchema>;

export const aiSdkSettings = (options: AiSdkOptions) => checkOptions('aiSdk()', optionsSchema, options);

export const modelName = (model: AiSdkModel | string) => (typeof model === 'string' ? model : model.modelId);

/**
 * An agent with any model of the AI SDK: OpenAI, Google, Bedrock, Mistral, Ollama and others. Its `preflight` throws if the
 * npm package `ai` is missing. If requests fail, or a cost cap is set and `pricing` is not, a trial is `error: agent_api`.
 *
 * @throws OptionsError that names every wrong or unknown option.
 */
export function aiSdk(options: AiSdkOptions): Agent {
  // Kept in closures, not in properties: an agent in a config may be printed or serialised.
  const settings = aiSdkSettings(options);
  return {
    name: 'aiSdk',
    model: modelName(settings.model),
    waits: true,
    async preflight() {
      await loadSdk('aiSdk');
    },
    async run(task: SessionTask) {
      const [sdk, { playWithAiSdk }] = await Promise.all([loadSdk('aiSdk'), import('./loop.js')]);
      return playWithAiSdk(task, settings, sdk);
    },
  };
}
