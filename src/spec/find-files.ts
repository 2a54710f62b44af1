// The files that globs for task specs mean.
import { statSync } from 'node:fs';
import path from 'node:path';
import { globSync, isDynamicPattern } from 'tinyglobby';
import { shown, TaskSpecLoadError } from './errors';

/**
 * Absolute paths, sorted. `!glob` takes files away from the others.
 *
 * @throws TaskSpecLoadError where a glob is no non-empty string, or one of them matches nothing.
 */
export function findSpecFiles(globs: unknown, cwd: string): string[] {
  const patterns = nonEmptyStrings(globs);
  const wanted = patterns.filter(glob => !isNegated(glob));
  const unwanted = patterns.filter(isNegated).map(glob => glob.slice(1));
  const found = new Set<string>();
  const useless: string[] = [];
  for (const glob of wanted) {
    const files = filesOf(glob, unwanted, cwd);
    for (const file of files) found.add(file);
    if (files.length === 0 && filesOf(glob, [], cwd).length === 0) useless.push(glob);
  }
  if (found.size > 0 && useless.length === 0) return [...found].sort();
  const names = (useless.length > 0 ? useless : patterns).map(glob => `"${glob}"`).join(', ');
  const remedies = useless.map(glob => remedy(glob, cwd));
  if (useless.length === 0) remedies.push('the globs with "!" take all files away: leave one of them out');
  throw new TaskSpecLoadError(
    `no task spec matches ${names} in ${cwd}: ${[...new Set(remedies)].join('; ')}`,
  );
}

function nonEmptyStrings(globs: unknown): string[] {
  const list: unknown[] = Array.isArray(globs) ? globs : [globs];
  const isGood = (glob: unknown): glob is string =>
    typeof glob === 'string' && glob.trim() !== '' && glob !== '!';
  if (list.length > 0 && list.every(isGood)) return list;
  const got = list.length === 0 ? 'an empty list' : inWords(list.find(glob => !isGood(glob)));
  throw new TaskSpecLoadError(
    `a glob for task specs must be a non-empty string, such as 'tasks/**/*.yaml', or a list of them; got ${got}`,
  );
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : shown(value);
  return value === null ? 'null' : `${typeof value}`;
}

/** A leading `!(` is an extended glob. */
function isNegated(glob: string): boolean {
  return glob.startsWith('!') && glob[1] !== '(';
}

// picomatch over a walk of our own was tried, in 25 lines: it lost escaped names (`\[x\]/a.yaml`) and absolute globs
// behind "!", and read the whole tree for `*.yaml` (0.3 s where tinyglobby takes 1 ms).
function filesOf(glob: string, ignore: readonly string[], cwd: string): string[] {
  return globSync(glob, {
    cwd,
    ignore: glob.includes('node_modules') ? ignore : [...ignore, '**/node_modules/**'],
    absolute: true,
    expandDirectories: false,
    followSymbolicLinks: false,
  }).map(file => path.resolve(file));
}

function remedy(glob: string, cwd: string): string {
  if (!isFolder(cwd)) return 'there is no such folder, check `cwd`';
  if (!isDynamicPattern(glob) && isFolder(path.resolve(cwd, glob)))
    return `"${glob}" is a folder, write "${glob.replace(/\/$/, '')}/**/*.yaml"`;
  if (glob.includes('\\')) return 'write "/" between folders, on Windows too';
  return 'check the spelling and the ending (.yaml or .yml); globs start from that folder, and dot folders, node_modules and symbolic links are left out';
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
