// Figures, single lines, colours, and what may be printed.
import { expect, test } from 'vitest';
import { few, oneLine } from '../../../src/text/line';
import {
  formatCost,
  formatDuration,
  formatRate,
  paint,
  print,
  printable,
  printableJson,
  useColour,
} from '../../../src/text/print';

test.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['two\r\nlines\tand  spaces ', 'two lines and spaces'],
  ['bell\u0007 and \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007', 'bell and link'],
  ['abc\u202edef\u200b', 'abcdef'],
  ['abc\ufffedef\uffff', 'abcdef'],
  ['one\u2028two\u00a0three', 'one two three'],
  ['\u009b31mC1', 'C1'],
  ['lone escape \u001b', 'lone escape'],
])('%j in one line', (text, expected) => expect(oneLine(text)).toBe(expected));

test('cuts by characters, not in the middle of one', () => {
  expect(oneLine('abcdef', 4)).toBe('abc…');
  expect(oneLine('😀😀😀', 2)).toBe('😀…');
  expect(oneLine('abcd', 4)).toBe('abcd');
});

test('colour', () => {
  const tty = { isTTY: true } as unknown as NodeJS.WriteStream;
  const pipe = {} as NodeJS.WriteStream;
  expect(useColour(tty, {})).toBe(true);
  expect(useColour(pipe, {})).toBe(false);
  expect(useColour(tty, { NO_COLOR: '1' })).toBe(false);
  expect(useColour(tty, { NO_COLOR: '' })).toBe(true);
  expect(useColour(pipe, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true);
  expect(useColour(tty, { FORCE_COLOR: '0' })).toBe(false);
  expect(useColour(tty, { TERM: 'dumb' })).toBe(false);
  expect(paint('red', 'x', false)).toBe('x');
});

test.each([
  [formatCost(null), 'unknown'],
  [formatCost(0), '$0'],
  [formatCost(0.004_251), '$0.0043'],
  [formatCost(0.01), '$0.01'],
  [formatCost(0.00000012), '$1.2e-7'],
  [formatCost(12), '$12.00'],
  [formatDuration(0), '0ms'],
  [formatDuration(999.4), '999ms'],
  [formatDuration(1000), '1.0s'],
  [formatDuration(59_499), '59.4s'],
  [formatDuration(59_990), '1m 00s'],
  [formatDuration(3_599_000), '59m 59s'],
  [formatDuration(3_600_000), '1h 00m'],
  [formatDuration(3_725_000), '1h 02m'],
  [formatRate(0.8, [0.3755, 0.9638]), '80% (38-96%)'],
  [formatRate(null, null), '-'],
  [few(['a', 'b'], 2), 'a, b'],
  [few(['a', 'b', 'c'], 2), 'a, b and 1 more'],
])('%s', (text, expected) => expect(text).toBe(expected));

test('what is printed obeys nobody but us: colours stay where they are ours to use', () => {
  const text = '\u001b[31mred\u001b[39m\u001b[2J\u202e';
  expect(printable(text)).not.toContain('\u001b');
  expect(printable(text, true)).toBe('\u001b[31mred\u001b[39m');
  const written: string[] = [];
  print({ write: (line: string) => written.push(line) > 0 } as never, 'a\u202e');
  expect(written).toEqual(['a\n']);
});

test('JSON for programs parses to the same value, and is harmless in a log', () => {
  const value = { 'a\u202e': ['x ::error::x', '##[error]', '##vso[a]', 'a: b', '\u001b[31m\u2028', 'x\ny'] };
  const text = printableJson(value);
  expect(JSON.parse(text)).toEqual(value);
  for (const raw of [' ::', '##[', '##vso', '\u001b', '\u2028', '\u202e']) expect(text).not.toContain(raw);
  expect(text).toContain('\n  "a');
  expect(text).toContain('"a: b"');
});
