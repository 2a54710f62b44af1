// Turns Playwright's results into trials: from the record, or from the result alone if there is no record.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestResult } from '@playwright/test/reporter';
import { groupBy, sumOf } from '../data/collections';
import {
  AGENT_ATTACHMENT,
  type AgentNote,
  type ErrorKind,
  RECORD_ATTACHMENT,
  readAgentNote,
  readRecord,
  type TrialRecord,
} from '../data/record';
import { sumOfCosts, sumOfTokens, sumOfWaits } from '../data/usage';
import type { TrialResult } from '../data/verdict';
import { oneLine } from '../text/line';
import { plural } from '../text/print';
import { nameControlsOf01 } from './version-0.1';

interface ReadTrial {
  trial: TrialResult;
  record?: TrialRecord;
  /** Of an ordinary test. */
  failure?: Failure;
}

/**
 * A trial never goes missing: without a record it is an infrastructure error. There is none if it was skipped, or if the worker
 * died before it could write one.
 */
export function trialOf(index: number, result: TestResult): ReadTrial {
  const record = recordOf(result);
  if (!record) return { trial: withoutRecord(index, result) };
  nameControlsOf01(record);
  const { outcome, status, reason, answer, actions, pageToolCalls, costUsd, durationMs, finalUrl, healed } =
    record;
  const { costUsd: _, ...usage } = record.usage;
  const picture = result.attachments.findLast(({ contentType }) => contentType === 'image/jpeg');
  const trial: TrialResult = {
    ...{
      index,
      outcome,
      status,
      reason,
      answer,
      actions,
      pageToolCalls,
      costUsd,
      usage,
      durationMs,
      finalUrl,
      healed,
      ...sumOfWaits([record]),
    },
    errorKind: record.errorKind ?? undefined,
    turns: record.turns.length,
    // By name: the HTML report has the picture.
    screenshot: picture?.name ?? null,
  };
  // The agent did its task, but something around it failed: a hook, a fixture's teardown.
  if (outcome === 'passed' && result.status !== 'passed') {
    const why = `the trial passed, but the test did not: ${firstError(result)}`;
    return {
      trial: { ...trial, outcome: 'error', status: 'error', errorKind: 'internal', reason: why },
      record,
    };
  }
  return { trial, record };
}

/** How a trial of an ordinary test failed. */
export interface Failure {
  index: number;
  /** The message, and its line. */
  what: string;
  /** What was expected and what received; empty if the message has neither. */
  values: string;
}

/**
 * A run of an ordinary test as a trial. It fails if it did not end as declared (`test.fail`); if the worker or the browser died, or
 * its agent could not do its work, it is an error.
 */
export function testTrial(index: number, result: TestResult): ReadTrial {
  const notes = agentNotes(result);
  const spent = {
    turns: sumOf(notes, ({ turns }) => turns),
    costUsd: sumOfCosts(notes.map(({ usage }) => usage.costUsd)),
    usage: sumOfTokens(notes.map(({ usage }) => usage)),
    ...sumOfWaits(notes),
  };
  const { errorKind, ...rest } = { ...withoutRecord(index, result), ...spent };
  if (rest.outcome === 'skipped') return { trial: rest };
  if (errorKind && errorKind !== 'setup') {
    const reason = errorKind === 'internal' ? firstError(result) : rest.reason;
    return { trial: { ...rest, errorKind, reason } };
  }
  // Whatever it expected after that says nothing about the site.
  const broken = notes.find(({ error }) => error)?.error;
  if (broken && result.status !== 'passed')
    return { trial: { ...rest, errorKind: broken.kind, reason: broken.reason } };
  if (result.status === declaredStatus(result))
    return { trial: { ...rest, outcome: 'passed', status: 'completed', reason: null } };
  const failure =
    result.status === 'passed' ? { what: 'expected to fail, but passed', values: '' } : errorAndPlace(result);
  const { what, values } = failure;
  const status = result.status === 'timedOut' ? 'timed_out' : 'completed';
  const reason = values ? `${what}: ${values}` : what;
  return { trial: { ...rest, outcome: 'failed', status, reason }, failure: { index, ...failure } };
}

/**
 * The failures of an ordinary test by message and line, the most frequent first: `3 of 4 failures: expect(locator).toHaveText(expected)
 * failed (chat.spec.ts:14): expected "3", received "2"; 1: Test timeout of 30000ms exceeded.`
 */
export function failuresText(failures: readonly Failure[]): string {
  const groups = groupBy(failures, ({ what }) => what);
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([what, [first, ...others]], index) => {
      const count = others.length + 1;
      const same = others.every(({ values }) => values === first.values);
      const values = first.values && `${same ? ': ' : `; in trial ${first.index + 1} `}${first.values}`;
      return `${index ? count : `${count} of ${plural(failures.length, 'failure')}`}: ${what}${values}`;
    })
    .join('; ');
}

/** The note of each `agent.run` in the test, in order. */
export function agentNotes({ attachments }: TestResult): AgentNote[] {
  return attachments.flatMap(({ name, body }) =>
    name === AGENT_ATTACHMENT && body ? (readAgentNote(body.toString('utf8')) ?? []) : [],
  );
}

/** `expect(locator).toHaveText(expected) failed (chat.spec.ts:14): expected "3", received "2"` */
function errorAndPlace(result: TestResult): Omit<Failure, 'index'> {
  const { location, message = '' } = result.errors[0] ?? {};
  const place = location ? ` (${basename(location.file)}:${location.line})` : '';
  const what = `${firstError(result).replace(/^Error: /, '')}${place}`;
  return { what, values: valuesIn(stripVTControlCharacters(message)) };
}

const MAX_VALUE = 100;
/** Of Playwright's messages, up to the next part. */
const VALUE = /^(Expected|Received)(?: [\w ]+)?: *([\s\S]+?)(?=\n\s*\n|\n(?:[A-Z][\w ]+:)|(?![\s\S]))/gm;
const DIFFERENCE = /^- Expected .*\n\+ Received .*$/m;
const DIFFERENT = [/^- +(?!Expected )(.+?),?$/m, /^\+ +(?!Received )(.+?),?$/m];
const NOT_FOUND = /^Error: (element\(s\) not found)$/m;

/** `expected "3", received "2"`; of objects and snapshots the first lines that differ. Empty if the message has none. */
function valuesIn(text: string): string {
  const message = text.split(/\n[^\S\n]*Call log:/i)[0]!.trimEnd();
  const values = DIFFERENCE.test(message)
    ? DIFFERENT.map((line, index) => [index ? 'received' : 'expected', line.exec(message)?.[1] ?? 'nothing'])
    : [...message.matchAll(VALUE)].slice(0, 2).map(([, what, value]) => [what!.toLowerCase(), value!]);
  const found = values.map(([what, value]) => `${what} ${oneLine(value!, MAX_VALUE)}`);
  return [...found, ...(NOT_FOUND.exec(message)?.slice(1) ?? [])].join(', ');
}

/** How the test was declared to end. Its `expectedStatus` can't tell: we change it to tolerate a failure. */
export function declaredStatus({ annotations }: Pick<TestResult, 'annotations'>): 'passed' | 'failed' {
  return annotations.some(({ type }) => type === 'fail') ? 'failed' : 'passed';
}

function recordOf(result: TestResult): TrialRecord | undefined {
  const attachment = result.attachments.findLast(({ name }) => name === RECORD_ATTACHMENT);
  if (!attachment) return undefined;
  try {
    return readRecord((attachment.body ?? readFileSync(attachment.path!)).toString('utf8'));
  } catch {
    return undefined;
  }
}

const NO_WORKER = /^(Error: )?worker process exited unexpectedly/i;
/** Playwright could not launch a browser or open a page. */
const NO_BROWSER = /^(Error: )?(browserType\.(launch|connect\w*)|browser\.new\w+|browserContext\.newPage): /;

function withoutRecord(index: number, result: TestResult): TrialResult {
  const base = { index, turns: 0, durationMs: result.duration, finalUrl: null };
  if (result.status === 'skipped') {
    const reason = result.annotations.find(({ type }) => type === 'skip')?.description ?? null;
    return { ...base, outcome: 'skipped', status: 'skipped', reason, costUsd: 0 };
  }
  const [errorKind, reason] = whyWithoutRecord(result);
  return {
    ...base,
    outcome: 'error',
    status: 'error',
    errorKind,
    reason,
    // The trial may have spent something before it broke.
    costUsd: errorKind === 'internal' ? null : 0,
  };
}

function whyWithoutRecord(result: TestResult): [ErrorKind, string] {
  const error = firstError(result);
  if (result.status === 'interrupted') return ['interrupted', `the trial had not begun: ${error}`];
  if (NO_BROWSER.test(error)) return ['browser', `the trial could not begin: ${error}`];
  const unreadable = result.attachments.some(({ name }) => name === RECORD_ATTACHMENT);
  if (unreadable || NO_WORKER.test(error)) return ['internal', `no record was left: ${error}`];
  return ['setup', `the test failed before its trial began: ${error}`];
}

export function firstError(result: TestResult): string {
  const message = result.errors[0]?.message ?? `the test ended as "${result.status}"`;
  return oneLine(message.split('\n')[0]!, 300);
}
