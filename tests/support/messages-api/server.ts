// Our own Messages API on 127.0.0.1: it checks the API's rules, counts tokens and cached prefixes, and answers as the test's
// script says, faults included.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '../serve';
import { PromptCache } from './prompt-cache';
import { type Provider, providerAt } from './providers';
import { checkRequest, RuleBroken } from './rules';
import {
  type Answer,
  type Fault,
  type LoggedRequest,
  type Reply,
  type Script,
  scriptedRequest,
} from './script';
import { errorEvent, PING, streamOf } from './sse';
import { checkThinking, sign } from './thinking';
import { blockTokens, type Json, type JsonObject } from './tokens';

export interface MessagesApiOptions {
  /** A list is answered in order; beyond its end the server says so with status 500. */
  script: Script;
  /** The only valid key. Default: `test-key`. */
  apiKey?: string;
  /** Models that exist. Default: any. */
  models?: string[];
  /** Models that refuse the browser toolset. */
  withoutBrowserTool?: string[];
  /** Joins several messages of one role in a row, as the API does. Default: they break a rule. */
  joinsMessages?: boolean;
  /** The clock of the prompt cache. */
  now?: () => number;
}

export interface MessagesApi {
  readonly url: string;
  readonly apiKey: string;
  readonly requests: LoggedRequest[];
  close(): Promise<void>;
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  413: 'request_too_large',
  500: 'api_error',
};

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Starts a server. Close it when the test ends. */
export async function startMessagesApi(options: MessagesApiOptions): Promise<MessagesApi> {
  const api = new Api(options);
  const { url, close } = await serve((request, response) => void api.handle(request, response));
  return { url, apiKey: api.apiKey, requests: api.requests, close };
}

class Api {
  readonly apiKey: string;
  readonly requests: LoggedRequest[] = [];
  private readonly cache: PromptCache;
  private served = 0;
  private readonly providers = new WeakMap<ServerResponse, Provider>();

  constructor(private readonly options: MessagesApiOptions) {
    this.apiKey = options.apiKey ?? 'test-key';
    this.cache = new PromptCache(options.now);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(request);
    const logged: LoggedRequest = { headers: request.headers, body: {}, status: 200 };
    this.requests.push(logged);
    const path = request.url!.split('?')[0]!;
    const provider = providerAt(path);
    if (provider) this.providers.set(response, provider);
    try {
      if (request.method !== 'POST' || !provider)
        throw new Refused(404, `no such endpoint: ${request.method} ${path}`);
      const body = this.admit(request, raw, logged, provider);
      const index = this.served++;
      const answer = await this.answer(index, body);
      await this.send(response, body, answer, logged);
    } catch (error) {
      const status = error instanceof Refused ? error.status : error instanceof RuleBroken ? 400 : 500;
      const message = error instanceof Error ? error.message : String(error);
      logged.problem = message;
      this.refuse(response, logged, status, ERROR_TYPES[status] ?? 'api_error', message);
    }
  }

  private admit(
    { url, headers }: IncomingMessage,
    raw: string,
    logged: LoggedRequest,
    provider: Provider,
  ): JsonObject {
    if (provider.key(headers) !== this.apiKey) throw new Refused(401, 'invalid x-api-key');
    if (url!.startsWith('/v1/') && !headers['anthropic-version'])
      throw new Refused(400, 'anthropic-version: header is required');
    if (!headers['content-type']?.includes('application/json'))
      throw new Refused(400, 'content-type must be JSON');
    if (raw.length > 32 * 1024 * 1024) throw new Refused(413, 'request exceeds the maximum size');
    const given = provider.request(JSON.parse(raw));
    const body = this.options.joinsMessages ? joined(given) : given;
    logged.body = body;
    checkRequest(body);
    const { models, withoutBrowserTool } = this.options;
    if (models && !models.includes(String(body.model))) throw new Refused(404, `model: ${body.model}`);
    const browser = (body.tools as JsonObject[] | undefined)?.some(
      tool => tool.type === 'browser_toolset_20260801',
    );
    if (browser && withoutBrowserTool?.includes(String(body.model)))
      throw new Refused(400, `'${body.model}' does not support tool types: browser_toolset_20260801.`);
    checkThinking(body);
    return body;
  }

  private async answer(index: number, body: JsonObject): Promise<Answer> {
    const { script } = this.options;
    if (typeof script === 'function') return script(scriptedRequest(index, body));
    const answer = script[index];
    if (!answer)
      throw new Refused(500, `the script has ${script.length} answers and this is request ${index + 1}`);
    return answer;
  }

  private async send(
    response: ServerResponse,
    body: JsonObject,
    answer: Answer,
    logged: LoggedRequest,
  ): Promise<void> {
    if (!('fault' in answer)) return this.deliver(response, body, answer, logged);
    logged.problem = answer.fault;
    switch (answer.fault) {
      case 'status': {
        for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
        return this.refuse(response, logged, answer.status, answer.type, answer.message ?? answer.type);
      }
      case 'drop':
        logged.status = 0;
        response.socket?.destroy();
        return;
      case 'other':
        response.writeHead(200, { 'content-type': answer.mediaType });
        return void response.end(answer.body);
      case 'slow':
        await new Promise(resolve => setTimeout(resolve, answer.delayMs));
        return this.deliver(
          response,
          body,
          answer.reply ?? { content: [{ type: 'text', text: 'Late.' }] },
          logged,
        );
      case 'pings':
        return this.ping(response, body, answer, logged);
      default:
        return this.cut(response, body, answer, logged);
    }
  }

  private deliver(response: ServerResponse, body: JsonObject, reply: Reply, logged: LoggedRequest): void {
    const message = this.message(body, reply, logged);
    if (body.stream === true) {
      const { streamType, framed } = this.providers.get(response)!;
      response.writeHead(200, { 'content-type': streamType });
      response.end(framed(streamOf(message).join('')));
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(message));
    }
  }

  private async ping(
    response: ServerResponse,
    body: JsonObject,
    { forMs, everyMs, reply }: Extract<Fault, { fault: 'pings' }>,
    logged: LoggedRequest,
  ): Promise<void> {
    const message = this.message(body, reply ?? { content: [{ type: 'text', text: 'Done.' }] }, logged);
    const [start, ...rest] = streamOf(message);
    const { streamType, framed } = this.providers.get(response)!;
    response.writeHead(200, { 'content-type': streamType });
    response.write(framed(start!));
    for (let passed = 0; passed < forMs && !response.destroyed; passed += everyMs) {
      response.write(framed(PING));
      logged.pings = (logged.pings ?? 0) + 1;
      await new Promise(resolve => setTimeout(resolve, everyMs));
    }
    response.end(framed(rest.join('')));
  }

  /** An answer that ends in the middle. */
  private cut(
    response: ServerResponse,
    body: JsonObject,
    fault: Extract<Fault, { fault: 'truncate' | 'stream-error' }>,
    logged: LoggedRequest,
  ): void {
    const reply = ('reply' in fault && fault.reply) || {
      content: [{ type: 'text', text: 'This was to be an answer.' }],
    };
    const message = this.message(body, reply, logged);
    const streamed = body.stream === true;
    const whole = streamed ? streamOf(message).join('') : JSON.stringify(message);
    const { streamType, framed } = this.providers.get(response)!;
    response.writeHead(200, { 'content-type': streamed ? streamType : 'application/json' });
    const half = whole.slice(0, streamed ? whole.lastIndexOf('event: content_block_stop') : whole.length / 2);
    const begun = streamed ? framed(half) : half;
    if (fault.fault === 'stream-error') {
      response.write(begun);
      return void response.end(framed(errorEvent(fault.type, 'Overloaded')));
    }
    response.write(begun, () => response.socket?.destroy());
  }

  private message(body: JsonObject, reply: Reply, logged: LoggedRequest): JsonObject {
    const content = sign(body, reply.content);
    const output = reply.outputTokens ?? content.reduce((sum, block) => sum + blockTokens(block), 0);
    const counted = { ...this.cache.count(body), output_tokens: output };
    const usage = (reply.usage ?? counted) as typeof counted;
    logged.usage = usage;
    const calls = content.some(block => block.type === 'tool_use');
    return {
      id: `msg_${this.requests.length}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content,
      stop_reason: reply.stopReason ?? (calls ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      stop_details: reply.stopDetails ?? null,
      usage,
    };
  }

  private refuse(
    response: ServerResponse,
    logged: LoggedRequest,
    status: number,
    type: string,
    message: string,
  ): void {
    logged.status = status;
    const { idHeader = 'request-id', refusal } = this.providers.get(response) ?? {};
    response.writeHead(status, {
      'content-type': 'application/json',
      [idHeader]: `req_${this.requests.length}`,
    });
    response.end(JSON.stringify(refusal?.(type, message) ?? { type: 'error', error: { type, message } }));
  }
}

function joined(body: JsonObject): JsonObject {
  const messages: { role: Json; content: JsonObject[] }[] = [];
  for (const { role, content } of body.messages as JsonObject[]) {
    const blocks = (Array.isArray(content) ? content : [{ type: 'text', text: content }]) as JsonObject[];
    const last = messages.at(-1);
    if (last?.role === role) last!.content.push(...blocks);
    else messages.push({ role: role!, content: blocks });
  }
  return { ...body, messages };
}
