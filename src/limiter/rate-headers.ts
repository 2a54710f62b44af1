// Reads from an API's headers what is left of its limits.

/** What is left of one limit. */
export interface Left {
  of: 'requests' | 'tokens';
  /** What the whole limit is; undefined if the API does not say. */
  limit?: number | undefined;
  remaining: number;
  /** Milliseconds until the whole limit is available again. */
  resetMs: number;
}

/** What an answer says about the API's limits. */
export interface Answered {
  /**
   * `served`: the API did its work, or refused what the request asks for. `limited`: too many requests or tokens (429).
   * `overloaded`: the API has too much to do (529). `unreachable`: no connection, or a gateway that can't reach the API.
   */
  as: 'served' | 'limited' | 'overloaded' | 'unreachable';
  /** Milliseconds that the API asks to wait. */
  retryAfterMs?: number | undefined;
  left?: Left[] | undefined;
  /** Tokens of the request and its answer, if known. */
  tokens?: number | undefined;
}

type Headers = Pick<globalThis.Headers, 'get'>;

/** The vendors' names: `anthropic-ratelimit-input-tokens-remaining`, `x-ratelimit-remaining-tokens`. */
const LIMITS = [
  { of: 'requests', name: (what: string) => `anthropic-ratelimit-requests-${what}` },
  { of: 'tokens', name: (what: string) => `anthropic-ratelimit-tokens-${what}` },
  { of: 'tokens', name: (what: string) => `anthropic-ratelimit-input-tokens-${what}` },
  { of: 'tokens', name: (what: string) => `anthropic-ratelimit-output-tokens-${what}` },
  { of: 'requests', name: (what: string) => `x-ratelimit-${what}-requests` },
  { of: 'tokens', name: (what: string) => `x-ratelimit-${what}-tokens` },
] as const;

export function leftIn(headers: Headers, nowMs = Date.now()): Left[] {
  return LIMITS.flatMap(({ of, name }) => {
    const [remaining, limit] = [numberIn(headers, name('remaining')), numberIn(headers, name('limit'))];
    const resetMs = resetIn(headers.get(name('reset')), nowMs);
    if (remaining === undefined || resetMs === undefined) return [];
    return { of, limit, remaining, resetMs: Math.min(resetMs, MAX_WAIT_MS) };
  });
}

/** Longer than any trial, and shorter than the longest that a timer can wait. */
const MAX_WAIT_MS = 24 * 3_600_000;

/** Milliseconds of `retry-after` (seconds, or a date) or `retry-after-ms`. */
export function retryAfterIn(headers: Headers, nowMs = Date.now()): number | undefined {
  const [ms, seconds] = [numberIn(headers, 'retry-after-ms'), numberIn(headers, 'retry-after')];
  const given = ms ?? (seconds === undefined ? undefined : seconds * 1_000);
  const found = given ?? untilDate(headers.get('retry-after') ?? '', nowMs);
  return found && Math.min(found, MAX_WAIT_MS);
}

/** Milliseconds until a date. The date must have a time, since Node takes even `-5` for a date. */
function untilDate(text: string, nowMs: number): number | undefined {
  const date = /\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function numberIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)?.trim();
  const value = Number(text);
  return text && Number.isFinite(value) && value >= 0 ? value : undefined;
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A date, or a duration such as `6m0s`, `850ms` or `12` (seconds). */
function resetIn(text: string | null, nowMs: number): number | undefined {
  if (!text) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length && parts.map(([part]) => part).join('') === text)
    return parts.reduce((sum, [, value, unit]) => sum + Number(value) * UNITS[unit!]!, 0);
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  return untilDate(text, nowMs);
}
