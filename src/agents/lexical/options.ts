import { z } from 'zod';

const milliseconds = (name: string) =>
  z
    .number({ error: `\`${name}\` must be a number of milliseconds` })
    .int({ error: `\`${name}\` must be a whole number of milliseconds` })
    .min(100, { error: `\`${name}\` must be at least 100 ms` })
    .max(30_000, { error: `\`${name}\` must be at most 30000 ms` });

const schema = z.strictObject({
  name: z
    .string({ error: '`name` must be a string' })
    .min(1, { error: '`name` must not be empty' })
    .default('lexical'),
  actionTimeoutMs: milliseconds('actionTimeoutMs').default(2000),
  patienceMs: milliseconds('patienceMs').default(1000),
  depth: z
    .number({ error: '`depth` must be a number of links' })
    .int({ error: '`depth` must be a whole number' })
    .min(0, { error: '`depth` must be at least 0' })
    .max(10, { error: '`depth` must be at most 10' })
    .default(3),
});

export interface LexicalOptions {
  /** What the agent is called in results. Default `lexical`. */
  name?: string;
  /** How long one click or fill may take, in milliseconds, 100 to 30000. Default 2000. */
  actionTimeoutMs?: number;
  /** How long it waits for content that is not there yet, in milliseconds, 100 to 30000; three times that where the page says it is loading. Default 1000. */
  patienceMs?: number;
  /** How many links away from where it began it looks for a thing, 0 to 10. Default 3. */
  depth?: number;
}

export type LexicalSettings = Required<LexicalOptions>;

/**
 * Reads the options of `lexical()`.
 *
 * @throws TypeError naming every option that is wrong or unknown.
 */
export function readOptions(options: LexicalOptions | undefined): LexicalSettings {
  const read = schema.safeParse(options ?? {}, { reportInput: false });
  if (read.success) return read.data;
  const problems = read.error.issues.map(issue =>
    issue.code === 'unrecognized_keys'
      ? `unknown option ${issue.keys.map(key => `\`${key}\``).join(', ')} (there are ${Object.keys(schema.shape).join(', ')})`
      : issue.path.length > 0
        ? issue.message
        : 'the options must be an object',
  );
  throw new TypeError(`lexical: ${problems.join('; ')}`);
}
