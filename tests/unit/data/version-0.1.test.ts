// What version 0.1 wrote in real runs (tests/data/0.1) is still read, and the schemas that it published have not changed.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { protocolJsonSchema } from '../../../src/data/agent-protocol';
import { baselineText, readHistory } from '../../../src/data/baseline';
import { RECORD_ATTACHMENT, readRecord, trialRecordSchema } from '../../../src/data/record';
import { readRecording } from '../../../src/data/recording';
import { readResults, resultsJsonSchema } from '../../../src/data/results';
import { agentNote01Schema } from '../../../src/report/version-0.1';
import { taskSpecJsonSchema } from '../../../src/spec/schema';
import { unzip } from '../../support/unzip';

const ROOT = resolve(__dirname, '../../data/0.1');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (folder: string) => readdirSync(join(ROOT, folder)).map(name => `${folder}/${name}`);

test.each(filesIn('records'))('%s', file => {
  const text = textOf(file);
  const read = file.endsWith('agent-note.json')
    ? agentNote01Schema.parse(JSON.parse(text))
    : readRecord(text);
  expect(read).toEqual(JSON.parse(text));
});

test.each(filesIn('results'))('%s', file => {
  expect(readResults(textOf(file), file)).toEqual(JSON.parse(textOf(file)));
  // A results file is a baseline of one run, too.
  expect(readHistory(textOf(file), file)[0]!.verdicts.length).toBeGreaterThan(0);
});

test.each(filesIn('recordings'))('%s', file => {
  expect(readRecording(textOf(file), file)).toEqual(JSON.parse(textOf(file)));
});

test.each(filesIn('baselines'))('%s', file => {
  expect(baselineText(readHistory(textOf(file), file), 10)).toBe(textOf(file));
});

interface BlobEvent {
  params?: { attachments?: { name: string; base64?: string }[] };
}

// tests/e2e/version-0.1.test.ts merges them.
test.each(filesIn('blobs'))('the records in %s', file => {
  const report = unzip(readFileSync(join(ROOT, file))).find(({ name }) => name === 'report.jsonl')!;
  const events = report.content
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as BlobEvent);
  const attached = events.flatMap(({ params }) => params?.attachments ?? []);
  const bodies = (wanted: string) =>
    attached.flatMap(({ name, base64 }) =>
      name === wanted ? [Buffer.from(base64!, 'base64').toString('utf8')] : [],
    );
  expect(bodies(RECORD_ATTACHMENT).length).toBeGreaterThan(3);
  for (const body of bodies(RECORD_ATTACHMENT)) {
    expect(trialRecordSchema.safeParse(JSON.parse(body)).error).toBeUndefined();
    expect(readRecord(body)).toEqual(JSON.parse(body));
  }
  for (const body of bodies('_taskproof-agent'))
    expect(agentNote01Schema.parse(JSON.parse(body))).toEqual(JSON.parse(body));
});

test('the schema of task specs is the same, byte for byte', () => {
  const schema = `${JSON.stringify(taskSpecJsonSchema('0.1'), null, 2)}\n`;
  expect(schema, '0.1 is published. What is new belongs into playwright/1').toBe(
    textOf('schemas/task-spec.json'),
  );
});

test('the protocol of programs has all lines and fields that it had; it may have more', () => {
  const before = JSON.parse(textOf('schemas/agent-protocol.json'));
  const { line, task } = before.$defs;
  const withFields = (each: { properties: object }) => ({
    ...each,
    properties: expect.objectContaining(each.properties),
  });
  line.oneOf = expect.arrayContaining(
    line.oneOf.map((each: { type?: string }) => ('properties' in each ? withFields(each as never) : each)),
  );
  before.$defs.task = { ...withFields(task), required: expect.arrayContaining(task.required) };
  expect(protocolJsonSchema()).toEqual(before);
});

test('the schema of results has all that it had; it may have more, bounds and other words', () => {
  const withoutWords = (key: string, value: unknown) =>
    key === 'maximum' || (key === 'description' && typeof value === 'string') ? undefined : value;
  const schema = (text: string) => JSON.parse(text, withoutWords);
  expect(schema(JSON.stringify(resultsJsonSchema()))).toMatchObject(schema(textOf('schemas/results.json')));
});
