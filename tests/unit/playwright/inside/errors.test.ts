import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepFromRunner } from '../../../../src/playwright/inside/errors';

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;
/** Vitest's own, which would fail the test. */
let others: NodeJS.UncaughtExceptionListener[][];
const runner: unknown[] = [];
const noted: string[] = [];

beforeEach(() => {
  others = EVENTS.map(event => process.listeners(event as 'uncaughtException'));
  for (const event of EVENTS)
    process.removeAllListeners(event).on(event, (error: unknown) => void runner.push(error));
  runner.length = 0;
  noted.length = 0;
});
afterEach(() => {
  for (const [index, event] of EVENTS.entries()) {
    process.removeAllListeners(event);
    for (const listener of others[index]!) process.on(event, listener);
  }
});

const CORE = '/shop/node_modules/playwright-core/lib/coreBundle.js';
/** As Playwright 1.65.1 threw it. */
const FLIPPED = [
  `at assert (${CORE}:927:11)`,
  `at FrameManager.frameAttached (${CORE}:24819:11)`,
  `at _FrameSession._onFrameAttached (${CORE}:39519:33)`,
  `at _CRSession.<anonymous> (${CORE}:39326:93)`,
  'at _CRSession.emit (node:events:524:28)',
  `at ${CORE}:36755:18`,
  'at process.processImmediate (node:internal/timers:454:9)',
];
function thrownAt(...frames: string[]): Error {
  const error = new Error('Assertion error');
  error.stack = ['Error: Assertion error', ...frames].join('\n    ');
  return error;
}

test.each(EVENTS)('%s: what a page made Playwright throw does not reach the runner', event => {
  const release = keepFromRunner(place => noted.push(place));
  const emit = (error: unknown) => process.emit(event as 'uncaughtException', error as Error);
  emit(thrownAt(...FLIPPED));
  emit(thrownAt(...FLIPPED.map(frame => frame.replaceAll('/', '\\').replace('\\shop', 'C:\\shop'))));
  expect([noted, runner]).toEqual([Array(2).fill('FrameManager.frameAttached'), []]);
  const theirs = [
    thrownAt(...FLIPPED, 'at click (/shop/agents/mine.ts:3:5)'),
    thrownAt(`at Page.click (${CORE}:1:1)`),
    thrownAt(),
    'a text',
    undefined,
  ];
  for (const error of theirs) emit(error);
  expect(runner).toEqual(theirs);
  release();
  emit(thrownAt(...FLIPPED));
  expect([noted.length, runner.length]).toEqual([2, theirs.length + 1]);
});
