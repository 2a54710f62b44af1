// The records of a run, as Playwright's JSON reporter keeps them.
import { RECORD_ATTACHMENT, readRecord, type TrialRecord } from '../../src/trial/record';

interface JsonSuite {
  suites?: JsonSuite[];
  specs?: { tests: { results: { attachments: { name: string; body?: string }[] }[] }[] }[];
}

/** @param json output of the reporter `json` */
export function recordsIn(json: string): TrialRecord[] {
  const specsOf = (suite: JsonSuite): NonNullable<JsonSuite['specs']> => [
    ...(suite.specs ?? []),
    ...(suite.suites ?? []).flatMap(specsOf),
  ];
  return specsOf(JSON.parse(json) as JsonSuite)
    .flatMap(spec => spec.tests.flatMap(({ results }) => results))
    .flatMap(({ attachments }) => attachments.filter(({ name }) => name === RECORD_ATTACHMENT))
    .flatMap(({ body = '' }) => readRecord(Buffer.from(body, 'base64').toString('utf8')) ?? []);
}
