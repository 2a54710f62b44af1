// Turns errors of the Messages API into messages that say what to do and quote the provider.
import type { APIError } from '@anthropic-ai/sdk';
import { messageOf } from '../../text/line';
import { type Asked, advice, keysIn, noAnswer, quotedWords, withoutKeys } from '../model/problem';
import type { ModelSettings } from './options';

/** The settings of a factory, and its name. */
export interface Asker extends ModelSettings {
  /** The function that the user called with these settings. */
  factory: 'claude' | 'webJudge';
  tools?: 'browser' | 'computer';
}

interface Request extends Asker {
  /** Its time limit. */
  timeoutMs: number;
  api: { baseURL: string };
  headers: Headers;
}

/** @returns one or two sentences, without any key */
export function apiProblem(error: unknown, request: Request): string {
  // A proxy or an error page may echo the request.
  const keys = [...keysIn(request.api), ...keysIn(request.headers)];
  return withoutKeys(reasonOf(error, request, keys), keys);
}

function reasonOf(error: unknown, request: Request, keys: readonly string[]): string {
  if (isConnectionError(error)) return connection(error as Error, request);
  const failed = apiError(error);
  if (!failed) {
    const broke = isSdkError(error)
      ? `the answer broke off, even after ${request.maxRetries} retries`
      : 'the request could not be made';
    return `${broke}: ${messageOf(error)}`;
  }
  const id = failed.requestID ?? failed.headers?.get('x-amzn-requestid');
  return `${doing(failed, request)} The provider said: ${quotedWords(wordsOf(failed), keys)}${id ? ` (request ${id})` : ''}`;
}

function asked({ factory, model, maxRetries, client }: Asker): Asked {
  return {
    factory,
    model,
    maxRetries,
    key: client
      ? `how the client of ${factory}({ client }) is created`
      : `ANTHROPIC_API_KEY, or ${factory}({ apiKey })`,
  };
}

/** What to do. Whether the model does not support the tool shows in the words: other errors name the toolset, too. */
function doing(error: APIError, request: Request): string {
  const { model, tools } = request;
  const words = wordsOf(error);
  const isAboutTool =
    tools &&
    error.status === 400 &&
    /_toolset|tool types?/i.test(words) &&
    /support|unknown|invalid tool type|not (?:available|allowed|match)/i.test(words);
  if (!isAboutTool) return advice(error.status, asked(request), error.type);
  const other = tools === 'browser' ? 'computer' : 'browser';
  return `the model "${model}" does not support the ${tools} tool. Set another model, claude({ model: 'claude-opus-5-5' }), or another tool, claude({ tools: '${other}' }), or use aiSdk(), which needs none of the vendor's tools.`;
}

function connection(error: Error, { factory, timeoutMs, maxRetries, api }: Request): string {
  if (isA(error, 'APIConnectionTimeoutError')) return noAnswer(factory, timeoutMs);
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const reason = cause?.cause instanceof Error ? cause.cause.message : cause?.message;
  const why = reason ? ` (${reason})` : '';
  // A client that can't get its credentials reports a failed connection.
  if (/credentials/i.test(error.message))
    return `the client can't authenticate: ${error.message.replace(/\.$/, '')}${why}. Check how the client of ${factory}({ client }) is created.`;
  return `the API at ${api.baseURL} can't be reached, even after ${maxRetries} retries${why}. Check the network, a proxy, and baseURL.`;
}

// By the names of their classes: instanceof would fail if the user's client comes from another copy of the SDK, or from
// the same copy as an ES module.
function isA(error: unknown, className: string): boolean {
  for (let at: object | null = Object(error); at; at = Object.getPrototypeOf(at))
    if (at.constructor?.name === className) return true;
  return false;
}

/** The error if the API sent it, or could not be reached; else undefined. */
export function apiError(error: unknown): APIError | undefined {
  return isA(error, 'APIError') ? (error as APIError) : undefined;
}

export const isConnectionError = (error: unknown) => isA(error, 'APIConnectionError');
export const isSdkError = (error: unknown) => isA(error, 'AnthropicError');

/** The API's message, which Bedrock and gateways put in other places. */
export function wordsOf({ apiMessage, error, message }: APIError): string {
  const said = (error as { message?: unknown } | undefined)?.message;
  return apiMessage ?? (typeof said === 'string' ? said : message);
}
