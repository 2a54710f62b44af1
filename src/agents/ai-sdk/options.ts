// The options of aiSdk(), checked when the config is read.
import { z } from 'zod';
import { checkOptions, type OptionSchemas } from '../../options';
import { pricingSchema } from '../model/budget';

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
  /** A model of one of the AI SDK's providers, `openai('gpt-5.5')`, or a name for its gateway, `'openai/gpt-5.5'`. */
  model: AiSdkModel | string;
  /** US dollars per million tokens. Default: the cost is unknown, and `maxCostUsd` can't be kept. */
  pricing?: AiSdkPricing;
  /** Whether the model may take screenshots and act by coordinates. If the model refuses its first picture, the trial goes on without pictures. Default: true. */
  pictures?: boolean;
  /** The most tokens of an answer, thinking included; at least 256. Default: 8,192. */
  maxOutputTokens?: number;
  /** How often a failed request is retried. Default: 4. */
  maxRetries?: number;
  /** Milliseconds for a request, retries included. Default: 300,000. */
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

const optionsSchema = z.strictObject({
  model: z.custom<AiSdkModel | string>(isModel, NO_MODEL),
  pricing: pricingSchema
    .transform(({ input, output, cacheRead = input, cacheWrite = input }) => ({
      input,
      output,
      cacheRead,
      cacheWrite,
    }))
    .optional(),
  pictures: z.boolean().default(true),
  maxOutputTokens: z.int().min(256).default(8192),
  maxRetries: z.int().min(0).default(4),
  requestTimeoutMs: z.int().min(1).default(300_000),
  providerOptions: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
} satisfies OptionSchemas<AiSdkOptions>);

export type AiSdkSettings = z.output<typeof optionsSchema> & { name: string };

/** @throws OptionsError that names every wrong or unknown option. */
export function aiSdkSettings(options: AiSdkOptions): AiSdkSettings {
  const settings = checkOptions('aiSdk()', optionsSchema, options);
  const { model } = settings;
  return { ...settings, name: typeof model === 'string' ? model : model.modelId };
}
