// Task specs from files: every broken one reported at once, ids unique among them.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { MAX_SOURCE_BYTES, START, TOO_LARGE } from './document';
import { TaskSpecError, TaskSpecLoadError, TaskSpecYamlError } from './errors';
import { findSpecFiles } from './find-files';
import { type LocatedSpec, parseLocated } from './parse';

/** A task spec and the file that it came from. */
export interface LoadedSpec extends LocatedSpec {
  /** Absolute. */
  file: string;
  source: string;
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
  const byId = new Map<string, LoadedSpec[]>();
  for (const loaded of specs) byId.set(loaded.spec.id, [...(byId.get(loaded.spec.id) ?? []), loaded]);
  const groups = [...byId.values()];
  errors.push(...groups.filter(group => group.length > 1).map(clash));
  if (errors.length === 0) return { specs };
  const count = errors.length === 1 ? '1 problem' : `${errors.length} problems`;
  const message = `${count} with the task specs\n\n${errors.map(error => error.message).join('\n\n')}`;
  throw new TaskSpecLoadError(message, errors, groups.filter(group => group.length === 1).flat());
}

function loadFile(file: string): LoadedSpec {
  const filename = displayName(file);
  const source = readText(file, filename);
  const { spec, locate } = parseLocated(source, { filename });
  const hash = createHash('sha256').update(JSON.stringify(sorted(spec)));
  return { spec, file, source, locate, hash: hash.digest('hex') };
}

function readText(file: string, filename: string): string {
  let bytes: Buffer;
  try {
    if (statSync(file).size > MAX_SOURCE_BYTES) throw new TaskSpecYamlError(TOO_LARGE, START, filename);
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof TaskSpecError) throw error;
    throw new TaskSpecError(`can't be read: ${(error as Error).message}`, filename);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TaskSpecYamlError('not UTF-8 text: save the file as UTF-8', START, filename);
  }
}

/** As a person who stands in the working directory would name the file. */
function displayName(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

function clash(group: readonly LoadedSpec[]): TaskSpecError {
  const places = group.map(({ file, locate }) => {
    const { line, column } = locate('id') ?? START;
    return `  ${displayName(file)}:${line}:${column}`;
  });
  return new TaskSpecError(
    `the id "${group[0]!.spec.id}" is used by ${group.length} files, and ids must be unique: rename all but one\n${places.join('\n')}`,
  );
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
