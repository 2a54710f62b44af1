// The SDK's errors, known by the names of their classes: a client that the user made may come from another copy of the
// SDK, or from the same one as an ES module, whose classes are others.
import type { APIError } from '@anthropic-ai/sdk';

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
export const isUnreachable = (error: unknown) => isA(error, 'APIConnectionError');
export const isTimeout = (error: unknown) => isA(error, 'APIConnectionTimeoutError');

/** What the API said: Bedrock and gateways have forms of their own for it. */
export function wordsOf({ apiMessage, error, message }: APIError): string {
  const said = (error as { message?: unknown } | undefined)?.message;
  return apiMessage ?? (typeof said === 'string' ? said : message);
}
