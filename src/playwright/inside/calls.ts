// Calls that appear to come from the user's file, and calls that show nowhere. Checked on Playwright 1.65.1: `test()` takes its location
// from the stack frame that calls it, mapped through the file's source map (wrapFunctionWithLocation in lib/common). A frame in
// node_modules would show our file in the report, and break `spec.ts:LINE`, `--only-changed` and the test list of editors.
import Module, { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import type { CDPSession, Page } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import { isWorker } from './command-line';

export interface CallSite {
  /** A path, or a `file:` URL for an ES module, as in the stack. */
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

/** A line of a stack. Paths may have brackets and spaces: `C:\Program Files (x86)\a.ts`. */
const AT = /^ +at (?:async )?(?:[^\n]*? \()?((?:file:|[A-Za-z]:[\\/]|\/)[^\n]*?):(\d+):(\d+)\)?$/m;

/** Where `helper` was called, in the source file: Playwright maps the stacks of errors. */
// biome-ignore lint/complexity/noBannedTypes: Error.captureStackTrace takes any function
export function sourceOfCall(helper: Function): Location {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, helper);
  const [, filename = '', line = 0, column = 0] = AT.exec(holder.stack ?? '') ?? [];
  return { file: pathOf(filename), line: Number(line), column: Number(column) };
}

const pathOf = (filename: string) => (filename.startsWith('file:') ? fileURLToPath(filename) : filename);
export const callSiteFile = ({ filename }: CallSite) => pathOf(filename);

/** Calls `fn` from a stack frame at the call site. Untyped, since `test` and `describe` have many overloads. */
export function callFrom(callSite: CallSite, fn: (...args: never[]) => unknown, ...args: unknown[]): void {
  compileAt(callSite, 'return ', 'fn(...args)')(fn, args);
}

export const awaitFrom = <T>(callSite: CallSite, fn: () => Promise<T>): Promise<T> =>
  compileAt(callSite, 'return (async () => ', 'await fn())()')(fn);

/** @param expression the code that appears at the call site */
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
  if (isWorker()) return;
  // This file's own `require` has no cache if Node imports CommonJS through a loader (Yarn's Plug'n'Play).
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

/**
 * Makes calls of Playwright that are not shown as steps, where they would bury the agent's actions. Boxed steps would still show. Checked
 * on Playwright 1.65.1 (ChannelOwner): calls inside an internal call have no step either. Without `_wrapApiCall` the steps show.
 */
export function unseen<T>(owner: Page | CDPSession, calls: () => Promise<T>): Promise<T> {
  const { _wrapApiCall: wrap } = owner as { _wrapApiCall?(func: typeof calls, options: object): Promise<T> };
  return wrap ? wrap.call(owner, calls, { internal: true }) : calls();
}
