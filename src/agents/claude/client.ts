// One request at a time to the Messages API, as a stream, retried if the answer breaks off on its way.
import Anthropic, { AnthropicError } from '@anthropic-ai/sdk';
import type { Middleware } from '@anthropic-ai/sdk/core/middleware';
import type {
  BetaMessage,
  BetaUsage,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { sleep, within } from '../../browser/waiting';
import { apiError, isSdkError } from './errors';
import { type Asker, apiProblem } from './problem';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Left of a trial's time after waiting for an overloaded API, so that the trial can end with the API's error. */
const TIME_TO_END_MS = 1_000;
/** What may come as an event inside a stream that began well. Those of Bedrock end in "Exception". */
const PASSING =
  /^(?:overloaded|api|rate_limit|timeout)_error$|^(?:internalServer|modelStreamError|modelTimeout|serviceUnavailable|throttling)Exception$/;

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
  /** Milliseconds that the newest request had. */
  private timeoutMs = 0;
  /** Headers of the newest request, which may hold a token that the SDK has fetched. */
  private headers = new Headers();

  constructor(private readonly asker: Asker) {
    const { apiKey, baseURL, client } = asker;
    // Another copy of the SDK has other types of the same shape.
    this.api =
      (client as Anthropic | undefined) ??
      new Anthropic({ ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) });
  }

  /** Whatever a request threw, as the reason that a trial ends with. No key is in it. */
  problem(error: unknown): string {
    const { timeoutMs, headers, api } = this;
    return apiProblem(error, { ...this.asker, timeoutMs, api, headers });
  }

  /**
   * The SDK retries until an answer begins, and leaves alone one that breaks off after that. Those are retried here. An
   * overload lasts minutes: it is waited out as long as the trial's time allows.
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
        await sleep(pause, limit.signal);
      }
    }
  }

  private async once(params: MessageCreateParamsNonStreaming, limit: Limit): Promise<BetaMessage> {
    const timeout = Math.max(1, Math.ceil(Math.min(this.asker.requestTimeoutMs, limit.timeLeftMs)));
    this.timeoutMs = timeout;
    // The SDK's own limit ends with the headers: a stream that goes silent is ended here.
    let silent = false;
    let timer: NodeJS.Timeout | undefined;
    const stop = () => {
      silent = true;
      stream.abort();
    };
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(stop, timeout);
    };
    const watch = new StreamWatch(restart);
    const middleware: Middleware = async (request, next) => {
      this.headers = request.headers;
      return watch.read(await next(request));
    };
    const stream = this.api.beta.messages.stream(params, {
      signal: limit.signal,
      timeout,
      maxRetries: this.asker.maxRetries,
      middleware: [middleware],
    });
    let begun = false;
    stream.on('connect', () => {
      begun = true;
    });
    try {
      const message = await stream.finalMessage();
      watch.usage ??= message.usage;
      return message;
    } catch (error) {
      // The SDK stops early if a call's input is not JSON. The answer's usage comes at its end.
      if (!silent && !limit.signal.aborted) await within(watch.readOn(), timeout);
      if (silent) throw new AnthropicError(`nothing came for ${timeout / 1000} s`);
      // What a client throws before it asks, the stream has put into an error of its own.
      throw begun || apiError(error) ? error : ((error as Error).cause ?? error);
    } finally {
      clearTimeout(timer);
      if (watch.usage) limit.spent(watch.usage);
    }
  }
}

/** Watches an answer on its way to the SDK, which hides pings and the usage of answers that it refuses. */
class StreamWatch {
  usage: BetaUsage | undefined;
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private readonly decoder = new TextDecoder();
  private line = '';

  /** @param alive called for every piece that arrives, pings included */
  constructor(private readonly alive: () => void) {}

  /** @returns the response for the SDK. */
  read(response: Response): Response {
    if (!response.ok || !response.body) return response;
    this.alive();
    const reader = response.body.getReader();
    this.reader = reader;
    const body = new ReadableStream<Uint8Array>({
      pull: async controller => {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        this.take(value);
        controller.enqueue(value);
      },
      cancel: reason => reader.cancel(reason),
    });
    return new Response(body, response);
  }

  /** Reads the rest of the stream. */
  async readOn(): Promise<void> {
    for (;;) {
      const { done, value } = (await this.reader?.read()) ?? { done: true };
      if (done || !value) return;
      this.take(value);
    }
  }

  private take(bytes: Uint8Array): void {
    this.alive();
    const lines = (this.line + this.decoder.decode(bytes, { stream: true })).split('\n');
    this.line = lines.pop()!;
    for (const line of lines)
      if (/^data:.*"message_(?:start|delta)"/.test(line)) this.count(line.slice('data:'.length));
  }

  private count(json: string): void {
    let event: { type?: string; message?: { usage?: BetaUsage }; usage?: Partial<BetaUsage> };
    try {
      event = JSON.parse(json);
    } catch {
      return;
    }
    if (event.type === 'message_start') this.usage = event.message?.usage;
    if (event.type !== 'message_delta' || !this.usage) return;
    const told = Object.entries(event.usage ?? {}).filter(([, value]) => value != null);
    this.usage = { ...this.usage, ...Object.fromEntries(told) };
  }
}

function isOverload(error: unknown): boolean {
  const failed = apiError(error);
  return failed?.status === 529 || failed?.type === 'overloaded_error';
}

/** As long as the API asks for, else longer each time, with some randomness. */
function pauseAfter(error: unknown, attempt: number): number {
  const asked = Number(apiError(error)?.headers?.get('retry-after') ?? 0) * 1_000;
  const grown = Math.min(FIRST_PAUSE_MS * 1.5 ** attempt, LONGEST_PAUSE_MS);
  return Math.max(asked || 0, grown * (0.75 + Math.random() / 2));
}

/** Whether the connection or the stream ended early. The SDK itself retries errors with a status. */
function brokeOff(error: unknown): boolean {
  const failed = apiError(error);
  if (failed) return failed.status === undefined && PASSING.test(String(failed.type));
  return isSdkError(error);
}
