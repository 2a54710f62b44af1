// Parses YAML to a task spec, or to one typed error with all problems and their places.
import type { z } from 'zod';
import { type Locator, readDocument } from './document';
import {
  formatPath,
  type SourceLocation,
  type TaskSpecError,
  type TaskSpecIssue,
  TaskSpecValidationError,
  UnsupportedSpecVersionError,
} from './errors';
import { explain, typeName } from './explain';
import { SPEC_VERSION, taskSpecSchema } from './schema';
import type { TaskSpec } from './task-spec';

/** The values of `specVersion` that this library reads. */
export const SUPPORTED_SPEC_VERSIONS: readonly string[] = Object.freeze([SPEC_VERSION]);

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
  const parsed = taskSpecSchema.safeParse(value, { error: explain });
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
