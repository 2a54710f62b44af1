// Zod's issues, explained to someone who writes a YAML file.
import type { z } from 'zod';
import { nearest } from '../text/nearest';
import { shown } from './errors';

type RawIssue = z.core.$ZodRawIssue;

/** An `error` for Zod schemas: one sentence that says what is wrong and what to do. */
export function explain(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(String(issue.expected), issue.input);
    case 'invalid_value':
      return notOneOf(issue.values.map(String), issue.input);
    case 'invalid_union':
      return unknownAssertion(issue);
    case 'not_multiple_of':
      return `must be a whole number, got ${issue.input}`;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      if (issue.origin === 'array') return 'must not be an empty list';
      return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}, got ${issue.input}`;
    case 'too_big':
      if (typeof issue.input === 'string')
        return `must have at most ${issue.maximum} characters, has ${[...issue.input].length}`;
      return `must be at most ${issue.maximum}, got ${issue.input}`;
    default:
      return undefined;
  }
}

/** As `explain`, for a mapping with these keys. Each unknown key gets a line. */
export function explainMapping(known: readonly string[]) {
  return (issue: RawIssue): string | undefined =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map(key => unknownKey(key, known)).join('\n')
      : explain(issue);
}

function unknownKey(key: string, known: readonly string[]): string {
  if (key === '<<') return 'unknown key `<<`: YAML merge keys are not supported, write the fields out';
  const name = /^[\w-]{1,60}$/.test(key) ? `\`${key}\`` : shown(key);
  const meant = nearest(key, known);
  return meant
    ? `unknown key ${name} (did you mean \`${meant}\`?)`
    : `unknown key ${name} (known here: ${known.map(one => `\`${one}\``).join(', ')})`;
}

const EXPECTED: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  array: 'a list',
  object: 'a mapping (key: value pairs)',
};

function wrongType(expected: string, input: unknown): string {
  if (input === undefined) return 'is required, but missing';
  const wanted = EXPECTED[expected] ?? `a ${expected}`;
  if (typeof input === 'number' && !Number.isFinite(input)) return `must be a finite number, got ${input}`;
  if (input === null)
    return `must be ${wanted}, but is empty (null): give it a value${expected === 'string' ? ' (one that begins with # needs quotes)' : ''}, or remove the key`;
  return `must be ${wanted}, got ${typeName(input)}${remedy(expected, input)}`;
}

function remedy(expected: string, input: unknown): string {
  if (expected === 'string') return typeof input === 'object' && !Array.isArray(input) ? '' : ': quote it';
  if (expected === 'number' && typeof input === 'string') return ': write it without quotes';
  return '';
}

/** The name of a value's type, for YAML authors and programmers. */
export function typeName(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list (array)';
  if (typeof input === 'object') return 'a mapping (object)';
  if (typeof input === 'number' || typeof input === 'boolean') return `a ${typeof input} (${input})`;
  return `a ${typeof input}`;
}

function notOneOf(options: readonly string[], input: unknown): string {
  if (input === undefined) return `is required: one of ${options.join(', ')}`;
  const got = typeof input === 'string' ? shown(input) : typeName(input);
  const meant = typeof input === 'string' ? nearest(input, options) : undefined;
  return `must be one of ${options.join(', ')}, got ${got}${meant ? ` (did you mean \`${meant}\`?)` : ''}`;
}

function unknownAssertion(issue: RawIssue & { code: 'invalid_union' }): string | undefined {
  if (!('discriminator' in issue) || typeof issue.discriminator !== 'string') return undefined;
  const type = (issue.input as Record<string, unknown>)[issue.discriminator];
  return notOneOf((issue.options as unknown[]).map(String), type);
}
