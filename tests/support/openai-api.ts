// The two APIs of OpenAI on 127.0.0.1, Responses and Chat Completions, answered by the scripts of the Messages API server.
// They check the rules about calls and results, and what the model supports.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  type Answer,
  callTool,
  type Reply,
  reply,
  type Script,
  scriptedRequest,
} from './messages-api/script';
import { type JsonObject, textTokens } from './messages-api/tokens';
import { serve } from './serve';

export interface OpenAiApiOptions {
  script: Script;
  /** Default: `sk-test-key-of-the-tests`. */
  apiKey?: string;
  /** Default: true. */
  takesPictures?: boolean;
  /** Default: true. */
  takesTools?: boolean;
  /** Whether answers include their usage. Default: true. */
  counts?: boolean;
}

export interface LoggedRequest {
  path: string;
  body: JsonObject;
  status: number;
  problem?: string;
}

interface Said {
  role: 'user' | 'assistant';
  content: JsonObject[];
}

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Translates the script's calls of the vendor's tools to those of `aiSdk()`: flat inputs, and a call that ends the task. */
export function flat(script: Script): Script {
  return async request => {
    const answer = typeof script === 'function' ? await script(request) : script[request.index]!;
    if ('fault' in answer) return answer;
    const calls = answer.content.filter(({ type }) => type === 'tool_use');
    const isEnd = calls.length === 0 && answer.stopReason === undefined;
    const end = isEnd ? [callTool('finish', { result: 'Done.' })] : [];
    return { ...answer, content: [...answer.content.map(flatCall), ...end] };
  };
}

function flatCall({ toolset_name: _, ...block }: JsonObject): JsonObject {
  const { target, ...input } = (block.input ?? {}) as JsonObject;
  return block.type === 'tool_use'
    ? { ...block, input: { ...input, ...(target && { ref: (target as JsonObject).ref! }) } }
    : block;
}

export async function startOpenAiApi(options: OpenAiApiOptions) {
  const api = new Api(options);
  const { url, close } = await serve((request, response) => void api.handle(request, response));
  return { url: `${url}/v1`, apiKey: api.apiKey, requests: api.requests, close };
}

export type OpenAiApi = Awaited<ReturnType<typeof startOpenAiApi>>;

class Api {
  readonly apiKey: string;
  readonly requests: LoggedRequest[] = [];

  constructor(private readonly options: OpenAiApiOptions) {
    this.apiKey = options.apiKey ?? 'sk-test-key-of-the-tests';
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(request);
    const logged: LoggedRequest = { path: request.url ?? '', body: {}, status: 200 };
    const index = this.requests.push(logged) - 1;
    try {
      if (request.headers.authorization !== `Bearer ${this.apiKey}`)
        throw new Refused(401, `Incorrect API key provided: ${request.headers.authorization}`);
      logged.body = JSON.parse(raw) as JsonObject;
      const isChat = logged.path === '/v1/chat/completions';
      if (!isChat && logged.path !== '/v1/responses')
        throw new Refused(404, `no such endpoint: ${logged.path}`);
      this.check(logged.body);
      const said = isChat ? chatMessages(logged.body) : responsesMessages(logged.body);
      const { script } = this.options;
      const asked = (logged.body.messages ?? logged.body.input) as JsonObject[];
      const system = asked.filter(({ role }) => isSystem(role)).map(({ content }) => content!);
      const scripted = scriptedRequest(index, {
        model: logged.body.model!,
        ...{ system, messages: said as never },
      });
      const answer = typeof script === 'function' ? await script(scripted) : script[index];
      if (!answer) throw new Refused(500, `the script has no answer to request ${index + 1}`);
      await this.send(response, logged, answer, isChat ? chatAnswer : responsesAnswer);
    } catch (error) {
      const status = error instanceof Refused ? error.status : 500;
      logged.problem = error instanceof Error ? error.message : String(error);
      refuse(response, logged, status, logged.problem);
    }
  }

  private check(body: JsonObject): void {
    const { takesPictures = true, takesTools = true } = this.options;
    const text = JSON.stringify(body);
    if (!takesTools && body.tools) throw new Refused(400, `${body.model} does not support tools`);
    if (!takesPictures && /"type":"(?:image_url|input_image)"/.test(text))
      throw new Refused(400, 'Invalid content type. image input is only supported by certain models.');
    if (/"type":"(?:input_)?text","text":"data:image/.test(text)) throw new Refused(400, 'a picture as text');
    for (const tool of (body.tools ?? []) as JsonObject[]) {
      // Only the Responses API has these: a grammar instead of a schema, and tools that a search loads.
      if (tool.type === 'custom' || tool.type === 'tool_search') continue;
      const { name, parameters } = (tool.function ?? tool) as JsonObject;
      if (typeof name !== 'string' || (parameters as JsonObject)?.type !== 'object')
        throw new Refused(400, `not a tool: ${JSON.stringify(tool)}`);
    }
  }

  private async send(
    response: ServerResponse,
    logged: LoggedRequest,
    answer: Answer,
    toJson: (reply: Reply, usage: [number, number] | undefined, model: string) => JsonObject,
  ): Promise<void> {
    if (!('fault' in answer)) {
      const input = textTokens(JSON.stringify(logged.body));
      const output = answer.outputTokens ?? textTokens(JSON.stringify(answer.content));
      const usage = this.options.counts === false ? undefined : ([input, output] as [number, number]);
      const json = toJson(answer, usage, String(logged.body.model));
      const isStream = logged.body.stream === true && toJson === responsesAnswer;
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(isStream ? eventsOf(json) : JSON.stringify(json));
      return;
    }
    logged.problem = answer.fault;
    if (answer.fault === 'status') {
      for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
      return refuse(response, logged, answer.status, answer.message ?? answer.type);
    }
    if (answer.fault === 'slow') {
      await new Promise(resolve => setTimeout(resolve, answer.delayMs));
      return this.send(response, logged, answer.reply ?? reply(), toJson);
    }
    if (answer.fault === 'truncate') {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end('<html><p>Bad gateway</p>');
    }
    response.socket?.destroy();
  }
}

function refuse(response: ServerResponse, logged: LoggedRequest, status: number, message: string): void {
  logged.status = status;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ error: { message, type: 'invalid_request_error', code: null, param: null } }),
  );
}

/** Messages as scripts read them; each call must be answered at once, and by one result. */
class Conversation {
  readonly said: Said[] = [];
  private open = new Set<string>();

  add(role: Said['role'], ...content: JsonObject[]): void {
    if (role === 'user' && this.open.size > 0)
      throw new Refused(400, `No tool output found for function call ${[...this.open].join()}.`);
    const last = this.said.at(-1);
    if (last?.role === role) last.content.push(...content);
    else this.said.push({ role, content });
  }

  call(id: string, name: string, input: string): void {
    this.add('assistant', { type: 'tool_use', id, name, input: JSON.parse(input) as JsonObject });
    this.open.add(id);
  }

  result(id: string, output: unknown): void {
    if (!this.open.delete(id)) throw new Refused(400, `No tool call found for the output ${id}.`);
    if (typeof output !== 'string' && !Array.isArray(output))
      throw new Refused(400, 'the output of a call is neither text nor a list');
    const said = this.said.at(-1)!;
    const content = blocksOf(output);
    if (said.role === 'user') said.content.push(...content);
    else this.said.push({ role: 'user', content });
  }
}

const isSystem = (role: unknown) => role === 'system' || role === 'developer';

function blocksOf(content: unknown): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return ((content ?? []) as JsonObject[]).map(part => {
    if (typeof part.text === 'string') return { type: 'text', text: part.text };
    const url = (part.image_url as JsonObject)?.url ?? part.image_url;
    if (!/^data:image\/jpeg;base64,/.test(String(url))) throw new Refused(400, `not a picture: ${url}`);
    return { type: 'image' };
  });
}

function chatMessages({ messages }: JsonObject): Said[] {
  const conversation = new Conversation();
  for (const message of messages as JsonObject[]) {
    if (isSystem(message.role)) continue;
    if (message.role === 'tool') conversation.result(String(message.tool_call_id), message.content);
    else if (message.role === 'user') conversation.add('user', ...blocksOf(message.content));
    else {
      conversation.add('assistant', ...blocksOf(message.content));
      for (const { id, function: called } of (message.tool_calls ?? []) as JsonObject[])
        conversation.call(
          String(id),
          String((called as JsonObject).name),
          String((called as JsonObject).arguments),
        );
    }
  }
  return conversation.said;
}

function responsesMessages({ input }: JsonObject): Said[] {
  const conversation = new Conversation();
  for (const item of input as JsonObject[]) {
    if (isSystem(item.role)) continue;
    // A reference to a stored answer. This server keeps its answers in the reference itself.
    if (item.type === 'item_reference') restore(conversation, String(item.id));
    else if (item.type === 'function_call')
      conversation.call(String(item.call_id), String(item.name), String(item.arguments));
    else if (item.type === 'function_call_output') conversation.result(String(item.call_id), item.output);
    else conversation.add(item.role as Said['role'], ...blocksOf(item.content));
  }
  return conversation.said;
}

function restore(conversation: Conversation, id: string): void {
  const item = JSON.parse(Buffer.from(id.replace(/^[a-z]+_/, ''), 'base64url').toString()) as JsonObject;
  if (item.text !== undefined) conversation.add('assistant', { type: 'text', text: item.text });
  else conversation.call(String(item.call_id), String(item.name), String(item.arguments));
}

const textOf = ({ content }: Reply) =>
  content.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n');

function callsOf({ content }: Reply) {
  return content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input, namespace }) => {
      const { $broken } = input as JsonObject;
      return {
        id: String(id).replace('toolu', 'call'),
        name: String(name),
        ...(namespace && { namespace: String(namespace) }),
        arguments: typeof $broken === 'string' ? $broken : JSON.stringify(input),
      };
    });
}

let answers = 0;

function chatAnswer(answer: Reply, usage: [number, number] | undefined, model: string): JsonObject {
  const calls = callsOf(answer);
  const finish = { max_tokens: 'length', refusal: 'content_filter' }[answer.stopReason as string];
  return {
    id: `chatcmpl-${++answers}`,
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [
      {
        index: 0,
        finish_reason: finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
        message: {
          role: 'assistant',
          content: textOf(answer) || null,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
          }),
        },
      },
    ],
    ...(usage && {
      usage: { prompt_tokens: usage[0], completion_tokens: usage[1], total_tokens: usage[0] + usage[1] },
    }),
  };
}

function responsesAnswer(answer: Reply, usage: [number, number] | undefined, model: string): JsonObject {
  const text = textOf(answer);
  const idOf = (kind: string, item: object) =>
    `${kind}_${Buffer.from(JSON.stringify(item)).toString('base64url')}`;
  const reason = { max_tokens: 'max_output_tokens', refusal: 'content_filter' }[answer.stopReason as string];
  const message = {
    type: 'message',
    id: idOf('msg', { text }),
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  const calls = callsOf(answer).map(({ id, ...called }) => {
    const item = { call_id: id, ...called };
    return { type: 'function_call', id: idOf('fc', item), status: 'completed', ...item };
  });
  return {
    id: `resp_${++answers}`,
    object: 'response',
    created_at: 1_790_000_000,
    model,
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    output: [...(text ? [message] : []), ...calls],
    ...(usage && {
      usage: {
        input_tokens: usage[0],
        input_tokens_details: { cached_tokens: Math.floor(usage[0] / 2) },
        output_tokens: usage[1],
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage[0] + usage[1],
      },
    }),
  } as unknown as JsonObject;
}

/** A response as the events of a stream. */
function eventsOf(response: JsonObject): string {
  let sequence = 0;
  const event = (type: string, data: JsonObject) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
  const items = response.output as JsonObject[];
  return [
    event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    ...items.flatMap((item, output_index) => [
      event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } }),
      event('response.output_item.done', { output_index, item }),
    ]),
    event('response.completed', { response }),
  ].join('');
}
