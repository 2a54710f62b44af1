// The one place where requests to models are sent: each waits until the limiter of the run admits it, tells it how it was answered,
// and is sent again as long as that can help. The SDKs' own retries are off.
import { sleep } from '../../browser/waiting';
import { type Answered, leftIn, retryAfterIn } from '../../limiter/rate-headers';
import { admission, type Lane } from '../../limiter/shared';
import { debug } from '../../text/debug';
import { messageOf } from '../../text/line';
import type { AgentTask } from '../agent';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

type Headers = Parameters<typeof leftIn>[0];

/** What is told of an attempt, as far as it is known. */
export interface Outcome {
  headers?: Headers | undefined;
  tokens?: number;
}

/** Why an attempt failed: by what happened, or else by the status of the answer. */
export interface Failure extends Outcome {
  status?: number | undefined;
  /** `silent`: the API took the request and said nothing. `broken`: the answer broke off. */
  without?: 'connection' | 'silent' | 'broken' | undefined;
  /** An overload that the API tells by another way than its status. */
  overloaded?: boolean;
  /** The API would refuse each request from now on. */
  noCredit?: boolean;
}

export interface Sending<T> {
  lane: Lane | Promise<Lane>;
  signal: AbortSignal;
  /** How often it is sent again after something broke. */
  maxRetries: number;
  /** Milliseconds without any answer, after which an API that has served before counts as gone. */
  requestTimeoutMs: number;
  /** Lets the trial's clock know what is waited for. */
  waiting: AgentTask['waiting'];
  /** Called before the request is sent again. Throws if that would exceed the cap. */
  check?: (() => void) | undefined;
  attempt(): Promise<{ value: T } & Outcome>;
  failureOf(error: unknown): Failure;
}

/** Thrown when sending a request again would not help. */
export class RequestFailed extends Error {
  override name = 'RequestFailed';
  constructor(
    /** What the last attempt threw. */
    readonly error: unknown,
    /** How often the request was sent. */
    readonly sent: number,
  ) {
    super(messageOf(error));
  }
}

/** What sending again depends on. `final`: it would not help. */
type Kind = Answered['as'] | 'silent' | 'broken' | 'final';

function kindOf({ status, without, overloaded, noCredit }: Failure): Kind {
  if (noCredit) return 'final';
  if (overloaded || status === 529) return 'overloaded';
  if (without) return without === 'connection' ? 'unreachable' : without;
  if (status === undefined) return 'final';
  if (status === 429) return 'limited';
  if ([502, 503, 504].includes(status)) return 'unreachable';
  return status >= 500 || status === 408 || status === 409 ? 'broken' : 'final';
}

/** As the limiter is told of it; undefined for what says nothing about the API's limits. */
function toldAs(kind: Kind, { status }: Failure): Answered['as'] | undefined {
  if (kind === 'silent' || kind === 'broken') return undefined;
  if (kind === 'final') return status === undefined ? undefined : 'served';
  return kind;
}

function answeredOf(as: Answered['as'], { headers, tokens }: Outcome): Answered {
  const retryAfterMs = headers && retryAfterIn(headers);
  return {
    as,
    ...(headers && { left: leftIn(headers) }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(tokens !== undefined && { tokens }),
  };
}

/**
 * A refusal because of a limit or an overload is waited out for as long as the signal allows. An API that can't be reached is waited for
 * only if it has served before: else the address is wrong.
 *
 * @throws RequestFailed; the signal's reason once it is aborted; what `check` throws.
 */
export async function send<T>(request: Sending<T>): Promise<T> {
  const { signal, maxRetries, requestTimeoutMs, waiting } = request;
  const lane = await request.lane;
  for (let sent = 1, failed = 0; ; sent++) {
    const admitted = await waiting(admission(lane, signal), 'limit');
    const sentAt = performance.now();
    let how: Answered | undefined;
    try {
      const { value, ...outcome } = await waiting(request.attempt(), 'model');
      how = answeredOf('served', outcome);
      return value;
    } catch (error) {
      signal.throwIfAborted();
      const failure = request.failureOf(error);
      const kind = kindOf(failure);
      const told = toldAs(kind, failure);
      if (told) how = answeredOf(told, failure);
      const goneMs = admitted.goneMs + performance.now() - sentAt;
      const isPatient = admitted.served && goneMs < requestTimeoutMs;
      const waits = kind === 'limited' || kind === 'overloaded' || (kind === 'unreachable' && isPatient);
      const isTried =
        (kind === 'broken' || (kind === 'unreachable' && !admitted.served)) && ++failed <= maxRetries;
      if (!waits && !isTried) throw new RequestFailed(error, sent);
      request.check?.();
      debug('retry', () => `request to the model again: ${messageOf(error)}`);
      if (kind === 'broken') {
        admitted.answered();
        await waiting(sleep(pauseAfter(failure, failed), signal), 'limit');
      }
    } finally {
      admitted.answered(how);
    }
  }
}

/** Milliseconds: longer for each failure, with some randomness, and at least what `retry-after` asks for. */
function pauseAfter({ headers }: Failure, failed: number): number {
  const asked = (headers && retryAfterIn(headers)) ?? 0;
  const grown = Math.min(FIRST_PAUSE_MS * 1.5 ** (failed - 1), LONGEST_PAUSE_MS);
  return Math.max(asked, grown * (0.75 + Math.random() / 2));
}
