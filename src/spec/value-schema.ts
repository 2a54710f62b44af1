// JSON Schemas (draft 2020-12) of answers and page tools: what is wrong with a schema, and what with a value.
import { runInNewContext } from 'node:vm';
import type { Schema } from '@cfworker/json-schema';
import { z } from 'zod';
import { messageOf } from '../text/line';
import { inTexts } from '../text/mask';
import { formatPath } from './errors';

export type JsonSchema = Readonly<Record<string, unknown>>;

const OF_TYPES = {
  object: [
    ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'required'],
    ...['minProperties', 'maxProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas'],
  ],
  array: ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** Keywords whose value is a schema for a part of the value, a list of such schemas, or holds them by name; those that count. */
const SCHEMAS = 'additionalProperties unevaluatedProperties items unevaluatedItems contains then else'.split(
  ' ',
);
const LISTS = ['prefixItems', 'allOf', 'anyOf', 'oneOf'];
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const COUNTS = ['Properties', 'Items', 'Contains', 'Length'].flatMap(of => [`min${of}`, `max${of}`]);

const TYPES = [...Object.keys(OF_TYPES), 'integer', 'boolean', 'null'];
const isType = (given: unknown) => [given].flat().every(each => TYPES.includes(each as string));

/** Loaded for the first schema: most workers have none. */
const validation = () => require('@cfworker/json-schema') as typeof import('@cfworker/json-schema');

const formats = () => Object.keys(validation().format);
const isFormat = (name: string) => formats().includes(name);

/** The schema of schemas. It takes a boolean for an empty schema: a union of both would not say where a problem is. */
const metaSchema: z.ZodType = z.preprocess(
  given => (typeof given === 'boolean' ? {} : given),
  z.lazy(() => z.strictObject(keywords()).partial()),
);

function keywords(): Record<string, z.ZodType> {
  const [number, text, texts] = [z.number(), z.string(), z.array(z.string())];
  const pattern = text.refine(source => !flawOfPattern(source), 'is not a regular expression');
  const all = (kind: z.ZodType, names: readonly string[]) =>
    Object.fromEntries(names.map(name => [name, kind]));
  return {
    type: z
      .unknown()
      .refine(isType, { error: ({ input }) => `${JSON.stringify(input)} is not a type of JSON Schema` }),
    ...{ pattern, enum: z.array(z.unknown()), required: texts, multipleOf: number.positive() },
    ...all(metaSchema, [...SCHEMAS, 'propertyNames', 'not', 'if']),
    ...all(z.array(metaSchema), LISTS),
    ...all(z.record(text, metaSchema), BY_NAME),
    ...{ patternProperties: z.record(pattern, metaSchema), dependentRequired: z.record(text, texts) },
    ...all(z.int().nonnegative(), COUNTS),
    ...all(number, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']),
    format: text.refine(isFormat, {
      error: ({ input }) => `${JSON.stringify(input)} is not checked. Formats: ${formats().join(', ')}`,
      params: { isLeft: true },
    }),
    ...all(text, ['title', 'description', '$ref', '$id', '$anchor', '$schema', '$comment']),
    ...all(z.boolean(), ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']),
    ...all(z.unknown(), ['const', 'default', 'examples']),
  };
}

/** Whose schema it is. A page's may have keywords and formats of its own, which are not checked. */
type Author = 'suite' | 'page';

/** Why this is not a JSON Schema that can be checked; undefined if it is one. */
export function problemOfJsonSchema(given: unknown, author: Author = 'suite'): string | undefined {
  const { issues = [] } = metaSchema.safeParse(given).error ?? {};
  const isLeft = (issue: (typeof issues)[number]) =>
    issue.code === 'unrecognized_keys' || (issue.code === 'custom' && issue.params?.isLeft);
  const issue = issues.find(each => author === 'suite' || !isLeft(each));
  if (issue) return `${formatPath(issue.path) || 'it'}: ${issue.message}`;
  if (typeof given === 'boolean') return 'it: expected an object';
  try {
    const lookup: Record<string, Schema | boolean> = validation().dereference(
      structuredClone(given) as Schema,
    );
    const references = Object.values(lookup).map(each => Object(each) as Schema);
    const lost = references.find(({ __absolute_ref__: to }) => to !== undefined && lookup[to] === undefined);
    return lost && `the reference ${JSON.stringify(lost.$ref)} leads nowhere`;
  } catch (error) {
    return messageOf(error);
  }
}

/** A Zod schema that checks values by a JSON Schema. @throws Error for a schema that can't be checked */
export function valuesOf(schema: JsonSchema, author: Author = 'suite'): z.ZodType {
  const { Validator } = validation();
  const validator = new Validator(
    typed(structuredClone(schema), author === 'suite') as Schema,
    '2020-12',
    false,
  );
  return z.unknown().superRefine((value, context) => {
    // The validator makes URIs of field names, and these can't hold half a surrogate pair.
    const wellFormed = inTexts(value, each => each.toWellFormed(), 'changed');
    const checked = inTime(() => validator.validate(wellFormed));
    if (!checked) return context.addIssue({ code: 'custom', message: TOO_LONG });
    const { errors } = checked;
    // An error that has others below it says less than they do.
    const isInner = (at: string) =>
      !errors.some(({ keywordLocation }) => keywordLocation.startsWith(`${at}/`));
    for (const { keyword, keywordLocation, instanceLocation, error } of errors)
      if (keyword !== 'false' && isInner(keywordLocation))
        context.addIssue({
          code: 'custom',
          path: pathOf(instanceLocation),
          message: error.replace(/\.$/, ''),
        });
  });
}

/** @param pointer such as `#/items/0/a~1b` */
function pathOf(pointer: string): (string | number)[] {
  const parts = pointer.split('/').slice(1);
  const names = parts.map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.map(name => (/^\d+$/.test(name) ? Number(name) : name));
}

/** The keywords of a schema, with the schemas in them changed, except those of `not` and `if`. */
export function keywordsWith(schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema) {
  const changed = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(changed);
    return typeof inner === 'object' && inner !== null ? change(inner as JsonSchema) : inner;
  };
  const byName = (inner: unknown) =>
    Object.fromEntries(Object.entries(inner ?? {}).map(([name, each]) => [name, changed(each)]));
  return Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (BY_NAME.includes(key)) return [key, byName(value)];
    return [key, SCHEMAS.includes(key) || LISTS.includes(key) ? changed(value) : value];
  });
}

/**
 * Adds the types that the keywords are for. In JSON Schema, `required` holds for every text and number, so an answer of another type
 * would pass. Not below `not` and `if`, where a stricter schema refuses less.
 */
function typed(schema: JsonSchema, formats: boolean): JsonSchema {
  const all = keywordsWith(schema, inner => typed(inner, formats));
  const parts = all.filter(([key]) => formats || key !== 'format');
  const isOpen = !['type', 'enum', 'const'].some(key => key in schema);
  const types = Object.entries(OF_TYPES).filter(([, about]) => parts.some(([key]) => about.includes(key)));
  return Object.fromEntries(
    isOpen && types.length ? [['type', types.map(([type]) => type)], ...parts] : parts,
  );
}

/** An ordinary check takes a few milliseconds, on a busy machine a few hundred. */
const LIMIT_MS = 1_000;
export const TOO_LONG = `can't be checked within ${LIMIT_MS} ms: simplify the pattern, it tries too many ways`;

/**
 * What `check` returns; undefined if it takes longer than a second. A pattern of a spec or of a page's schema can take years for
 * some texts of a model, and nothing else ends it.
 */
export function inTime<T>(check: () => T): T | undefined {
  try {
    return runInNewContext('check()', { check }, { timeout: LIMIT_MS });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

/** Why it is not a JavaScript regular expression with the flag `u`, in the engine's words; empty if it is one. */
export function flawOfPattern(source: string): string {
  try {
    new RegExp(source, 'u');
    return '';
  } catch (error) {
    return messageOf(error).split(': ').at(-1)!;
  }
}
