// Sends requests to a model of the AI SDK.

import { abortable } from '../../browser/waiting';
import { sumOf } from '../../data/collections';
import type { Usage } from '../../data/usage';
import { type Lane, laneOf } from '../../limiter/shared';
import { messageOf } from '../../text/line';
import { priced } from '../model/budget';
import { type Failure, isOutOfCredit, keysIn, type Limit, send } from '../model/send';
import { type AiSdkSettings, modelName } from '.';

export type Sdk = typeof import('ai');

/** Who asks: an agent or a judge, with the settings of its requests. */
export interface Asker extends Omit<AiSdkSettings, 'pictures'> {
  factory: 'aiSdk' | 'aiJudge';
}

/** What every request has. */
export interface Given {
  model: Parameters<Sdk['generateText']>[0]['model'];
  maxOutputTokens: number;
  maxRetries: 0;
  abortSignal: AbortSignal;
  providerOptions?: never;
}

export class AiSdkClient {
  private lane: Promise<Lane> | undefined;

  constructor(
    private readonly asker: Asker,
    private readonly sdk: Sdk,
  ) {}

  /** @param generate makes one request; it may be called again */
  send<T extends Generated>(limit: Limit, generate: (given: Given) => Promise<T>): Promise<T> {
    const { model } = this.asker;
    this.lane ??= laneOfModel(this.asker, limit.maxRequests);
    return send({
      ...limit,
      ...this.asker,
      model: modelName(model),
      address: addressOf(model),
      key: "the provider's apiKey, or its environment variable",
      keys: async () => keysIn(new Headers(await sentHeaders(model))),
      lane: this.lane,
      attempt: () => this.once(limit.signal, generate),
      failureOf: error => this.failureOf(error),
    });
  }

  private async once<T extends Generated>(signal: AbortSignal, generate: (given: Given) => Promise<T>) {
    const { model, maxOutputTokens, requestTimeoutMs, providerOptions } = this.asker;
    const timeUp = AbortSignal.timeout(requestTimeoutMs);
    const abortSignal = AbortSignal.any([signal, timeUp]);
    const given = {
      model: model as Given['model'],
      maxOutputTokens,
      maxRetries: 0 as const,
      abortSignal,
      ...(providerOptions && { providerOptions: providerOptions as never }),
    };
    try {
      // Providers may ignore the signal.
      const value = await abortable(() => generate(given), abortSignal);
      const { costUsd: _, ...tokens } = usageWithCost(value.usage, undefined);
      return {
        value,
        headers: new Headers(value.response.headers),
        tokens: sumOf(Object.values(tokens), Number),
      };
    } catch (error) {
      if (timeUp.aborted) throw new Silence();
      throw error;
    }
  }

  private failureOf(error: unknown): Failure {
    const { APICallError, JSONParseError, TypeValidationError, UnsupportedFunctionalityError } = this.sdk;
    const { factory, model } = this.asker;
    if (error instanceof Silence) return { without: 'silent', words: '' };
    if (error instanceof NoAnswer) return { without: 'broken', words: error.message };
    if (!APICallError.isInstance(error)) {
      const words = `${messageOf(error)} (${Object(error).name})`;
      // The gateway's errors have a status, too.
      const { statusCode } = Object(error) as { statusCode?: number };
      return { words, status: UnsupportedFunctionalityError.isInstance(error) ? 415 : statusCode };
    }
    const { cause, responseHeaders = {}, statusCode: status } = error;
    const words = wordsOf(error);
    if (status === undefined) return { without: 'connection', words };
    const isRead = JSONParseError.isInstance(cause) || TypeValidationError.isInstance(cause);
    const lacksTools =
      factory === 'aiSdk' &&
      status < 500 &&
      /\btools?\b|function.?call/i.test(words) &&
      /support/i.test(words);
    const what = `the model "${modelName(model)}" does not support tools (${status})`;
    return {
      status,
      headers: new Headers(responseHeaders),
      ...(status < 300 && !isRead && { without: 'broken' }),
      noCredit: status === 429 && isOutOfCredit(`${error.message} ${error.responseBody}`),
      words,
      means: lacksTools ? `${what}, which an agent needs. Set another model.` : undefined,
    };
  }
}

class Silence extends Error {}

/** Thrown by `generate` for an answer that says nothing, and does not say that this is all. */
export class NoAnswer extends Error {
  constructor(finishReason: string) {
    super(`it is empty, and ended with "${finishReason}"`);
  }
}

async function laneOfModel({ model }: Asker, maxRequests?: number): Promise<Lane> {
  const { provider = '' } = model as { provider?: string };
  return laneOf(
    modelName(model),
    [provider, addressOf(model), ...keysIn(await sentHeaders(model))],
    maxRequests,
  );
}

/** Providers keep it in `config`, with their headers, which no interface promises. */
function addressOf(model: AiSdkSettings['model']): string {
  try {
    const { baseURL, url } = configOf(model);
    return String(baseURL ?? url?.({ path: '', modelId: '' }) ?? '');
  } catch {
    return '';
  }
}

type Config = { baseURL?: unknown; headers?: unknown; url?(of: object): unknown };
const configOf = (model: AiSdkSettings['model']) => (model as { config?: Config }).config ?? {};

/** As much of a result as is read here. */
interface Generated {
  usage: Counted;
  response: { headers?: Record<string, string> | undefined };
}

interface Counted {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  inputTokenDetails?: { cacheReadTokens?: number | undefined; cacheWriteTokens?: number | undefined };
}

/** The usage with its cost; null without prices, or if the provider did not count. */
export function usageWithCost(counted: Counted, pricing: AiSdkSettings['pricing']): Required<Usage> {
  const { inputTokens, outputTokens, inputTokenDetails } = counted;
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = inputTokenDetails ?? {};
  const said = {
    // Servers that don't count report 0, and no request has an empty prompt.
    inputTokens: inputTokens ? Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens) : undefined,
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens: cacheWriteTokens,
  };
  return priced(said, pricing);
}

/** The provider's message; if the SDK found none, the beginning of the response. */
function wordsOf(error: { message: string; data?: unknown; responseBody?: string }): string {
  const { message, data, responseBody = '' } = error;
  const body = data === undefined ? responseBody.slice(0, 10_000).replace(/<[^>]*>|\s+/g, ' ') : '';
  return [message, body.trim()].filter(Boolean).join(': ');
}

async function sentHeaders(model: AiSdkSettings['model']): Promise<Record<string, string>> {
  try {
    const { headers } = configOf(model);
    const told: unknown = await (typeof headers === 'function' ? headers() : headers);
    return Object.fromEntries(Object.entries(told ?? {}).filter(([, value]) => value));
  } catch {
    return {};
  }
}
