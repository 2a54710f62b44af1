// Loads task specs from files, and reports all broken files and ids that several files share at once.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { globSync, isDynamicPattern } from 'tinyglobby';
import { messageOf } from '../text/line';
import { plural } from '../text/print';
import { TaskSpecError, TaskSpecLoadError, TaskSpecYamlError } from './errors';
import { type LocatedSpec, MAX_SOURCE_BYTES, parseLocated, START, TOO_LARGE } from './parse';

/** A task spec and its file. */
export interface LoadedSpec extends LocatedSpec {
  /** Absolute. */
  file: string;
  /** SHA-256 (hex) of the parsed spec. Layout, comments and written-out defaults don't change it. */
  hash: string;
  /** The same without what grades a trial. */
  taskHash: string;
  /** The same for its rubric. */
  rubricHash?: string;
}

/** Where the path is in the file; else where its goal is. */
export function locationIn({ file, locate }: Pick<LoadedSpec, 'file' | 'locate'>, path: string) {
  return { file, ...(locate(path) ?? locate('goal') ?? START) };
}

/**
 * Reads all task specs that the globs match, sorted by file.
 *
 * Globs are relative to `cwd`; `!glob` excludes files. Dot folders, node_modules (unless a glob names it) and symbolic links are left out.
 *
 * @returns the valid specs whose id is unique; `all` that are valid; `error` with all problems: globs that are wrong or match nothing
 * (`unmatched` has only these), broken files, ids that several files share.
 */
export function loadTaskSpecs(globs: string | readonly string[], cwd: string) {
  const all: LoadedSpec[] = [];
  const { files, unmatched } = findSpecFiles(globs, path.resolve(cwd));
  const errors: TaskSpecError[] = unmatched ? [unmatched] : [];
  for (const file of files) {
    try {
      all.push(loadFile(file));
    } catch (error) {
      if (!(error instanceof TaskSpecError)) throw error;
      errors.push(error);
    }
  }
  const byId = new Map<string, LoadedSpec[]>();
  for (const loaded of all) byId.set(loaded.spec.id, [...(byId.get(loaded.spec.id) ?? []), loaded]);
  const groups = [...byId.values()];
  errors.push(...groups.filter(group => group.length > 1).map(clash));
  const specs = groups.filter(group => group.length === 1).flat();
  const message = `${plural(errors.length, 'problem')} with the task specs\n\n${errors.map(error => error.message).join('\n\n')}`;
  const found = errors.length ? new TaskSpecLoadError(message, errors) : undefined;
  return { specs, all, error: files.length ? found : unmatched, unmatched };
}

export function loadFile(file: string): LoadedSpec {
  const filename = displayName(file);
  const { spec, locate } = parseLocated(readText(file, filename), { filename });
  // The task keeps specVersion, which decides how the text of a page is read.
  const { description, tags, passPolicy, assertions, judge, ...task } = spec;
  const rubric = judge === undefined ? {} : { rubricHash: hashOf({ judge }) };
  return { spec: frozen(spec), file, locate, hash: hashOf(spec), taskHash: hashOf(task), ...rubric };
}

/** Test files get the specs: what they changed would be graded under the old hash. */
export function frozen<T>(value: T): T {
  if (Object(value) === value) for (const each of Object.values(value as object)) frozen(each);
  return Object.freeze(value);
}

function hashOf(value: object): string {
  return createHash('sha256').update(JSON.stringify(value, sortedKeys)).digest('hex');
}

function readText(file: string, filename: string): string {
  let bytes: Buffer | undefined;
  try {
    if (statSync(file).size <= MAX_SOURCE_BYTES) bytes = readFileSync(file);
  } catch (error) {
    throw new TaskSpecError(`can't be read: ${messageOf(error)}`, filename);
  }
  if (!bytes) throw new TaskSpecYamlError(TOO_LARGE, START, filename);
  if (isUtf8(bytes)) return bytes.toString();
  throw new TaskSpecYamlError('not UTF-8 text: save the file as UTF-8', START, filename);
}

function displayName(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

function clash(group: readonly LoadedSpec[]): TaskSpecError {
  const places = group.map(({ file, locate }) => {
    const { line, column } = locate('id')!;
    // Playwright takes a line that ends with a place for a stack frame.
    return `  ${displayName(file)}:${line}:${column} id: ${group[0]!.spec.id}`;
  });
  return new TaskSpecError(
    `${group.length} files have the id "${group[0]!.spec.id}", but ids must be unique: rename all but one\n${places.join('\n')}`,
  );
}

/** For `JSON.stringify`: the order of keys does not matter. */
function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Absolute paths, sorted, and an error on globs that match nothing. */
function findSpecFiles(globs: unknown, cwd: string): { files: string[]; unmatched?: TaskSpecLoadError } {
  const patterns: unknown[] = [globs].flat();
  if (!patterns.length || !patterns.every(isGlob)) {
    const bad = patterns.find(each => !isGlob(each));
    const got = typeof bad === 'string' ? `"${bad}"` : typeof bad;
    const problem = `a glob for task specs must be a non-empty string, such as 'tasks/**/*.yaml', or a list of them; got ${got}`;
    return { files: [], unmatched: new TaskSpecLoadError(problem) };
  }
  const wanted = patterns.filter(glob => !isNegated(glob));
  const unwanted = patterns.filter(isNegated).map(glob => glob.slice(1));
  const files = [...new Set(wanted.flatMap(glob => filesOf(glob, unwanted, cwd)))].sort();
  const useless = wanted.filter(glob => filesOf(glob, [], cwd).length === 0);
  if (files.length > 0 && useless.length === 0) return { files };
  const names = (useless.length > 0 ? useless : patterns).map(glob => `"${glob}"`).join(', ');
  return { files, unmatched: new TaskSpecLoadError(`no task spec matches ${names} in ${cwd}. ${REMEDY}`) };
}

const REMEDY =
  'Check the spelling and the ending (.yaml or .yml). Write "/" between folders, and "tasks/**/*.yaml" for all files in a folder. Dot folders, node_modules, symbolic links and files that a "!" glob matches are left out.';

function isGlob(glob: unknown): glob is string {
  return typeof glob === 'string' && glob.trim() !== '' && glob !== '!';
}

/** A leading `!(` is an extended glob. */
function isNegated(glob: string): boolean {
  return glob.startsWith('!') && glob[1] !== '(';
}

// Not picomatch over our own walk: it lost escaped names (`\[x\]/a.yaml`) and absolute globs after "!", and read the whole tree for
// `*.yaml` (0.3 s instead of tinyglobby's 1 ms).
function filesOf(glob: string, ignore: readonly string[], cwd: string): string[] {
  return globSync(glob, {
    cwd,
    ignore: glob.includes('node_modules') ? ignore : [...ignore, '**/node_modules/**'],
    absolute: true,
    expandDirectories: false,
    // A link that is named directly is followed.
    followSymbolicLinks: !isDynamicPattern(glob),
  }).map(file => path.resolve(file));
}
