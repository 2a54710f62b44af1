import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Results } from '../../../../src/data/results';
import type { ResultRow } from '../../../../src/data/verdict';
import { comparisonDocument, findingsOf } from '../../../../src/report/render/comparison';
import { verdictTable } from '../../../../src/report/render/run';
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
const text = (rows: ResultRow[], width = 100) =>
  comparisonDocument(compareProjects(rows)!)(terminalWriter({ width, indent: '  ' }));

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
    '  haiku / opus: pass rate -33 points (95%: -100 to +70) over 3 specs, p = 0.024: too little to tell',
    '  them apart',
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
  expect(pair(1)).toBe(
    'one / two: pass rate +100 points over 1 spec, p = 0.0079: too little to tell them apart'.replace(
      'too little to tell them apart',
      'they differ',
    ),
  );
  expect(pair(2)).toBe(
    'one / two: pass rate +100 points (95%: +100 to +100) over 2 specs, p < 0.001: they differ',
  );
});

test('in colour: heads and what is left out dimmed, verdicts in their colour', () => {
  const comparison = compareProjects(ROWS)!;
  const coloured = comparisonDocument(comparison)(terminalWriter({ colour: true, width: 100, indent: '  ' }));
  for (const shown of ['\u001b[2mpasses, turns, cost', '\u001b[2mopus', '\u001b[2m-', '\u001b[31m✗ 1/5'])
    expect(coloured).toContain(shown);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(text(ROWS));
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
  const LONG = ['claude-opus-5-5-high-effort-production', 'claude-opus-5-5-high-effort-staging', 'sonnet'];
  const wide = [...LONG, 'x'.repeat(60), '日本語のとても長いプロジェクト名'].flatMap(project =>
    ['find-a-shop-that-is-open-on-sundays', 'b'].map(spec => row(spec, project, 'ppppf')),
  );

  test.each([60, 80, 100, 200])('five long names in %i columns', width => {
    const lines = text(wide, width).split('\n');
    for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(width);
    const heads = lines.filter(line => line.includes('passes, turns'));
    expect(heads.length).toBe({ 60: 5, 80: 3, 100: 2, 200: 1 }[width]);
    const all = lines.join('');
    for (const part of ['production', 'staging', 'sonnet', '語のと', 'open-on-']) expect(all).toContain(part);
  });

  test('columns stand side by side if they just fit', () => {
    const width = Math.max(...text(ROWS).split('\n').slice(0, 9).map(displayWidth));
    expect(text(ROWS, width)).toMatch(/haiku +lexical +opus/);
    expect(text(ROWS, width - 1)).not.toMatch(/haiku +lexical +opus/);
  });

  test('a name of more than four lines is cut in the fourth', () => {
    const name = ['a', 'b', 'c', 'd', 'e'].map(letter => letter.repeat(24)).join('');
    const four = ['a', 'b', 'c'].map(letter => letter.repeat(24));
    const headOf = (project: string) =>
      text([row('s', project, 'p'), row('s', 'z', 'p')], 200)
        .split('\n')
        .slice(0, 5)
        .map(line => line.slice(24).split('  ')[0]!.trim());
    expect(headOf(name)).toEqual([...four, `${'d'.repeat(24)}…`, '✓ 1/1']);
    expect(headOf(name.slice(0, 96))).toEqual([...four, 'd'.repeat(24), '✓ 1/1']);
  });

  test('whatever the names, no line is wider than asked for and none is lost', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab-/ 日\u001b[31m|\n\u202e'), maxLength: 60 });
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), fc.nat(120), (names, more) => {
        const shown = text(
          names.map(project => row('spec', project, 'pf')),
          60 + more,
        );
        for (const line of shown.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(60 + more);
        expect(shown).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
        expect(shown.match(/✓ 1\/2/g)).toHaveLength(names.length);
      }),
    );
  });
});

describe('the end of a run', () => {
  const end = (verdicts: ResultRow[]) => {
    const comparison = compareProjects(verdicts);
    const results: Results = {
      schemaVersion: '1',
      startedAt: '2026-11-05T10:00:00.000Z',
      durationMs: 1000,
      status: 'failed',
      complete: true,
      verdicts,
      ...(comparison ? { comparison } : {}),
    };
    return verdictTable(results, 100);
  };

  test('what passed and is compared stands in the comparison alone; what is lost keeps its row', () => {
    const shown = end([...ROWS, row('alone', 'opus', 'ppp')]);
    const table = shown.split('\n\n')[0]!;
    expect(table).toMatch(/checkout +haiku +✗ failed/);
    expect(table).toMatch(/pricing +opus +\? inconclusive/);
    expect(table).toMatch(/alone +opus +✓ passed/);
    expect(table).not.toMatch(/^ +cart /m);
    expect(shown).toMatch(/\n {2}8 verdicts: 6 passed, 1 failed, 1 inconclusive/);
  });

  test('one project: every verdict in one table', () => {
    const shown = end([row('cart', 'opus', 'ppp'), row('docs', 'opus', 'fff')]);
    expect(shown).toMatch(/cart +opus +✓ passed/);
    expect(shown).not.toContain('passes, turns, cost');
    expect(shown).toMatch(/\n {2}2 specs: 1 passed, 1 failed/);
  });
});
