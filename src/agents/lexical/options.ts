import { z } from 'zod';
import { optionProblems } from '../option-problems';

const schema = z.strictObject({
  name: z.string().min(1).default('lexical'),
  actionTimeoutMs: z.int().min(100).max(60_000).default(5000),
});

export interface LexicalOptions {
  /** What the agent is called in results. Default `lexical`. */
  name?: string;
  /** How long it waits for the thing that a clause names, and then for the action on it, in milliseconds, 100 to 60000. Default 5000. */
  actionTimeoutMs?: number;
}

/**
 * Reads the options of `lexical()`.
 *
 * @throws TypeError naming every option that is wrong or unknown.
 */
export function readOptions(options: LexicalOptions | undefined): Required<LexicalOptions> {
  const read = schema.safeParse(options ?? {});
  if (read.success) return read.data;
  throw new TypeError(`lexical: ${optionProblems(read.error, schema).join('; ')}`);
}
