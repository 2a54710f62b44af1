// A prompt cache like the API's: prefixes at breakpoints, with a minimum length, that live for five minutes.
import { createHash } from 'node:crypto';
import { blockTokens, isObject, type Json, type JsonObject, toolTokens, withoutMarks } from './tokens';

const LIFETIME_MS = 5 * 60_000;
/** The shortest prefix that a model caches: https://platform.claude.com/docs/en/build-with-claude/prompt-caching#cache-limitations */
function leastTokens(model: string): number {
  if (/-5-5\b|opus-5|(?:fable|mythos)-5/.test(model)) return 512;
  if (/opus-4-7|mythos-preview/.test(model)) return 2048;
  return /opus-4-[56]|haiku-4-5/.test(model) ? 4096 : 1024;
}
/** How many blocks are searched for an earlier entry, including the one with the breakpoint. */
const LOOK_BACK = 20;

interface Position {
  hash: string;
  tokens: number;
  breakpoint: boolean;
}

export interface InputUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

/** Every block of a request in prompt order (tools, system, messages), each with the hash of everything before it. */
export function positions(body: JsonObject): Position[] {
  const list: Position[] = [];
  let hash = createHash('sha256').update(String(body.model)).digest('hex');
  let tokens = 0;
  const add = (scope: string, block: Json, size: number) => {
    hash = createHash('sha256')
      .update(hash)
      .update(scope)
      .update(JSON.stringify(withoutMarks(block)))
      .digest('hex');
    tokens += size;
    list.push({ hash, tokens, breakpoint: isObject(block) && isObject(block.cache_control) });
  };
  for (const tool of (body.tools as Json[] | undefined) ?? []) add('tool', tool, toolTokens(tool));
  const system = body.system ?? [];
  for (const block of Array.isArray(system) ? system : [system]) add('system', block, blockTokens(block));
  for (const message of (body.messages as JsonObject[] | undefined) ?? []) {
    const content = message.content ?? [];
    const scope = String(message.role);
    for (const block of Array.isArray(content) ? content : [content]) add(scope, block, blockTokens(block));
  }
  return list;
}

export class PromptCache {
  private readonly entries = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Counts a request's input, and caches its prefixes at breakpoints. */
  count(body: JsonObject): InputUsage {
    const list = positions(body);
    const total = list.at(-1)?.tokens ?? 0;
    const least = leastTokens(String(body.model));
    const marks = list.flatMap((position, index) =>
      position.breakpoint && position.tokens >= least ? [index] : [],
    );
    const last = marks.at(-1);
    if (last === undefined)
      return { input_tokens: total, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const read = Math.max(0, ...marks.map(index => this.longestHit(list, index)));
    for (const index of marks) this.entries.set(list[index]!.hash, this.now() + LIFETIME_MS);
    const cached = list[last]!.tokens;
    return {
      input_tokens: total - cached,
      cache_creation_input_tokens: cached - read,
      cache_read_input_tokens: read,
    };
  }

  private longestHit(list: Position[], breakpoint: number): number {
    for (let index = breakpoint; index > Math.max(-1, breakpoint - LOOK_BACK); index--) {
      const { hash, tokens } = list[index]!;
      const expires = this.entries.get(hash);
      if (expires !== undefined && expires > this.now()) {
        this.entries.set(hash, this.now() + LIFETIME_MS);
        return tokens;
      }
    }
    return 0;
  }
}
