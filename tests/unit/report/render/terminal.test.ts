import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparisonDocument } from '../../../../src/report/render/comparison';
import { renderSummary, verdictTable } from '../../../../src/report/render/run';
import {
  cellText,
  displayWidth,
  table,
  terminalWriter,
  wrapped,
} from '../../../../src/report/render/terminal-writer';
import { compareProjects } from '../../../../src/verdicts/compare';
import { rateOfStopped } from '../../../../src/verdicts/verdict';
import { results, row } from './rows';

test('a table aligns wide characters and colours; one of no rows is empty', () => {
  const head = ['spec', 'passes', 'reason'];
  const rows = [
    [{ text: 'カート\n', style: 'red' as const }, '4/5', ''],
    ['a', '12/12', 'because\nof this'],
  ];
  expect(table({ head, rows }, { indent: '  ' })).toBe(
    ['  spec    passes  reason', '  カート  4/5', '  a       12/12   because of this'].join('\n'),
  );
  expect(table({ head, rows }, { colour: true })).toContain('\u001b[31mカート\u001b[39m  4/5');
  expect(table({ rows: [] })).toBe('');
});

test('a run whose trials were all skipped says so', () => {
  expect(verdictTable(results([]))).toMatch(/^ +no verdicts, since all trials were skipped \(/m);
});

describe('what trials waited for', () => {
  const idle = { model: 'a', served: 9, refused: 0, waitedMs: 900, perMinute: 9, limitPerMinute: null };
  const texts = (...api: (typeof idle | { limitPerMinute: number })[]) => {
    const all = results([row('spec', 'p')], { api: api.map(each => ({ ...idle, ...each })) });
    return [verdictTable(all), renderSummary(all)].map(text => text.match(/API.*/g) ?? []);
  };

  test.each([
    [
      { waitedMs: 212_400, perMinute: 34, limitPerMinute: 40 },
      'API: 34 of 40 requests a minute used, 212 s of waiting in all trials',
    ],
    [{ refused: 3 }, 'API: 9 requests a minute used, 3 refused, 1 s of waiting in all trials'],
  ])('%j', (seen, line) => expect(texts({ ...idle, ...seen })).toEqual([[line], [line]]));

  test('nothing if they did not; the model if there are several', () => {
    expect(texts(idle)).toEqual([[], []]);
    const [terminal] = texts(idle, { ...idle, model: 'b', refused: 1 });
    expect(terminal).toEqual(['API (b): 9 requests a minute used, 1 refused, 1 s of waiting in all trials']);
  });
});

describe('projects side by side', () => {
  const text = (names: readonly string[]) =>
    comparisonDocument(compareProjects(names.map(project => row('spec', 'pf', { project })))!)(
      terminalWriter({ indent: '  ' }),
    );

  test('whatever the names, all are shown and none is obeyed', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab-/ 日\u001b[31m|\n\u202e'), maxLength: 60 });
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), names => {
        expect(text(names)).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
        expect(text(names).match(/✓ 1\/2/g)).toHaveLength(names.length);
      }),
    );
  });
});

test.each([
  ['ppfpp', 4, '75% (28-99%), stops early'],
  ['ppppf', 5, '80% (40-99%), stops early'],
  ['ffp', 1, '33% (1-84%), stops early'],
  // Several workers: the verdict was settled while others still ran.
  ['ffpppp', 5, '0% (0-84%) of the first 2, stops early'],
  ['fps', 3, '0% (0-98%) of the first trial, stops early'],
  ['sps', 2, '100%, stops early'],
])('%s, %i needed: a rate in its interval, which the counts bear', (letters, minPasses, text) => {
  const all = row('cart', letters, { minPasses, earlyStop: true });
  const stopped = { ...all, interval: null, ...rateOfStopped(all) };
  expect(
    /needs \d+(?: \(\d ran\)|, \d tolerated)* {2}(.*?) {2}/.exec(verdictTable(results([stopped])))?.[1],
  ).toBe(text);
});

test.each([
  ['', 10, '>'],
  ['one two three', 6, '>one\n>two\n>three'],
  ['日本 日本', 8, '>日本\n>日本'],
])('%j in %d columns', (text, width, expected) => expect(wrapped(text, width, '>')).toBe(expected));

test.each([
  ['abc', 3],
  ['日本', 4],
  ['😀', 2],
])('%j takes %d columns', (text, columns) => expect(displayWidth(text)).toBe(columns));

test('joined characters are parted', () => expect(cellText('a\u200db\u200c \n')).toBe('ab'));
