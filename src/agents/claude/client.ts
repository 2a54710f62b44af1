// Sends requests to the Messages API and reads the answers as streams.
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
import { within } from '../../browser/waiting';
import { laneOf } from '../../limiter/shared';
import { messageOf } from '../../text/line';
import { type Failure, isOutOfCredit, keysIn, type Limit, send } from '../model/send';
import type { ModelSettings } from '.';
import { pricesOf, usageOf } from './pricing';

export interface Asker extends ModelSettings {
  factory: 'claude' | 'webJudge';
  tools?: 'browser' | 'computer';
}

/** How long there may be only pings, as a multiple of the time without any data. A gateway may send them for ever. */
const LONGEST = 10;

export function claudeSender(asker: Asker) {
  const { apiKey, baseURL, client, factory, requestTimeoutMs: timeout } = asker;
  // A client of another copy of the SDK has other types of the same shape.
  const api =
    (client as Anthropic | undefined) ??
    new Anthropic({ ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) });
  const prices = pricesOf(asker);
  /** Headers of the newest request. They may hold a token that the SDK has fetched. */
  let newest = new Headers();

  async function once(params: MessageCreateParamsNonStreaming, { signal, spent }: Limit) {
    // The SDK's timeout only covers the headers. This one ends a stream that goes silent.
    let [silent, onlyPings] = [false, false];
    const stop = () => {
      silent = true;
      stream.abort();
    };
    let timer: NodeJS.Timeout | undefined;
    let headers: Headers | undefined;
    let usage: BetaUsage | undefined;
    let read: Promise<void> | undefined;
    const watched: Middleware = async (request, next) => {
      newest = request.headers;
      const response = await next(request);
      headers = response.headers;
      if (!response.ok || !response.body) return response;
      const [forSdk, forUs] = response.body.tee();
      timer = setTimeout(stop, timeout);
      let end = performance.now() + LONGEST * timeout;
      read = eachLine(forUs, line => {
        if (/^data:(?!.*"type": ?"ping")/.test(line)) end = performance.now() + LONGEST * timeout;
        onlyPings = performance.now() > end;
        if (!onlyPings) timer?.refresh();
        usage = usageIn(line, usage);
      });
      return new Response(forSdk, response);
    };
    const options = { signal, timeout, maxRetries: 0, middleware: [watched] };
    const stream = api.beta.messages.stream(params, options);
    let begun = false;
    stream.on('connect', () => {
      begun = true;
    });
    try {
      const message = await stream.finalMessage();
      usage = message.usage ?? ({} as BetaUsage);
      // Tokens read from the cache don't count towards the API's limits.
      const { inputTokens, outputTokens, cacheCreationTokens } = usageOf(usage, prices);
      return { value: message, headers, tokens: inputTokens + cacheCreationTokens + outputTokens };
    } catch (error) {
      // The SDK stops reading if a call's input is not JSON, but the usage comes last.
      if (read && !silent && !signal.aborted) await within(read, timeout);
      const seconds = timeout / 1000;
      if (silent)
        throw new AnthropicError(
          onlyPings ? `only pings for ${LONGEST * seconds} s` : `no data for ${seconds} s`,
        );
      const type = otherType(error, headers);
      // Somebody may have paid for the answer of a gateway that does not stream, so its usage is unknown, not zero.
      if (type?.includes('json')) usage ??= {} as BetaUsage;
      throw thrown(error, type, begun);
    } finally {
      clearTimeout(timer);
      if (usage) spent(usageOf(usage, prices));
    }
  }

  return (params: MessageCreateParamsNonStreaming, limit: Limit): Promise<BetaMessage> =>
    send({
      ...limit,
      ...asker,
      address: api.baseURL,
      key: client
        ? `how the client of ${factory}({ client }) is created`
        : `ANTHROPIC_API_KEY, or ${factory}({ apiKey })`,
      keys: () => [...keysIn(api), ...keysIn(newest)],
      lane: laneOf(params.model, [api.baseURL, ...keysIn(api, 1)], limit.maxRequests),
      attempt: () => once(params, limit),
      failureOf: error => failureOf(error, asker),
    });
}

/** Reads an answer beside the SDK, which hides pings and the usage of answers that it rejects. */
async function eachLine(body: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  try {
    for await (const line of createInterface({ input: Readable.fromWeb(body as never) })) take(line);
  } catch {
    // The SDK throws the same.
  }
}

function usageIn(line: string, before: BetaUsage | undefined): BetaUsage | undefined {
  if (!/^data:.*"message_(?:start|delta)"/.test(line)) return before;
  const event = JSON.parse(line.slice('data:'.length)) as BetaRawMessageStreamEvent;
  if (event.type === 'message_start') return event.message.usage ?? ({} as BetaUsage);
  if (event.type !== 'message_delta' || !before) return before;
  const given = Object.entries(event.usage ?? {}).filter(([, value]) => value != null);
  return { ...before, ...Object.fromEntries(given) };
}

/** The media type of an answer that is no stream of events, such as a login page. */
function otherType(error: unknown, headers: Headers | undefined): string | undefined {
  const type = headers?.get('content-type') ?? 'text/event-stream';
  const isUnread = isA(error, 'AnthropicError') && !isA(error, 'APIError');
  return isUnread && !/event-?stream/.test(type) ? type : undefined;
}

/** @param begun whether an answer began. If not, the stream wraps the error that the client threw. */
function thrown(error: unknown, type: string | undefined, begun: boolean): unknown {
  if (type === undefined) return begun || isA(error, 'APIError') ? error : ((error as Error).cause ?? error);
  return new AnthropicError(
    `it is ${type}, not a stream of events. Check the API's address, and what may answer in its place, such as a login page.`,
  );
}

function failureOf(error: unknown, asker: Asker): Failure {
  if (isA(error, 'APIConnectionError')) return unconnected(error as Error, asker);
  if (!isA(error, 'APIError'))
    return { words: messageOf(error), noAnswer: isA(error, 'AnthropicError') ? 'broken' : undefined };
  const failed = error as APIError;
  const { status, headers } = failed;
  const words = wordsOf(failed);
  const overloaded = status === undefined && failed.type === 'overloaded_error';
  if (status === undefined) return { words, noAnswer: 'broken', overloaded };
  const id = failed.requestID ?? headers?.get('x-amzn-requestid');
  return {
    status,
    headers,
    noCredit: status === 429 && isOutOfCredit(failed.message),
    words: `${words}${id ? ` (request ${id})` : ''}`,
    means: status === 400 ? toolAdvice(words, asker) : undefined,
  };
}

/** The SDK also reports missing credentials of a client as a failed connection. */
function unconnected(error: Error, { factory }: Asker): Failure {
  const cause = error.cause instanceof Error ? error.cause : error;
  const words = cause.cause instanceof Error ? cause.cause.message : cause.message;
  if (isA(error, 'APIConnectionTimeoutError')) return { words, noAnswer: 'silent' };
  if (!/credentials/i.test(error.message)) return { words, noAnswer: 'unreachable' };
  const check = `Check how the client of ${factory}({ client }) is created.`;
  return { means: "the client can't authenticate", words: `${error.message} (${words}) ${check}` };
}

/** Compares the names of classes: instanceof fails if the user's client comes from another copy of the SDK or its ES module. */
function isA(error: unknown, className: string): boolean {
  for (let at: object | null = Object(error); at; at = Object.getPrototypeOf(at))
    if (at.constructor?.name === className) return true;
  return false;
}

/** The API's message. Bedrock and gateways put it in other places. */
function wordsOf({ apiMessage, error, message }: APIError): string {
  const said = (error as { message?: unknown } | undefined)?.message;
  return apiMessage ?? (typeof said === 'string' ? said : message);
}

/** What to do if the model does not support the tool. Other errors name the toolset, too, so more words have to match. */
function toolAdvice(words: string, { model, tools }: Asker): string | undefined {
  const isAboutTool =
    /_toolset|tool types?/i.test(words) &&
    /support|unknown|invalid tool type|not (?:available|allowed|match)/i.test(words);
  if (!tools || !isAboutTool) return undefined;
  const other = tools === 'browser' ? 'computer' : 'browser';
  return `the model "${model}" does not support the ${tools} tool. Set another model, claude({ model: 'claude-opus-5-5' }), or another tool, claude({ tools: '${other}' }), or use aiSdk(), which needs none of the vendor's tools.`;
}
