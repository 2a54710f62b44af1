// Turns errors of the Messages API into messages that say what to do and quote the provider.
import type { APIError } from '@anthropic-ai/sdk';
import { keysIn, noAnswer, withoutKeys } from '../model/problem';
import type { ModelSettings } from './options';

const MAX_MESSAGE = 300;

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
  return withoutKeys(reasonOf(error, request), [...keysIn(request.api), ...keysIn(request.headers)]);
}

function reasonOf(error: unknown, request: Request): string {
  if (isA(error, 'APIConnectionError')) return connection(error as Error, request);
  const failed = apiError(error);
  if (failed) return `${advice(failed, request)} ${quoted(failed, request)}`;
  const message = error instanceof Error ? error.message : String(error);
  if (isSdkError(error)) return `the answer broke off, even after ${request.maxRetries} retries: ${message}`;
  return `the request could not be made: ${message}`;
}

function quoted(error: APIError, { client }: Asker): string {
  const words = wordsOf(error);
  const short = words.length > MAX_MESSAGE ? `${words.slice(0, MAX_MESSAGE)}…` : words;
  const id = error.requestID ?? error.headers?.get('x-amzn-requestid');
  return `The ${client ? 'provider' : 'API'} said: ${short}${id ? ` (request ${id})` : ''}`;
}

/** Whether the model does not support the tool, judging by the API's words: other errors name the toolset, too. */
function isAboutTool(words: string): boolean {
  return (
    /_toolset|tool types?/i.test(words) &&
    /support|unknown|invalid tool type|not (?:available|allowed|match)/i.test(words)
  );
}

function advice(error: APIError, { factory, model, tools, maxRetries, client }: Asker): string {
  const { status } = error;
  if (tools && status === 400 && isAboutTool(wordsOf(error))) {
    const other = tools === 'browser' ? 'computer' : 'browser';
    const another = client
      ? `Set another tool, claude({ tools: '${other}' }), or use aiSdk(), which needs none of the vendor's tools.`
      : `Set another model, claude({ model: 'claude-opus-5-5' }), or another tool, claude({ tools: '${other}' }).`;
    return `the model "${model}" does not support the ${tools} tool. ${another}`;
  }
  const known: Record<number, string> = {
    400: 'the API refuses the request (400).',
    401: `the API refuses the key (401). Check ANTHROPIC_API_KEY, or ${factory}({ apiKey }).`,
    402: 'the account has no credit (402). Add credit, or use another key.',
    403: `the key is not allowed to do this (403). Check its workspace, and whether it may use the model "${model}".`,
    404: `there is no model "${model}" for this key (404). Check ${factory}({ model }) and baseURL.`,
    413: 'the request is too large (413). Use a smaller viewport, or lower maxSteps.',
    429: `the rate limit is reached (429), even after ${maxRetries} retries. Run fewer workers (--workers=1), raise ${factory}({ maxRetries }), or ask for a higher limit.`,
    529:
      factory === 'claude'
        ? "the API is overloaded (529), and stayed so until the trial's time was up. Run again later, or raise turnTimeoutMs."
        : `the API is overloaded (529), even after ${maxRetries} retries. Run again later, or raise ${factory}({ maxRetries }).`,
    ...(client && {
      400: 'the provider refuses the request (400).',
      401: `the provider refuses the credentials (401). Check how the client of ${factory}({ client }) is created.`,
      403: `the credentials may not use the model "${model}" (403). Check the permissions of their account or role.`,
      404: `the provider has no model "${model}" for these credentials (404). Check its name there, the region and the address of the client.`,
    }),
  };
  return (
    known[status ?? 0] ??
    `the API failed (${status ?? error.type}), even after ${maxRetries} retries. Run again later.`
  );
}

function connection(error: Error, request: Request): string {
  const { factory, requestTimeoutMs, timeoutMs, maxRetries, api } = request;
  const retried = `even after ${maxRetries} retries`;
  if (isA(error, 'APIConnectionTimeoutError')) return noAnswer(factory, timeoutMs, requestTimeoutMs, retried);
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const reason = cause?.cause instanceof Error ? cause.cause.message : cause?.message;
  const why = reason ? ` (${reason})` : '';
  // A client that can't get its credentials reports a failed connection.
  if (/credentials/i.test(error.message))
    return `the client can't authenticate: ${error.message.replace(/\.$/, '')}${why}. Check how the client of ${factory}({ client }) is created.`;
  return `the API at ${api.baseURL} can't be reached, ${retried}${why}. Check the network, a proxy, and baseURL.`;
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

export const isSdkError = (error: unknown) => isA(error, 'AnthropicError');

/** The API's message, which Bedrock and gateways put in other places. */
export function wordsOf({ apiMessage, error, message }: APIError): string {
  const said = (error as { message?: unknown } | undefined)?.message;
  return apiMessage ?? (typeof said === 'string' ? said : message);
}
