// Errors as reports show them: Playwright reads message, place and code frame from the stack. Checked on Playwright 1.65.1.
// And what they were before they became texts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestInfo } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import { harmless } from '../../text/line';

/** Has no stack. Thrown from `onEnd`, it is at the top of the HTML report, and `playwright test` and `merge-reports` exit with 1. */
export function runError(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}

/** An error whose only stack frame is a place in a YAML file, so that reports point there instead of to our code. */
export function errorAt(text: string, name: string, { file, line, column }: Location): Error {
  const message = harmless(text);
  const error = new Error(message);
  error.stack = `Error: ${message}${canBeShown(file) ? `\n    at ${name} (${file}:${line}:${column})` : ''}`;
  return error;
}

const ours = () => join(__dirname, '../..');

/** Takes our own frames from the stack of what a user's function threw or failed by, as Playwright takes its own. */
export function withoutOurFrames(error: unknown): unknown {
  const told = Object(error) as { stack?: unknown };
  if (typeof told.stack === 'string')
    told.stack = told.stack
      .split('\n')
      .filter(line => !(/^ +at /.test(line) && line.includes(ours())))
      .join('\n');
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

/** Whether Playwright's `expect` threw it (checked on 1.64 and 1.65: then it has `matcherResult`), or another assertion library. */
export function isExpectation(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { matcherResult, code, name } = error as Error & Record<'matcherResult' | 'code', unknown>;
  return matcherResult !== undefined || code === 'ERR_ASSERTION' || name === 'AssertionError';
}

/**
 * Calls back with each error of the test from now on; in an unknown Playwright, never. Checked on Playwright 1.64 and 1.65: each, also
 * one of a hook or of a fixture's teardown, goes through `_failWithError` before it becomes the text that reporters know.
 */
export function onFailure(testInfo: TestInfo, failed: (error: unknown) => void): void {
  const inside = testInfo as { _failWithError?(error: unknown): void };
  const fail = inside._failWithError;
  if (!fail) return;
  inside._failWithError = error => {
    failed(error);
    fail.call(testInfo, error);
  };
}
