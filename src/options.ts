// Checks the options that users give, before anything runs.
import type { z } from 'zod';
import { outOfBounds } from './spec/errors';
import { nearest } from './text/nearest';

/** Thrown for wrong or unknown options. The message names them all. */
export class OptionsError extends Error {
  override name = 'OptionsError';
}

/** A schema for each option of an interface, with the interface's types. */
export type OptionSchemas<Options> = {
  [Name in keyof Options]-?: z.ZodType<unknown, Options[Name] | undefined>;
};

/** @param name the function or class that the options are for: `claude()` @throws OptionsError */
export function checkOptions<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const result = schema.safeParse(given ?? {}, { error: unknownOptions });
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap(({ code, path, message }) => {
    const place = path.join('.');
    if (code !== 'unrecognized_keys') return [`${place || 'options'}: ${message}`];
    return message.split('\n').map(line => `${place && `${place}.`}${line}`);
  });
  throw new OptionsError(
    problems.length === 1 ? `${name}: ${problems[0]}` : `${name}:\n  ${problems.join('\n  ')}`,
  );
}

const EXPECTED: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** A line for each unknown key, which begins with the key; a value out of bounds or of another type in words. Else, Zod's own message applies. */
function unknownOptions(issue: z.core.$ZodRawIssue): string | undefined {
  // Without the value, which may be a secret.
  if (issue.code === 'invalid_type') {
    const { expected, input } = issue;
    const number = typeof input === 'number' && !Number.isFinite(input) ? `, not ${input}` : '';
    return input === undefined ? 'is required' : `must be ${EXPECTED[expected] ?? expected}${number}`;
  }
  if (issue.code !== 'unrecognized_keys') return outOfBounds(issue);
  const known = Object.keys((issue.inst as unknown as z.ZodObject).shape);
  const lines = issue.keys.map(key => {
    const meant = nearest(key, known);
    return `${key}: unknown option. Known options: ${known.join(', ')}${meant ? `. Did you mean ${meant}?` : ''}`;
  });
  return lines.join('\n');
}
