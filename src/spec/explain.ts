// Explains Zod's issues to someone who writes a YAML file.
import type { z } from 'zod';
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
  if (input instanceof Date) return 'a date';
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

/** All issues as `path: message`. @param whole stands for the path of the data itself */
export function problemsIn({ issues }: z.ZodError, whole: string): string[] {
  const dotted = (path: readonly PropertyKey[]) =>
    path.map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return issues.map(({ path, message }) => `${dotted(path).replace(/^\./, '') || whole}: ${message}`);
}

/** The nearest known word, if it is near enough to be a typo; ignores case and separators. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const plain = bare(word);
  const ranked = known
    .map(candidate => ({ candidate, distance: editDistance(plain, bare(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.floor(Math.max(word.length, candidate.length) / 3))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

const MAX_LENGTH = 40;

function bare(word: string): string {
  return word.replace(/[-_\s]/g, '').toLowerCase();
}

/** How many letters to insert, delete, replace or swap with their neighbour to get from one word to the other. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i++) {
    const above = rows[i - 1]!;
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = above[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped =
        from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? rows[i - 2]![j - 2]! + 1 : replaced;
      row.push(Math.min(replaced, swapped, above[j]! + 1, row[j - 1]! + 1));
    }
    rows.push(row);
  }
  return rows.at(-1)!.at(-1)!;
}
