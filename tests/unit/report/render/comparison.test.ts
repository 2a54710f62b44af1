import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { ResultRow } from '../../../../src/data/verdict';
import { comparisonDocument, findingsOf } from '../../../../src/report/render/comparison';
import { displayWidth, terminalWriter } from '../../../../src/report/render/terminal-writer';
import { compareProjects } from '../../../../src/verdicts/compare';
import { verdictOf } from '../../../../src/verdicts/verdict';
import { resultRow, trials } from '../../verdicts/trials';

function row(spec: string, project: string, letters: string, more: Partial<ResultRow> = {}): ResultRow {
  return {
    ...resultRow(
      { spec, project, agent: 'claude', model: null, replayed: false },
      verdictOf({ k: letters.length, minPasses: Math.max(1, letters.length - 1) }, trials(letters)),
    ),
    ...more,
  };
}
const text = (rows: ResultRow[]) =>
  comparisonDocument(compareProjects(rows)!)(terminalWriter({ indent: '  ' }));

const ROWS = [
  row('cart', 'opus', 'ppppp', { turns: 12, costUsd: 1.5 }),
  row('cart', 'haiku', 'ppppf'),
  row('checkout', 'opus', 'ppppp'),
  row('checkout', 'haiku', 'pffff', { costUsd: null }),
  row('pricing', 'opus', 'ppeee'),
  row('pricing', 'haiku', 'ppp'),
  row('pricing', 'lexical', 'ppp'),
];

test('specs as rows, projects as columns, totals and what differs below', () => {
  expect(text(ROWS).split('\n')).toEqual([
    '  passes, turns, cost   haiku              lexical          opus',
    '  cart                  ✓ 4/5  4    $0.50  -                ✓ 5/5  12  $1.50',
    '  checkout              ✗ 1/5  4  unknown  -                ✓ 5/5   4  $0.50',
    '  pricing               ✓ 3/3  4    $0.30  ✓ 3/3  4  $0.30  ? 2/5   4  $0.50',
    '  specs passed          2/3                1/1              2/3',
    '  graded trials passed  8/13 (62%)         3/3 (100%)       12/12 (100%)',
    '  pass^k                47% (k 3)          100% (k 3)       100% (k 2)',
    '  cost                  unknown            $0.30            $2.50',
    '  cost per pass         unknown            $0.10            $0.21',
    '',
    '  Verdicts differ on 1 spec: checkout',
    '  Open, so not compared: pricing',
    '  Same verdict, other pass rate: cart',
    '  haiku / opus: pass rate -33 points (95%: -100 to +70) over 3 specs, p = 0.024:',
    '  too little to tell them apart',
  ]);
});

test('the share of actions that went through page tools is told where there is one', () => {
  const withTools = row('cart', 'with', 'pp', { actions: 8, pageToolCalls: 6 });
  const without = row('cart', 'without', 'pp', { actions: 20 });
  expect(text([withTools, without])).toMatch(/^ {2}actions by page tools +6\/8 \(75%\) +0\/20 \(0%\)$/m);
  expect(text([row('cart', 'with', 'pp', { actions: 8 }), without])).not.toContain('page tools');
});

test('what is not known has a dash', () => {
  const shown = text([
    row('cart', 'down', 'ee', { pageToolCalls: 0 }),
    row('cart', 'up', 'pp', { actions: 2, pageToolCalls: 1 }),
  ]);
  expect(shown).toMatch(/^ {2}graded trials passed +0\/0 \(-\) +2\/2 \(100%\)$/m);
  expect(shown).toMatch(/^ {2}pass\^k +- +100% \(k 2\)$/m);
  expect(shown).toMatch(/^ {2}actions by page tools +0\/0 \(-\) +1\/2 \(50%\)$/m);
});

test('how far two projects differ: over one spec without an interval, over several with one', () => {
  const pair = (specs: number) =>
    findingsOf(
      compareProjects(
        Array.from({ length: specs }, (_, n) => [
          row(`s${n}`, 'one', 'ppppp', { actions: 1 }),
          row(`s${n}`, 'two', 'fffff'),
        ]).flat(),
      )!,
    ).at(-1);
  expect(pair(1)).toBe('one / two: pass rate +100 points over 1 spec, p = 0.0079: they differ');
  expect(pair(2)).toBe(
    'one / two: pass rate +100 points (95%: +100 to +100) over 2 specs, p < 0.001: they differ',
  );
});

test('in colour: heads and what is left out dimmed, verdicts in their colour', () => {
  const comparison = compareProjects(ROWS)!;
  const coloured = comparisonDocument(comparison)(terminalWriter({ colour: true, indent: '  ' }));
  for (const shown of ['\u001b[2mpasses, turns, cost', '\u001b[2mopus', '\u001b[2m-', '\u001b[31m✗ 1/5'])
    expect(coloured).toContain(shown);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(text(ROWS));
});

test('three projects, one without a name', () => {
  const shown = text(['', 'haiku', 'opus'].map(project => row('cart', project, 'pp')));
  expect(shown).toMatch(/\(no name\) +haiku +opus/);
  expect(shown).toContain('All projects come to the same verdicts.');
});

test('agreement is said, and long lists of other rates are cut', () => {
  expect(text([row('a', 'x', 'pp'), row('a', 'y', 'pp')])).toMatch(
    /\n {2}Both projects come to the same verdicts\.$/,
  );
  const many = Array.from({ length: 12 }, (_, i) => `s${10 + i}`);
  const rates = text(many.flatMap(spec => [row(spec, 'x', 'pp'), row(spec, 'y', 'pf')]));
  expect(rates.replace(/\s+/g, ' ')).toContain('Same verdict, other pass rate: s10, s11,');
  expect(rates).toMatch(/s19 and 2\s+more$/m);
  const lost = text(many.flatMap(spec => [row(spec, 'x', 'pp'), row(spec, 'y', 'ff')]));
  for (const spec of many) expect(lost.split('Verdicts differ on 12 specs')[1]).toContain(spec);
});

describe('width', () => {
  const { columns } = process.stdout;
  afterEach(() => {
    process.stdout.columns = columns;
  });

  test('side by side if they just fit, otherwise a line for each cell', () => {
    const width = Math.max(...text(ROWS).split('\n').slice(0, 9).map(displayWidth));
    process.stdout.columns = width;
    expect(text(ROWS)).toMatch(/haiku +lexical +opus/);
    process.stdout.columns = width - 1;
    expect(text(ROWS).split('\n').slice(0, 5)).toEqual([
      '                                 passes, turns, cost',
      '  cart                  haiku    ✓ 4/5  4    $0.50',
      '                        lexical  -',
      '                        opus     ✓ 5/5  12  $1.50',
      '  checkout              haiku    ✗ 1/5  4  unknown',
    ]);
  });

  test('whatever the names, all are shown and none is obeyed', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab-/ 日\u001b[31m|\n\u202e'), maxLength: 60 });
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), fc.nat(120), (names, more) => {
        process.stdout.columns = 60 + more;
        const shown = text(names.map(project => row('spec', project, 'pf')));
        expect(shown).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
        expect(shown.match(/✓ 1\/2/g)).toHaveLength(names.length);
      }),
    );
  });
});
