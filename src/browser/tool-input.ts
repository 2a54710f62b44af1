// Whether a page's JSON Schema takes an input. Both come from others: a pattern could keep this process busy for ever.
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { problemsIn } from '../spec/explain';

/** Milliseconds for a check. */
const LIMIT_MS = 250;
const MAX_PROBLEMS = 5;
/** What zod does not convert; the page's own check of these remains. */
const NOT_CHECKED = [
  ...['not', 'if', 'then', 'else', 'dependentSchemas', 'dependentRequired'],
  ...['unevaluatedItems', 'unevaluatedProperties', '$dynamicRef', '$schema', 'default', 'format'],
];
const OF_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions'];

/** What the schema refuses about the input, a sentence each; empty if it takes it, and if it is no valid schema. */
export function problemsWith(schema: unknown, input: unknown): string[] {
  const check = () => {
    const converted = conversion(schema);
    return 'zod' in converted ? converted.zod.safeParse(input) : undefined;
  };
  try {
    const result = bounded(check);
    return result?.error ? problemsIn(result.error, 'input').slice(0, MAX_PROBLEMS) : [];
  } catch {
    return [`it can't be checked by the schema within ${LIMIT_MS} ms`];
  }
}

/** Why it is no JSON Schema of an object that can be checked; undefined if it is one. */
export function problemOfSchema(schema: unknown): string | undefined {
  const { type } = (schema ?? {}) as { type?: unknown };
  if (type !== 'object') return `its type is ${JSON.stringify(type) ?? 'missing'}, not "object"`;
  const converted = conversion(schema);
  return 'problem' in converted ? converted.problem : undefined;
}

function conversion(schema: unknown): { zod: z.ZodType } | { problem: string } {
  try {
    return { zod: z.fromJSONSchema(checkable(schema) as never) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function bounded<T>(check: () => T): T {
  return runInNewContext('check()', { check }, { timeout: LIMIT_MS });
}

/** The schema as zod reads it: in the words of the newest draft, an object's type said, and without what zod does not know. */
function checkable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const given = Object.entries(schema).filter(([key]) => !NOT_CHECKED.includes(key));
  const parts = given.map(([key, value]) => {
    if (key === '$ref') return [key, String(value).replace(/^#\/definitions\//, '#/$defs/')];
    if (['enum', 'const', 'required'].includes(key)) return [key, value];
    if (!OF_SCHEMAS.includes(key)) return [key, checkable(value)];
    const each = Object.entries((value ?? {}) as object).map(([name, inner]) => [name, checkable(inner)]);
    return [key === 'definitions' ? '$defs' : key, Object.fromEntries(each)];
  });
  const isObject = !('type' in schema) && ('properties' in schema || 'required' in schema);
  return Object.fromEntries(isObject ? [['type', 'object'], ...parts] : parts);
}
