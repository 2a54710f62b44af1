import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Results } from '../../../../src/data/results';
import type { ResultRow, TrialResult } from '../../../../src/data/verdict';
import { diffDocument } from '../../../../src/report/render/diff';
import { commentWriter, escapeMarkdown } from '../../../../src/report/render/markdown-writer';
import { renderSummary } from '../../../../src/report/render/run';
import { diffVerdicts } from '../../../../src/verdicts/change';
import { compareProjects } from '../../../../src/verdicts/compare';
import { verdictOf } from '../../../../src/verdicts/verdict';
import { resultRow, trials } from '../../verdicts/trials';

const HOSTILE =
  '<img src=x onerror=alert(1)> | `code`\n::error::pwned ##[error] @octocat #12 [a](https://evil.example) www.evil.example \u001b[31m';

function row(
  letters: string,
  more: Partial<ResultRow> = {},
  eachTrial: Partial<TrialResult> = {},
): ResultRow {
  const all = trials(letters).map(trial => ({ ...trial, ...eachTrial }));
  return {
    ...resultRow(
      { spec: 'checkout', project: 'opus', agent: 'claude', model: 'opus', replayed: false },
      verdictOf({ k: letters.length, minPasses: Math.max(1, letters.length - 1) }, all),
    ),
    ...more,
  };
}
const results = (verdicts: ResultRow[], more: Partial<Results> = {}): Results => ({
  schemaVersion: '1',
  startedAt: '2026-11-05T10:00:00.000Z',
  durationMs: 65_000,
  status: 'failed',
  complete: true,
  verdicts,
  ...more,
});

describe('escaping', () => {
  test.each([
    ['a|b', 'a&#124;b'],
    ['`x` *y* _z_', '\\`x\\` \\*y\\* \\_z\\_'],
    ['<b>&amp;', '&lt;b&gt;&amp;amp;'],
    ['::error::x', ': :error&#58;:x'],
    ['##[error]x', '\\#&#8203; \\#&#8203;\\[error\\]x'],
    ['two\nlines\u001b[2J', 'two lines'],
    ['@octocat fixed #12', '@&#8203;octocat fixed \\#&#8203;12'],
    ['see https://x.example/a', 'see https&#58;//x.example/a'],
    ['trial 2/5: it stayed', 'trial 2/5: it stayed'],
  ])('%j', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });

  test('cuts long texts', () => {
    expect(escapeMarkdown('x'.repeat(600))).toBe(`${'x'.repeat(499)}…`);
  });

  test('nothing that breaks a line, a cell or a tag survives, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...HOSTILE, ...'\\\r\u2028ab') }), text => {
        expect(escapeMarkdown(text)).not.toMatch(/[|<>\n\r]|::|(^|[^\\])`/);
      }),
    );
  });
});

describe('the summary of a run', () => {
  const lost = row('pffff', { spec: 'cart' }, { screenshot: 'turn-4.jpeg' });
  const text = renderSummary(
    results([row('ppppp', { spec: 'pricing' }), lost, row('ppeee', { spec: 'docs' })], { complete: false }),
  );

  test('names the state, the cost and what is missing', () => {
    expect(text).toContain('## Taskproof: failed');
    expect(text).toContain(
      '1 of 3 verdicts passed · 15 trials · $1.50 · 1m 05s. Incomplete: trials are missing.',
    );
  });

  test('gives each lost spec its reason and its last screenshot', () => {
    expect(text).toContain(
      '- **cart** (opus) failed, 1/5: trial 2/5: because failed (at http&#58;//127.0.0.1/cart) Last screenshot: turn-4.jpeg.',
    );
  });

  test('lists all verdicts, the lost ones first', () => {
    const table = text.split('\n').filter(line => line.startsWith('| '));
    expect(table.map(line => line.split(' | ').slice(0, 3).join(' '))).toEqual([
      '| spec project verdict',
      '| --- --- ---',
      '| cart opus **✗ failed**',
      '| docs opus **? inconclusive**',
      '| pricing opus ✓ passed',
    ]);
  });

  test('shows errors apart, by kind, with a hint', () => {
    expect(text).toMatch(
      /### Not counted against the site\n\n- 3 trials with error: agent\\_api\. .*key.*\n {2}- because error$/m,
    );
  });

  test('says when the cost is not known', () => {
    const some = renderSummary(results([row('pp'), row('pp', { spec: 'b' }, { costUsd: null })]));
    expect(some).toContain('unknown cost ($0.20 known)');
  });

  test('stays within what GitHub takes', () => {
    const one = row('f', { reason: 'x'.repeat(500) });
    const many = Array.from({ length: 5000 }, (_, i) => ({ ...one, spec: `spec-${i}` }));
    const long = renderSummary(results(many));
    expect(long.length).toBeLessThan(900_000);
    expect(long).toMatch(/\nand \d+ more\n/);
  });

  test('keeps a hostile reason inside its line', () => {
    const hostile = renderSummary(
      results([row('f', { spec: 'x', project: HOSTILE, reason: HOSTILE }, { reason: HOSTILE })]),
    );
    expect(hostile).not.toMatch(/<img|^::|##\[|@octocat|https:\/\//m);
    expect(hostile).not.toContain('\u001b');
    const cells = hostile.split('\n').filter(line => line.startsWith('|'));
    expect(cells.map(line => line.split('|').length)).toEqual([9, 9, 9]);
  });
});

describe('projects side by side', () => {
  const withComparison = (rows: ResultRow[]) => {
    const comparison = compareProjects(rows);
    return renderSummary(results(rows, comparison ? { comparison } : {}));
  };
  const rows = [
    row('ppppp', { project: 'opus' }),
    row('pffff', { project: 'haiku|' }),
    row('ppp', { spec: 'docs', project: 'opus' }),
    row('ppf', { spec: 'docs', project: 'haiku|' }),
    row('ppp', { spec: 'alone' }),
  ];
  const text = withComparison(rows);

  test('a table with totals on top, and what differs', () => {
    expect(text).toContain(
      '- Verdicts differ on 1 spec: checkout\n- Same verdict, other pass rate: docs\n' +
        '- haiku&#124; / opus: pass rate -57 points (95%: -100 to +100) over 2 specs, p = 0.024: too little to tell them apart\n\n' +
        '| passes, turns, cost | haiku&#124; | opus |\n| --- | --- | --- |\n' +
        '| **specs passed** | 1/2 | 2/2 |\n' +
        '| **graded trials passed** | 3/8 (38%) | 8/8 (100%) |\n' +
        '| **pass^k** | 0% (k 3) | 100% (k 3) |\n' +
        '| **cost** | \\$0.80 | \\$0.80 |\n' +
        '| **cost per pass** | \\$0.27 | \\$0.10 |\n' +
        '| checkout | ✗ **1/5** · 4 · \\$0.50 | ✓ 5/5 · 4 · \\$0.50 |\n' +
        '| docs | ✓ 2/3 · 4 · \\$0.30 | ✓ 3/3 · 4 · \\$0.30 |\n',
    );
  });

  test('folds the verdicts away, which stand open where nothing is compared', () => {
    expect(text).toMatch(/<details>\n<summary>All 5 verdicts<\/summary>\n\n\| spec [\s\S]*<\/details>\n$/);
    const alone = withComparison([row('ppppp')]);
    expect(alone).not.toContain('<details>');
    expect(alone).not.toContain('Side by side');
  });

  test('stays within what GitHub takes, totals kept', () => {
    const [one, two] = [row('f', { reason: 'x'.repeat(500) }), row('p', { project: 'haiku' })];
    const many = Array.from({ length: 5000 }, (_, i) => [one, two].map(r => ({ ...r, spec: `spec-${i}` })));
    const long = withComparison(many.flat());
    expect(long.length).toBeLessThan(900_000);
    expect(long).toContain('| **specs passed** | 5000/5000 | 0/5000 |');
  });

  test('keeps hostile names inside their cells', () => {
    const hostile = withComparison([row('f', { project: HOSTILE }), row('p', { spec: 'checkout' })]);
    expect(hostile).not.toMatch(/<img|^::|##\[|@octocat|https:\/\//m);
    const section = hostile.split('### Side by side')[1]!.split('<details>')[0]!;
    const cells = section.split('\n').filter(line => line.startsWith('|'));
    expect(new Set(cells.map(line => line.split('|').length))).toEqual(new Set([5]));
  });
});

describe('the comment of a diff', () => {
  test('says where the trials do not suffice, and what to do', () => {
    const text = diffDocument(diffVerdicts([row('ppp')], [row('pff')]), [
      'Let fresh trials decide: <confirm>',
    ])(commentWriter);
    expect(text).toContain(
      '| regressed, too few trials to tell | checkout | opus | passed → failed | 3/3 → 1/3 | 0.2 |',
    );
    expect(text).toContain('\n\nLet fresh trials decide: &lt;confirm&gt;\n\n');
  });

  test('stays within what a comment may hold', () => {
    const many = (letter: string) => {
      const one = row(letter);
      return Array.from({ length: 3000 }, (_, i) => ({ ...one, spec: `spec-${i}` }));
    };
    const text = diffDocument(
      diffVerdicts(many('p'), [...many('f').slice(0, 1500), ...many('p').slice(1500)]),
    )(commentWriter);
    expect(text.length).toBeLessThan(65_536);
    expect(text).toContain('and ');
  });
});
