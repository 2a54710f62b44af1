// Errors as reports show them: Playwright reads message, place and code frame from the stack. Checked on Playwright 1.65.1.
import { readFileSync } from 'node:fs';
import type { Location } from '@playwright/test/reporter';
import { harmless } from '../../text/line';

/**
 * An error to throw from `onEnd`: the HTML report shows it at the top, and `playwright test` and `merge-reports` exit with 1.
 * It has no stack.
 */
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

/** Playwright prints the lines of the file unescaped. */
function canBeShown(file: string): boolean {
  try {
    const source = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    return harmless(source) === source;
  } catch {
    return false;
  }
}
