// An answer as the stream of events that the API sends.
import { BROKEN } from './script';
import type { JsonObject } from './tokens';

function event(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function pieces(text: string, size = 40): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [''];
}

function blockEvents(block: JsonObject, index: number): string[] {
  const delta = (delta: JsonObject) => event('content_block_delta', { index, delta });
  const start = (content_block: JsonObject) => event('content_block_start', { index, content_block });
  const stop = event('content_block_stop', { index });
  switch (block.type) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...pieces(String(block.text)).map(text => delta({ type: 'text_delta', text })),
        stop,
      ];
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...pieces(String(block.thinking)).map(thinking => delta({ type: 'thinking_delta', thinking })),
        delta({ type: 'signature_delta', signature: block.signature }),
        stop,
      ];
    case 'tool_use':
      return [
        start({ ...block, input: {} }),
        // The input of a toolset's member is sent in one piece.
        ...(block.toolset_name ? [inputOf(block)] : pieces(inputOf(block))).map(partial_json =>
          delta({ type: 'input_json_delta', partial_json }),
        ),
        stop,
      ];
    default:
      return [start(block), stop];
  }
}

function inputOf({ input }: JsonObject): string {
  const broken = (input as JsonObject)[BROKEN];
  return broken === undefined ? JSON.stringify(input) : String(broken);
}

export const PING = event('ping', {});

/** The events of `message`, a complete answer. */
export function streamOf(message: JsonObject): string[] {
  const { content, stop_reason, stop_sequence, stop_details, ...head } = message;
  const usage = head.usage as JsonObject;
  return [
    event('message_start', {
      message: {
        ...head,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    }),
    PING,
    ...(content as JsonObject[]).flatMap(blockEvents),
    event('message_delta', {
      delta: { stop_reason, stop_sequence, stop_details },
      usage: { output_tokens: usage.output_tokens },
    }),
    event('message_stop', {}),
  ];
}

export function errorEvent(type: string, message: string): string {
  return event('error', { error: { type, message } });
}
