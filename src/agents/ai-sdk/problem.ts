// Turns errors of requests into messages that say what to do and quote the provider.
import { keysIn, withoutKeys } from '../model/problem';
import type { AiSdkSettings } from './options';

export type Sdk = typeof import('ai');

const MAX_WORDS = 300;

/** @returns one or two sentences, without any key */
export async function requestProblem(error: unknown, settings: AiSdkSettings, sdk: Sdk): Promise<string> {
  const last = lastOf(error, sdk);
  return withoutKeys(reasonOf(last, settings, sdk), await sentKeys(settings.model));
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

function reasonOf(error: unknown, settings: AiSdkSettings, sdk: Sdk): string {
  if (!sdk.APICallError.isInstance(error)) {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    return `the request to the model "${settings.name}" failed: ${short(message)} (${name})`;
  }
  const { statusCode } = error;
  const words = wordsOf(error);
  if (statusCode === undefined || statusCode === 200) {
    const what = statusCode ? "sent an answer that can't be parsed" : "can't be reached";
    const origin = URL.canParse(error.url) ? new URL(error.url).origin : error.url;
    return `the provider at ${origin} ${what}, even after ${settings.maxRetries} retries: ${words}`;
  }
  return `${advice(statusCode, words, settings)} The provider said: ${words}`;
}

function advice(status: number, words: string, { name, maxRetries }: AiSdkSettings): string {
  if (status < 500 && /\btools?\b|function.?call/i.test(words) && /support/i.test(words))
    return `the model "${name}" does not support tools (${status}), which an agent needs. Set another model.`;
  const known: Record<number, string> = {
    401: 'the provider refuses the key (401). Check the environment variable or the apiKey of the provider.',
    402: 'the account has no credit (402). Add credit, or use another key.',
    403: `the key may not use the model "${name}" (403). Check its permissions.`,
    404: `there is no model "${name}" for this key (404). Check the model's name and the provider's baseURL.`,
    413: 'the request is too large (413). Use a smaller viewport, or lower maxSteps.',
    429: `the rate limit is reached (429), even after ${maxRetries} retries. Run fewer workers (--workers=1), or raise aiSdk({ maxRetries }).`,
  };
  if (known[status]) return known[status];
  if (status < 500) return `the provider refuses the request (${status}).`;
  return `the provider failed (${status}), even after ${maxRetries} retries. Run again later.`;
}

/** The provider's message; if the SDK found none, the beginning of the response. */
function wordsOf(error: { message: string; data?: unknown; responseBody?: string }): string {
  const { message, data, responseBody } = error;
  const body = data === undefined && responseBody ? responseBody.replace(/<[^>]*>|\s+/g, ' ').trim() : '';
  return short([message, body].filter(Boolean).join(': '));
}

function short(words: string): string {
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
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
