// Parses YAML to a task spec, or to one typed error with all problems and their places, explained to someone who writes a YAML file.
import type { z } from 'zod';
import { nearest } from '../text/nearest';
import { fieldsOf1 } from './assertions';
import { type Locator, readDocument } from './document';
import {
  formatPath,
  type SourceLocation,
  shown,
  type TaskSpecError,
  type TaskSpecIssue,
  TaskSpecValidationError,
  UnsupportedSpecVersionError,
} from './errors';
import { SPEC_VERSION, SPEC_VERSION_1, schemaFor } from './schema';
import type { TaskSpec } from './task-spec';

/** The values of `specVersion` that this library reads. */
export const SUPPORTED_SPEC_VERSIONS: readonly string[] = Object.freeze([SPEC_VERSION, SPEC_VERSION_1]);

export interface ParseOptions {
  /** Shown in error messages; not read. */
  filename?: string;
}

export type SafeParseResult = { ok: true; spec: TaskSpec } | { ok: false; error: TaskSpecError };

/** A spec and the places of its parts in the source. */
export interface LocatedSpec {
  spec: TaskSpec;
  /** Where the value at a path such as `assertions[0].selector` begins; undefined if the source has none. */
  locate(path: string): SourceLocation | undefined;
}

/**
 * Reads one task spec from YAML.
 *
 * @throws TaskSpecYamlError, UnsupportedSpecVersionError or TaskSpecValidationError; all are TaskSpecErrors.
 */
export function parseTaskSpec(source: string, options?: ParseOptions): TaskSpec {
  return parseLocated(source, options).spec;
}

/** As `parseTaskSpec`, but returns the error. Never throws, whatever the source. */
export function safeParseTaskSpec(source: string, options?: ParseOptions): SafeParseResult {
  try {
    return { ok: true, spec: parseTaskSpec(source, options) };
  } catch (error) {
    return { ok: false, error: error as TaskSpecError };
  }
}

/** As `parseTaskSpec`, with the place of each part. */
export function parseLocated(source: string, options?: ParseOptions): LocatedSpec {
  const filename = typeof options?.filename === 'string' ? options.filename || undefined : undefined;
  const { value, locator } = readDocument(source, filename);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = `a task spec must be a mapping (key: value pairs), got ${typeName(value)}`;
    throw new TaskSpecValidationError([{ path: '', message, ...locator.nearest([]) }], filename);
  }
  checkVersion(value, locator, filename);
  const parsed = schemaFor(value).safeParse(value, { error: explain });
  if (!parsed.success) {
    const issues = parsed.error.issues.flatMap(issue => located(issue, locator));
    issues.sort((a, b) => a.line - b.line || a.column - b.column);
    throw new TaskSpecValidationError(issues, filename);
  }
  return { spec: parsed.data, locate: path => locator.value(segmentsOf(path)) };
}

function segmentsOf(path: string): (string | number)[] {
  return (path.match(/[^.[\]]+/g) ?? []).map(name => (/^\d+$/.test(name) ? Number(name) : name));
}

/** Leaves other types than strings to the schema, which then reports the rest of the spec, too. */
function checkVersion(value: object, locator: Locator, filename: string | undefined): void {
  const version = (value as { specVersion?: unknown }).specVersion;
  if (version !== undefined && (typeof version !== 'string' || SUPPORTED_SPEC_VERSIONS.includes(version)))
    return;
  throw new UnsupportedSpecVersionError(
    version,
    SUPPORTED_SPEC_VERSIONS,
    locator.nearest(['specVersion']),
    filename,
  );
}

function located(issue: z.core.$ZodIssue, locator: Locator): TaskSpecIssue[] {
  const path = issue.path as (string | number)[];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => {
      const keyPath = [...path, key];
      const place = locator.key(keyPath) ?? locator.nearest(path);
      return { path: formatPath(keyPath), message: messages[index]!, ...place };
    });
  }
  // If a rule between fields complains about a missing one, it may name its neighbour.
  const near = issue.code === 'custom' ? issue.params?.near : undefined;
  const beside = locator.value(path) ?? (near && locator.value([...path.slice(0, -1), near]));
  return [{ path: formatPath(path), message: issue.message, ...(beside ?? locator.nearest(path)) }];
}

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
      const hint = input === null ? ' (put quotes around text that begins with #)' : remedy;
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}, got ${typeName(input)}${hint}`;
    }
    case 'invalid_value':
      return notOneOf(issue.values.map(String), input);
    case 'invalid_union': {
      const { discriminator, options = [] } = issue as { discriminator?: string; options?: unknown[] };
      if (discriminator === undefined) return undefined;
      const given = (input as Record<string, unknown>)[discriminator];
      return fieldsOf1(given) ? needsNewer(`type ${given}`) : notOneOf(options.map(String), given);
    }
    case 'unrecognized_keys': {
      const { shape = {} } = (issue.inst as z.ZodObject | undefined) ?? {};
      const known = Object.keys(shape);
      const newer = ('type' in shape && fieldsOf1((input as { type?: unknown }).type)) || {};
      return issue.keys
        .map(key => (Object.hasOwn(newer, key) ? needsNewer(`\`${key}\``) : unknownKey(key, known)))
        .join('\n');
    }
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : undefined;
    default:
      return undefined;
  }
}

const needsNewer = (what: string) =>
  `${what} needs specVersion: "${SPEC_VERSION_1}" instead of "${SPEC_VERSION}"`;

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
