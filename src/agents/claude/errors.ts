// Recognizes the SDK's errors by the names of their classes. instanceof would fail if the user's client comes from
// another copy of the SDK, or from the same copy as an ES module.
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

/** The API's message, which Bedrock and gateways put in other places. */
export function wordsOf({ apiMessage, error, message }: APIError): string {
  const said = (error as { message?: unknown } | undefined)?.message;
  return apiMessage ?? (typeof said === 'string' ? said : message);
}
