// Errors as reports show them: Playwright reads message, place and code frame from the stack. What they were before they became texts,
// what their messages say, and those that nobody can catch. Checked on Playwright 1.65.1.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestInfo } from '@playwright/test';
import type { Location } from '@playwright/test/reporter';
import { harmless, oneLine } from '../../text/line';

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

/** Whether an error that nobody caught ended the test, and not one of its own code; in an unknown Playwright, false. Checked on 1.65.1. */
export const hasUncaughtError = (testInfo: TestInfo): boolean =>
  (testInfo as { _hasUnhandledError?: boolean })._hasUnhandledError === true;

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;
type Listener = (error: unknown, ...more: unknown[]) => void;

/**
 * Keeps from the runner, which would end the test, what Playwright throws while it handles an event of the browser: its browser side
 * runs in the worker. A page can cause it: a frame that goes to and fro between two origins makes `FrameManager.frameAttached` throw.
 * Until the returned function is called, `noted` alone gets such errors, by that place.
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

/** Undefined unless a connection to the browser told of an event, and all code from there was Playwright's. */
function placeInPlaywright(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  const isOwn = frames.every(line => /[\\/]playwright-core[\\/]lib[\\/]|\(?node:/.test(line));
  if (!isOwn || !frames.some(line => /at _?(?:CR|FF|WK)Session\.\w+ /.test(line))) return undefined;
  const places = frames.map(line => /^\s+at (\S+) \(/.exec(line)?.[1] ?? '');
  return places.find(place => place && place !== 'assert') ?? 'its own code';
}

const MAX_VALUE = 100;
/** Of Playwright's messages, up to the next part. */
const VALUE = /^(Expected|Received)(?: [\w ]+)?: *([\s\S]+?)(?=\n\s*\n|\n(?:[A-Z][\w ]+:)|(?![\s\S]))/gm;
const DIFFERENCE = /^- Expected .*\n\+ Received .*$/m;
const DIFFERENT = [/^- +(?!Expected )(.+?),?$/m, /^\+ +(?!Received )(.+?),?$/m];
const NOT_FOUND = /^Error: (element\(s\) not found)$/m;

/** `expected "3", received "2"`; of objects and snapshots the first lines that differ. Empty if the message has none. */
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
