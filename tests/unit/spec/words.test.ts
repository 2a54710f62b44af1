// The parts of the format's messages: values and paths in words.
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  errorPlace,
  escapeControls,
  formatPath,
  problemsIn,
  shown,
  TaskSpecError,
  TaskSpecValidationError,
} from '../../../src/spec/errors';
import { errorOf } from './specs';

test.each([
  ['goal', '"goal"'],
  ['a "b"', '"a \\"b\\""'],
  ['x'.repeat(60), `"${'x'.repeat(60)}"`],
  ['x'.repeat(61), `"${'x'.repeat(60)}..."`],
  ['\u001b\u007f\u202e', '"\\u001b\\u007f\\u202e"'],
])('%j is shown as %s', (text, expected) => expect(shown(text)).toBe(expected));

test('what a terminal would obey is written out, in four digits', () => {
  expect(escapeControls('a\u0000\n\u009f\u2028\u2069b')).toBe('a\\u0000\\u000a\\u009f\\u2028\\u2069b');
  expect(escapeControls('ü \u00a0 日本 \u200d')).toBe('ü \u00a0 日本 \u200d');
});

test.each<[PropertyKey[], string]>([
  [[], ''],
  [['goal'], 'goal'],
  [['assertions', 0, 'text'], 'assertions[0].text'],
  [[0], '[0]'],
  [['a.b', 'c'], '["a.b"].c'],
  [['x', ''], 'x[""]'],
  [['pass-policy', '$x_1'], 'pass-policy.$x_1'],
  [['x'.repeat(61)], `["${'x'.repeat(60)}..."]`],
])('the path %j is %s', (path, text) => expect(formatPath(path)).toBe(text));

test('the problems of a value, one line each, with its path', () => {
  const schema = z.strictObject({ a: z.object({ b: z.array(z.number()) }), c: z.string() });
  const problems = (value: unknown) => problemsIn(schema.safeParse(value).error!, 'the file');
  expect(problems({ a: { b: [1, 'x'] }, c: 'x' })).toEqual([expect.stringMatching(/^a\.b\[1\]: Invalid/)]);
  expect(problems({ a: { b: [] }, c: 1, d: 1 }).map(line => line.split(':')[0])).toEqual(['c', 'the file']);
  expect(problems(7)).toEqual([expect.stringMatching(/^the file: Invalid/)]);
});

test.each<[string, TaskSpecError, [number, number]]>([
  ['of one with a place', errorOf('a: [', 'x.yaml'), [1, 5]],
  [
    'of several problems the first',
    new TaskSpecValidationError([
      { path: '', message: 'm', line: 3, column: 4 },
      { path: '', message: 'm', line: 5, column: 6 },
    ]),
    [3, 4],
  ],
  ['of none', new TaskSpecValidationError([]), [1, 1]],
  ['of a file that can not be read', new TaskSpecError('gone', 'x.yaml'), [1, 1]],
])('the place %s', (_, error, [line, column]) => expect(errorPlace(error)).toEqual({ line, column }));

test('one problem is not several', () => {
  const one = { path: 'id', message: 'is wrong', line: 1, column: 2 };
  expect(new TaskSpecValidationError([one], 'x.yaml').message).toBe(
    'x.yaml: 1 problem in this task spec\n  x.yaml:1:2 id: is wrong',
  );
  expect(new TaskSpecValidationError([{ ...one, path: '' }, one]).message).toBe(
    '2 problems in this task spec\n  1:2 is wrong\n  1:2 id: is wrong',
  );
});
