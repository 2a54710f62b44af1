import { describe, expect, test } from 'vitest';
import { gridOf, rateText, specLabel, specsAndTests } from '../../../../src/report/render/document';
import { cellText, displayWidth, table, wrapped } from '../../../../src/report/render/terminal-writer';
import { few, oneLine } from '../../../../src/text/line';
import {
  formatCost,
  formatDuration,
  formatRate,
  paint,
  plural,
  print,
  printable,
  printableJson,
  useColour,
} from '../../../../src/text/print';

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
    const head = ['spec', 'passes', 'reason'];
    const rows = [
      [{ text: 'カート\n', style: 'red' as const }, '4/5', ''],
      ['a', '12/12', 'because\nof this'],
    ];
    expect(table({ head, rows, right: ['passes'] }, { indent: '  ' })).toBe(
      ['  spec    passes  reason', '  カート     4/5', '  a        12/12  because of this'].join('\n'),
    );
    expect(table({ head, rows, right: ['passes'] }, { colour: true })).toContain(
      '\u001b[31mカート\u001b[39m     4/5',
    );
  });

  test('of no rows is empty', () => {
    expect(table({ rows: [] })).toBe('');
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
  expect(useColour(tty, { FORCE_COLOR: 'false' })).toBe(false);
  expect(useColour(tty, { TERM: 'dumb' })).toBe(false);
  expect(useColour(tty, { TERM: 'xterm' })).toBe(true);
  expect(paint('red', 'x', false)).toBe('x');
});

test.each([
  [null, 'unknown'],
  [0, '$0'],
  [0.0042, '$0.0042'],
  [0.004_251, '$0.0043'],
  [0.01, '$0.01'],
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
  [59_499, '59.4s'],
  [60_000, '1m 00s'],
  [3_599_000, '59m 59s'],
  [3_600_000, '1h 00m'],
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

test('a rate that stops early has no interval to trust', () => {
  const interval: [number, number] = [0.3, 0.9];
  expect(rateText({ rate: 0.5, interval })).toBe('50% (30-90%)');
  expect(rateText({ rate: 0.5, interval, earlyStop: true })).toBe('50%, stops early');
  expect(rateText({ rate: null, interval: null, earlyStop: true })).toBe('-');
});

test.each([
  [['a'], 2, 'a'],
  [['a', 'b'], 2, 'a, b'],
  [['a', 'b', 'c'], 2, 'a, b and 1 more'],
  [[], 2, ''],
])('%j, %d at most: %j', (names, most, expected) => expect(few(names, most)).toBe(expected));

test('names in one line', () => {
  expect(specLabel('cart\n', 'opus\u001b[2J')).toBe('cart [opus]');
  expect(specLabel('cart\n', '')).toBe('cart');
  expect([plural(0, 'trial'), plural(1, 'trial'), plural(2, 'trial')]).toEqual([
    ...['0 trials', '1 trial', '2 trials'],
  ]);
});

describe('specs and tests', () => {
  const [spec, one] = [{}, { titlePath: ['a.spec.ts', 'x'] }];
  test.each<[object[], string, string]>([
    [[], '0 specs', 'test'],
    [[spec], '1 spec', 'spec'],
    [[one], '1 test', 'test'],
    [[spec, spec, one], '2 specs and 1 test', 'spec'],
  ])('%j', (rows, count, name) => {
    expect(specsAndTests(rows)).toBe(count);
    expect(gridOf(rows, { spec: () => '' }, () => null).head).toEqual([name]);
  });

  test('tests without an agent have neither turns nor cost', () => {
    const columns = { spec: () => 'a', turns: () => '2', cost: () => '$1', p: () => '1' };
    const headOf = (rows: (typeof one | typeof spec)[], agent: string | null) =>
      gridOf(rows, columns, () => agent).head;
    expect(headOf([one, one], null)).toEqual(['test', 'p']);
    expect(headOf([one], 'claude')).toEqual(['test', 'turns', 'cost', 'p']);
    expect(headOf([one, spec], null)).toEqual(['spec', 'turns', 'cost', 'p']);
    expect(headOf([], 'claude')).toEqual(['test', 'p']);
    expect(gridOf([spec], columns, () => null).rows).toEqual([['a', '2', '$1', '1']]);
  });
});

test.each([
  ['', 10, '>'],
  ['one', 2, '>one'],
  ['one two three', 7, '>one two\n>three'],
  ['one two three', 6, '>one\n>two\n>three'],
  ['one  two\nthree', 99, '>one two three'],
  ['日本 日本', 8, '>日本\n>日本'],
])('%j in %d columns', (text, width, expected) => expect(wrapped(text, width, '>')).toBe(expected));

test.each([
  ['abc', 3],
  ['日本', 4],
  ['é e\u0301', 3],
  ['😀', 2],
  ['ｱ', 1],
])('%j takes %d columns', (text, columns) => expect(displayWidth(text)).toBe(columns));

test('joined characters are parted', () => expect(cellText('a\u200db\u200c \n')).toBe('ab'));

describe('what is printed', () => {
  test('obeys nobody but us: colours stay where they are ours to use', () => {
    const text = '\u001b[31mred\u001b[39m\u001b[2J\u202e';
    expect(printable(text)).not.toContain('\u001b');
    expect(printable(text, true)).toBe('\u001b[31mred\u001b[39m');
    const written: string[] = [];
    print({ write: (line: string) => written.push(line) > 0 } as never, 'a\u202e');
    expect(written).toEqual(['a\n']);
  });

  test('JSON for programs parses to the same value, and is harmless in a log', () => {
    const value = {
      'a\u202e': ['x ::error::x', '##[error]', '##vso[a]', 'a: b', '\u001b[31m\u2028', 'x\ny'],
    };
    const text = printableJson(value);
    expect(JSON.parse(text)).toEqual(value);
    for (const raw of [' ::', '##[', '##vso', '\u001b', '\u2028', '\u202e']) expect(text).not.toContain(raw);
    expect(text).toContain('\n  "a');
    expect(text).toContain('"a: b"');
  });
});
