// Checks the options that users give, before anything runs.
import type { z } from 'zod';
import { nearest } from './spec/explain';

/** Thrown for wrong or unknown options. The message names them all. */
export class OptionsError extends Error {
  override name = 'OptionsError';
}

/** A schema for each option of an interface, with the interface's types. */
export type OptionSchemas<Options> = {
  [Name in keyof Options]-?: z.ZodType<unknown, Options[Name] | undefined>;
};

/**
 * @param name of the function or class that the options are for: `claude()`
 * @param given as the user gave it; undefined means no options
 * @throws OptionsError
 */
export function checkOptions<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const result = schema.safeParse(given ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap(issue => {
    const path = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys') return [`${path || 'options'}: ${issue.message}`];
    const known = keysAt(schema, issue.path);
    return issue.keys.map(key => `${path && `${path}.`}${key}: ${unknownOption(key, known)}`);
  });
  throw new OptionsError(
    problems.length === 1 ? `${name}: ${problems[0]}` : `${name}:\n  ${problems.join('\n  ')}`,
  );
}

function unknownOption(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return `unknown option; known are ${known.join(', ')}${meant ? `. Did you mean ${meant}?` : ''}`;
}

interface AnySchema {
  shape?: Record<string, AnySchema>;
  def: { innerType?: AnySchema; in?: AnySchema };
}

/** The keys of the object at a path. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at = bare(schema as AnySchema);
  for (const key of path) at = bare(at?.shape?.[key as string]);
  return Object.keys(at?.shape ?? {});
}

/** Removes `optional`, `default` and the like. */
function bare(schema: AnySchema | undefined): AnySchema | undefined {
  const inner = schema?.def.innerType ?? schema?.def.in;
  return inner ? bare(inner) : schema;
}
