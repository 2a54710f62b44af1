// Sends requests to the Messages API, one at a time, and reads the answers as streams. Retries answers that break off.
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import Anthropic, { AnthropicError } from '@anthropic-ai/sdk';
import type { Middleware } from '@anthropic-ai/sdk/core/middleware';
import type {
  BetaMessage,
  BetaRawMessageStreamEvent,
  BetaUsage,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { sleep, within } from '../../browser/waiting';
import { debug } from '../../text/debug';
import { messageOf } from '../../text/line';
import { type Asker, apiError, apiProblem, isConnectionError, isSdkError } from './problem';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Milliseconds to keep when waiting for an overloaded API, so that the trial can end with the API's error. */
const TIME_TO_END_MS = 1_000;
/** The limits of a request. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Milliseconds left for the answer. */
  readonly timeLeftMs: number;
  /** Milliseconds to wait for an overloaded API; 0 to retry as after any other failure. */
  readonly patienceMs: number;
  /** Gets the usage of every attempt, also of failed ones. */
  spent(usage: BetaUsage): void;
  /** Called before a request is repeated. Throws if it would exceed the cap. */
  check?(): void;
}

export class Client {
  private readonly api: Anthropic;
  /** Time limit of the newest request. */
  private timeoutMs = 0;
  /** Headers of the newest request, which may hold a token that the SDK has fetched. */
  private headers = new Headers();

  constructor(private readonly asker: Asker) {
    const { apiKey, baseURL, client } = asker;
    // A client of another copy of the SDK has other types of the same shape.
    this.api =
      (client as Anthropic | undefined) ??
      new Anthropic({ ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) });
  }

  /** Describes what a request threw, with keys masked: the reason that the trial ends with. */
  problem(error: unknown): string {
    const { timeoutMs, headers, api } = this;
    return apiProblem(error, { ...this.asker, timeoutMs, api, headers });
  }

  /**
   * The SDK retries only until an answer begins, so answers that break off are retried here. An overload can last
   * minutes: it is waited out for as long as the trial's time allows.
   */
  async send(params: MessageCreateParamsNonStreaming, limit: Limit): Promise<BetaMessage> {
    const end = performance.now() + limit.patienceMs - TIME_TO_END_MS;
    for (let attempt = 0, broken = 0; ; attempt++) {
      try {
        return await this.once(params, limit);
      } catch (error) {
        limit.signal.throwIfAborted();
        const pause = pauseAfter(error, attempt);
        const waits = isOverload(error) && performance.now() + pause < end;
        if (!waits && !(brokeOff(error) && ++broken <= this.asker.maxRetries)) throw error;
        limit.check?.();
        debug('retry', () => `request to the model again in ${Math.round(pause)} ms: ${messageOf(error)}`);
        await sleep(pause, limit.signal);
      }
    }
  }

  private async once(params: MessageCreateParamsNonStreaming, limit: Limit): Promise<BetaMessage> {
    const timeout = Math.max(1, Math.ceil(Math.min(this.asker.requestTimeoutMs, limit.timeLeftMs)));
    this.timeoutMs = timeout;
    // The SDK's timeout only covers the headers: this one ends a stream that goes silent.
    let silent = false;
    const stop = () => {
      silent = true;
      stream.abort();
    };
    let timer: NodeJS.Timeout | undefined;
    let usage: BetaUsage | undefined;
    let read: Promise<void> | undefined;
    const watched: Middleware = async (request, next) => {
      this.headers = request.headers;
      const response = await next(request);
      if (!response.ok || !response.body) return response;
      const [forSdk, forUs] = response.body.tee();
      timer = setTimeout(stop, timeout);
      read = eachLine(forUs, line => {
        timer?.refresh();
        usage = usageIn(line, usage);
      });
      return new Response(forSdk, response);
    };
    const stream = this.api.beta.messages.stream(params, {
      signal: limit.signal,
      timeout,
      maxRetries: this.asker.maxRetries,
      middleware: [watched],
    });
    let begun = false;
    stream.on('connect', () => {
      begun = true;
    });
    try {
      const message = await stream.finalMessage();
      usage = message.usage;
      return message;
    } catch (error) {
      // The SDK stops reading if a call's input is not JSON, but the usage comes at the end of the answer.
      if (read && !silent && !limit.signal.aborted) await within(read, timeout);
      if (silent) throw new AnthropicError(`no data for ${timeout / 1000} s`);
      // The stream wraps what the client throws before it sends the request.
      throw begun || apiError(error) ? error : ((error as Error).cause ?? error);
    } finally {
      clearTimeout(timer);
      if (usage) limit.spent(usage);
    }
  }
}

/** Reads an answer beside the SDK, which hides pings and the usage of answers that it rejects. */
async function eachLine(body: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  try {
    for await (const line of createInterface({ input: Readable.fromWeb(body as never) })) take(line);
  } catch {
    // The SDK throws the same.
  }
}

/** The usage so far, after one more line of the stream. */
function usageIn(line: string, before: BetaUsage | undefined): BetaUsage | undefined {
  if (!/^data:.*"message_(?:start|delta)"/.test(line)) return before;
  const event = JSON.parse(line.slice('data:'.length)) as BetaRawMessageStreamEvent;
  if (event.type === 'message_start') return event.message.usage;
  if (event.type !== 'message_delta' || !before) return before;
  const given = Object.entries(event.usage ?? {}).filter(([, value]) => value != null);
  return { ...before, ...Object.fromEntries(given) };
}

function isOverload(error: unknown): boolean {
  const failed = apiError(error);
  return failed?.status === 529 || failed?.type === 'overloaded_error';
}

/** Milliseconds: longer for each attempt, with some randomness, and at least what `retry-after` asks for. */
function pauseAfter(error: unknown, attempt: number): number {
  const asked = Number(apiError(error)?.headers?.get('retry-after') ?? 0) * 1_000;
  const grown = Math.min(FIRST_PAUSE_MS * 1.5 ** attempt, LONGEST_PAUSE_MS);
  return Math.max(asked || 0, grown * (0.75 + Math.random() / 2));
}

/** Whether the answer ended early. The SDK itself repeats requests that get no answer, or an error. */
function brokeOff(error: unknown): boolean {
  return isSdkError(error) && !isConnectionError(error) && apiError(error)?.status === undefined;
}
