// Sends requests to the Messages API, one at a time, and reads the answers as streams. Retries answers that break off, and
// turns errors into messages that say what to do and quote the provider.
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import Anthropic, { AnthropicError, type APIError } from '@anthropic-ai/sdk';
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
import { advice, keysIn, noAnswer, quotedWords, withoutKeys } from '../model/problem';
import type { ModelSettings } from '.';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Milliseconds to keep when waiting for an overloaded API, so that the trial can end with the API's error. */
const TIME_TO_END_MS = 1_000;
/** The settings of a factory, and its name. */
export interface Asker extends ModelSettings {
  /** The function that the user called with these settings. */
  factory: 'claude' | 'webJudge';
  tools?: 'browser' | 'computer';
}

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

  /** Describes what a request threw, in one or two sentences without any key: the reason that the trial ends with. */
  problem(error: unknown): string {
    // A proxy or an error page may echo the request.
    const keys = [...keysIn(this.api), ...keysIn(this.headers)];
    return withoutKeys(this.reasonOf(error, keys), keys);
  }

  private reasonOf(error: unknown, keys: readonly string[]): string {
    const { factory, maxRetries, client, model } = this.asker;
    if (isA(error, 'APIConnectionError')) return this.connection(error as Error);
    const failed = apiError(error);
    if (!failed) {
      const broke = isA(error, 'AnthropicError')
        ? `the answer broke off, even after ${maxRetries} retries`
        : 'the request could not be made';
      return `${broke}: ${messageOf(error)}`;
    }
    const key = client
      ? `how the client of ${factory}({ client }) is created`
      : `ANTHROPIC_API_KEY, or ${factory}({ apiKey })`;
    const words = wordsOf(failed);
    const told =
      toolAdvice(failed, words, this.asker) ??
      advice(failed.status, { factory, model, maxRetries, key }, failed.type);
    const id = failed.requestID ?? failed.headers?.get('x-amzn-requestid');
    return `${told} The provider said: ${quotedWords(words, keys)}${id ? ` (request ${id})` : ''}`;
  }

  private connection(error: Error): string {
    const { factory, maxRetries } = this.asker;
    if (isA(error, 'APIConnectionTimeoutError')) return noAnswer(factory, this.timeoutMs);
    const cause = error.cause instanceof Error ? error.cause : undefined;
    const reason = cause?.cause instanceof Error ? cause.cause.message : cause?.message;
    const why = reason ? ` (${reason})` : '';
    // A client that can't get its credentials reports a failed connection.
    if (/credentials/i.test(error.message))
      return `the client can't authenticate: ${error.message.replace(/\.$/, '')}${why}. Check how the client of ${factory}({ client }) is created.`;
    return `the API at ${this.api.baseURL} can't be reached, even after ${maxRetries} retries${why}. Check the network, a proxy, and baseURL.`;
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
  return (
    isA(error, 'AnthropicError') && !isA(error, 'APIConnectionError') && apiError(error)?.status === undefined
  );
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

/** The API's message, which Bedrock and gateways put in other places. */
export function wordsOf({ apiMessage, error, message }: APIError): string {
  const said = (error as { message?: unknown } | undefined)?.message;
  return apiMessage ?? (typeof said === 'string' ? said : message);
}

/** What to do if the model does not support the tool. That shows in the words: other errors name the toolset, too. */
function toolAdvice({ status }: APIError, words: string, { model, tools }: Asker): string | undefined {
  const isAboutTool =
    status === 400 &&
    /_toolset|tool types?/i.test(words) &&
    /support|unknown|invalid tool type|not (?:available|allowed|match)/i.test(words);
  if (!tools || !isAboutTool) return undefined;
  const other = tools === 'browser' ? 'computer' : 'browser';
  return `the model "${model}" does not support the ${tools} tool. Set another model, claude({ model: 'claude-opus-5-5' }), or another tool, claude({ tools: '${other}' }), or use aiSdk(), which needs none of the vendor's tools.`;
}
