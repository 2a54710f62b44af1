import { describe, expect, test } from 'vitest';
import { formatCost, formatDuration, formatRate, paint, table, useColour } from '../../src/report/format';
import { oneLine } from '../../src/trial/safe-text';

describe('plain', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['two\r\nlines\tand  spaces ', 'two lines and spaces'],
    ['bell\u0007 and \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007', 'bell and link'],
    ['abc\u202edef\u200b', 'abcdef'],
    ['one\u2028two\u00a0three', 'one two three'],
    ['\u009b31mC1', 'C1'],
    ['lone escape \u001b', 'lone escape'],
  ])('%j', (text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });

  test('cuts by characters, not in the middle of one', () => {
    expect(oneLine('abcdef', 4)).toBe('abc…');
    expect(oneLine('😀😀😀', 2)).toBe('😀…');
    expect(oneLine('abcd', 4)).toBe('abcd');
  });
});

describe('table', () => {
  test('aligns columns, wide characters and colours included', () => {
    const rows = [
      ['spec', 'passes', 'reason'],
      [{ text: 'カート', style: 'red' as const }, '4/5', ''],
      ['a', '12/12', 'because\nof this'],
    ];
    expect(table(rows, { right: [1], indent: '  ' })).toBe(
      ['  spec    passes  reason', '  カート     4/5', '  a        12/12  because of this'].join('\n'),
    );
    expect(table(rows, { right: [1], colour: true })).toContain('\u001b[31mカート\u001b[39m     4/5');
  });

  test('of no rows is empty', () => {
    expect(table([])).toBe('');
  });
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
  expect(paint('red', 'x', false)).toBe('x');
});

test.each([
  [null, 'unknown'],
  [0, '$0'],
  [0.0042, '$0.0042'],
  [0.00000012, '$1.2e-7'],
  [0.42, '$0.42'],
  [12, '$12.00'],
])('cost %j', (usd, expected) => {
  expect(formatCost(usd)).toBe(expected);
});

test.each([
  [0, '0ms'],
  [999.4, '999ms'],
  [1000, '1.0s'],
  [12_345, '12.3s'],
  [59_400, '59.4s'],
  [59_990, '1m 00s'],
  [125_000, '2m 05s'],
  [3_725_000, '1h 02m'],
])('duration %d', (ms, expected) => {
  expect(formatDuration(ms)).toBe(expected);
});

test('rate', () => {
  expect(formatRate(0.8, [0.3755, 0.9638])).toBe('80% (38-96%)');
  expect(formatRate(1)).toBe('100%');
  expect(formatRate(null, null)).toBe('-');
});
