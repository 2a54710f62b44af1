// JSON Schemas (draft 2020-12) of answers and of pages' tools: whether they are some, and what is wrong with a value.
import type { Schema } from '@cfworker/json-schema';
import { z } from 'zod';
import { messageOf } from '../text/line';
import { inTexts } from '../text/mask';
import { formatPath } from './errors';
import { inTime, TOO_LONG } from './in-time';

export type JsonSchema = Readonly<Record<string, unknown>>;

type Ways = { unknownKeywords: 'refused' | 'left' };

const OF_TYPES = {
  object: ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'required'],
  array: ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems'],
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

const TYPES = [...Object.keys(OF_TYPES), 'integer', 'boolean', 'null'];
const isType = (given: unknown) => [given].flat().every(each => TYPES.includes(each as string));

const pattern = z.string().refine(isPattern, 'is not a regular expression');
const kinds = {
  count: z.int().nonnegative(),
  number: z.number(),
  text: z.string(),
  flag: z.boolean(),
  anything: z.unknown(),
};
const type = z
  .unknown()
  .refine(isType, { error: ({ input }) => `${JSON.stringify(input)} is not a type of JSON Schema` });

/** Loaded for the first schema: most workers have none. */
const validation = () => require('@cfworker/json-schema') as typeof import('@cfworker/json-schema');

/** The schema of schemas. */
function metaSchema({ unknownKeywords }: Ways): z.ZodType {
  // A union with booleans would have no places of problems.
  const schema = z.unknown().superRefine((given, context) => {
    const issues = typeof given === 'boolean' ? [] : (keywords.safeParse(given).error?.issues ?? []);
    for (const { path, message } of issues) context.addIssue({ code: 'custom', path, message });
  });
  const schemas = z.array(schema);
  const byName = z.record(z.string(), schema);
  const { count, number, text, flag, anything } = kinds;
  const all = (kind: z.ZodType, names: string) =>
    Object.fromEntries(names.split(' ').map(name => [name, kind]));
  const known = {
    ...{ type, pattern, enum: z.array(anything), required: z.array(text), multipleOf: number.positive() },
    ...{ patternProperties: z.record(pattern, schema), dependentRequired: z.record(text, z.array(text)) },
    ...all(
      schema,
      'additionalProperties unevaluatedProperties propertyNames items unevaluatedItems contains',
    ),
    ...all(schema, 'not if then else'),
    ...all(schemas, 'prefixItems allOf anyOf oneOf'),
    ...all(byName, 'properties dependentSchemas $defs definitions'),
    ...all(
      count,
      'minProperties maxProperties minItems maxItems minContains maxContains minLength maxLength',
    ),
    ...all(number, 'minimum maximum exclusiveMinimum exclusiveMaximum'),
    ...all(text, 'format title description $ref $id $anchor $schema $comment'),
    ...all(flag, 'uniqueItems deprecated readOnly writeOnly'),
    ...all(anything, 'const default examples'),
  };
  const keywords = (unknownKeywords === 'left' ? z.looseObject(known) : z.strictObject(known)).partial();
  return schema;
}

/** Made for the first schema. */
const metaSchemas: Partial<Record<Ways['unknownKeywords'], z.ZodType>> = {};

/**
 * Why this is not a JSON Schema that can be checked; undefined if it is one.
 *
 * @param ways a keyword that is not known checks nothing. Default: refused
 */
export function problemOfJsonSchema(
  given: unknown,
  { unknownKeywords }: Ways = { unknownKeywords: 'refused' },
): string | undefined {
  metaSchemas[unknownKeywords] ??= metaSchema({ unknownKeywords });
  const [issue] = metaSchemas[unknownKeywords].safeParse(given).error?.issues ?? [];
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

/**
 * What checks values by it.
 *
 * @param formats whether `format` is checked, too
 * @throws Error for a schema that can't be checked
 */
export function valuesOf(schema: JsonSchema, { formats } = { formats: true }): z.ZodType {
  const { Validator } = validation();
  const validator = new Validator(typed(structuredClone(schema), formats) as Schema, '2020-12', false);
  return z.unknown().superRefine((value, context) => {
    // Names of fields become parts of addresses, which can't have half a character.
    const wellFormed = inTexts(value, each => each.toWellFormed(), 'changed');
    const checked = inTime(() => validator.validate(wellFormed));
    if (!checked) return context.addIssue({ code: 'custom', message: TOO_LONG });
    const { errors } = checked;
    // Those around another one say less.
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

/** `#/items/0/a~1b` */
function pathOf(pointer: string): (string | number)[] {
  const parts = pointer.split('/').slice(1);
  const names = parts.map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.map(name => (/^\d+$/.test(name) ? Number(name) : name));
}

const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions'];
const WITHIN = ['additionalProperties', 'items', 'contains', 'prefixItems', 'allOf', 'anyOf', 'oneOf'];

/**
 * With the types that its keywords are about. By the letter, `required` says nothing of a text or a number, so that an answer of
 * another type would fit. Not below `not` and `if`, where more types would mean that less is refused.
 */
function typed(schema: unknown, formats: boolean): unknown {
  const inner = (each: unknown) => typed(each, formats);
  if (Array.isArray(schema)) return schema.map(inner);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => formats || key !== 'format');
  const parts = kept.map(([key, value]) => {
    if (WITHIN.includes(key)) return [key, inner(value)];
    if (!BY_NAME.includes(key)) return [key, value];
    return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))];
  });
  const isOpen = !['type', 'enum', 'const'].some(key => key in schema);
  const types = Object.entries(OF_TYPES).filter(([, about]) => about.some(key => key in schema));
  return Object.fromEntries(
    isOpen && types.length ? [['type', types.map(([type]) => type)], ...parts] : parts,
  );
}

/** Whether it is a JavaScript regular expression, with the flag `u`. */
export function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}
