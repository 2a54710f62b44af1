// The labels file: one line each, so that two who label in turn, or at the same time, lose nothing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type JudgeAnswer, type Label, labelsText, ratedBy, readLabels } from '../../../src/data/labels';
import { tempFolder } from '../../support/temp-folder';

const label = (trial: string, more: Partial<Label> = {}): Label => ({
  ...{ spec: 'send', project: 'agents', trial: trial.padStart(32, '0'), rubric: 'r1', index: 0 },
  ...{ run: '2026-11-25T10:00:00.000Z', label: 'passed', at: '2026-11-25T11:00:00.000Z', ...more },
});
const JUDGE = { judge: 'webJudge', model: 'm', prompt: '1' };
const answer = (trial: string, more: Partial<JudgeAnswer> = {}): JudgeAnswer => ({
  ...{ ...JUDGE, trial: trial.padStart(32, '0'), rubric: 'r1', passed: true, ...more },
});

function read(text: string) {
  const file = join(tempFolder(), 'taskproof-labels.json');
  writeFileSync(file, text);
  return readLabels(file);
}

test('is written sorted, and read as it was', () => {
  const all = { labels: [label('b'), label('a')], answers: [answer('a')] };
  const text = labelsText(all);
  expect(text).toBe(labelsText({ labels: all.labels.toReversed(), answers: all.answers }));
  expect(text.split('\n').filter(line => line.includes('"trial"'))).toHaveLength(3);
  expect(read(text)).toEqual({ labels: [label('a'), label('b')], answers: [answer('a')] });
  expect(readLabels('/nowhere/taskproof-labels.json')).toEqual({ labels: [], answers: [] });
});

test('Git keeps the lines of two who labelled; of one trial the later label counts', () => {
  const ours = labelsText({ labels: [label('a'), label('b')], answers: [] });
  const theirs = { label: 'failed' as const, at: '2026-11-25T12:00:00.000Z' };
  const line = (each: Label) => JSON.stringify(each);
  const merged = ours
    .replace(line(label('b')), `${line(label('b'))},`)
    .replace(`${line(label('a'))},`, `${line(label('a', theirs))}\n${line(label('a'))},`);
  expect(read(merged).labels).toEqual([label('a', theirs), label('b')]);
});

test.each([
  ['no JSON', '{', 'not JSON'],
  ['another version', '{ "schemaVersion": "2" }', 'schemaVersion'],
  [
    'a label that is none',
    labelsText({ labels: [label('a', { label: 'maybe' as never })], answers: [] }),
    'label',
  ],
])('%s is refused with the file and the place', (_, text, what) => {
  expect(() => read(text)).toThrow(/taskproof-labels\.json: /);
  expect(() => read(text)).toThrow(what);
});

test('a judge is compared with labels of the rubric that it was asked by', () => {
  const labels = [label('a'), label('b', { label: 'failed' }), label('c', { label: 'unclear' }), label('d')];
  const answers = [
    ...[answer('a'), answer('b'), answer('c')],
    answer('d', { rubric: 'r0' }),
    answer('d', { model: 'other' }),
  ];
  const all = { labels, answers };
  const values = (rubric?: string) =>
    ratedBy(all, JUDGE, () => rubric).map(({ label, passed }) => [label, passed]);
  const expected = [
    [true, true],
    [false, true],
    [null, true],
  ];
  expect(values()).toEqual(expected);
  expect(values('r1')).toEqual(expected);
  expect(values('r2')).toEqual([]);
});
