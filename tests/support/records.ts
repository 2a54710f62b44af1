// Records of trials: those of a run, from the output of Playwright's JSON reporter, and made-up ones.

import type { PageAction } from '../../src/data/action';
import {
  RECORD_ATTACHMENT,
  RECORD_SCHEMA_VERSION,
  readRecord,
  type TrialRecord,
  type TurnRecord,
} from '../../src/data/record';
import { RECORDING_VERSION } from '../../src/data/recording';
import { NO_USAGE } from '../../src/data/usage';
import { type ReportedTest, testsIn } from './json-report';

/** The record of a trial that passed without a turn, with the fields in `more`. */
export function madeRecord(more: Partial<TrialRecord> = {}): TrialRecord {
  return {
    schemaVersion: RECORD_SCHEMA_VERSION,
    specId: 'buy',
    specHash: 'a',
    specFile: 'buy.yaml',
    agent: 'mine',
    model: null,
    replayed: false,
    repeatIndex: 0,
    retry: 0,
    seed: 1,
    policy: { k: 2, minPasses: 2 },
    status: 'completed',
    errorKind: null,
    outcome: 'passed',
    reason: null,
    turns: [],
    network: { events: [], dropped: 0 },
    guard: 'protocol',
    refusals: [],
    assertions: [],
    judge: null,
    usage: NO_USAGE,
    costUsd: 0,
    finalUrl: null,
    examination: null,
    startedAt: '2026-11-22T00:00:00.000Z',
    durationMs: 1,
    ...more,
  };
}

/** A turn in which nothing was done, with the fields in `more`. */
export const madeTurn = (more: Partial<TurnRecord> = {}): TurnRecord => ({
  ...{ number: 1, title: 'turn', narration: '', outcome: 'ok', notices: [], url: '', usage: NO_USAGE },
  ...{ actions: [], startedAtMs: 0, durationMs: 1, screenshot: null, ...more },
});

/** An action as it is recorded on a page, which it changes or leaves for another. */
export const madeAction = <Action extends PageAction>(action: Action, path = '/', to = path) => ({
  ...{ tab: 0, before: { url: path, content: 'a' }, after: { url: to, content: 'b' } },
  ...action,
});

/** A recording of one turn, with the fields in `more`. */
export const madeRecording = (recorded: object[], more: object = {}) => ({
  recordingVersion: RECORDING_VERSION as typeof RECORDING_VERSION,
  ...{ specId: 'order', specHash: 'abc', agent: 'claude', model: null },
  recordedAt: '2026-11-05T10:00:00.000Z',
  turns: [{ title: 'act', actions: [{ title: 'act', recorded }] }],
  ...more,
});

/** @param json output of the reporter `json` */
export const recordsIn = (json: string) => recordsOf(testsIn(json));

export function recordsOf(tests: readonly ReportedTest[]): TrialRecord[] {
  return tests
    .flatMap(({ results }) => results)
    .flatMap(({ attachments }) => attachments.filter(({ name }) => name === RECORD_ATTACHMENT))
    .flatMap(({ body = '' }) => readRecord(Buffer.from(body, 'base64').toString('utf8')) ?? []);
}
