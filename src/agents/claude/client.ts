// One request at a time to the Messages API, as a stream, retried if the answer breaks off on its way; and what went
// wrong, in words that say what to do.
import Anthropic, {
  AnthropicError,
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
} from '@anthropic-ai/sdk';
import type {
  BetaMessage,
  BetaUsage,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { sleep, within } from '../../browser/waiting';
import type { ModelSettings } from './options';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Left of a trial's time after waiting for an overloaded API, so that the trial can end with the API's error. */
const TIME_TO_END_MS = 1_000;
const MAX_MESSAGE = 300;
/** What may come as an event inside a stream that began well. */
const PASSING = new Set(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error']);

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

  constructor(private readonly settings: ModelSettings) {
    const { apiKey, baseURL, maxRetries } = settings;
    this.api = new Anthropic({ maxRetries, ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) });
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
        if (!waits && !(brokeOff(error) && ++broken <= this.settings.maxRetries)) throw error;
        limit.check?.();
        await sleep(pause, limit.signal);
      }
    }
  }

  private async once(params: MessageCreateParamsNonStreaming, limit: Limit): Promise<BetaMessage> {
    const timeout = Math.max(1, Math.ceil(Math.min(this.settings.requestTimeoutMs, limit.timeLeftMs)));
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
    const stream = this.api
      .withOptions({ fetch: watch.fetch })
      .beta.messages.stream(params, { signal: limit.signal, timeout });
    try {
      const message = await stream.finalMessage();
      watch.usage ??= message.usage;
      return message;
    } catch (error) {
      // The SDK stops early if a call's input is not JSON. The answer's usage comes at its end.
      if (!silent && !limit.signal.aborted) await within(watch.readOn(), timeout);
      throw silent ? new AnthropicError(`nothing came for ${timeout / 1000} s`) : error;
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

  readonly fetch: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (!response.ok || !response.body) return response;
    this.alive();
    const reader = response.body.getReader();
    this.reader = reader;
    const body = new ReadableStream<Uint8Array>({
      pull: async controller => {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        this.read(value);
        controller.enqueue(value);
      },
      cancel: reason => reader.cancel(reason),
    });
    return new Response(body, response);
  };

  /** Reads the rest of the stream. */
  async readOn(): Promise<void> {
    for (;;) {
      const { done, value } = (await this.reader?.read()) ?? { done: true };
      if (done || !value) return;
      this.read(value);
    }
  }

  private read(bytes: Uint8Array): void {
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

function isOverload(error: unknown): error is APIError {
  return error instanceof APIError && (error.status === 529 || error.type === 'overloaded_error');
}

/** As long as the API asks for, else longer each time, with some randomness. */
function pauseAfter(error: unknown, attempt: number): number {
  const asked = error instanceof APIError ? Number(error.headers?.get('retry-after') ?? 0) * 1_000 : 0;
  const grown = Math.min(FIRST_PAUSE_MS * 1.5 ** attempt, LONGEST_PAUSE_MS);
  return Math.max(asked || 0, grown * (0.75 + Math.random() / 2));
}

/** Whether the connection or the stream ended early. The SDK itself retries errors with a status. */
function brokeOff(error: unknown): boolean {
  if (error instanceof APIError) return error.status === undefined && PASSING.has(String(error.type));
  return error instanceof AnthropicError;
}

export interface Asker extends ModelSettings {
  /** What the user called to set these. */
  factory: 'claude' | 'webJudge';
  tools?: 'browser' | 'computer';
}

/** Whatever a request threw, as the reason that a trial ends with. */
export function apiProblem(error: unknown, asker: Asker): string {
  // A proxy or a page of an error may echo what it was sent.
  return [asker.apiKey, process.env.ANTHROPIC_API_KEY, process.env.ANTHROPIC_AUTH_TOKEN]
    .filter(key => key !== undefined && key.length > 3)
    .reduce<string>((text, key) => text.replaceAll(key!, '[key]'), reasonOf(error, asker));
}

function reasonOf(error: unknown, asker: Asker): string {
  if (error instanceof APIConnectionError) return connection(error, asker);
  if (error instanceof APIError) return `${advice(error, asker)} ${quoted(error)}`;
  const message = error instanceof Error ? error.message : String(error);
  return `the answer broke off, also after ${asker.maxRetries} retries: ${message}`;
}

function quoted(error: APIError): string {
  const message = error.apiMessage ?? error.message;
  const short = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  return `The API said: ${short}${error.requestID ? ` (request ${error.requestID})` : ''}`;
}

function advice(error: APIError, { factory, model, tools, maxRetries }: Asker): string {
  const { status } = error;
  const words = error.apiMessage ?? error.message;
  // The model does not take the tool, as far as the API's words tell: other refusals name the toolset, too.
  if (
    tools &&
    status === 400 &&
    /_toolset|tool types?/i.test(words) &&
    /support|unknown|invalid tool type|not (?:available|allowed)/i.test(words)
  ) {
    const other = tools === 'browser' ? 'computer' : 'browser';
    return `the model "${model}" does not take the ${tools} tool. Set another model, claude({ model: 'claude-opus-5-5' }), or another tool, claude({ tools: '${other}' }).`;
  }
  const known: Record<number, string> = {
    400: 'the API refuses the request (400).',
    401: `the API refuses the key (401). Check ANTHROPIC_API_KEY, or the apiKey that ${factory}() is given.`,
    402: 'the account has no credit (402). Add credit, or use another key.',
    403: `the key may not use this (403). Check what its workspace may do, and whether it may use the model "${model}".`,
    404: `there is no model "${model}" for this key (404). Check ${factory}({ model }) and baseURL.`,
    413: 'the request is too large (413). Use a smaller viewport or fewer steps.',
    429: `the rate limit is reached (429), also after ${maxRetries} retries. Run fewer workers (--workers=1), raise ${factory}({ maxRetries }), or ask for a higher limit.`,
    529:
      factory === 'claude'
        ? 'the API is overloaded (529), and was for as long as the trial had time. Run again later, or raise turnTimeoutMs.'
        : `the API is overloaded (529), also after ${maxRetries} retries. Run again later, or raise ${factory}({ maxRetries }).`,
  };
  return (
    known[status ?? 0] ??
    `the API failed (${status ?? error.type}), also after ${maxRetries} retries. Run again later.`
  );
}

function connection(error: APIConnectionError, asker: Asker): string {
  const { factory, baseURL, requestTimeoutMs, maxRetries } = asker;
  if (error instanceof APIConnectionTimeoutError)
    return `no answer within ${requestTimeoutMs / 1000} s, also after ${maxRetries} retries. Raise ${factory}({ requestTimeoutMs }), or check the network.`;
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const reason = cause?.cause instanceof Error ? cause.cause.message : cause?.message;
  return `the API at ${baseURL ?? process.env.ANTHROPIC_BASE_URL ?? 'its default address'} can't be reached, also after ${maxRetries} retries${reason ? ` (${reason})` : ''}. Check the network, a proxy, and baseURL.`;
}
