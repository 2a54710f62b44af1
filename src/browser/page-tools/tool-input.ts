// Checks an input against a page's JSON Schema. Both are untrusted.
import { problemsIn } from '../../spec/errors';
import { type JsonSchema, problemOfJsonSchema, valuesOf } from '../../spec/value-schema';

/** A page may have keywords of its own. */
const OF_PAGES = { unknownKeywords: 'left' } as const;

/** What is wrong with the input, at most five problems; empty if nothing is, or if the schema is not valid. */
export function problemsWith(schema: unknown, input: unknown): string[] {
  try {
    if (problemOfJsonSchema(schema, OF_PAGES) !== undefined) return [];
    const { error } = valuesOf(schema as JsonSchema, { formats: false }).safeParse(input);
    return error ? problemsIn(error, 'input').slice(0, 5) : [];
  } catch {
    return [];
  }
}

/** Why this is not a JSON Schema of an object, or can't be checked; undefined if it is one. */
export function problemOfSchema(schema: unknown): string | undefined {
  const { type } = (schema ?? {}) as { type?: unknown };
  if (type !== 'object') return `its type is ${JSON.stringify(type) ?? 'missing'}, not "object"`;
  return problemOfJsonSchema(schema, OF_PAGES);
}
