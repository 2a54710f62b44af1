// Zod's issues, explained to someone who writes a YAML file.
import type { z } from 'zod';
import { nearest } from '../text/nearest';
import { shown } from './errors';

const EXPECTED: Record<string, string> = {
  string: 'a string',
  number: 'a finite number',
  array: 'a list',
  object: 'a mapping (key: value pairs)',
};

/** One sentence that says what is wrong and what to do; undefined where Zod's own does. Each unknown key gets a line. */
export function explain(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type': {
      if (input === undefined) return 'is required, but missing';
      const isMapping = typeof input === 'object' && !Array.isArray(input);
      const remedy = issue.expected === 'string' && !isMapping ? ': quote it' : '';
      const hint = input === null ? ' (what begins with # needs quotes)' : remedy;
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}, got ${typeName(input)}${hint}`;
    }
    case 'invalid_value':
      return notOneOf(issue.values.map(String), input);
    case 'invalid_union': {
      const { discriminator, options = [] } = issue as { discriminator?: string; options?: unknown[] };
      if (discriminator === undefined) return undefined;
      return notOneOf(options.map(String), (input as Record<string, unknown>)[discriminator]);
    }
    case 'unrecognized_keys': {
      const { shape = {} } = (issue.inst as z.ZodObject | undefined) ?? {};
      return issue.keys.map(key => unknownKey(key, Object.keys(shape))).join('\n');
    }
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : undefined;
    default:
      return undefined;
  }
}

function unknownKey(key: string, known: readonly string[]): string {
  if (key === '<<') return 'unknown key `<<`: YAML merge keys are not supported, write the fields out';
  const name = /^[\w-]{1,60}$/.test(key) ? `\`${key}\`` : shown(key);
  const meant = nearest(key, known);
  return meant
    ? `unknown key ${name} (did you mean \`${meant}\`?)`
    : `unknown key ${name} (known here: ${known.map(one => `\`${one}\``).join(', ')})`;
}

function notOneOf(options: readonly string[], input: unknown): string {
  const got = typeof input === 'string' ? shown(input) : typeName(input);
  const meant = typeof input === 'string' ? nearest(input, options) : undefined;
  return `must be one of ${options.join(', ')}, got ${got}${meant ? ` (did you mean \`${meant}\`?)` : ''}`;
}

/** The name of a value's type, for YAML authors and programmers. */
export function typeName(input: unknown): string {
  if (input === null || input === undefined) return 'nothing';
  if (Array.isArray(input)) return 'a list (array)';
  if (typeof input === 'object') return 'a mapping (object)';
  if (typeof input === 'number' || typeof input === 'boolean') return `a ${typeof input} (${input})`;
  return `a ${typeof input}`;
}
