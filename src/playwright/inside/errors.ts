// Errors as reports show them (Playwright reads message, place and code frame from the stack), as they were before they became texts,
// and those that nobody can catch. Checked on Playwright 1.65.1.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestInfo } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import { harmless, oneLine } from '../../text/line';

/** An error without a stack. Thrown in `onEnd`, it is shown at the top of the HTML report and makes Playwright exit with 1. */
export function runError(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}

/** An error whose only stack frame is the given place, so that reports point there instead of to our code. */
export function errorAt(text: string, name: string, { file, line, column }: Location): Error {
  const message = harmless(text);
  const error = new Error(message);
  error.stack = `Error: ${message}${canBeShown(file) ? `\n    at ${name} (${file}:${line}:${column})` : ''}`;
  return error;
}

const ours = () => join(__dirname, '../..');

/** Removes our own frames from the stack of an error in a user's function, as Playwright removes its own. */
export function withoutOurFrames(error: unknown): unknown {
  const told = Object(error) as { stack?: unknown };
  if (typeof told.stack === 'string')
    told.stack = told.stack
      .split('\n')
      .filter(line => !(/^ +at /.test(line) && line.includes(ours())))
      .join('\n');
  return error;
}

/** Whether the file's lines are harmless in a terminal: Playwright prints them unescaped. */
function canBeShown(file: string): boolean {
  try {
    const source = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    return harmless(source) === source;
  } catch {
    return false;
  }
}

/** Whether an assertion library threw the error. Checked on Playwright 1.64 and 1.65: errors of `expect` have `matcherResult`. */
export function isExpectation(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { matcherResult, code, name } = error as Error & Record<'matcherResult' | 'code', unknown>;
  return matcherResult !== undefined || code === 'ERR_ASSERTION' || name === 'AssertionError';
}

/**
 * Calls back with each error of the test from now on; in an unknown Playwright, never. Checked on Playwright 1.64 and 1.65: each error,
 * of hooks and fixtures too, goes through `_failWithError` before it becomes the text that reporters get.
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

/** Whether an error that nobody caught ended the test, and not one of its own code; in an unknown Playwright, false. Checked on 1.65.1. */
export const hasUncaughtError = (testInfo: TestInfo): boolean =>
  (testInfo as { _hasUnhandledError?: boolean })._hasUnhandledError === true;

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;
type Listener = (error: unknown, ...more: unknown[]) => void;

/**
 * Keeps errors from the runner, which would end the test, that Playwright throws while it handles an event of the browser. A page can
 * cause them: a frame that goes back and forth between two origins makes `FrameManager.frameAttached` throw. Until the returned
 * function is called, only `noted` is told of them, with that place.
 */
export function keepFromRunner(noted: (place: string) => void): () => void {
  const restorers = EVENTS.map(event => {
    const listeners = process.listeners(event as 'uncaughtException') as Listener[];
    const sift: Listener = (error, ...more) => {
      const place = placeInPlaywright(error);
      if (place !== undefined) noted(place);
      else for (const listener of listeners) listener(error, ...more);
    };
    process.removeAllListeners(event);
    process.on(event, sift);
    return () => {
      process.off(event, sift);
      for (const listener of listeners) process.on(event, listener);
    };
  });
  return () => {
    for (const restore of restorers) restore();
  };
}

/** Where Playwright threw; undefined unless it was handling an event of the browser and all frames are its own. */
function placeInPlaywright(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  const isOwn = frames.every(line => /[\\/]playwright-core[\\/]lib[\\/]|\(?node:/.test(line));
  if (!isOwn || !frames.some(line => /at _?(?:CR|FF|WK)Session\.\w+ /.test(line))) return undefined;
  const places = frames.map(line => /^\s+at (\S+) \(/.exec(line)?.[1] ?? '');
  return places.find(place => place && place !== 'assert') ?? 'its own code';
}

const MAX_VALUE = 100;
/** A value in Playwright's messages, up to the next part. */
const VALUE = /^(Expected|Received)(?: [\w ]+)?: *([\s\S]+?)(?=\n\s*\n|\n(?:[A-Z][\w ]+:)|(?![\s\S]))/gm;
const DIFFERENCE = /^- Expected .*\n\+ Received .*$/m;
const DIFFERENT = [/^- +(?!Expected )(.+?),?$/m, /^\+ +(?!Received )(.+?),?$/m];
const NOT_FOUND = /^Error: (element\(s\) not found)$/m;

/** `expected "3", received "2"`, or the first lines in which objects or snapshots differ. Empty if the message has neither. */
export function valuesIn(text: string): string {
  const message = stripVTControlCharacters(text)
    .split(/\n[^\S\n]*Call log:/i)[0]!
    .trimEnd();
  const values = DIFFERENCE.test(message)
    ? DIFFERENT.map((line, index) => [index ? 'received' : 'expected', line.exec(message)?.[1] ?? 'nothing'])
    : [...message.matchAll(VALUE)].slice(0, 2).map(([, what, value]) => [what!.toLowerCase(), value!]);
  const found = values.map(([what, value]) => `${what} ${oneLine(value!, MAX_VALUE)}`);
  return [...found, ...(NOT_FOUND.exec(message)?.slice(1) ?? [])].join(', ');
}

/** `expect(locator).toHaveText(expected) failed: expected "3", received "2"` */
export function expectationInWords(message: string): string {
  const what = oneLine(message.split('\n')[0]!, 300).replace(/^Error: /, '');
  const values = valuesIn(message);
  return values ? `${what}: ${values}` : what;
}
