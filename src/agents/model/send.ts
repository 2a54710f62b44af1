// Sends every request to a model, and sends it again as long as that can help. The SDKs' own retries are off.
import { sleep } from '../../browser/waiting';
import type { Usage } from '../../data/usage';
import { type Answered, leftIn, retryAfterIn } from '../../limiter/rate-headers';
import { admission, type Lane } from '../../limiter/shared';
import { parsedUrl } from '../../spec/url';
import { debug } from '../../text/debug';
import type { SessionTask } from '../agent';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

type Headers = Parameters<typeof leftIn>[0];

/** What an attempt tells about the API's limits. */
export interface Outcome {
  headers?: Headers | undefined;
  tokens?: number;
}

export interface Failure extends Outcome {
  status?: number | undefined;
  /** Why there is no whole answer. `silent`: the API took the request and sent nothing. `broken`: the answer broke off. */
  noAnswer?: 'unreachable' | 'silent' | 'broken' | undefined;
  /** Whether the API reported an overload by other means than its status. */
  overloaded?: boolean;
  /** The API would refuse each request from now on. */
  noCredit?: boolean;
  words: string;
  /** What it means and what to do, if the status does not tell. */
  means?: string | undefined;
}

export interface Limit extends Pick<SessionTask, 'signal' | 'waiting' | 'maxRequests'> {
  /** Called before the request is sent again. Throws if that would exceed the cap. */
  check?: (() => void) | undefined;
  /** Gets the usage of every attempt, failed ones included. */
  spent(usage: Required<Usage>): void;
}

/** The model and its API, for messages about failures. */
export interface Asked {
  readonly factory: 'claude' | 'webJudge' | 'aiSdk' | 'aiJudge';
  readonly model: string;
  /** Milliseconds without any answer after which an API that has answered before counts as gone. */
  readonly requestTimeoutMs: number;
  readonly address: string;
  /** Where the user sets the key. */
  readonly key: string;
}

interface Sending<T> extends Limit, Asked {
  lane: Lane | Promise<Lane>;
  /** How often the request is sent again after a failure. Limits and overloads do not count. */
  maxRetries: number;
  attempt(): Promise<{ value: T } & Outcome>;
  failureOf(error: unknown): Failure;
  /** Keys that a message must not show. */
  keys(): readonly string[] | Promise<readonly string[]>;
}

/** Thrown if sending a request again would not help. The message says what happened and what to do. */
export class RequestFailed extends Error {
  override name = 'RequestFailed';
  constructor(
    readonly failure: Failure,
    message: string,
  ) {
    super(message);
  }
}

/** Decides whether a request is sent again: after `served` and `unknown` that would not help. */
type Kind = Answered['as'] | 'silent' | 'broken' | 'unknown';

function kindOf({ status, noAnswer, overloaded, noCredit }: Failure): Kind {
  if (noCredit) return 'served';
  if (overloaded || status === 529) return 'overloaded';
  if (noAnswer) return noAnswer;
  if (status === undefined) return 'unknown';
  if (status === 429) return 'limited';
  if ([502, 503, 504].includes(status)) return 'unreachable';
  return status >= 500 || status === 408 || status === 409 ? 'broken' : 'served';
}

/** The answer for the limiter; undefined if it says nothing about the API's limits. */
function answeredOf(as: Kind, { headers, tokens }: Outcome): Answered | undefined {
  if (as === 'silent' || as === 'broken' || as === 'unknown') return undefined;
  return { as, tokens, ...(headers && { left: leftIn(headers), retryAfterMs: retryAfterIn(headers) }) };
}

/**
 * Waits out limits and overloads for as long as the signal allows. Waits for an API that can't be reached only if it has answered before:
 * otherwise the address is probably wrong.
 */
export async function send<T>(request: Sending<T>): Promise<T> {
  const { signal, maxRetries, requestTimeoutMs, waiting } = request;
  const lane = await request.lane;
  for (let sent = 1, failed = 0; ; sent++) {
    const admitted = await waiting(admission(lane, signal), 'limit');
    const sentAt = performance.now();
    const attempt = await waiting(request.attempt(), 'model').then(
      answer => ({ answer }),
      (error: unknown) => ({ error }),
    );
    if ('answer' in attempt) {
      const { value, ...outcome } = attempt.answer;
      admitted.answered(answeredOf('served', outcome));
      return value;
    }
    const failure = request.failureOf(attempt.error);
    const kind = kindOf(failure);
    admitted.answered(signal.aborted ? undefined : answeredOf(kind, failure));
    signal.throwIfAborted();
    const goneMs = admitted.goneMs + performance.now() - sentAt;
    const isPatient = admitted.served && goneMs < requestTimeoutMs;
    const waits = kind === 'limited' || kind === 'overloaded' || (kind === 'unreachable' && isPatient);
    const isRetried =
      (kind === 'broken' || (kind === 'unreachable' && !admitted.served)) && ++failed <= maxRetries;
    if (!waits && !isRetried)
      throw new RequestFailed(failure, problemOf(failure, sent, request, await request.keys()));
    request.check?.();
    debug('retry', () => `request to the model again: ${kind} ${failure.status ?? ''}`.trim());
    if (kind === 'broken') await waiting(sleep(pauseAfter(failure, failed), signal), 'limit');
  }
}

/** Milliseconds: longer after each failure, with some randomness, and no less than `retry-after` asks for. */
function pauseAfter({ headers }: Failure, failed: number): number {
  const asked = (headers && retryAfterIn(headers)) ?? 0;
  const grown = Math.min(FIRST_PAUSE_MS * 1.5 ** (failed - 1), LONGEST_PAUSE_MS);
  return Math.max(asked, grown * (0.75 + Math.random() / 2));
}

const KEY_NAME = /key|token|secret|password|credential|authorization|\bauth\b|cookie/i;
const LEAST_KEY = 8;
const MAX_DEPTH = 6;

/** What happened and what to do. @param keys masked in the message: a proxy or an error page may echo the request */
export function problemOf(failure: Failure, sent: number, asked: Asked, keys: readonly string[]): string {
  return withoutKeys(reasonFor(failure, asked, sent === 1 ? 'asked once' : `asked ${sent} times`), keys);
}

function reasonFor({ status, noAnswer, means, words }: Failure, asked: Asked, often: string): string {
  const { factory, model, requestTimeoutMs, address, key } = asked;
  const noCredit = `the account has no credit (${status}). Add credit, or use another key.`;
  const known: Record<number, string | false> = {
    400: isOutOfCredit(words) && noCredit,
    401: `the API refuses the key (401). Check ${key}.`,
    402: noCredit,
    403: `the key may not use the model "${model}" (403). Check its permissions.`,
    404: `there is no model "${model}" for this key (404). Check ${factory}({ model }) and the API's address.`,
    413: 'the request is too large (413). Use a smaller viewport, or lower maxSteps.',
    429: noCredit,
  };
  if (noAnswer === 'silent')
    return `no answer within ${requestTimeoutMs / 1000} s. Raise ${factory}({ requestTimeoutMs }), or check the network.`;
  if (noAnswer === 'unreachable')
    return `the API at ${address} can't be reached, ${often} (${words}). Check the network, a proxy, and its address.`;
  if (noAnswer === 'broken' || (status && status < 300))
    return `the answer can't be read, ${often}: ${words}`;
  if (!status) return `${means ?? 'the request failed'}: ${words}`;
  const refused = status < 500 && `the API refuses the request (${status}).`;
  const failed = `the API failed (${status}), ${often}. Run again later.`;
  return `${means ?? (known[status] || refused || failed)} The provider said: ${words}`;
}

/** Whether a refusal that looks like a reached limit, or a wrong request, means that the account has no credit. */
export const isOutOfCredit = (words: string) =>
  /insufficient_quota|exceeded your current quota|credit balance is too low/i.test(words);

/** A value after the name of a key, in a header, JSON or an address. */
const NAMED =
  /((?:key|token|secret|password|credential|authorization|cookie)\b["']?\s*[:=]\s*["']?)((?:Bearer |Basic )?[^\s"',;&<>{}()[\]]{8,})/gi;
const USER = /(\bhttps?:\/\/)[^\s/?#@]+@/g;
const LOOKS_LIKE_KEY = /\b(?:sk|rk|gsk|xai|AIza)[-_]?[\w-]{16,}|\bBearer\s+[\w.~+/=-]{8,}/g;

/** Masks these keys, those in the environment, and whatever is called a key or looks like one. */
function withoutKeys(text: string, keys: readonly string[]): string {
  const all = [...keys, ...keysIn(process.env)].sort((a, b) => b.length - a.length);
  const known = all.reduce((masked, key) => masked.replaceAll(key, '[key]'), text);
  return known
    .replace(NAMED, (all, name: string, value: string) =>
      // In a sentence, ordinary words may follow the name.
      /["'=]\s*$/.test(name) || /\d/.test(value) ? `${name}[key]` : all,
    )
    .replace(USER, '$1[key]@')
    .replace(LOOKS_LIKE_KEY, '[key]');
}

/**
 * Values at any depth of a client, options or headers whose names say that they are keys, tokens or passwords.
 *
 * @param least characters, if a key's own name says so: shorter ones would mask ordinary words
 */
export function keysIn(holder: object, least = LEAST_KEY): string[] {
  const seen = new Set<unknown>();
  const visit = (value: unknown, name: string, depth: number): string[] => {
    if (typeof value === 'string' && value.length < LEAST_KEY && !KEY_NAME.test(name.replace(/^key in /, '')))
      return [];
    if (typeof value === 'string')
      return [KEY_NAME.test(name) ? value.replace(/^(?:Bearer|Basic)\s+/i, '').trim() : passwordOf(value)];
    if (typeof value !== 'object' || value === null || seen.has(value) || depth > MAX_DEPTH) return [];
    seen.add(value);
    const entries = value instanceof Headers ? [...value].map(asKey) : Object.entries(value);
    return entries.flatMap(([key, each]) => visit(each, key, depth + 1));
  };
  return visit(holder, '', 0).filter(key => key.length >= least);
}

/** Counts all headers as keys except well-known ones: a gateway's header may have any name. */
const asKey = ([name, value]: [string, string]) =>
  [PUBLIC.test(name) ? name : `key in ${name}`, value] as const;
const PUBLIC = /^(?:accept.*|content-.*|host|user-agent|.*-(?:version|beta))$/i;

/** The password in `https://user:password@host`, or ''. */
function passwordOf(value: string): string {
  return /^https?:\/\/[^/?#]*@/.test(value) ? (parsedUrl(value)?.password ?? '') : '';
}
