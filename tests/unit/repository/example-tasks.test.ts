import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseTaskSpec } from '../../../src/spec';

const files = ['tasks', 'experiment'].flatMap(folder =>
  readdirSync(`example-tasks/${folder}`).map(name => `example-tasks/${folder}/${name}`),
);
const sources = files.map(file => readFileSync(file, 'utf8'));

test.each(files)('%s is valid, and named as its id', file => {
  const spec = parseTaskSpec(readFileSync(file, 'utf8'), { filename: file });
  expect(`${spec.id}.yaml`).toBe(basename(file));
});

test('between them the specs use every field and every state of an assertion', () => {
  const documents = sources.map(source => parse(source));
  const assertions = documents.flatMap(document => document.assertions);
  const keys = (values: object[]) => [...new Set(values.flatMap(Object.keys))].sort();
  const valuesOf = (key: string) => [...new Set(assertions.map(assertion => assertion[key]))];

  expect(keys(documents)).toEqual(
    [
      ...['allowedDomains', 'assertions', 'description', 'entryUrl', 'goal', 'id', 'judge'],
      ...['maxCostUsd', 'maxSteps', 'passPolicy', 'specVersion', 'tags'],
    ].sort(),
  );
  expect(keys(documents.flatMap(({ passPolicy }) => passPolicy ?? []))).toEqual(['k', 'minPasses']);
  expect(keys(assertions)).toEqual(
    ['description', 'method', 'pattern', 'selector', 'state', 'status', 'text', 'type', 'urlPattern'].sort(),
  );
  expect(valuesOf('type').sort()).toEqual(['dom', 'network', 'url']);
  expect(valuesOf('state')).toEqual(
    expect.arrayContaining([undefined, 'visible', 'attached', 'text', 'absent', 'hidden']),
  );
  expect(valuesOf('status')).toEqual(expect.arrayContaining([undefined, 201, '2xx', '3xx']));
  expect(
    documents.some(({ allowedDomains }) => allowedDomains?.some((domain: string) => domain.startsWith('*.'))),
  ).toBe(true);
});
