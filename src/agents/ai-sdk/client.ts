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

export interface Asker extends Omit<AiSdkSettings, 'pictures'> {
  factory: 'aiSdk' | 'aiJudge';
}

export type Given = Pick<
  Parameters<Sdk['generateText']>[0],
  'model' | 'maxOutputTokens' | 'maxRetries' | 'abortSignal' | 'providerOptions'
>;

/** Sends the requests of an agent or a judge. @param generate makes one request; it may be called again */
export function aiSdkSender(asker: Asker, sdk: Sdk) {
  const { model, maxOutputTokens, requestTimeoutMs, providerOptions } = asker;
  const address = addressOf(model);
  let lane: Promise<Lane> | undefined;
  return <T extends Generated>(limit: Limit, generate: (given: Given) => Promise<T>): Promise<T> => {
    lane ??= sentHeaders(model).then(headers => {
      const { provider = '' } = model as { provider?: string };
      return laneOf(modelName(model), [provider, address, ...keysIn(headers, 1)], limit.maxRequests);
    });
    return send({
      ...limit,
      ...asker,
      ...{ model: modelName(model), address, lane },
      key: "the provider's apiKey, or its environment variable",
      keys: async () => keysIn(new Headers(await sentHeaders(model))),
      failureOf: error => failureOf(error, asker, sdk),
      async attempt() {
        const timeUp = AbortSignal.timeout(requestTimeoutMs);
        const abortSignal = AbortSignal.any([limit.signal, timeUp]);
        const given = { model, maxOutputTokens, maxRetries: 0, abortSignal, providerOptions } as Given;
        try {
          // Providers may ignore the signal.
          const value = await abortable(() => generate(given), abortSignal);
          const { costUsd: _, ...counts } = usageWithCost(value.usage, undefined);
          const tokens = sumOf(Object.values(counts), Number);
          return { value, headers: new Headers(value.response.headers), tokens };
        } catch (error) {
          throw timeUp.aborted ? new NoAnswer({ noAnswer: 'silent', words: '' }) : error;
        }
      },
    });
  };
}

function failureOf(error: unknown, { factory, model }: Asker, sdk: Sdk): Failure {
  const { APICallError, JSONParseError, TypeValidationError, UnsupportedFunctionalityError } = sdk;
  if (error instanceof NoAnswer) return error.failure;
  if (!APICallError.isInstance(error)) {
    const words = `${messageOf(error)} (${Object(error).name})`;
    // The gateway's errors have a status, too.
    const { statusCode } = Object(error) as { statusCode?: number };
    return { words, status: UnsupportedFunctionalityError.isInstance(error) ? 415 : statusCode };
  }
  const { cause, responseHeaders = {}, statusCode: status } = error;
  const words = wordsOf(error);
  if (status === undefined) return { noAnswer: 'unreachable', words };
  const isRead = JSONParseError.isInstance(cause) || TypeValidationError.isInstance(cause);
  const lacksTools =
    factory === 'aiSdk' && status < 500 && /\btools?\b|function.?call/i.test(words) && /support/i.test(words);
  const what = `the model "${modelName(model)}" does not support tools (${status})`;
  return {
    status,
    headers: new Headers(responseHeaders),
    ...(status < 300 && !isRead && { noAnswer: 'broken' }),
    noCredit: status === 429 && isOutOfCredit(`${error.message} ${error.responseBody}`),
    words,
    means: lacksTools ? `${what}, which an agent needs. Set another model.` : undefined,
  };
}

/** Thrown in an attempt without an answer in time, or with an empty one that is not complete. */
export class NoAnswer extends Error {
  constructor(readonly failure: Failure) {
    super(failure.words);
  }
}

/** The API's address. Providers keep it in `config` with their headers, but no interface promises that. */
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

interface Generated {
  usage: Counted;
  response: { headers?: Record<string, string> | undefined };
}

interface Counted {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  inputTokenDetails?: { cacheReadTokens?: number | undefined; cacheWriteTokens?: number | undefined };
}

/** The usage with its cost, which is null without prices or if the provider did not count. */
export function usageWithCost(counted: Counted, pricing: AiSdkSettings['pricing']): Required<Usage> {
  const { inputTokens, outputTokens, inputTokenDetails } = counted;
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = inputTokenDetails ?? {};
  const said = {
    // Servers that don't count report 0, but no request has an empty prompt.
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
