// Turns Playwright's results into trials: from the record, or from the result alone if there is no record.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { TestResult } from '@playwright/test/reporter';
import {
  type ErrorKind,
  escapeIn,
  RECORD_ATTACHMENT,
  readRecord,
  stoppedAt,
  type TrialRecord,
  whereOf,
} from '../data/record';
import { sumOfWaits } from '../data/usage';
import type { TrialResult } from '../data/verdict';
import { valuesIn } from '../playwright/inside/errors';
import { REFUSED } from '../playwright/run/plan';
import { oneLine, unlessBroken } from '../text/line';
import { agentWork01, nameControlsOf01 } from './version-0.1';

export type ReadTrial = { trial: TrialResult; record?: TrialRecord | undefined; failure?: Failure };

/** A trial never goes missing: if its worker died and left no record, it is an error. */
export function trialOf(index: number, result: TestResult): ReadTrial {
  const record = recordOf(result);
  if (!record) return { trial: withoutRecord(index, result) };
  const { outcome, status, reason, durationMs } = record;
  const errorKind = record.errorKind ?? undefined;
  const trial = { index, outcome, status, errorKind, reason, durationMs, ...workIn(record, result) };
  if (outcome !== 'passed' || result.status === 'passed') return { trial, record };
  // The agent did its task, but a hook or a fixture's teardown failed, or was broken off and might have failed.
  const isBrokenOff = result.status === 'interrupted' && !result.errors.length;
  const [kind, why] = isBrokenOff
    ? ['interrupted', 'the run was interrupted before the hooks and fixtures of the test had ended']
    : ['internal', `the trial passed, but the test did not: ${firstError(result)}`];
  return { trial: { ...trial, outcome: 'error', status: 'error', errorKind: kind, reason: why }, record };
}

function workIn(record: TrialRecord, { attachments }: TestResult) {
  const { answer, actions, pageToolCalls, costUsd, finalUrl, healed } = record;
  const { costUsd: _, ...usage } = record.usage;
  const waits = sumOfWaits([record]);
  const turns = record.turns.length;
  const picture = attachments.findLast(({ contentType }) => contentType === 'image/jpeg');
  const screenshot = picture?.name ?? null;
  return { answer, actions, pageToolCalls, costUsd, usage, finalUrl, healed, ...waits, turns, screenshot };
}

/** How a trial of an ordinary test failed: `title` has the message and its line, `reason` also what was expected and received. */
export type Failure = Record<'title' | 'reason', string>;

/** A run of an ordinary test as a trial. It is an error if the worker or the browser died, or its agent could not do its work. */
export function testTrial(index: number, result: TestResult): ReadTrial {
  const record = recordOf(result);
  const work01 = agentWork01(result);
  const work = record ? workIn(record, result) : work01.spent;
  const { errorKind, ...rest } = { ...withoutRecord(index, result, !record), ...work };
  if (rest.outcome === 'skipped') return { trial: rest };
  // After its agent broke, a failed `expect` says nothing about the site.
  const broken = record?.status === 'error' ? record : work01.error;
  if (broken && result.status !== 'passed') {
    const { errorKind, endReason } = broken;
    return { trial: { ...rest, errorKind: errorKind ?? 'internal', reason: endReason ?? null }, record };
  }
  // A failed hook may be the test's own fault, so it is a failure. A trial that we refused to begin is not.
  if (errorKind && (refusalOf(result) || errorKind !== 'setup')) {
    const why: Partial<Record<string, string>> = {
      internal: firstError(result),
      interrupted: 'the run was interrupted before the trial ended',
    };
    return { trial: { ...rest, errorKind, reason: why[errorKind] ?? rest.reason } };
  }
  if (endedAsDeclared(result, record))
    return { trial: { ...rest, outcome: 'passed', status: 'completed', reason: null }, record };
  const ended = result.status === 'timedOut' ? 'timed_out' : 'completed';
  const status = record && record.status !== 'completed' ? record.status : ended;
  const title = result.status === 'passed' ? 'expected to fail, but passed' : errorAndPlace(result);
  const values = [record?.endReason, valuesIn(result.errors[0]?.message ?? '')].filter(Boolean).join('; ');
  const told = values ? `${title}: ${values}` : title;
  const reason = record ? stoppedAt(told, whereOf(record)) : told;
  const trial = { ...rest, outcome: 'failed', status, reason } as const;
  return { trial, record, failure: { title, reason: told } };
}

/** `test.fail` does not excuse an agent that left the allowed domains. */
function endedAsDeclared(result: TestResult, record: TrialRecord | undefined): boolean {
  const left = record && escapeIn(record.refusals);
  return !left && result.status === declaredStatus(result);
}

function errorAndPlace(result: TestResult): string {
  const { location } = result.errors[0] ?? {};
  const place = location ? ` (${basename(location.file)}:${location.line})` : '';
  return `${firstError(result).replace(/^Error: /, '')}${place}`;
}

/**
 * How the test was declared to end; `passed` if it is also declared to be skipped. We can't use its `expectedStatus`, which we change
 * ourselves to tolerate failures. Annotations without a location were pushed by code, and declare nothing.
 */
export function declaredStatus({ annotations }: Pick<TestResult, 'annotations'>): 'passed' | 'failed' {
  const declared = annotations.filter(({ location }) => location).map(({ type }) => type);
  const toFail = declared.includes('fail') && !declared.includes('skip') && !declared.includes('fixme');
  return toFail ? 'failed' : 'passed';
}

function recordOf(result: TestResult): TrialRecord | undefined {
  const attachment = result.attachments.findLast(({ name }) => name === RECORD_ATTACHMENT);
  if (!attachment) return undefined;
  const bytes = unlessBroken(() => attachment.body ?? readFileSync(attachment.path!));
  const record = bytes && readRecord(bytes.toString('utf8'));
  if (record) nameControlsOf01(record);
  return record;
}

const NO_WORKER = /^(Error: )?worker process exited unexpectedly/i;
const NO_BROWSER = /^(Error: )?(browserType\.(launch|connect\w*)|browser\.new\w+|browserContext\.newPage): /;

/** @param wanted whether it should have one */
function withoutRecord(index: number, result: TestResult, wanted = true): TrialResult {
  const base = { index, turns: 0, durationMs: result.duration, finalUrl: null };
  if (result.status === 'skipped') {
    const reason = result.annotations.find(({ type }) => type === 'skip')?.description ?? null;
    return { ...base, outcome: 'skipped', status: 'skipped', reason, costUsd: 0 };
  }
  const [errorKind, reason] = whyWithoutRecord(result, wanted);
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

function whyWithoutRecord(result: TestResult, wanted: boolean): [ErrorKind, string] {
  const error = firstError(result);
  if (result.status === 'interrupted') return ['interrupted', `the trial had not begun: ${error}`];
  if (NO_BROWSER.test(error)) return ['browser', `the trial could not begin: ${error}`];
  const unreadable = wanted && result.attachments.some(({ name }) => name === RECORD_ATTACHMENT);
  if (unreadable || NO_WORKER.test(error)) return ['internal', `no record was left: ${error}`];
  const prepare = result.steps.some(step => step.title === 'prepare' && step.error) && 'prepare';
  return ['setup', refusalOf(result) ?? `${prepare || 'the test'} failed before its trial began: ${error}`];
}

/** Why we did not begin it. */
function refusalOf({ annotations }: TestResult): string | undefined {
  return annotations.find(({ type }) => type === REFUSED)?.description?.split('\n')[0];
}

export function firstError(result: TestResult): string {
  const message = result.errors[0]?.message ?? `the test ended as "${result.status}"`;
  return oneLine(message.split('\n')[0]!, 300);
}
