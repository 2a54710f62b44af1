// Thinking blocks are signed for the conversation that made them: changed, moved or carried elsewhere they are refused.
import { createHash } from 'node:crypto';
import { RuleBroken } from './rules';
import { isObject, type Json, type JsonObject } from './tokens';

function digest(parts: Json[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

/** The conversation as far as the check looks: no cache marks, an assistant's text and calls included. */
function bare(value: Json): Json {
  if (Array.isArray(value)) return value.map(bare);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'cache_control');
  return Object.fromEntries(entries.map(([key, entry]) => [key, bare(entry as Json)]));
}

function prefixOf(body: JsonObject, messages: JsonObject[]): Json[] {
  return [bare(body.system ?? null), bare(body.tools ?? null), ...messages.map(bare)];
}

/** Signs the thinking blocks of an answer to `body`. */
export function sign(body: JsonObject, content: JsonObject[]): JsonObject[] {
  const prefix = prefixOf(body, body.messages as JsonObject[]);
  return content.map(block =>
    block.type === 'thinking' ? { ...block, signature: digest([...prefix, block.thinking ?? '']) } : block,
  );
}

export function checkThinking(body: JsonObject): void {
  const messages = body.messages as JsonObject[];
  messages.forEach((message, index) => {
    if (message.role !== 'assistant' || !Array.isArray(message.content)) return;
    // A paused turn goes on in the same message: its later blocks were made with the earlier ones before them.
    const content = message.content as JsonObject[];
    content.forEach((block, at) => {
      if (block.type !== 'thinking') return;
      const before = prefixOf(body, messages.slice(0, index));
      const paused = prefixOf(body, [
        ...messages.slice(0, index),
        { role: 'assistant', content: content.slice(0, at) },
      ]);
      const valid = [before, paused].some(
        prefix => digest([...prefix, block.thinking ?? '']) === block.signature,
      );
      if (!valid)
        throw new RuleBroken(
          'thinking',
          `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
        );
    });
  });
}
