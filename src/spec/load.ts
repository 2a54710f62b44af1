// Task specs from files: every broken one reported at once, ids unique among them.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { MAX_SOURCE_BYTES } from './document';
import { type SourceLocation, TaskSpecError, TaskSpecLoadError, TaskSpecYamlError } from './errors';
import { findSpecFiles } from './find-files';
import { type LocatedSpec, parseLocated } from './parse';
import type { TaskSpec } from './schema';

/** A task spec and the file that it came from. */
export interface LoadedSpec extends LocatedSpec {
  spec: TaskSpec;
  /** Absolute. */
  file: string;
  source: string;
  /** Line and column of the value at a path such as `assertions[0].selector`; undefined where the file has none. */
  locate(path: string): SourceLocation | undefined;
  /** SHA-256 (hex) of the parsed spec: the same for files that differ in layout, comments or written-out defaults. */
  hash: string;
}

/**
 * Reads all task specs that the globs match, sorted by file.
 *
 * Globs are relative to `cwd` (default: the process's), `!glob` takes files away. Dot folders, node_modules (unless
 * a glob names it) and symbolic links are left out.
 *
 * @throws TaskSpecLoadError where a glob is no non-empty string or matches nothing, a file is broken, or two files
 * have one id. All that is wrong is in the one error.
 */
export function loadTaskSpecs(
  globs: string | readonly string[],
  { cwd = process.cwd() }: { cwd?: string } = {},
): { specs: LoadedSpec[] } {
  const specs: LoadedSpec[] = [];
  const errors: TaskSpecError[] = [];
  for (const file of findSpecFiles(globs, path.resolve(cwd))) {
    try {
      specs.push(loadFile(file));
    } catch (error) {
      if (!(error instanceof TaskSpecError)) throw error;
      errors.push(error);
    }
  }
  const { unique, clashes } = splitById(specs);
  errors.push(...clashes);
  if (errors.length > 0) throw new TaskSpecLoadError(summary(errors), errors, unique);
  return { specs };
}

function loadFile(file: string): LoadedSpec {
  const filename = displayName(file);
  const source = readText(file, filename);
  const { spec, locate } = parseLocated(source, { filename });
  return { spec, file, source, locate, hash: hashOf(spec) };
}

function readText(file: string, filename: string): string {
  const start = { line: 1, column: 1 };
  let bytes: Buffer;
  try {
    if (statSync(file).size > MAX_SOURCE_BYTES)
      throw new TaskSpecYamlError(
        'larger than 1 MiB: no task spec needs that, is it the right file?',
        start,
        filename,
      );
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof TaskSpecError) throw error;
    throw new TaskSpecError(`can't be read: ${(error as Error).message}`, filename);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TaskSpecYamlError('not UTF-8 text: save the file as UTF-8', start, filename);
  }
}

/** As a person who stands in the working directory would name the file. */
function displayName(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

function splitById(specs: readonly LoadedSpec[]): { unique: LoadedSpec[]; clashes: TaskSpecError[] } {
  const byId = new Map<string, LoadedSpec[]>();
  for (const spec of specs) byId.set(spec.spec.id, [...(byId.get(spec.spec.id) ?? []), spec]);
  const groups = [...byId.values()];
  return {
    unique: groups.flatMap(group => (group.length === 1 ? group : [])),
    clashes: groups.filter(group => group.length > 1).map(clash),
  };
}

function clash(group: readonly LoadedSpec[]): TaskSpecError {
  const places = group.map(({ file, locate }) => {
    const { line, column } = locate('id') ?? { line: 1, column: 1 };
    return `  ${displayName(file)}:${line}:${column}`;
  });
  return new TaskSpecError(
    `the id "${group[0]!.spec.id}" is used by ${group.length} files, and ids must be unique: rename all but one\n${places.join('\n')}`,
  );
}

function summary(errors: readonly TaskSpecError[]): string {
  const count = errors.length === 1 ? '1 problem' : `${errors.length} problems`;
  return `${count} with the task specs\n\n${errors.map(error => error.message).join('\n\n')}`;
}

function hashOf(spec: TaskSpec): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(spec)))
    .digest('hex');
}

/** The same data with the keys of every object in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
