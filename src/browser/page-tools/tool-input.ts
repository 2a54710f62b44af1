// Checks an input against a page's JSON Schema. Both are untrusted: a pattern could keep this process busy forever.
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { problemsIn } from '../../spec/errors';

/** Milliseconds, against patterns that never end: what can be checked takes a few, on a busy machine a few hundred. */
const LIMIT_MS = 1_000;
const MAX_PROBLEMS = 5;
/** Keywords that zod does not convert. The page may check them itself. */
const NOT_CHECKED = [
  ...['not', 'if', 'then', 'else', 'dependentSchemas', 'dependentRequired'],
  ...['unevaluatedItems', 'unevaluatedProperties', '$dynamicRef', '$schema', 'default', 'format'],
];
/** Patterns that only work with Unicode semantics, as in JSON Schema. Zod compiles patterns without. */
const UNICODE = /\\[pPu]\{/;
const OF_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions'];

/** What is wrong with the input, at most five problems; empty if nothing is, or if the schema is not valid. */
export function problemsWith(schema: unknown, input: unknown): string[] {
  const check = () => converted(schema).safeParse(bare(input));
  try {
    const limited = { timeout: LIMIT_MS };
    const result: ReturnType<typeof check> = runInNewContext('check()', { check }, limited);
    return result.error ? problemsIn(result.error, 'input').slice(0, MAX_PROBLEMS) : [];
  } catch (error) {
    const isLate = (error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    return isLate ? [`it can't be checked by the schema within ${LIMIT_MS} ms`] : [];
  }
}

/** Why this is not a JSON Schema of an object, or can't be checked; undefined if it is one. */
export function problemOfSchema(schema: unknown): string | undefined {
  const { type } = (schema ?? {}) as { type?: unknown };
  if (type !== 'object') return `its type is ${JSON.stringify(type) ?? 'missing'}, not "object"`;
  try {
    converted(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function converted(schema: unknown): z.ZodType {
  return z.fromJSONSchema(checkable(schema) as never);
}

/** A copy whose objects inherit nothing, so that a missing `constructor` is missing. */
function bare(input: unknown): unknown {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return JSON.parse(JSON.stringify(input), (_, value) =>
    isObject(value) ? Object.assign(Object.create(null), value) : value,
  );
}

/** The schema as zod can read it: with keywords of the newest draft, an explicit type for objects, and no unknown keywords. */
function checkable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const isLeft = Object.keys((schema as { patternProperties?: object }).patternProperties ?? {}).some(
    pattern => UNICODE.test(pattern),
  );
  const given = Object.entries(schema).filter(
    ([key, value]) =>
      !NOT_CHECKED.includes(key) &&
      !(isLeft && /^(patternP|additionalP)roperties$/.test(key)) &&
      !(key === 'pattern' && UNICODE.test(value)),
  );
  const parts = given.map(([key, value]) => {
    if (key === '$ref') return [key, String(value).replace(/^#\/definitions\//, '#/$defs/')];
    // Zod's oneOf does not see that an object lacks another's required fields.
    if (key === 'oneOf') return ['anyOf', checkable(value)];
    if (['enum', 'const', 'required'].includes(key)) return [key, value];
    if (!OF_SCHEMAS.includes(key)) return [key, checkable(value)];
    const each = Object.entries((value ?? {}) as object).map(([name, inner]) => [name, checkable(inner)]);
    return [key === 'definitions' ? '$defs' : key, Object.fromEntries(each)];
  });
  const isObject = !('type' in schema) && ('properties' in schema || 'required' in schema);
  return Object.fromEntries(isObject ? [['type', 'object'], ...parts] : parts);
}
