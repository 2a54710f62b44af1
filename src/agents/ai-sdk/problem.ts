// Turns errors of requests into messages that say what to do and quote the provider.
import { messageOf } from '../../text/line';
import { type Asked, advice, keysIn, quotedWords, withoutKeys } from '../model/problem';
import type { AiSdkSettings } from './options';

export type Sdk = typeof import('ai');

/** @returns one or two sentences, without any key */
export async function requestProblem(error: unknown, settings: AiSdkSettings, sdk: Sdk): Promise<string> {
  const keys = await sentKeys(settings.model);
  return withoutKeys(reasonOf(lastOf(error, sdk), settings, sdk, keys), keys);
}

/** The last error, if the SDK has retried. */
function lastOf(error: unknown, sdk: Sdk): unknown {
  return sdk.RetryError.isInstance(error) ? (error.errors.at(-1) ?? error) : error;
}

/** The provider's words, if it refuses the request itself; undefined for other errors. */
export function refusalOf(error: unknown, sdk: Sdk): string | undefined {
  const last = lastOf(error, sdk);
  if (sdk.UnsupportedFunctionalityError.isInstance(last)) return last.message;
  if (!sdk.APICallError.isInstance(last)) return undefined;
  const { statusCode = 0 } = last;
  return [400, 404, 413, 415, 422].includes(statusCode) ? wordsOf(last) : undefined;
}

function reasonOf(
  error: unknown,
  { name: model, maxRetries }: AiSdkSettings,
  sdk: Sdk,
  keys: readonly string[],
): string {
  if (!sdk.APICallError.isInstance(error))
    return `the request to the model "${model}" failed: ${quotedWords(messageOf(error), keys)} (${Object(error).name})`;
  const { statusCode } = error;
  const words = quotedWords(wordsOf(error), keys);
  if (statusCode === undefined || statusCode === 200) {
    const what = statusCode ? "sent an answer that can't be parsed" : "can't be reached";
    const origin = URL.canParse(error.url) ? new URL(error.url).origin : error.url;
    return `the provider at ${origin} ${what}, even after ${maxRetries} retries: ${words}`;
  }
  const key = "the provider's apiKey, or its environment variable";
  const asked: Asked = { factory: 'aiSdk', model, maxRetries, key };
  const lacksTools = statusCode < 500 && /\btools?\b|function.?call/i.test(words) && /support/i.test(words);
  const told = lacksTools
    ? `the model "${model}" does not support tools (${statusCode}), which an agent needs. Set another model.`
    : advice(statusCode, asked);
  return `${told} The provider said: ${words}`;
}

/** The provider's message; if the SDK found none, the beginning of the response. */
function wordsOf(error: { message: string; data?: unknown; responseBody?: string }): string {
  const { message, data, responseBody } = error;
  const body = data === undefined && responseBody ? responseBody.replace(/<[^>]*>|\s+/g, ' ').trim() : '';
  return [message, body].filter(Boolean).join(': ');
}

/** Providers keep the headers of their requests in `config.headers`, which no interface promises. */
async function sentKeys(model: AiSdkSettings['model']): Promise<string[]> {
  // A proxy or an error page may echo the request.
  try {
    const { headers } = (model as { config?: { headers?: unknown } }).config ?? {};
    const told: unknown = await (typeof headers === 'function' ? headers() : headers);
    return keysIn(told ?? {});
  } catch {
    return [];
  }
}
