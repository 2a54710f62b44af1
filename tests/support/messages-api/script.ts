// What a test uses to play the model: replies, and functions that read a request as a model would.
import type { InputUsage } from './prompt-cache';
import { isObject, type Json, type JsonObject } from './tokens';

export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'refusal'
  | 'model_context_window_exceeded';

export interface Reply {
  content: JsonObject[];
  /** Default: `tool_use` if the content has a call, else `end_turn`. */
  stopReason?: StopReason;
  /** In place of what is counted; `{}`: nothing is. */
  usage?: object;
  stopDetails?: JsonObject;
  /** Default: estimated from the content. */
  outputTokens?: number;
}

export type Fault =
  | { fault: 'status'; status: number; type: string; message?: string; headers?: Record<string, string> }
  | { fault: 'drop' }
  /** Something in place of the stream, with status 200. */
  | { fault: 'other'; mediaType: string; body: string }
  /** Ends the connection in the middle of the answer. */
  | { fault: 'truncate'; reply?: Reply }
  /** An `error` event inside a stream that began well. */
  | { fault: 'stream-error'; type: string }
  | { fault: 'slow'; delayMs: number; reply?: Reply }
  /** Begins an answer, sends pings for some time, and then the rest, like a model that thinks unseen. */
  | { fault: 'pings'; forMs: number; everyMs: number; reply?: Reply };

export type Answer = Reply | Fault;

/** What a script gets: a request that follows the API's rules. */
export interface ScriptedRequest {
  /** 0 for the server's first request. */
  readonly index: number;
  /** How many answers the conversation has: 0 for a trial's first request. */
  readonly turn: number;
  readonly body: JsonObject & { model: string; messages: { role: string; content: Json }[] };
  /** All text of the newest user message, tool results included. */
  readonly text: string;
  /** The ref (`ref_7`) on the newest line that matches, anywhere in the conversation. */
  ref(line: RegExp | string): string;
}

export type Script = Answer[] | ((request: ScriptedRequest) => Answer | Promise<Answer>);

/** One request as the server saw it. */
export interface LoggedRequest {
  headers: Record<string, string | string[] | undefined>;
  body: JsonObject;
  status: number;
  /** The rule that it broke, or the fault that was played. */
  problem?: string;
  usage?: InputUsage & { output_tokens: number };
  /** Sent so far. */
  pings?: number;
}

let calls = 0;

/** A call of a browser member. */
export function call(name: string, input: JsonObject = {}, toolset = 'browser'): JsonObject {
  return { type: 'tool_use', id: `toolu_${++calls}`, name, input, toolset_name: toolset };
}

/** A call whose input is not valid JSON. */
export function brokenCall(name: string, json: string): JsonObject {
  return { ...call(name), input: { [BROKEN]: json } };
}

/** Marks an input as text to send unchanged. */
export const BROKEN = '$broken';

/** A call of an ordinary tool. */
export function callTool(name: string, input: JsonObject = {}): JsonObject {
  return { type: 'tool_use', id: `toolu_${++calls}`, name, input };
}

export function say(text: string): JsonObject {
  return { type: 'text', text };
}

/** A thinking block; the server signs it when it sends it. */
export function think(thinking: string): JsonObject {
  return { type: 'thinking', thinking, signature: '' };
}

export function reply(...content: JsonObject[]): Reply {
  return { content };
}

export function done(text = 'Done.'): Reply {
  return { content: [say(text)] };
}

/** An answer with another status than 200. */
export const status = (
  status: number,
  type = 'api_error',
  more: { message?: string; headers?: Record<string, string> } = {},
): Fault => ({ fault: 'status', status, type, ...more });

/** Reads the page, clicks on what a line of it names, and is done. @param before what the answer with the click begins with */
export function clicks(line: string, ...before: JsonObject[]) {
  return ({ turn, ref }: ScriptedRequest): Reply => {
    if (turn === 0) return reply(call('read_page', { filter: 'interactive' }));
    return turn === 1 ? reply(...before, call('left_click', { target: byRef(ref(line)) })) : done();
  };
}

export function byRef(ref: string): JsonObject {
  return { type: 'ref', ref };
}

export function at(x: number, y: number): JsonObject {
  return { type: 'coordinate', x, y };
}

/** Every text in a message's content, in order. */
export function textsOf(content: Json | undefined): string[] {
  if (typeof content === 'string') return [content];
  if (Array.isArray(content)) return content.flatMap(textsOf);
  if (!isObject(content)) return [];
  if (content.type === 'text') return [String(content.text)];
  return content.type === 'tool_result' ? textsOf(content.content) : [];
}

export function scriptedRequest(index: number, body: JsonObject): ScriptedRequest {
  const messages = body.messages as { role: string; content: Json }[];
  const newest = messages.filter(message => message.role === 'user').at(-1);
  return {
    index,
    turn: messages.filter(message => message.role === 'assistant').length,
    body: body as ScriptedRequest['body'],
    text: textsOf(newest?.content).join('\n'),
    ref(line) {
      const lines = messages.flatMap(message => textsOf(message.content)).flatMap(text => text.split('\n'));
      const hit = lines
        .reverse()
        .find(
          text => (typeof line === 'string' ? text.includes(line) : line.test(text)) && /ref_\d+/.test(text),
        );
      if (!hit) throw new Error(`no line with a ref matches ${line}; the newest message was:\n${this.text}`);
      return /ref_\d+/.exec(hit)![0];
    },
  };
}
