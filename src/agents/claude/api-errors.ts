// What went wrong between us and the API, in words that say what to do.
import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { AgentApiError } from '../agent';
import type { ClaudeSettings } from './options';

const MAX_MESSAGE = 300;

function said(error: APIError): string {
  const message = error.apiMessage ?? error.message;
  const short = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  return `The API said: ${short}${error.requestID ? ` (request ${error.requestID})` : ''}`;
}

/** The model does not take the tool, as far as the API's words tell. */
function refusesTool(error: APIError): boolean {
  return (
    error.status === 400 && /(browser|computer)_toolset|tool types?/i.test(error.apiMessage ?? error.message)
  );
}

function advice(error: APIError, { model, tools, maxRetries }: ClaudeSettings): string {
  if (refusesTool(error)) {
    const other = tools === 'browser' ? 'computer' : 'browser';
    return `the model "${model}" does not take the ${tools} tool. Set another model, claude({ model: 'claude-opus-5-5' }), or another tool, claude({ tools: '${other}' }).`;
  }
  switch (error.status) {
    case 400:
      return 'the API refuses the request (400).';
    case 401:
      return 'the API refuses the key (401). Check ANTHROPIC_API_KEY, or the apiKey that claude() is given.';
    case 402:
      return 'the account has no credit (402). Add credit, or use another key.';
    case 403:
      return `the key may not use this (403). Check what its workspace may do, and whether it may use the model "${model}".`;
    case 404:
      return `there is no model "${model}" for this key (404). Check claude({ model }) and baseURL.`;
    case 413:
      return 'the request is too large (413). Use a smaller viewport or fewer steps.';
    case 429:
      return `the rate limit is reached (429), also after ${maxRetries} retries. Run fewer workers (--workers=1), raise claude({ maxRetries }), or ask for a higher limit.`;
    case 529:
      return `the API is overloaded (529), also after ${maxRetries} retries. Run again later, or raise claude({ maxRetries }).`;
    default:
      return `the API failed (${error.status ?? error.type}), also after ${maxRetries} retries. Run again later.`;
  }
}

function connection(
  error: APIConnectionError,
  { baseURL, requestTimeoutMs, maxRetries }: ClaudeSettings,
): string {
  if (error instanceof APIConnectionTimeoutError)
    return `no answer within ${requestTimeoutMs / 1000} s, also after ${maxRetries} retries. Raise claude({ requestTimeoutMs }), or check the network.`;
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const reason = cause?.cause instanceof Error ? cause.cause.message : cause?.message;
  return `the API at ${baseURL ?? process.env.ANTHROPIC_BASE_URL ?? 'its default address'} can't be reached, also after ${maxRetries} retries${reason ? ` (${reason})` : ''}. Check the network, a proxy, and baseURL.`;
}

/** Whatever a request threw, as the error that a trial ends with. */
export function agentError(error: unknown, settings: ClaudeSettings): AgentApiError {
  if (error instanceof AgentApiError) return error;
  if (error instanceof APIConnectionError) return failure(connection(error, settings), settings);
  if (error instanceof APIError) return failure(`${advice(error, settings)} ${said(error)}`, settings);
  const message = error instanceof Error ? error.message : String(error);
  return failure(`the answer broke off, also after ${settings.maxRetries} retries: ${message}`, settings);
}

function failure(message: string, settings: ClaudeSettings): AgentApiError {
  return new AgentApiError(withoutKeys(`claude: ${message}`, settings));
}

/** A proxy or a page of an error may echo what it was sent. */
function withoutKeys(message: string, { apiKey }: ClaudeSettings): string {
  return [apiKey, process.env.ANTHROPIC_API_KEY, process.env.ANTHROPIC_AUTH_TOKEN]
    .filter(key => key !== undefined && key.length > 3)
    .reduce<string>((text, key) => text.replaceAll(key!, '[key]'), message);
}
