// A call of a helper of ours: it needs a Playwright that is new enough, and it makes calls and errors appear to come from its place.
// Checked on Playwright 1.65: `test()` takes its location from the stack frame that calls it, mapped through the file's source map
// (wrapFunctionWithLocation in lib/common). A frame in node_modules would show our file in the report, and break `spec.ts:LINE`,
// `--only-changed` and the test list of editors.
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import type { Location, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { harmless } from '../text/line';
import { runError } from './runner';

export interface CallSite {
  /** As in the stack: a path, or a `file:` URL for an ES module. */
  filename: string;
  /** 1-based, in the running code: before source maps. */
  line: number;
  column: number;
}

// biome-ignore lint/complexity/noBannedTypes: Error.captureStackTrace takes any function
export function callSiteOf(helper: Function): CallSite {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = 1;
    Error.prepareStackTrace = (_, frames) => frames;
    const holder: { stack?: NodeJS.CallSite[] } = {};
    Error.captureStackTrace(holder, helper);
    const frame = holder.stack?.[0];
    const filename = frame?.getFileName();
    if (!frame || !filename) throw new Error(`${helper.name} must be called from a file`);
    return { filename, line: frame.getLineNumber() ?? 1, column: frame.getColumnNumber() ?? 1 };
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export function callSiteFile({ filename }: CallSite): string {
  return filename.startsWith('file:') ? fileURLToPath(filename) : filename;
}

/** Calls `fn` from a stack frame at the call site. Untyped, since `test` and `describe` have many overloads. */
export function callFrom(callSite: CallSite, fn: (...args: never[]) => unknown, ...args: unknown[]): void {
  compileAt(callSite, 'return ', 'fn(...args)')(fn, args);
}

export function awaitFrom<T>(callSite: CallSite, fn: () => Promise<T>): Promise<T> {
  return compileAt(callSite, 'return (async () => ', 'await fn())()')(fn);
}

/** @param expression what is at the call site */
function compileAt({ filename, line, column }: CallSite, before: string, expression: string) {
  const offsets = { lineOffset: line - 1, columnOffset: column - 1 - before.length };
  return compileFunction(before + expression, ['fn', 'args'], { filename, ...offsets });
}

/**
 * Makes a change of these files count as a change of the test file at the call site, for `--only-changed` and watch mode. Checked
 * on Playwright 1.65 (requireOrImport, recordResolvedFile): the dependencies of a CommonJS test file are its module's children,
 * those of an ES module are the files that its imports resolve to.
 */
export function dependOn(callSite: CallSite, files: readonly string[]): void {
  // Workers don't collect dependencies.
  if (process.env.TEST_WORKER_INDEX !== undefined) return;
  // Not this file's own `require`: it has no cache if Node imports CommonJS through a loader (yarn's Plug'n'Play).
  const parent = createRequire(__filename).cache[callSiteFile(callSite)];
  for (const file of files) {
    if (parent) {
      const child = new Module(file, parent);
      child.filename = file;
      if (!parent.children.includes(child)) parent.children.push(child);
    } else {
      // The import fails, since the file is not a module. Resolving it is enough.
      import(pathToFileURL(file).href).catch(() => undefined);
    }
  }
}

/** An error whose only stack frame is a place in a YAML file, so that reports point there instead of to our code. */
export function errorAt(text: string, name: string, { file, line, column }: Location): Error {
  const message = harmless(text);
  const error = new Error(message);
  error.stack = `Error: ${message}${canBeShown(file) ? `\n    at ${name} (${file}:${line}:${column})` : ''}`;
  return error;
}

/** Playwright prints the lines of the file unescaped. */
function canBeShown(file: string): boolean {
  try {
    const source = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    return harmless(source) === source;
  } catch {
    return false;
  }
}

const LOWEST = '1.64';
/** The version behind every "Checked on". */
const CHECKED = '1.65';

/** @throws Error before anything of Playwright is used. */
export function requirePlaywright(version = installedVersion()): void {
  if (version.localeCompare(LOWEST, 'en', { numeric: true }) >= 0) return;
  throw runError(
    `taskproof: @taskproof/playwright requires Playwright ${LOWEST} or newer, but ${version} is installed. Update it: npm install -D @playwright/test@latest`,
  );
}

function installedVersion(): string {
  return (createRequire(__filename)('@playwright/test/package.json') as { version: string }).version;
}

/**
 * What has changed in a newer Playwright, as one sentence; undefined if nothing has.
 *
 * @param test one that the library declared
 */
export function whatMoved(
  test: TestCase,
  testRun: Partial<TestRun>,
  version = installedVersion(),
): string | undefined {
  const suite = test.parent as Suite & { _use?: unknown };
  const parts = [
    { found: typeof testRun.exclude === 'function', lost: 'repeats beyond k are skipped one by one' },
    { found: '_tags' in test, lost: 'verdicts are not shown as tags' },
    { found: '_testType' in test && '_use' in suite, lost: 'wrong options in `test.use` are reported late' },
    {
      found: !/[\\/]@taskproof[\\/]playwright[\\/]dist[\\/]/.test(test.location.file),
      lost: 'specs seem to be declared in this library, so file filters miss them',
    },
  ];
  const lost = parts.filter(({ found }) => !found).map(part => part.lost);
  if (!lost.length) return undefined;
  return `Playwright ${version} differs from ${CHECKED}, which this version of @taskproof/playwright was checked on: ${lost.join('; ')}. Update @taskproof/playwright.`;
}
