// preserved-thinking#prefix-check: thinking blocks are signed for their conversation. If they are changed, moved or sent in another one, they are refused.
import { createHash, type Hash } from 'node:crypto';
import { RuleBroken } from './rules';
import { type Json, type JsonObject, withoutMarks } from './tokens';

// A conversation is hashed as it grows. Hashing all of it for each block would take seconds.
function add(to: Hash, part: Json): Hash {
  return to.update(`${JSON.stringify(withoutMarks(part))}\n`);
}

function beginningOf(body: JsonObject): Hash {
  return add(add(createHash('sha256'), body.system ?? null), body.tools ?? null);
}

function signature(before: Hash, block: JsonObject): string {
  return add(before.copy(), block.thinking ?? '').digest('base64');
}

/** The content of each checked request. */
const checked = new WeakMap<JsonObject, Hash>();

/** Signs the thinking blocks of an answer to `body`. */
export function sign(body: JsonObject, content: JsonObject[]): JsonObject[] {
  if (!content.some(({ type }) => type === 'thinking')) return content;
  const before = checked.get(body) ?? (body.messages as JsonObject[]).reduce(add, beginningOf(body));
  return content.map(block =>
    block.type === 'thinking' ? { ...block, signature: signature(before, block) } : block,
  );
}

export function checkThinking(body: JsonObject): void {
  const before = beginningOf(body);
  for (const [index, message] of (body.messages as JsonObject[]).entries()) {
    const content =
      message.role === 'assistant' && Array.isArray(message.content) ? (message.content as JsonObject[]) : [];
    content.forEach((block, at) => {
      if (block.type !== 'thinking' || signature(before, block) === block.signature) return;
      throw new RuleBroken(
        `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
      );
    });
    add(before, message);
  }
  checked.set(body, before);
}
