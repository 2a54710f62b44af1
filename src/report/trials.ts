// From Playwright's results to trials: the record of each, or what can be said without one.
import { readFileSync } from 'node:fs';
import type { TestResult } from '@playwright/test/reporter';
import { type ErrorKind, RECORD_ATTACHMENT, readRecord, type TrialRecord } from '../trial/record';
import { oneLine } from '../trial/safe-text';
import type { TrialResult } from '../verdicts/shapes';

export interface RecordedTrial {
  trial: TrialResult;
  /** Undefined if the worker died before it could leave one, and for a skipped trial. */
  record: TrialRecord | undefined;
}

/** A trial never goes missing: one without a record is an error of the infrastructure. */
export function trialOf(index: number, result: TestResult): RecordedTrial {
  const record = recordOf(result);
  if (!record) return { trial: withoutRecord(index, result), record };
  const { costUsd, ...usage } = record.usage;
  const picture = result.attachments.findLast(({ contentType }) => contentType === 'image/jpeg');
  const trial: TrialResult = {
    index,
    outcome: record.outcome,
    status: record.status,
    ...(record.errorKind ? { errorKind: record.errorKind } : {}),
    reason: record.reason,
    turns: record.turns.length,
    costUsd: record.costUsd,
    usage,
    durationMs: record.durationMs,
    finalUrl: record.finalUrl,
    // By name: the reports hold the picture.
    screenshot: picture?.name ?? null,
    ...(record.healed ? { healed: record.healed } : {}),
  };
  // The agent did its task, but the suite around it failed: a hook, a fixture's teardown.
  if (record.outcome === 'passed' && result.status !== 'passed') {
    const reason = `the trial passed, but the test did not: ${firstError(result)}`;
    return { trial: { ...trial, outcome: 'error', status: 'error', errorKind: 'internal', reason }, record };
  }
  return { trial, record };
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

/** The process died, whatever it was doing. */
const NO_WORKER = /^(Error: )?worker process exited unexpectedly/i;
/** Playwright's fixtures could not launch a browser or open a page in it. */
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
    // Whatever the trial did before it broke is not known to have been free.
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

function firstError(result: TestResult): string {
  const message = result.errors[0]?.message ?? `the test ended as "${result.status}"`;
  return oneLine(message.split('\n')[0]!, 300);
}
