// What an agent is told about the answer: whether it is a text or a structured value, and its shape. Never the right answer.
import { type JsonSchema, keywordsWith } from './value-schema';

/** True: a text; a JSON Schema: a structured value of this shape; false: nobody checks it. */
export type WantedAnswer = boolean | JsonSchema;

/** What the agent of a spec with these assertions is told. */
export function wantedAnswer(assertions: readonly { type: string; matches?: JsonSchema }[]): WantedAnswer {
  const answers = assertions.filter(({ type }) => type === 'answer');
  const [shape, ...others] = answers.flatMap(({ matches }) => (matches ? [shapeOf(matches)] : []));
  if (!shape) return answers.length > 0;
  // Joined in one schema, a `$ref` of one could lead into another.
  const isApart = JSON.stringify([shape, ...others]).includes('"$ref"');
  return others.length && !isApart ? { allOf: [shape, ...others] } : shape;
}

const KEPT = new Set([
  ...['type', 'format', 'title', 'description', 'required', 'additionalProperties', '$ref', '$id', '$anchor'],
  ...['properties', 'patternProperties', '$defs', 'definitions'],
  ...['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf'],
]);
/** The shape that a JSON Schema asks for, without the values and bounds that it checks. A choice of several values stays. */
export function shapeOf(schema: JsonSchema): JsonSchema {
  const { const: only, enum: choice } = schema;
  const values = Array.isArray(choice) ? choice : only === undefined ? [] : [only];
  const typed = values.length && schema.type === undefined ? { type: typesOf(values) } : {};
  const kept = keywordsWith(schema, shapeOf).filter(([name]) => KEPT.has(name));
  return { ...typed, ...Object.fromEntries(kept), ...(values.length > 1 && { enum: values }) };
}

function typesOf(values: readonly unknown[]): string | string[] {
  const typeOf = (value: unknown) =>
    value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const [first, ...others] = new Set(values.map(typeOf));
  return others.length ? [first!, ...others] : first!;
}
